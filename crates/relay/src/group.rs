//! The time for the multicast tree of a group of all end nodes.

use dmodc::extension::bindings::{
    IB_NODE_TYPE_CA, IB_SUCCESS, ib_api_status_t, ib_member_rec_t, osm_log_t, osm_mgrp_box_t,
    osm_mgrp_t, osm_opensm_t, osm_port_t, osm_routing_engine_t, osm_sm, osm_subn_t,
};
use dmodc::extension::find;
use dmodc::extension::qmap;
use std::ffi::{c_int, c_void};
use std::io;
use std::mem::{offset_of, transmute};
use std::ptr::{self, NonNull};
use std::thread;
use std::time::{Duration, Instant};

/// Time for the switches to answer the multicast tables that OpenSM has sent.
const ANSWERS: Duration = Duration::from_secs(1);
/// `IB_JOIN_STATE_FULL`.
const FULL_MEMBER: u8 = 1;

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

/// Joins all end nodes to the broadcast group of the default partition and times OpenSM's
/// `osm_mcast_mgr_process` twice: with a copy of the engine that builds no tree, then with the engine.
/// Returns the difference: the time of the engine, or of OpenSM's default if the engine leaves the tree
/// to it.
///
/// # Safety
/// `osm` is the running OpenSM, whose lock we hold; the engine has routed the subnet.
pub unsafe fn time(
    osm: *mut osm_opensm_t,
    engine: *mut osm_routing_engine_t,
) -> io::Result<Duration> {
    let process = find(c"osm_mcast_mgr_process").map_err(io::Error::other)?;
    let add_port = find(c"osm_mgrp_add_port").map_err(io::Error::other)?;
    // SAFETY: the types are as in OpenSM's own headers. OpenSM's own thread, which runs this function, holds
    // the lock; it releases the lock for `process`, which takes it, and takes it again afterwards.
    unsafe {
        let process = transmute::<NonNull<c_void>, ProcessGroups>(process);
        join_all(osm, transmute::<NonNull<c_void>, AddPort>(add_port))?;
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

/// Joins all end nodes to the first group of the lowest multicast LID.
///
/// # Safety
/// As for [`time`].
unsafe fn join_all(osm: *mut osm_opensm_t, add_port: AddPort) -> io::Result<()> {
    // SAFETY: for each multicast LID in use OpenSM has a box with at least one group; NULL is checked.
    unsafe {
        let mbox: *mut osm_mgrp_box_t = (*osm).subn.mboxes[0].cast();
        let none = || io::Error::other("there is no broadcast group");
        if mbox.is_null() {
            return Err(none());
        }
        let mut groups = qmap::list::<osm_mgrp_t>(
            &raw const (*mbox).mgrp_list,
            offset_of!(osm_mgrp_t, list_item),
        );
        let group = groups.next().ok_or_else(none)?;
        let group = group.as_ptr();
        for port in qmap::map::<osm_port_t>(&raw const (*osm).subn.port_guid_tbl) {
            let port = port.as_ptr();
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
