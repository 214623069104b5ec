//! Safe handles on OpenSM's live objects, for as long as its lock is held.
//!
//! A [`Subnet`] can be had only from inside a callback that OpenSM makes under its exclusive lock
//! (or by taking that lock, [`Locked`]); every other handle borrows its lifetime, so none can be
//! kept beyond the callback. NULL pointers, ports beyond the table and ports that OpenSM has not
//! initialised (GUID 0, see `osm_physp_is_valid`) end here as `None`. This module has the subnet
//! itself; switches, ports and nodes are in [`objects`](super::objects).

use super::bindings::{osm_opensm_t, osm_switch_t};
use super::objects::{Switch, read, text};
use super::qmap;
use super::symbols::Symbols;
use crate::fabric::Guid;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;

type Held<'a> = PhantomData<&'a ()>;

/// OpenSM's subnet while its lock is held.
pub struct Subnet<'a> {
    osm: NonNull<osm_opensm_t>,
    /// What can be called of OpenSM.
    pub symbols: Symbols,
    held: Held<'a>,
}

/// OpenSM's exclusive lock, taken by us: for events, which are reported without it.
pub struct Locked<'a> {
    osm: NonNull<osm_opensm_t>,
    held: Held<'a>,
}

impl<'a> Subnet<'a> {
    /// The subnet of this OpenSM.
    ///
    /// # Safety
    /// `osm` is the running OpenSM, and its lock is held exclusively for all of `'a`, by this
    /// thread alone.
    pub unsafe fn under_lock(osm: NonNull<osm_opensm_t>, symbols: Symbols) -> Self {
        Subnet {
            osm,
            symbols,
            held: PhantomData,
        }
    }

    /// All switches that OpenSM has a switch object and a node for.
    pub fn switches(&self) -> impl Iterator<Item = Switch<'a>> + use<'a> {
        // SAFETY: the table holds `osm_switch_t`, map item first; the lock is held.
        let items =
            unsafe { qmap::map::<osm_switch_t>(&raw const (*self.osm.as_ptr()).subn.sw_guid_tbl) };
        // SAFETY: items of that table are live switches.
        let switches = items.map(|sw| unsafe { Switch::new(sw) });
        switches.filter(|sw| sw.node().is_some())
    }

    /// How many switch objects there are.
    pub fn switch_count(&self) -> usize {
        read!(self.osm, subn.sw_guid_tbl.count)
    }

    /// The switch with this node GUID.
    pub fn switch(&self, guid: Guid) -> Option<Switch<'a>> {
        // SAFETY: as in `switches`; `cl_qmap_get` returns the map's end where there is none.
        let found = unsafe {
            let table = &raw const (*self.osm.as_ptr()).subn.sw_guid_tbl;
            let item = (self.symbols.qmap_get)(table, guid.0.to_be());
            if std::ptr::eq(item, &raw const (*table).nil) {
                return None;
            }
            Switch::new(NonNull::new(item.cast())?)
        };
        found.node().map(|_| found)
    }

    /// The forwarding table being built at each switch, with the switch's GUID, as long as OpenSM
    /// has allocated it; `None` where it has not. While these slices live, nothing else can reach
    /// the tables: the subnet is borrowed.
    pub fn new_lfts(&mut self) -> Vec<(Guid, Option<&mut [u8]>)> {
        let table = |sw: Switch<'a>| {
            let row = NonNull::new(read!(sw.raw(), new_lft))?;
            let size = usize::from(read!(sw.raw(), lft_size));
            // SAFETY: OpenSM allocates `new_lft` with `lft_size` bytes (alloc_lft and
            // osm_switch_prepare_path_rebuild), each switch its own, and writes all of them. Only
            // this function makes references to them, and it borrows the subnet.
            Some(unsafe { std::slice::from_raw_parts_mut(row.as_ptr(), size) })
        };
        self.switches().map(|sw| (sw.guid(), table(sw))).collect()
    }

    /// Whether the engine registered with this context is the first of the list, so that no other
    /// engine has written to the tables before it in this sweep.
    pub fn is_first_engine(&self, context: *const c_void) -> bool {
        // SAFETY: the list is made once, at start, and only freed at exit.
        unsafe {
            let first = (*self.osm.as_ptr()).routing_engine_list;
            !first.is_null() && std::ptr::eq((*first).context, context)
        }
    }

    /// Whether the engine registered with this context made the tables in use.
    pub fn is_engine_used(&self, context: *const c_void) -> bool {
        // SAFETY: as in `is_first_engine`; the field is written under the lock.
        unsafe {
            let used = (*self.osm.as_ptr()).routing_engine_used;
            !used.is_null() && std::ptr::eq((*used).context, context)
        }
    }

    /// The option `lmc_esp0`: enhanced switch port 0 has the subnet's LMC.
    pub fn lmc_esp0(&self) -> bool {
        read!(self.osm, subn.opt.lmc_esp0) != 0
    }

    /// The option `connect_roots`.
    pub fn connect_roots(&self) -> bool {
        read!(self.osm, subn.opt.connect_roots) != 0
    }

    /// The option `root_guid_file`.
    pub fn root_guid_file(&self) -> Option<String> {
        self.text(read!(self.osm, subn.opt.root_guid_file))
    }

    /// The option `cn_guid_file`.
    pub fn cn_guid_file(&self) -> Option<String> {
        self.text(read!(self.osm, subn.opt.cn_guid_file))
    }

    /// The option `io_guid_file`.
    pub fn io_guid_file(&self) -> Option<String> {
        self.text(read!(self.osm, subn.opt.io_guid_file))
    }

    /// The option `dump_files_dir`.
    pub fn dump_files_dir(&self) -> Option<String> {
        self.text(read!(self.osm, subn.opt.dump_files_dir))
    }

    fn text(&self, option: *mut c_char) -> Option<String> {
        // SAFETY: options are NULL or C strings that OpenSM owns, and changes only between sweeps
        // on the thread that calls us.
        unsafe { text(option) }.filter(|s| !s.is_empty())
    }
}

/// The option `event_plugin_options`, empty if not given.
///
/// # Safety
/// `osm` is an OpenSM that is creating its plugins.
pub unsafe fn plugin_options(osm: NonNull<osm_opensm_t>) -> String {
    // SAFETY: options are NULL or C strings that OpenSM owns.
    unsafe { text((*osm.as_ptr()).subn.opt.event_plugin_options) }.unwrap_or_default()
}

impl Locked<'_> {
    /// Takes OpenSM's lock exclusively, as `CL_PLOCK_EXCL_ACQUIRE` does, until dropped.
    ///
    /// # Safety
    /// `osm` is the running OpenSM, and this thread does not hold its lock.
    pub unsafe fn acquire(osm: NonNull<osm_opensm_t>) -> Option<Self> {
        // SAFETY: the lock is initialised before plugins are created and destroyed after them.
        let taken = unsafe { libc::pthread_rwlock_wrlock(Self::lock(osm)) } == 0;
        taken.then_some(Locked {
            osm,
            held: PhantomData,
        })
    }

    /// The subnet under this lock.
    pub fn subnet(&self, symbols: Symbols) -> Subnet<'_> {
        // SAFETY: the lock is held as long as `self` lives.
        unsafe { Subnet::under_lock(self.osm, symbols) }
    }

    fn lock(osm: NonNull<osm_opensm_t>) -> *mut libc::pthread_rwlock_t {
        // SAFETY: only the address is computed.
        unsafe { (&raw mut (*osm.as_ptr()).lock.lock).cast() }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: `acquire` took the lock on this thread (`Locked` is not Send).
        unsafe { libc::pthread_rwlock_unlock(Self::lock(self.osm)) };
    }
}

// The headers and the libc crate mean the same lock.
const _: () =
    assert!(size_of::<super::bindings::pthread_rwlock_t>() == size_of::<libc::pthread_rwlock_t>());
