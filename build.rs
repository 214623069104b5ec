//! Generates the OpenSM bindings from the installed headers.
//!
//! Environment:
//! - `OPENSM_INCLUDE`: the folder that holds `opensm/`, `complib/`, `iba/` and `vendor/`, if it is
//!   not a standard one of the distributions.

use std::env;
use std::path::PathBuf;

/// The folders into which Debian, Red Hat and OpenSM's own `make install` put the headers.
const STANDARD: [&str; 2] = ["/usr/include/infiniband", "/usr/local/include/infiniband"];

const PACKAGES: &str = "On Debian and Ubuntu: apt install libopensm-dev libibumad-dev \
    libclang-dev. Or build the tool alone: cargo build -p dmodc-tool --no-default-features";

/// The types that the plugin reads. bindgen adds the types that they use, [`OPAQUE`] as bytes.
const TYPES: &[&str] = &[
    "osm_opensm_t",
    "osm_event_plugin_t",
    "osm_epi_event_id_t",
    "osm_routing_engine_t",
    "external_routing_engine_module_t",
    "osm_mgrp_box_t",
    "osm_mgrp_t",
    "osm_mcm_port_t",
    "osm_node_t",
    "osm_switch_t",
    "osm_port_t",
    "osm_remote_sm_t",
    "osm_physp_t",
    "osm_log_t",
    "osm_log_level_t",
    "cl_qmap_t",
    "cl_qlist_t",
    "cl_status_t",
    "cl_status",
    "ib_api_status_t",
];

const CONSTANTS: &[&str] = &[
    "OSM_VERSION",
    "OSM_LOG_.*",
    "OSM_NO_PATH",
    "OSM_EVENT_ID_.*",
    "IB_NODE_TYPE_.*",
    "IB_SMINFO_STATE_.*",
    "LOG_ENTRY_SIZE_MAX",
];

/// Parts of `osm_opensm_t` that the plugin does not read: only their size matters.
const OPAQUE: &[&str] = &[
    "osm_sa",
    "osm_sa_t",
    "osm_perfmgr",
    "_osm_perfmgr",
    "osm_congestion_control",
    "osm_db",
    "osm_mad_pool",
    "osm_vl15",
    "osm_console",
    "_cl_dispatcher",
    "osm_qos_policy_t",
    "osm_prtn",
    "osm_mtree_node",
    "osm_ucast_mgr",
    "osm_lid_mgr",
    "_nn_map",
    "_IO_FILE",
    "FILE",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=wrapper.h");
    println!("cargo:rerun-if-env-changed=OPENSM_INCLUDE");
    // OpenSM closes its plugins when it ends. Threads and thread-locals of the plugin may still
    // run its code then, so the library stays loaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");

    let include = include_folder();
    let mut builder = bindgen::Builder::default()
        .header("wrapper.h")
        .clang_arg(format!("-I{}", include.display()))
        .formatter(bindgen::Formatter::None)
        .allowlist_recursively(true)
        .generate_cstr(true)
        .generate_comments(false)
        .derive_default(false)
        .derive_debug(false)
        .derive_copy(true)
        .layout_tests(true)
        .prepend_enum_name(false)
        .parse_callbacks(Box::new(bindgen::CargoCallbacks::new()));
    for name in TYPES {
        builder = builder.allowlist_type(name);
    }
    for name in CONSTANTS {
        builder = builder.allowlist_var(name);
    }
    for name in OPAQUE {
        builder = builder.opaque_type(name);
    }
    let bindings = builder.generate().unwrap_or_else(|e| {
        panic!(
            "cannot read OpenSM's headers in {}: {e}\n{PACKAGES}",
            include.display()
        )
    });
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    bindings
        .write_to_file(out.join("opensm.rs"))
        .expect("OUT_DIR can be written");
}

fn include_folder() -> PathBuf {
    let given = env::var_os("OPENSM_INCLUDE").map(PathBuf::from);
    let places: Vec<PathBuf> = match given {
        Some(folder) => vec![folder],
        None => STANDARD.iter().map(PathBuf::from).collect(),
    };
    match places
        .iter()
        .find(|p| p.join("opensm/osm_config.h").is_file())
    {
        Some(found) => found.clone(),
        None => panic!(
            "OpenSM's headers (opensm/osm_config.h) are not in {places:?}; OPENSM_INCLUDE \
             names another folder.\n{PACKAGES}"
        ),
    }
}
