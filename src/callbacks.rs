//! The engine's callbacks, and the context that OpenSM passes to them.
//!
//! Until a callback returns 0, its work is not done: if it fails at any point, by an error or by a panic, all
//! forwarding tables are as OpenSM has prepared them, "no path".
//!
//! Only this module turns typed errors into C results: 0 or `IB_SUCCESS`, -1 or `IB_ERROR`. On a positive result OpenSM
//! would let minhop do the stage, without a log line.

use super::engine::Dmodc;
use super::ffi::bindings::{
    IB_ERROR, IB_SUCCESS, ib_api_status_t, osm_mgrp_box_t, osm_opensm_t, osm_routing_engine_t,
};
use super::ffi::{Group, Subnet, Symbols};
use super::guard::guard;
use super::mcast;
use super::pulse::Pulse;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

/// The context that OpenSM keeps, as the plugin's data and for the engine.
pub struct Context {
    pub osm: NonNull<osm_opensm_t>,
    pub symbols: Symbols,
    pub dmodc: Dmodc,
    /// The thread that writes `dmodc.metrics`, from the first event on, if the option is set.
    pub pulse: OnceLock<Option<Pulse>>,
}

impl Context {
    /// Wakes the thread that writes `dmodc.metrics`.
    pub fn write_metrics(&self) {
        if let Some(Some(pulse)) = self.pulse.get() {
            pulse.wake();
        }
    }
}

/// Frees a context.
///
/// # Safety
/// `context` is from a box, and only the thread that writes `dmodc.metrics` still uses it.
pub unsafe fn release(context: *mut Context) {
    // SAFETY: it is from a box, and only that thread uses it, which shares it: until it has ended, nothing here is
    // borrowed mutably.
    unsafe {
        if let Some(Some(pulse)) = (*context).pulse.get() {
            pulse.end();
        }
        drop(Box::from_raw(context));
    }
}

/// Sets the callbacks of an engine that OpenSM has created.
pub unsafe extern "C" fn setup(
    engine: *mut osm_routing_engine_t,
    _osm: *mut osm_opensm_t,
) -> c_int {
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

/// Does nothing: no callback of Dmodc reads hop tables (see `fill_hop_tables`).
unsafe extern "C" fn build_lid_matrices(_context: *mut c_void) -> c_int {
    0
}

unsafe extern "C" fn ucast_build_fwd_tables(data: *mut c_void) -> c_int {
    // SAFETY: OpenSM passes the context that the engine was registered with.
    let Some(context) = (unsafe { context(data) }) else {
        return -1;
    };
    let result = guard("ucast_build_fwd_tables", -1, || {
        let route = |subnet: &mut Subnet<'_>| context.dmodc.route(subnet, data);
        // SAFETY: osm_ucast_mgr_process calls this with OpenSM's lock taken exclusively.
        match unsafe { Subnet::under_lock(context.osm, context.symbols, route) } {
            Ok(()) => 0,
            Err(e) => {
                log::error!("not routed: {e}");
                -1
            }
        }
    });
    if result != 0 {
        // Whatever has failed, and wherever: nothing of ours stays for the next engine.
        guard("undo", (), || {
            // SAFETY: as above; the subnet of `route` is gone.
            unsafe {
                let clear = |subnet: &mut Subnet<'_>| subnet.clear_new_lfts();
                Subnet::under_lock(context.osm, context.symbols, clear);
            }
        });
        guard("refused", (), || {
            context.dmodc.refused();
            context.write_metrics();
        });
    }
    result
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
        let build = |subnet: &mut Subnet<'_>| {
            // SAFETY: OpenSM passes the box of a group, under the lock of this subnet.
            let group = unsafe { Group::read(subnet, mbox) };
            match mcast::build(&context.dmodc, subnet, &group) {
                Ok(()) => IB_SUCCESS,
                Err(e) => {
                    log::error!("no tree for MLID 0x{:X}: {e}", group.mlid);
                    IB_ERROR
                }
            }
        };
        // SAFETY: osm_mcast_mgr_process calls this with OpenSM's lock taken exclusively.
        unsafe { Subnet::under_lock(context.osm, context.symbols, build) }
    })
}

/// OpenSM calls this once for each mention of the engine in its list. It drops the plan; `delete` frees the context.
unsafe extern "C" fn destroy(data: *mut c_void) {
    guard("destroy", (), || {
        // SAFETY: OpenSM passes the context that the engine was registered with.
        if let Some(context) = unsafe { context(data) } {
            context.dmodc.forget();
        }
    });
}

/// # Safety
/// `data` is NULL or the context of an engine that Dmodc has registered, and is not released while `'a` lasts.
pub unsafe fn context<'a>(data: *mut c_void) -> Option<&'a Context> {
    // SAFETY: the caller guarantees the pointer. The context is shared from here on; all that changes in it is behind a
    // mutex or a `OnceLock`.
    unsafe { data.cast::<Context>().as_ref() }
}
