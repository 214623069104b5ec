//! An OpenSM plugin that times the callbacks of a routing engine, with no patch to OpenSM.
//!
//! ```text
//! event_plugin_name callback_timer
//! routing_engine callback_timer,ftree,minhop,no_fallback
//! ```
//!
//! It registers an engine of its own, which has to be the first of the list. When OpenSM calls it,
//! it puts its wrappers in the place of the next engine's two callbacks, leaves the list, so that
//! the next engine is the first as it would be without it, and refuses the fabric, so that OpenSM
//! goes on to that engine. A callback that the engine leaves to OpenSM (NULL, or a
//! positive result) is minhop's: that is why minhop has to follow in the list, and it is timed as
//! the engine's own. One line on standard error says what both took, and by how much the process's
//! peak memory rose over what it had before:
//!
//! ```text
//! callback_timer: engine=ftree lid_matrices_us=1234 fwd_tables_us=5678 extra_kib=91011
//! ```

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs;
use std::ptr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

#[allow(
    dead_code,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unnecessary_transmutes,
    unsafe_op_in_unsafe_fn,
    clippy::all,
    clippy::undocumented_unsafe_blocks
)]
mod opensm {
    include!(concat!(env!("OUT_DIR"), "/opensm.rs"));
}

use opensm::{
    OSM_VERSION, cl_status_t, external_routing_engine_module_t, osm_opensm_t, osm_routing_engine_t,
};

const NAME: &CStr = c"callback_timer";

type Callback = unsafe extern "C" fn(*mut c_void) -> c_int;
type Register = unsafe extern "C" fn(
    *mut osm_opensm_t,
    *const external_routing_engine_module_t,
    *mut c_void,
) -> cl_status_t;

/// The engine whose callbacks have been replaced.
struct Timed {
    name: String,
    lid_matrices: Option<Callback>,
    fwd_tables: Option<Callback>,
    minhop: Minhop,
    resident_kib: u64,
    lid_matrices_took: Duration,
}

/// What stands in for a callback that an engine does not have.
#[derive(Clone, Copy)]
struct Minhop {
    /// An address that is only handed back to minhop.
    context: usize,
    lid_matrices: Option<Callback>,
    fwd_tables: Option<Callback>,
}

static TIMED: Mutex<Option<Timed>> = Mutex::new(None);

/// `osm_event_plugin_t`.
#[repr(C)]
struct EventPlugin {
    version: *const c_char,
    create: unsafe extern "C" fn(*mut osm_opensm_t) -> *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    report: unsafe extern "C" fn(*mut c_void, opensm::osm_epi_event_id_t, *mut c_void),
}

const _: () = assert!(size_of::<EventPlugin>() == size_of::<opensm::osm_event_plugin_t>());

// SAFETY: never written to, and what it points at is as old as the library.
unsafe impl Sync for EventPlugin {}

// SAFETY: the name is the one that OpenSM looks up in each plugin's library.
#[unsafe(no_mangle)]
static osm_event_plugin: EventPlugin = EventPlugin {
    version: OSM_VERSION.as_ptr(),
    create,
    delete,
    report,
};

unsafe extern "C" fn create(osm: *mut osm_opensm_t) -> *mut c_void {
    let module = external_routing_engine_module_t {
        name: NAME.as_ptr(),
        setup: Some(setup),
        context: osm.cast(),
    };
    // SAFETY: the symbol, if OpenSM has it, is this function; it copies the module.
    unsafe {
        let name = c"osm_register_external_routing_engine";
        let found = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        if found.is_null() {
            eprintln!("callback_timer: this OpenSM takes no external engines");
            return ptr::null_mut();
        }
        let register = std::mem::transmute::<*mut c_void, Register>(found);
        match register(osm, &raw const module, osm.cast()) {
            0 => osm.cast(),
            _ => ptr::null_mut(),
        }
    }
}

unsafe extern "C" fn delete(_: *mut c_void) {}

unsafe extern "C" fn report(_: *mut c_void, _: opensm::osm_epi_event_id_t, _: *mut c_void) {}

unsafe extern "C" fn setup(engine: *mut osm_routing_engine_t, osm: *mut osm_opensm_t) -> c_int {
    // SAFETY: OpenSM passes a new engine and itself.
    unsafe {
        (*engine).context = osm.cast();
        (*engine).build_lid_matrices = Some(wrap_next);
    }
    0
}

/// Our engine's own callback: wraps the next engine, once, and refuses.
unsafe extern "C" fn wrap_next(osm: *mut c_void) -> c_int {
    let osm = osm.cast::<osm_opensm_t>();
    // SAFETY: the context is OpenSM itself; it calls us holding its lock, and nothing
    // else changes the list of engines before it ends.
    unsafe {
        let first = (*osm).routing_engine_list;
        let next = (*first).next;
        let mut timed = TIMED.lock().expect("nothing panics while it is held");
        if timed.is_some() || next.is_null() {
            return -1;
        }
        let mut minhop = next;
        while !minhop.is_null() && CStr::from_ptr((*minhop).name) != c"minhop" {
            minhop = (*minhop).next;
        }
        if minhop.is_null() {
            eprintln!("callback_timer: no minhop in the list of engines");
            return -1;
        }
        *timed = Some(Timed {
            name: CStr::from_ptr((*next).name).to_string_lossy().into_owned(),
            lid_matrices: (*next).build_lid_matrices,
            fwd_tables: (*next).ucast_build_fwd_tables,
            minhop: Minhop {
                context: (*minhop).context as usize,
                lid_matrices: (*minhop).build_lid_matrices,
                fwd_tables: (*minhop).ucast_build_fwd_tables,
            },
            resident_kib: status_kib("VmRSS:"),
            lid_matrices_took: Duration::ZERO,
        });
        (*next).build_lid_matrices = Some(lid_matrices);
        (*next).ucast_build_fwd_tables = Some(fwd_tables);
        // Our entry stays allocated, and still names its successor.
        (*osm).routing_engine_list = next;
    }
    -1
}

unsafe extern "C" fn lid_matrices(context: *mut c_void) -> c_int {
    let mut timed = TIMED.lock().expect("nothing panics while it is held");
    let Some(timed) = timed.as_mut() else {
        return -1;
    };
    let start = Instant::now();
    let (own, minhop) = (timed.lid_matrices, timed.minhop);
    // SAFETY: `context` is what OpenSM has for this engine.
    let result = unsafe { call(own, context, minhop.lid_matrices, minhop) };
    timed.lid_matrices_took = start.elapsed();
    result
}

unsafe extern "C" fn fwd_tables(context: *mut c_void) -> c_int {
    let mut timed = TIMED.lock().expect("nothing panics while it is held");
    let Some(timed) = timed.as_mut() else {
        return -1;
    };
    let start = Instant::now();
    let (own, minhop) = (timed.fwd_tables, timed.minhop);
    // SAFETY: `context` is what OpenSM has for this engine.
    let result = unsafe { call(own, context, minhop.fwd_tables, minhop) };
    let took = start.elapsed();
    if result == 0 {
        eprintln!(
            "callback_timer: engine={} lid_matrices_us={} fwd_tables_us={} extra_kib={}",
            timed.name,
            timed.lid_matrices_took.as_micros(),
            took.as_micros(),
            status_kib("VmHWM:").saturating_sub(timed.resident_kib)
        );
    }
    result
}

/// Calls an engine's callback, and minhop's where OpenSM would.
///
/// # Safety
/// `context` is what the engine was set up with; `stand_in` is a callback of minhop's.
unsafe fn call(
    own: Option<Callback>,
    context: *mut c_void,
    stand_in: Option<Callback>,
    minhop: Minhop,
) -> c_int {
    // SAFETY: the caller vouches for it.
    let result = own.map_or(1, |own| unsafe { own(context) });
    match stand_in {
        // SAFETY: minhop's callback with minhop's context, as OpenSM sets them up.
        Some(stand_in) if result > 0 => unsafe { stand_in(minhop.context as *mut c_void) },
        _ => result,
    }
}

/// A figure of this process's memory.
fn status_kib(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let figure = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    figure.unwrap_or_default()
}
