//! The relay: runs several routing engines one after another on the same subnet, times each, and copies
//! its tables out. Only `dmodc compare` uses it.
//!
//! ```text
//! event_plugin_name dmodc_lab
//! event_plugin_options dmodc_lab.relay=DIR
//! routing_engine dmodc_relay,ftree,ftree,updn,no_fallback
//! ```
//!
//! The plugin is the library's, linked anew: with that option it registers a second engine, which has to be the first
//! of the list. `plan` in DIR has a line for each run, fields separated by tabs, `-` for none: the engine, its
//! `root_guid_file` (`-`: that of the configuration), the options of Dmodc, and `avoid` (OpenSM's
//! `avoid_throttled_links`, see [`run::enable_widths`]). For a run with options the plugin registers another Dmodc by
//! the name in the plan. Each run uses its own entry of OpenSM's list, so that no two runs share an engine's context.
//!
//! Before each run OpenSM's `osm_switch_prepare_path_rebuild` clears the hop tables, path counts and tables of
//! each switch, as `osm_ucast_mgr_process` does before OpenSM's first engine. OpenSM's default engine, minhop, does a
//! stage that an engine leaves to OpenSM (NULL, or a positive result), as in `ucast_mgr_route`; its time counts as
//! the engine's own.
//!
//! The relay writes new files into DIR: `subnet`, OpenSM's version and then a line for each port, its GUID and base
//! LID; for each run that makes tables `N.tables` (see [`copy::tables`]) and, where the engine gives service levels,
//! `N.levels` (see [`copy::levels`]); and, line by line, `results`:
//!
//! ```text
//! 0 routed LID_MATRICES_US FWD_TABLES_US
//! 1 refused LOG_FROM LOG_TO
//! 2 missing
//! ```
//!
//! `LOG_FROM` and `LOG_TO` are the bytes of OpenSM's log between which the engine's lines are. After the last run the
//! process ends: OpenSM sends no forwarding table and dumps nothing.

#![allow(unsafe_code)]

mod copy;
mod run;

use dmodc::extension::bindings::{osm_opensm_t, osm_routing_engine_t};
use dmodc::extension::{OpenSm, extend, find, guard};
use run::{Prepare, Run};
use std::ffi::{CStr, CString, c_int, c_void};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::ptr::NonNull;

const ENGINE: &CStr = c"dmodc_relay";

const OPTION: &str = "dmodc_lab.relay=";

// SAFETY: the loader calls functions in .init_array once, when it loads the library, before OpenSM creates the
// plugin; the function may take fewer arguments than the loader passes.
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = on_load;

extern "C" fn on_load() {
    extend(|opensm, words| {
        let option = |word: &str| word.strip_prefix(OPTION).map(PathBuf::from);
        if let Some(dir) = words.split_whitespace().find_map(option) {
            register(opensm, dir);
        }
    });
}

/// The engine's context, which OpenSM keeps until the process ends.
struct Relay {
    osm: NonNull<osm_opensm_t>,
    dir: PathBuf,
}

/// Registers the relay as an engine that reads and writes in a folder, and a Dmodc for each name of its plan that
/// has options of its own.
fn register(opensm: &OpenSm, dir: PathBuf) {
    // Without a plan the relay fails when it runs, and logs why.
    let runs = Run::plan(&dir.join("plan")).unwrap_or_default();
    let osm = opensm.pointer();
    let context = Box::into_raw(Box::new(Relay { osm, dir }));
    // SAFETY: `setup` and `run_all` expect this context, which is never freed.
    unsafe { opensm.register(ENGINE, setup, context.cast()) };
    let own = runs.into_iter().filter(|run| run.options != "-");
    let mut own: Vec<_> = own.map(|run| (run.engine, run.options)).collect();
    own.sort();
    own.dedup();
    for (name, options) in own {
        if let Ok(name) = CString::new(name) {
            // OpenSM keeps the name, until the relay ends the process.
            opensm.register_dmodc(Box::leak(name.into_boxed_c_str()), &options);
        }
    }
}

unsafe extern "C" fn setup(engine: *mut osm_routing_engine_t, _osm: *mut osm_opensm_t) -> c_int {
    let Some(engine) = NonNull::new(engine) else {
        return -1;
    };
    // SAFETY: OpenSM passes an engine of its own to fill in; its context is set.
    unsafe { (*engine.as_ptr()).build_lid_matrices = Some(run_all) };
    0
}

unsafe extern "C" fn run_all(data: *mut c_void) -> c_int {
    let done = guard("relay", false, || {
        // SAFETY: the engine was registered with this context, which is never freed.
        let Some(relay) = (unsafe { data.cast::<Relay>().as_ref() }) else {
            return false;
        };
        // SAFETY: ucast_mgr_route calls us holding its lock.
        let done = unsafe { relay.run() };
        if let Err(reason) = &done {
            eprintln!("dmodc relay: {reason}");
        }
        done.is_ok()
    });
    // SAFETY: ends the process as a signal would, without OpenSM's own clean-up, which would wait for
    // threads that wait for us.
    unsafe { libc::_exit((!done).into()) }
}

impl Relay {
    /// Makes all runs of the plan.
    ///
    /// # Safety
    /// OpenSM calls us from `ucast_mgr_route`, holding its lock.
    unsafe fn run(&self) -> io::Result<()> {
        let prepare = find(c"osm_switch_prepare_path_rebuild").map_err(io::Error::other)?;
        // SAFETY: the type is that of our OpenSM headers, whose version OpenSM has compared with its own.
        let prepare = unsafe { std::mem::transmute::<NonNull<c_void>, Prepare>(prepare) };
        let runs = Run::plan(&self.dir.join("plan"))?;
        let mut results = File::create_new(self.dir.join("results"))?;
        let osm = self.osm.as_ptr();
        // SAFETY: this is OpenSM's own thread, under its lock: no other thread uses the list of engines, the
        // options or the tables.
        unsafe {
            copy::subnet(osm, &self.dir.join("subnet"))?;
            run::enable_widths(osm);
            let roots = (*osm).subn.opt.root_guid_file;
            let mut entry = (*(*osm).routing_engine_list).next;
            for (number, run) in runs.iter().enumerate() {
                // The list has the engines in the plan's order, without those that OpenSM could not set up.
                let is_next = !entry.is_null()
                    && CStr::from_ptr((*entry).name).to_bytes() == run.engine.as_bytes();
                if !is_next {
                    writeln!(results, "{number} missing")?;
                    continue;
                }
                let log_from = copy::log_length(osm);
                match run.on(osm, entry, prepare, roots) {
                    Some(done) => {
                        copy::tables(osm, &self.dir.join(format!("{number}.tables")))?;
                        copy::levels(osm, entry, &self.dir.join(format!("{number}.levels")))?;
                        writeln!(results, "{number} routed {done}")?;
                    }
                    None => {
                        let log_to = copy::log_length(osm);
                        writeln!(results, "{number} refused {log_from} {log_to}")?;
                    }
                }
                entry = (*entry).next;
            }
        }
        Ok(())
    }
}
