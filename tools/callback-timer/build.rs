//! OpenSM's structures from its headers, the same as the plugin's own build reads.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=../../wrapper.h");
    println!("cargo:rerun-if-env-changed=OPENSM_INCLUDE");
    let include = env::var("OPENSM_INCLUDE").unwrap_or("/usr/include/infiniband".into());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    bindgen::Builder::default()
        .header("../../wrapper.h")
        .clang_arg(format!("-I{include}"))
        .generate_cstr(true)
        .generate_comments(false)
        .derive_debug(false)
        .prepend_enum_name(false)
        .allowlist_type("osm_opensm_t")
        .allowlist_type("osm_event_plugin_t")
        .allowlist_type("osm_routing_engine_t")
        .allowlist_type("external_routing_engine_module_t")
        .allowlist_var("OSM_VERSION")
        .generate()
        .expect("OpenSM's headers are there: apt install libopensm-dev libibumad-dev libclang-dev")
        .write_to_file(out.join("opensm.rs"))
        .expect("OUT_DIR can be written");
}
