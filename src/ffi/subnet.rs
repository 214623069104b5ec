//! OpenSM's subnet, which exists only while OpenSM's lock is held.

use super::bindings::{
    IB_SMINFO_STATE_MASTER, IB_SMINFO_STATE_NOTACTIVE, IB_SMINFO_STATE_STANDBY, osm_opensm_t,
    osm_physp_t, osm_port_t, osm_remote_sm_t, osm_switch_t, pthread_rwlock_t,
};
use super::live::{Live, read, text};
use super::objects::Switch;
use super::qmap;
use super::symbols::Symbols;
use dmodc_fabric::{Guid, Lid, NO_PATH, PortNumber};
use dmodc_watch::sweeps::{Activity, Role};
use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::NonNull;

/// A bit of a port's CapabilityMask: a subnet manager runs there (`IB_PORT_CAP_IS_SM`).
const IS_MANAGER: u32 = 2;

/// OpenSM's subnet while this thread holds OpenSM's lock exclusively.
pub struct Subnet<'a> {
    osm: Live<'a, osm_opensm_t>,
    symbols: Symbols,
}

/// Methods that read text options. A method has the name of the option's field in OpenSM's structure.
macro_rules! text_options {
    ($($name:ident),+) => {$(
        #[doc = concat!("The option `", stringify!($name), "`; `None` if it is empty.")]
        pub fn $name(&self) -> Option<String> {
            let value = read!(self.osm, subn.opt.$name);
            // SAFETY: options are NULL or C strings that OpenSM owns. OpenSM changes them only between sweeps, on the
            // thread that calls the plugin.
            unsafe { text(value) }.filter(|text| !text.is_empty())
        }
    )+};
}

impl<'a> Subnet<'a> {
    /// Runs `body` on the subnet of an OpenSM whose lock is held. The subnet lives only for the call, so `body` cannot
    /// keep a borrowed part.
    ///
    /// # Safety
    /// `osm` is the running OpenSM; this thread holds its lock exclusively until `body` returns, and has no
    /// other [`Subnet`] of it.
    pub unsafe fn under_lock<T>(
        osm: NonNull<osm_opensm_t>,
        symbols: Symbols,
        body: impl FnOnce(&mut Subnet<'_>) -> T,
    ) -> T {
        // SAFETY: OpenSM outlives its plugins, and no other thread changes its subnet under the lock.
        let osm = unsafe { Live::new(osm.as_ptr()) };
        body(&mut Subnet {
            osm: osm.expect("a NonNull pointer"),
            symbols,
        })
    }

    /// As [`Subnet::under_lock`], but takes the lock first, as `CL_PLOCK_EXCL_ACQUIRE` does. `None`
    /// if it cannot be taken.
    ///
    /// # Safety
    /// `osm` is the running OpenSM, and this thread does not hold its lock.
    pub unsafe fn locking<T>(
        osm: NonNull<osm_opensm_t>,
        symbols: Symbols,
        body: impl FnOnce(&mut Subnet<'_>) -> T,
    ) -> Option<T> {
        // SAFETY: the caller guarantees the OpenSM, and that this thread does not hold its lock.
        let _held = unsafe { Lock::acquire(osm) }?;
        // SAFETY: the lock is held until `_held` is dropped. This thread did not hold it before,
        // so it had no subnet.
        Some(unsafe { Subnet::under_lock(osm, symbols, body) })
    }

    /// All switches for which OpenSM has a switch object and a node.
    pub fn switches(&self) -> impl Iterator<Item = Switch<'a>> + use<'a> {
        // SAFETY: the table holds `osm_switch_t`, map item first; the lock is held.
        let items =
            unsafe { qmap::map::<osm_switch_t>(&raw const (*self.osm.as_ptr()).subn.sw_guid_tbl) };
        // SAFETY: items of that table are switches that exist while the lock is held.
        let switches = items.filter_map(|sw| unsafe { Live::new(sw.as_ptr()) });
        switches.map(Switch).filter(|sw| sw.node().is_some())
    }

    pub fn switch(&self, guid: Guid) -> Option<Switch<'a>> {
        // SAFETY: as in `switches`; `cl_qmap_get` returns the map's end for an unknown GUID.
        let found = unsafe {
            let table = &raw const (*self.osm.as_ptr()).subn.sw_guid_tbl;
            let item = (self.symbols.qmap_get)(table, guid.0.to_be());
            if std::ptr::eq(item, &raw const (*table).nil) {
                return None;
            }
            Live::new(item.cast())
        };
        found.map(Switch).filter(|sw| sw.node().is_some())
    }

    /// For each switch its GUID and the forwarding table that is being built; `None` where OpenSM has not allocated it.
    /// While these slices exist, the subnet is borrowed mutably, so there are no other references to the tables.
    pub fn new_lfts(&mut self) -> Vec<(Guid, Option<&mut [u8]>)> {
        let mut given = HashSet::new();
        let mut table = |sw: Switch<'a>| {
            // A damaged map may list a switch twice.
            let row = NonNull::new(read!(sw.0, new_lft)).filter(|row| given.insert(*row))?;
            let size = usize::from(read!(sw.0, lft_size));
            // SAFETY: OpenSM allocates `new_lft` with `lft_size` bytes (alloc_lft and osm_switch_prepare_path_rebuild),
            // and writes all of them. Each is given once. Only this function and `sent_and_new_lfts` make references
            // to them, and both borrow the subnet.
            Some(unsafe { std::slice::from_raw_parts_mut(row.as_ptr(), size) })
        };
        self.switches().map(|sw| (sw.guid(), table(sw))).collect()
    }

    /// Sets all entries of the tables that are being built to "no path", as OpenSM has prepared them.
    pub fn clear_new_lfts(&mut self) {
        for (_, row) in self.new_lfts() {
            row.into_iter().for_each(|row| row.fill(NO_PATH));
        }
    }

    /// The number of entries for which the tables of all switches have room.
    pub fn table_room(&self) -> usize {
        let sizes = self.switches().map(|sw| read!(sw.0, lft_size));
        sizes.min().unwrap_or(0).into()
    }

    /// Each switch's GUID, and its forwarding table as the switch last confirmed it, and as now built.
    pub fn sent_and_new_lfts(&self) -> Vec<(Guid, Option<[&[u8]; 2]>)> {
        let tables = |sw: Switch<'a>| {
            let size = usize::from(read!(sw.0, lft_size));
            let [sent, new] = [read!(sw.0, lft), read!(sw.0, new_lft)].map(NonNull::new);
            // With its unicast cache OpenSM has no new table where it keeps the old one.
            let [sent, new] = [sent.or(new)?, new.or(sent)?];
            // SAFETY: OpenSM allocates both with `lft_size` bytes and writes all of them (alloc_lft,
            // osm_switch_prepare_path_rebuild). Mutable references to them (`new_lfts`) borrow the subnet mutably.
            let rows =
                [sent, new].map(|row| unsafe { std::slice::from_raw_parts(row.as_ptr(), size) });
            Some(rows)
        };
        self.switches().map(|sw| (sw.guid(), tables(sw))).collect()
    }

    /// Drops OpenSM's unicast cache: the sweep that runs will call its engine.
    pub fn invalidate_cache(&mut self) {
        // SAFETY: the manager is part of OpenSM. Its cache is used under the lock, which is held, and on the thread of
        // the sweep.
        unsafe {
            let manager = &raw mut (*self.osm.as_ptr()).sm.ucast_mgr;
            (self.symbols.cache_invalidate)(manager);
        }
    }

    /// Sets a port's bit for this multicast LID in a switch's table. Returns whether the table has room.
    pub fn set_multicast(&self, switch: Switch<'a>, mlid: u16, port: PortNumber) -> bool {
        // SAFETY: the table is this switch's own. `osm_mcast_tbl_set` does not check its indices, so the bounds of
        // OpenSM's assertions are checked here (16 masks of 16 ports hold any port number).
        unsafe {
            let table = &raw mut (*switch.0.as_ptr()).mcast_tbl;
            let room = !(*table).p_mask_tbl.is_null()
                && (0xC000..=(*table).max_mlid_ho).contains(&mlid)
                && usize::from(mlid - 0xC000) < (*table).mft_depth as usize;
            if room {
                (self.symbols.mcast_tbl_set)(table, mlid, port.0);
            }
            room
        }
    }

    /// Sets the hop counts of a switch to `lid`, one for each port from 0 on; a missing count becomes "no path".
    /// Returns false if OpenSM has no room for that LID or memory has run out.
    pub fn set_hops(&self, switch: Switch<'a>, lid: Lid, hops: &[u8]) -> bool {
        let ports = usize::from(read!(switch.0, num_ports));
        let table = read!(switch.0, hops);
        if table.is_null() || lid.index() >= usize::from(read!(switch.0, num_hops)) {
            return false;
        }
        // SAFETY: `hops` has `num_hops` pointers, each NULL or a row of `num_ports` bytes from
        // malloc, which OpenSM frees (osm_switch_set_hops, osm_switch_delete).
        unsafe {
            let slot = table.add(lid.index());
            if (*slot).is_null() {
                *slot = libc::malloc(ports.max(1)).cast();
            }
            if (*slot).is_null() {
                return false;
            }
            for port in 0..ports {
                *(*slot).add(port) = hops.get(port).copied().unwrap_or(NO_PATH);
            }
        }
        true
    }

    /// Whether the engine registered with this context is the first of the list: then no other engine has written to
    /// the tables before it in this sweep.
    pub fn is_first_engine(&self, context: *const c_void) -> bool {
        let first = read!(self.osm, routing_engine_list);
        // SAFETY: OpenSM makes the list once, at its start, and frees it only at its exit.
        let first = unsafe { Live::new(first) };
        first.is_some_and(|engine| std::ptr::eq(read!(engine, context), context))
    }

    /// Whether the tables in use are from the engine registered with this context.
    pub fn is_engine_used(&self, context: *const c_void) -> bool {
        let used = read!(self.osm, routing_engine_used);
        // SAFETY: it is NULL or an engine of the list, as above.
        let used = unsafe { Live::new(used) };
        used.is_some_and(|engine| std::ptr::eq(read!(engine, context), context))
    }

    /// The number of other subnet managers that are active. OpenSM's table also has those that have ended while their
    /// hosts live: the ports of these say so.
    pub fn other_managers(&self) -> usize {
        // SAFETY: the table holds `osm_remote_sm_t`, map item first; the lock is held.
        let managers = unsafe {
            qmap::map::<osm_remote_sm_t>(&raw const (*self.osm.as_ptr()).subn.sm_guid_tbl)
        };
        let is_active = |sm: NonNull<osm_remote_sm_t>| {
            // SAFETY: items of that table exist while the lock is held.
            let sm = unsafe { Live::new(sm.as_ptr()) }?;
            let state = u32::from(read!(sm, smi.pri_state) & 0x0F);
            let port = self.physical_port(read!(sm, smi.guid))?;
            let mask = u32::from_be(read!(port, port_info.capability_mask));
            (mask & IS_MANAGER != 0 && state != IB_SMINFO_STATE_NOTACTIVE).then_some(sm)
        };
        managers.filter_map(is_active).count()
    }

    /// The physical port of a CA, router or switch, by its GUID in network byte order.
    fn physical_port(&self, guid: u64) -> Option<Live<'a, osm_physp_t>> {
        // SAFETY: the table holds `osm_port_t`, map item first; `cl_qmap_get` returns the map's end for an unknown
        // GUID. A port's physical port is NULL or exists as long as the port. The lock is held.
        unsafe {
            let table = &raw const (*self.osm.as_ptr()).subn.port_guid_tbl;
            let item = (self.symbols.qmap_get)(table, guid);
            if std::ptr::eq(item, &raw const (*table).nil) {
                return None;
            }
            Live::new((*item.cast::<osm_port_t>()).p_physp)
        }
    }

    /// The port GUID of this subnet manager.
    pub fn port(&self) -> Guid {
        Guid(u64::from_be(read!(self.osm, subn.sm_port_guid)))
    }

    /// The option `lmc_esp0`: enhanced switch port 0 has the subnet's LMC.
    pub fn lmc_esp0(&self) -> bool {
        read!(self.osm, subn.opt.lmc_esp0) != 0
    }

    pub fn connect_roots(&self) -> bool {
        read!(self.osm, subn.opt.connect_roots) != 0
    }

    text_options!(root_guid_file, cn_guid_file, io_guid_file, dump_files_dir);
}

/// The port GUID of an OpenSM.
///
/// # Safety
/// `osm` is the running OpenSM, which has found its port.
pub unsafe fn port(osm: NonNull<osm_opensm_t>) -> Guid {
    // SAFETY: OpenSM sets it before its first sweep, and again, to the same, in each sweep: hence the volatile read.
    let port = unsafe { (&raw const (*osm.as_ptr()).subn.sm_port_guid).read_volatile() };
    Guid(u64::from_be(port))
}

/// The option `event_plugin_options`; empty if not given.
///
/// # Safety
/// `osm` is an OpenSM that is creating its plugins.
pub unsafe fn plugin_options(osm: NonNull<osm_opensm_t>) -> String {
    // SAFETY: options are NULL or C strings that OpenSM owns.
    unsafe { text((*osm.as_ptr()).subn.opt.event_plugin_options) }.unwrap_or_default()
}

/// How far OpenSM has got: the number of management packets that it has sent, and its `sweep_interval` in seconds. A
/// light sweep sends some, as does a standby that polls its master; an OpenSM that hangs sends none.
///
/// # Safety
/// `osm` is the running OpenSM.
pub unsafe fn activity(osm: NonNull<osm_opensm_t>) -> Activity {
    // SAFETY: OpenSM writes both at any time, whole words: hence the volatile reads.
    let (sent, sweep_interval) = unsafe {
        let p = osm.as_ptr();
        let sent = (&raw const (*p).stats.qp0_mads_sent).read_volatile();
        let interval = (&raw const (*p).subn.opt.sweep_interval).read_volatile();
        (sent as u32, interval)
    };
    Activity {
        sent,
        sweep_interval,
    }
}

/// The role of an OpenSM in its subnet. Does not wait: `None` while OpenSM's lock is held exclusively.
///
/// # Safety
/// `osm` is the running OpenSM, and this thread does not hold its lock.
pub unsafe fn role(osm: NonNull<osm_opensm_t>) -> Option<Role> {
    // SAFETY: the lock is initialised before plugins are created and destroyed after them. OpenSM writes the state, one
    // byte, under another lock: hence the volatile read.
    let state = unsafe {
        let lock = (&raw mut (*osm.as_ptr()).lock.lock).cast();
        if libc::pthread_rwlock_tryrdlock(lock) != 0 {
            return None;
        }
        let state = (&raw const (*osm.as_ptr()).subn.sm_state).read_volatile();
        libc::pthread_rwlock_unlock(lock);
        state
    };
    Some(match u32::from(state) {
        IB_SMINFO_STATE_MASTER => Role::Master,
        IB_SMINFO_STATE_STANDBY | IB_SMINFO_STATE_NOTACTIVE => Role::Standby,
        _ => Role::Discovers,
    })
}

/// OpenSM's exclusive lock, held until dropped.
struct Lock(*mut libc::pthread_rwlock_t);

impl Lock {
    /// # Safety
    /// `osm` is the running OpenSM, and this thread does not hold its lock.
    unsafe fn acquire(osm: NonNull<osm_opensm_t>) -> Option<Self> {
        // SAFETY: the lock is initialised before plugins are created and destroyed after them.
        unsafe {
            let lock = (&raw mut (*osm.as_ptr()).lock.lock).cast();
            (libc::pthread_rwlock_wrlock(lock) == 0).then_some(Lock(lock))
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // SAFETY: `acquire` took the lock on this thread (a raw pointer is not Send).
        unsafe { libc::pthread_rwlock_unlock(self.0) };
    }
}

// The lock type of OpenSM's headers and that of the libc crate have the same size.
const _: () = assert!(size_of::<pthread_rwlock_t>() == size_of::<libc::pthread_rwlock_t>());
