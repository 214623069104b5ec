//! What OpenSM sees: the symbol `osm_event_plugin`, the engine `dmodc`, and its callbacks.
//!
//! Life: OpenSM loads the library, compares versions, calls `create` (after it has forked), which
//! registers the engine; calls `setup` once for each time the engine is named in
//! `routing_engine`, all with one context; then the callbacks, always on its own threads; at exit
//! `destroy` for each engine of the list, then `delete`, which frees.
//!
//! Typed errors become C results here and nowhere else: 0 or `IB_SUCCESS`, -1 or `IB_ERROR`. A
//! positive result would tell OpenSM to let minhop do the stage, without a word.

use super::bindings::{
    IB_ERROR, IB_SUCCESS, OSM_EVENT_ID_UCAST_ROUTING_DONE, external_routing_engine_module_t,
    ib_api_status_t, osm_epi_event_id_t, osm_event_plugin_t, osm_mgrp_box_t, osm_opensm_t,
    osm_routing_engine_t,
};
use super::engine::Dmodc;
use super::group::Group;
use super::guard::{guard, log_panics};
use super::live::{self, Locked, Subnet};
use super::symbols::Symbols;
use super::{log as opensm_log, mcast, options, version};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::offset_of;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};

const ENGINE: &CStr = c"dmodc";

/// What OpenSM keeps for us, as plugin data and as the engine's context.
pub(super) struct Context {
    osm: NonNull<osm_opensm_t>,
    symbols: Symbols,
    dmodc: Dmodc,
}

/// `osm_event_plugin_t` with a version that can be set when the library is loaded.
#[repr(C)]
struct EventPlugin {
    osm_version: AtomicPtr<c_char>,
    create: unsafe extern "C" fn(*mut osm_opensm_t) -> *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    report: unsafe extern "C" fn(*mut c_void, osm_epi_event_id_t, *mut c_void),
}

const _: () = assert!(size_of::<EventPlugin>() == size_of::<osm_event_plugin_t>());
const _: () = assert!(
    offset_of!(EventPlugin, osm_version) == offset_of!(osm_event_plugin_t, osm_version)
        && offset_of!(EventPlugin, create) == offset_of!(osm_event_plugin_t, create)
        && offset_of!(EventPlugin, delete) == offset_of!(osm_event_plugin_t, delete)
        && offset_of!(EventPlugin, report) == offset_of!(osm_event_plugin_t, report)
);

// SAFETY: the name is the one that OpenSM looks for (OSM_EVENT_PLUGIN_IMPL_NAME); nothing else in
// the process has it but other plugins, which it looks up by library.
#[unsafe(no_mangle)]
static osm_event_plugin: EventPlugin = EventPlugin {
    osm_version: AtomicPtr::new(version::BUILT_FOR.as_ptr().cast_mut()),
    create,
    delete,
    report,
};

// SAFETY: functions in .init_array are called once, when the library is loaded, before OpenSM
// reads `osm_event_plugin`; the signature may take less than it is given.
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = on_load;

/// Makes a refusal for another OpenSM version name both.
extern "C" fn on_load() {
    guard("on_load", (), || {
        if let Some(both) = version::mismatch() {
            osm_event_plugin
                .osm_version
                .store(both.into_raw(), Ordering::Release);
        }
    });
}

unsafe extern "C" fn create(osm: *mut osm_opensm_t) -> *mut c_void {
    guard("create", ptr::null_mut(), || {
        let Some(osm) = NonNull::new(osm) else {
            return ptr::null_mut();
        };
        // SAFETY: OpenSM passes itself.
        match unsafe { created(osm) } {
            Some(context) => Box::into_raw(context).cast(),
            None => ptr::null_mut(),
        }
    })
}

/// # Safety
/// `osm` is an OpenSM that is creating its plugins.
pub(super) unsafe fn created(osm: NonNull<osm_opensm_t>) -> Option<Box<Context>> {
    // SAFETY: the version is the first member in every OpenSM, and a C string. Nothing else may be
    // read before it has been compared.
    let running = unsafe { CStr::from_ptr((*osm.as_ptr()).osm_version) };
    if running != version::BUILT_FOR {
        let built_for = version::BUILT_FOR.to_string_lossy();
        complain(&format!(
            "built for {built_for}, loaded into {}",
            running.to_string_lossy()
        ));
        return None;
    }
    // SAFETY: same version; these two pointers show whether the structures before them are laid
    // out as in the headers that the plugin was built with.
    let same_layout = unsafe {
        let p = osm.as_ptr();
        (*p).subn.p_osm == p && (*p).sm.p_log == &raw mut (*p).log
    };
    if !same_layout {
        complain("this OpenSM was configured otherwise than the headers the plugin was built with");
        return None;
    }
    // SAFETY: the log is initialised first and destroyed last, after `delete`.
    let attached = unsafe {
        let log = NonNull::new(&raw mut (*osm.as_ptr()).log)?;
        opensm_log::attach(log)
    };
    if let Err(missing) = attached {
        complain(&missing.to_string());
        return None;
    }
    log_panics();
    let symbols = Symbols::load().map_err(|e| log::error!("{e}")).ok()?;
    // SAFETY: OpenSM is creating its plugins.
    let (options, errors) = options::parse(&unsafe { live::plugin_options(osm) });
    errors.iter().for_each(|e| log::error!("{e}"));

    let mut context = Box::new(Context {
        osm,
        symbols,
        dmodc: Dmodc::new(options),
    });
    let data: *mut c_void = ptr::from_mut(&mut *context).cast();
    let module = external_routing_engine_module_t {
        name: ENGINE.as_ptr(),
        setup: Some(setup),
        context: data,
    };
    // SAFETY: OpenSM copies the module and keeps the context, which lives until `delete`.
    let status = unsafe { (symbols.register_engine)(osm.as_ptr(), &raw const module, data) };
    if status != 0 {
        log::error!("OpenSM refused the routing engine (status {status})");
        return None;
    }
    log::info!(
        "{} for {} is ready",
        env!("CARGO_PKG_VERSION"),
        running.to_string_lossy()
    );
    Some(context)
}

/// Says why the plugin will not work where OpenSM's log cannot be had.
fn complain(reason: &str) {
    let line = format!("dmodc: ERR: {reason}; not loaded");
    eprintln!("{line}");
    if let Ok(line) = CString::new(line) {
        // SAFETY: the text is data, not a format.
        unsafe { libc::syslog(libc::LOG_ERR, c"%s".as_ptr(), line.as_ptr()) };
    }
}

unsafe extern "C" fn delete(data: *mut c_void) {
    guard("delete", (), || {
        opensm_log::detach();
        if !data.is_null() {
            // SAFETY: `create` made it from a box, and OpenSM has done with it.
            drop(unsafe { Box::from_raw(data.cast::<Context>()) });
        }
    });
}

unsafe extern "C" fn report(data: *mut c_void, event: osm_epi_event_id_t, _kind: *mut c_void) {
    if event != OSM_EVENT_ID_UCAST_ROUTING_DONE {
        return;
    }
    guard("report", (), || {
        // SAFETY: OpenSM passes what `create` returned.
        let Some(context) = (unsafe { context(data) }) else {
            return;
        };
        // SAFETY: do_sweep reports this event without the lock, which ucast_mgr_process has
        // released and mcast_mgr_process has yet to take.
        let Some(lock) = (unsafe { Locked::acquire(context.osm) }) else {
            return;
        };
        let subnet = lock.subnet(context.symbols);
        if subnet.is_engine_used(data) {
            context.dmodc.tell(&subnet);
            if opensm_log::routing_dumps_wanted() {
                context.dmodc.fill_hop_tables(&subnet);
            }
        }
    });
}

unsafe extern "C" fn setup(engine: *mut osm_routing_engine_t, _osm: *mut osm_opensm_t) -> c_int {
    let Some(engine) = NonNull::new(engine) else {
        return -1;
    };
    // SAFETY: OpenSM passes an engine of its own to fill in; name, type and context are set.
    unsafe {
        let engine = engine.as_ptr();
        (*engine).build_lid_matrices = Some(build_lid_matrices);
        (*engine).ucast_build_fwd_tables = Some(ucast_build_fwd_tables);
        (*engine).mcast_build_stree = Some(mcast_build_stree);
        (*engine).destroy = Some(destroy);
    }
    0
}

/// Nothing to do: no callback of ours reads hop tables (see `hops`).
unsafe extern "C" fn build_lid_matrices(_context: *mut c_void) -> c_int {
    0
}

unsafe extern "C" fn ucast_build_fwd_tables(data: *mut c_void) -> c_int {
    guard("ucast_build_fwd_tables", -1, || {
        // SAFETY: OpenSM passes the context that the engine was registered with.
        let Some(context) = (unsafe { context(data) }) else {
            return -1;
        };
        // SAFETY: osm_ucast_mgr_process calls us with its lock taken exclusively.
        let mut subnet = unsafe { Subnet::under_lock(context.osm, context.symbols) };
        match context.dmodc.route(&mut subnet, data) {
            Ok(()) => 0,
            Err(e) => {
                log::error!("not routed: {e}");
                -1
            }
        }
    })
}

unsafe extern "C" fn mcast_build_stree(
    data: *mut c_void,
    mbox: *mut osm_mgrp_box_t,
) -> ib_api_status_t {
    guard("mcast_build_stree", IB_ERROR, || {
        // SAFETY: OpenSM passes the context that the engine was registered with.
        let Some(context) = (unsafe { context(data) }) else {
            return IB_ERROR;
        };
        let Some(mbox) = NonNull::new(mbox) else {
            return IB_ERROR;
        };
        // SAFETY: osm_mcast_mgr_process calls us with its lock taken exclusively.
        let (subnet, group) = unsafe {
            (
                Subnet::under_lock(context.osm, context.symbols),
                Group::read(mbox),
            )
        };
        match mcast::build(&context.dmodc, &subnet, &group) {
            Ok(()) => IB_SUCCESS,
            Err(e) => {
                log::error!("no tree for MLID 0x{:X}: {e}", group.mlid);
                IB_ERROR
            }
        }
    })
}

/// Called once for each time the engine is in the list; the context goes in `delete`.
unsafe extern "C" fn destroy(data: *mut c_void) {
    guard("destroy", (), || {
        // SAFETY: OpenSM passes the context that the engine was registered with.
        if let Some(context) = unsafe { context(data) } {
            context.dmodc.forget();
        }
    });
}

/// # Safety
/// `data` is NULL or what `create` returned, and `delete` has not been called.
unsafe fn context<'a>(data: *mut c_void) -> Option<&'a Context> {
    // SAFETY: the caller vouches for the pointer; the context is shared from here on, and what
    // changes in it is behind a mutex.
    unsafe { data.cast::<Context>().as_ref() }
}
