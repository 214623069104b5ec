//! The plugin as OpenSM sees it: the symbol `osm_event_plugin`, and the engine that it registers.
//!
//! Order of calls: OpenSM loads the library (after any fork), compares versions, and calls `create`, which registers
//! the engine; then `setup` once for each mention of the engine in `routing_engine`, all with one context; then the
//! callbacks, on its own threads; at exit `destroy` for each engine of the list, and `delete`, which frees the context.

use super::callbacks::{Context, context, release};
use super::extension::OpenSm;
use super::ffi::bindings::{
    OSM_EVENT_ID_HEAVY_SWEEP_DONE, OSM_EVENT_ID_UCAST_ROUTING_DONE, OSM_LOG_ROUTING,
    osm_epi_event_id_t, osm_event_plugin_t, osm_opensm_t,
};
use super::ffi::{OpensmLog, Subnet, Symbols, activity, plugin_options, port, role};
use super::guard::{guard, log_panics};
use super::pulse::Pulse;
use super::{log as opensm_log, version};
use dmodc_watch::sweeps::File;
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::offset_of;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

pub(super) const ENGINE: &CStr = c"dmodc";

/// `osm_event_plugin_t`, with a version that can be changed when the library is loaded.
#[repr(C)]
struct EventPlugin {
    osm_version: AtomicPtr<c_char>,
    create: unsafe extern "C" fn(*mut osm_opensm_t) -> *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    report: unsafe extern "C" fn(*mut c_void, osm_epi_event_id_t, *mut c_void),
}

const _: () = assert!(
    size_of::<EventPlugin>() == size_of::<osm_event_plugin_t>()
        && offset_of!(EventPlugin, osm_version) == offset_of!(osm_event_plugin_t, osm_version)
        && offset_of!(EventPlugin, create) == offset_of!(osm_event_plugin_t, create)
        && offset_of!(EventPlugin, delete) == offset_of!(osm_event_plugin_t, delete)
        && offset_of!(EventPlugin, report) == offset_of!(osm_event_plugin_t, report)
);

// SAFETY: OpenSM looks for this name (OSM_EVENT_PLUGIN_IMPL_NAME). In the process only other plugins have the same
// name, and OpenSM looks it up in each plugin's library separately.
#[unsafe(no_mangle)]
static osm_event_plugin: EventPlugin = EventPlugin {
    osm_version: AtomicPtr::new(version::BUILT_FOR.as_ptr().cast_mut()),
    create,
    delete,
    report,
};

// SAFETY: functions in .init_array are called once, when the library is loaded, before OpenSM reads `osm_event_plugin`;
// such a function may take fewer arguments than the caller passes.
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = on_load;

/// If the running OpenSM has another version, makes its refusal name both versions.
extern "C" fn on_load() {
    guard("on_load", (), || {
        if let Some(both) = version::mismatch() {
            let version = &osm_event_plugin.osm_version;
            version.store(both.into_raw(), Ordering::Release);
        }
    });
}

unsafe extern "C" fn create(osm: *mut osm_opensm_t) -> *mut c_void {
    guard("create", ptr::null_mut(), || {
        let Some(osm) = NonNull::new(osm) else {
            return ptr::null_mut();
        };
        // SAFETY: OpenSM passes itself, while it creates its plugins.
        let context = unsafe { created(osm) };
        context.map_or(ptr::null_mut(), |context| context.as_ptr().cast())
    })
}

/// Checks that the plugin was built for this OpenSM, and registers the engine.
///
/// # Safety
/// `osm` is an OpenSM that is creating its plugins.
pub(super) unsafe fn created(osm: NonNull<osm_opensm_t>) -> Option<NonNull<Context>> {
    // SAFETY: the version is the first member in every version of OpenSM, and a C string. Nothing else may be read
    // before the versions have been compared.
    let running = unsafe { CStr::from_ptr((*osm.as_ptr()).osm_version) };
    if running != version::BUILT_FOR {
        let both = [version::BUILT_FOR, running].map(CStr::to_string_lossy);
        complain(&format!("built for {}, loaded into {}", both[0], both[1]));
        return None;
    }
    // SAFETY: the version is the same. These two pointers show whether the structures before them are laid out as in
    // the headers with which the plugin was built.
    let same_layout = unsafe {
        let p = osm.as_ptr();
        (*p).subn.p_osm == p && (*p).sm.p_log == &raw mut (*p).log
    };
    if !same_layout {
        complain("this OpenSM was configured otherwise than the headers the plugin was built with");
        return None;
    }
    // SAFETY: the log is initialised first and destroyed last, after `delete`, which detaches it.
    let log = unsafe { OpensmLog::new(NonNull::new(&raw mut (*osm.as_ptr()).log)?) };
    match log {
        Ok(log) => opensm_log::attach(log),
        Err(missing) => {
            complain(&missing.to_string());
            return None;
        }
    }
    log_panics();
    let symbols = Symbols::load().map_err(|e| log::error!("{e}")).ok()?;
    // SAFETY: OpenSM is creating its plugins.
    let words = unsafe { plugin_options(osm) };
    // SAFETY: OpenSM is creating its plugins; `symbols` are its own functions.
    let opensm = unsafe { OpenSm::new(osm, symbols) };
    opensm.extended(&words);
    let context = opensm.dmodc(ENGINE, &words)?;
    let (own, running) = (env!("CARGO_PKG_VERSION"), running.to_string_lossy());
    log::info!("{own} for {running} is ready");
    log::logger().flush();
    Some(context)
}

/// Starts a thread that writes `dmodc.metrics` until the context is released, if the option is set and there is no such
/// thread yet. The thread checks each second whether OpenSM is still master, since no event reports a takeover. While
/// OpenSM's lock is held, the file's age is no reason to rewrite it: so an OpenSM that hangs with its lock looks like a
/// dead one. An OpenSM that hangs without it sends nothing, and the figure of that grows old.
///
/// # Safety
/// The context is in use until [`release`].
unsafe fn keep_metrics(context: &Context) {
    struct Shared(*const Context);
    // SAFETY: all that changes in a context is behind a mutex or a `OnceLock`.
    unsafe impl Send for Shared {}
    context.pulse.get_or_init(|| {
        let path = context.dmodc.options.metrics.as_deref()?;
        // SAFETY: OpenSM is running, and has found its port before its first event.
        let path = &context.dmodc.metrics_at(path, unsafe { port(context.osm) });
        let (mut file, shared) = (File::new(path.into()), Shared(context));
        let beat = move |woken| {
            // The closure captures the whole `Shared`, which is `Send`, not the pointer in it.
            let shared = &shared;
            guard("metrics", (), || {
                // SAFETY: `release` waits for this thread before it frees the context.
                let context = unsafe { &*shared.0 };
                // SAFETY: OpenSM is running and outlives the plugin; this thread does not hold its lock.
                let role = || unsafe { role(context.osm) };
                // SAFETY: likewise.
                let activity = unsafe { activity(context.osm) };
                context.dmodc.note(|metrics| metrics.active(activity));
                let is_due = |role: Option<_>| woken || (role.is_some() && file.is_due());
                if let Some(text) = context.dmodc.metrics(role, is_due) {
                    file.write(&text);
                }
            });
        };
        let started = Pulse::start(Duration::from_secs(1), beat);
        let failed = |e| log::error!("metrics {}: cannot be written: {e}", path.display());
        started.map_err(failed).ok()
    });
}

/// Reports why the plugin is not loaded, while OpenSM's log cannot be used yet: on standard error and to syslog.
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
        if !data.is_null() {
            // SAFETY: OpenSM passes the context that `create` returned, and uses it no more.
            unsafe { release(data.cast()) };
        }
        // Files that were still to be written may have failed; from here on OpenSM may destroy its log.
        opensm_log::detach();
    });
}

unsafe extern "C" fn report(data: *mut c_void, event: osm_epi_event_id_t, _kind: *mut c_void) {
    guard("report", (), || {
        // SAFETY: OpenSM passes the pointer that `create` returned, and calls `delete` last.
        let Some(context) = (unsafe { context(data) }) else {
            return;
        };
        // OpenSM reports the first event when it begins its first sweep, on its own thread for sweeps.
        // SAFETY: OpenSM reports nothing after `delete`, which releases the context.
        unsafe { keep_metrics(context) };
        if event == OSM_EVENT_ID_HEAVY_SWEEP_DONE && context.dmodc.has_news() {
            // With `use_ucast_cache` OpenSM calls no engine while the fabric stays as it is.
            // SAFETY: do_sweep reports this event without the lock, once it has discovered the fabric.
            unsafe {
                let call_engine = |subnet: &mut Subnet<'_>| subnet.invalidate_cache();
                Subnet::locking(context.osm, context.symbols, call_engine);
            }
        }
        if event != OSM_EVENT_ID_UCAST_ROUTING_DONE {
            return;
        }
        let look = |subnet: &mut Subnet<'_>| {
            let is_used = subnet.is_engine_used(data);
            is_used.then(|| context.dmodc.look(subnet))
        };
        // SAFETY: do_sweep reports this event without the lock: ucast_mgr_process has released it, and
        // mcast_mgr_process takes it later. If the lock cannot be taken, nothing is logged.
        let Some(seen) = (unsafe { Subnet::locking(context.osm, context.symbols, look) }) else {
            return;
        };
        let is_used = seen.is_some();
        if let Some(seen) = seen {
            context.dmodc.finish(seen);
            // The dumps of `-D 0x40` have hop tables.
            if opensm_log::is_active(OSM_LOG_ROUTING) {
                let fill = |subnet: &mut Subnet<'_>| context.dmodc.fill_hop_tables(subnet);
                // SAFETY: as before; the first subnet is gone.
                unsafe { Subnet::locking(context.osm, context.symbols, fill) };
            }
        }
        context.dmodc.note(|metrics| metrics.swept(is_used));
        context.write_metrics();
        log::logger().flush();
    });
}
