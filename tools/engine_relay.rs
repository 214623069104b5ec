//! An OpenSM plugin that runs several routing engines one after another on the same subnet, times
//! their callbacks and copies their tables out, with no patch to OpenSM.
//!
//! ```text
//! event_plugin_name engine_relay
//! routing_engine engine_relay,ftree,ftree,updn,no_fallback
//! ```
//!
//! It registers an engine of its own, which has to be the first of the list, and reads and writes
//! in the folder that `ENGINE_RELAY_DIR` names. `plan` has a line for each run: an engine, its
//! `root_guid_file` and its `io_guid_file`, with tabs between, `-` for none. Each run takes its own
//! entry of OpenSM's list, so that no run meets what another has put into its engine's context.
//!
//! Before each run the switches are what they are before OpenSM's first engine: its own
//! `osm_switch_prepare_path_rebuild`, as `osm_ucast_mgr_process` calls it, forgets hop tables, path
//! counts and tables. A stage that an engine leaves to OpenSM (NULL, or a positive result) is done
//! by OpenSM's default engine, minhop, as `ucast_mgr_route` has it, and counts as the engine's own.
//!
//! What it writes: `subnet`, OpenSM's version and then a line for each port, its GUID and base LID;
//! for each run that makes tables `N.tables` (see [`copy_tables`]); and, line by line, `results`:
//!
//! ```text
//! 0 routed LID_MATRICES_US FWD_TABLES_US EXTRA_KIB GROUP_US
//! 1 refused LOG_FROM LOG_TO
//! 2 missing
//! ```
//!
//! `EXTRA_KIB` is by how much the peak of the process's memory rose over what it held before (of
//! use for the first run alone), `LOG_FROM` and `LOG_TO` are where in OpenSM's log the engine's
//! lines are. `GROUP_US` is what the multicast tree of a group of all end nodes took (see
//! [`time_group`]), if `ENGINE_RELAY_GROUP` is set, and else `-`. After the last run the process ends:
//! no forwarding table is sent, nothing is dumped.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

#[allow(
    dead_code,
    missing_docs,
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
    IB_NODE_TYPE_CA, IB_SUCCESS, OSM_VERSION, cl_map_item_t, cl_qmap_t, cl_status_t,
    external_routing_engine_module_t, ib_api_status_t, ib_member_rec_t, osm_log_t, osm_mgrp_box_t,
    osm_mgrp_t, osm_opensm_t, osm_port_t, osm_routing_engine_t, osm_sm, osm_subn_t, osm_switch_t,
};

const NAME: &CStr = c"engine_relay";

type Register = unsafe extern "C" fn(
    *mut osm_opensm_t,
    *const external_routing_engine_module_t,
    *mut c_void,
) -> cl_status_t;
/// `osm_switch_prepare_path_rebuild`.
type Prepare = unsafe extern "C" fn(*mut osm_switch_t, u16) -> c_int;
/// `osm_mgrp_add_port`.
type AddPort = unsafe extern "C" fn(
    *mut osm_subn_t,
    *mut osm_log_t,
    *mut osm_mgrp_t,
    *mut osm_port_t,
    *mut ib_member_rec_t,
    c_int,
) -> *mut c_void;
/// `osm_mcast_mgr_process`.
type ProcessGroups = unsafe extern "C" fn(*mut osm_sm, c_int) -> c_int;
type Callback = Option<unsafe extern "C" fn(*mut c_void) -> c_int>;

/// `osm_event_plugin_t`.
#[repr(C)]
struct EventPlugin {
    version: *const c_char,
    create: unsafe extern "C" fn(*mut osm_opensm_t) -> *mut c_void,
    delete: unsafe extern "C" fn(*mut c_void),
    report: unsafe extern "C" fn(*mut c_void, opensm::osm_epi_event_id_t, *mut c_void),
}

const _: () = assert!(size_of::<EventPlugin>() == size_of::<opensm::osm_event_plugin_t>());
// A pointer to the map item is a pointer to the object.
const _: () = assert!(std::mem::offset_of!(osm_switch_t, map_item) == 0);
const _: () = assert!(std::mem::offset_of!(osm_port_t, map_item) == 0);

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
        let Some(found) = find(c"osm_register_external_routing_engine") else {
            return ptr::null_mut();
        };
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
        (*engine).build_lid_matrices = Some(run_all);
    }
    0
}

/// A function of the running OpenSM's.
fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: dlsym only reads the string, which is terminated.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() {
        eprintln!(
            "engine_relay: this OpenSM has no {}",
            name.to_string_lossy()
        );
    }
    (!found.is_null()).then_some(found)
}

/// Our engine's callback: the whole relay.
unsafe extern "C" fn run_all(osm: *mut c_void) -> c_int {
    // SAFETY: the context is OpenSM itself; it calls us holding its lock.
    let done = unsafe { relay(osm.cast()) };
    if let Err(reason) = &done {
        eprintln!("engine_relay: {reason}");
    }
    // SAFETY: ends the process as a signal would, without OpenSM's own ending, which would wait for
    // threads that wait for us.
    unsafe { libc::_exit(done.is_err().into()) }
}

/// One line of the plan.
struct Run {
    engine: String,
    roots: *mut c_char,
    io: *mut c_char,
}

fn plan(dir: &Path) -> io::Result<Vec<Run>> {
    // Options are C strings that live as long as the process.
    let option = |word: Option<&str>| match word {
        None | Some("-") => ptr::null_mut(),
        Some(path) => CString::new(path).map_or(ptr::null_mut(), CString::into_raw),
    };
    let text = fs::read_to_string(dir.join("plan"))?;
    let run = |line: &str| {
        let mut words = line.split('\t');
        Run {
            engine: words.next().unwrap_or_default().to_owned(),
            roots: option(words.next()),
            io: option(words.next()),
        }
    };
    Ok(text.lines().map(run).collect())
}

/// # Safety
/// `osm` is the running OpenSM, which calls us from `ucast_mgr_route`, holding its lock.
unsafe fn relay(osm: *mut osm_opensm_t) -> io::Result<()> {
    let dir = std::env::var_os("ENGINE_RELAY_DIR").map(PathBuf::from);
    let dir = dir.ok_or(io::Error::other("no ENGINE_RELAY_DIR"))?;
    let prepare = find(c"osm_switch_prepare_path_rebuild");
    let prepare = prepare.ok_or(io::Error::other("cannot reset the switches"))?;
    // SAFETY: the type is that of OpenSM's own headers, whose version it has compared with ours.
    let prepare = unsafe { std::mem::transmute::<*mut c_void, Prepare>(prepare) };
    let runs = plan(&dir)?;
    let mut results = File::create(dir.join("results"))?;
    // SAFETY: under OpenSM's lock, on its own thread, nothing else touches the list of engines, the
    // options or the tables.
    unsafe {
        write_subnet(osm, &dir.join("subnet"))?;
        let mut entry = (*(*osm).routing_engine_list).next;
        for (number, run) in runs.iter().enumerate() {
            // Engines that could not be set up are not in the list, all others in the plan's order.
            if entry.is_null() || CStr::from_ptr((*entry).name).to_bytes() != run.engine.as_bytes()
            {
                writeln!(results, "{number} missing")?;
                continue;
            }
            let log_from = log_length(osm);
            let outcome = run_engine(osm, entry, run, prepare);
            match outcome {
                Some(done) => {
                    copy_tables(osm, &dir.join(format!("{number}.tables")))?;
                    let (matrices, tables) = (done.lid_matrices, done.fwd_tables);
                    let (matrices, tables) = (matrices.as_micros(), tables.as_micros());
                    let extra = done.extra_kib;
                    let group = match std::env::var_os("ENGINE_RELAY_GROUP") {
                        Some(_) => time_group(osm, entry)?.as_micros().to_string(),
                        None => "-".into(),
                    };
                    writeln!(
                        results,
                        "{number} routed {matrices} {tables} {extra} {group}"
                    )?;
                }
                None => writeln!(results, "{number} refused {log_from} {}", log_length(osm))?,
            }
            entry = (*entry).next;
        }
    }
    Ok(())
}

/// What an engine's callbacks took.
struct Done {
    lid_matrices: Duration,
    fwd_tables: Duration,
    extra_kib: u64,
}

/// Runs one engine; `None` if it refuses.
///
/// # Safety
/// As for [`relay`]; `entry` is an entry of OpenSM's list of engines.
unsafe fn run_engine(
    osm: *mut osm_opensm_t,
    entry: *mut osm_routing_engine_t,
    run: &Run,
    prepare: Prepare,
) -> Option<Done> {
    // SAFETY: the caller vouches for it; an engine that is the first of the list finds no trace of
    // us, and the options are read anew by each run.
    unsafe {
        let lids = (*osm).subn.port_lid_tbl.size.saturating_sub(1) as u16;
        for switch in map::<osm_switch_t>(&raw const (*osm).subn.sw_guid_tbl) {
            if prepare(switch, lids) != 0 {
                return None;
            }
        }
        (*osm).routing_engine_list = entry;
        (*osm).subn.opt.root_guid_file = run.roots;
        (*osm).subn.opt.io_guid_file = run.io;
        let default = (*osm).default_routing_engine;
        let resident = status_kib("VmRSS:");
        let start = Instant::now();
        let (own, stand_in) = (&*entry, &*default);
        if !stage(
            own.build_lid_matrices,
            own,
            stand_in.build_lid_matrices,
            stand_in,
        ) {
            return None;
        }
        let lid_matrices = start.elapsed();
        let (tables, minhop) = (own.ucast_build_fwd_tables, stand_in.ucast_build_fwd_tables);
        if !stage(tables, own, minhop, stand_in) {
            return None;
        }
        Some(Done {
            lid_matrices,
            fwd_tables: start.elapsed() - lid_matrices,
            extra_kib: status_kib("VmHWM:").saturating_sub(resident),
        })
    }
}

/// One stage of an engine, or of OpenSM's default where the engine leaves it to that. Whether it
/// succeeded.
///
/// # Safety
/// The callbacks belong to the engines beside them.
unsafe fn stage(
    own: Callback,
    engine: &osm_routing_engine_t,
    stand_in: Callback,
    default: &osm_routing_engine_t,
) -> bool {
    // SAFETY: each engine is called with the context that it was set up with.
    unsafe {
        let result = own.map_or(1, |own| own(engine.context));
        match stand_in {
            Some(stand_in) if result > 0 => stand_in(default.context) >= 0,
            _ => result >= 0,
        }
    }
}

/// For how long the switches are given to answer what multicast has sent.
const ANSWERS: Duration = Duration::from_secs(1);

/// What the multicast tree of a group of all end nodes takes: all join the broadcast group of the
/// default partition, and OpenSM's `osm_mcast_mgr_process` is timed with the engine in charge, and
/// before that with one that builds nothing. The difference is the engine's, or that of OpenSM's
/// default where the engine leaves it to that.
///
/// # Safety
/// As for [`relay`]; the engine has routed the subnet.
unsafe fn time_group(
    osm: *mut osm_opensm_t,
    engine: *mut osm_routing_engine_t,
) -> io::Result<Duration> {
    let function = |name: &CStr| find(name).ok_or(io::Error::other("cannot time multicast"));
    // SAFETY: the types are those of OpenSM's own headers. The lock, which OpenSM's own thread and we
    // with it hold, is given back while OpenSM's function takes it.
    unsafe {
        let process = function(c"osm_mcast_mgr_process")?;
        let process = std::mem::transmute::<*mut c_void, ProcessGroups>(process);
        join_all(osm, function(c"osm_mgrp_add_port")?)?;
        let lock = (&raw mut (*osm).lock.lock).cast();
        libc::pthread_rwlock_unlock(lock);
        let mut idle = ptr::read(engine);
        idle.mcast_build_stree = Some(build_nothing);
        let took = [&raw mut idle, engine].map(|engine| {
            (*osm).routing_engine_used = engine;
            let start = Instant::now();
            process(&raw mut (*osm).sm, 1);
            let took = start.elapsed();
            thread::sleep(ANSWERS);
            took
        });
        libc::pthread_rwlock_wrlock(lock);
        Ok(took[1].saturating_sub(took[0]))
    }
}

unsafe extern "C" fn build_nothing(_: *mut c_void, _: *mut osm_mgrp_box_t) -> ib_api_status_t {
    IB_SUCCESS
}

/// Joins all end nodes to the group of the lowest multicast LID.
///
/// # Safety
/// As for [`relay`]; `add_port` is `osm_mgrp_add_port`.
unsafe fn join_all(osm: *mut osm_opensm_t, add_port: *mut c_void) -> io::Result<()> {
    // SAFETY: OpenSM has a box with one group at least for each LID in use.
    unsafe {
        let add_port = std::mem::transmute::<*mut c_void, AddPort>(add_port);
        let mbox: *mut osm_mgrp_box_t = (*osm).subn.mboxes[0].cast();
        if mbox.is_null() {
            return Err(io::Error::other("there is no broadcast group"));
        }
        let item = (*mbox).mgrp_list.end.p_next;
        let group: *mut osm_mgrp_t = item
            .byte_sub(std::mem::offset_of!(osm_mgrp_t, list_item))
            .cast();
        for port in map::<osm_port_t>(&raw const (*osm).subn.port_guid_tbl) {
            if u32::from((*(*port).p_node).node_info.node_type) == IB_NODE_TYPE_CA {
                let mut member = (*group).mcmember_rec;
                member.port_gid.unicast.interface_id = (*port).guid;
                member.scope_state |= FULL_MEMBER;
                let (subn, log) = (&raw mut (*osm).subn, &raw mut (*osm).log);
                add_port(subn, log, group, port, &raw mut member, 0);
            }
        }
    }
    Ok(())
}

/// `IB_JOIN_STATE_FULL`.
const FULL_MEMBER: u8 = 1;

/// Writes the tables of all switches: their number (32 bits), then for each its node GUID (64 bits),
/// the length of its table (32 bits) and its table, all little-endian.
///
/// # Safety
/// As for [`relay`].
unsafe fn copy_tables(osm: *mut osm_opensm_t, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    // SAFETY: `new_lft` has `lft_size` bytes (osm_switch_prepare_path_rebuild), every switch has a
    // node.
    unsafe {
        let table = &raw const (*osm).subn.sw_guid_tbl;
        out.write_all(&((*table).count as u32).to_le_bytes())?;
        for switch in map::<osm_switch_t>(table) {
            let guid = u64::from_be((*(*switch).p_node).node_info.node_guid);
            let size = usize::from((*switch).lft_size);
            out.write_all(&guid.to_le_bytes())?;
            out.write_all(&(size as u32).to_le_bytes())?;
            out.write_all(std::slice::from_raw_parts((*switch).new_lft, size))?;
        }
    }
    out.flush()
}

/// # Safety
/// As for [`relay`].
unsafe fn write_subnet(osm: *mut osm_opensm_t, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "{}", OSM_VERSION.to_string_lossy())?;
    // SAFETY: every port of the table has its physical port.
    unsafe {
        for port in map::<osm_port_t>(&raw const (*osm).subn.port_guid_tbl) {
            let guid = u64::from_be((*port).guid);
            let lid = u16::from_be((*(*port).p_physp).port_info.base_lid);
            writeln!(out, "{guid:#018x} {lid}")?;
        }
    }
    out.flush()
}

/// The objects of a map of OpenSM's.
///
/// # Safety
/// `map` holds objects of this type, and nobody changes it meanwhile.
unsafe fn map<T>(map: *const cl_qmap_t) -> impl Iterator<Item = *mut T> {
    // SAFETY: the caller vouches for the map: from `nil` round to `nil` each item leads to the next.
    unsafe {
        let end = &raw const (*map).nil.pool_item.list_item;
        let mut next = (*end).p_next.cast_const();
        std::iter::from_fn(move || {
            let item = next;
            if item == end {
                return None;
            }
            next = (*item).p_next;
            Some(item.cast::<cl_map_item_t>().cast_mut().cast())
        })
    }
}

/// # Safety
/// As for [`relay`].
unsafe fn log_length(osm: *mut osm_opensm_t) -> u64 {
    // SAFETY: the option is NULL or a C string.
    unsafe {
        let log = (*osm).subn.opt.log_file;
        if log.is_null() {
            return 0;
        }
        let path = CStr::from_ptr(log).to_string_lossy();
        fs::metadata(&*path).map_or(0, |file| file.len())
    }
}

/// A figure of this process's memory.
fn status_kib(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let figure = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    figure.unwrap_or_default()
}
