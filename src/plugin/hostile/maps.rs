//! The functions of OpenSM and its complib that the plugin calls, for the subnets beside this. Maps are lists in the order
//! of their keys, laid out as complib's maps are, so that Miri, which runs no C, sees all of it. The daemon tests have
//! complib's own.

use crate::plugin::ffi::bindings::{
    cl_map_item_t, cl_qmap_t, cl_status_t, external_routing_engine_module_t, osm_mcast_tbl_t,
    osm_opensm_t,
};
use crate::plugin::ffi::qmap;
use crate::plugin::ffi::symbols::Symbols;
use std::ffi::c_void;
use std::ptr::NonNull;

/// The functions that the plugin looks up in OpenSM.
pub static SYMBOLS: Symbols = Symbols {
    register_engine,
    qmap_get,
    mcast_tbl_set,
};

unsafe extern "C" fn register_engine(
    _: *mut osm_opensm_t,
    _: *const external_routing_engine_module_t,
    _: *mut c_void,
) -> cl_status_t {
    unreachable!("nothing is registered here")
}

/// The assertions of `osm_mcast_tbl_set`, which release builds of OpenSM leave out.
unsafe extern "C" fn mcast_tbl_set(table: *mut osm_mcast_tbl_t, mlid: u16, _port: u8) {
    // SAFETY: the table is that of a live switch.
    let table = unsafe { table.read() };
    assert!(!table.p_mask_tbl.is_null() && mlid <= table.max_mlid_ho);
    assert!((0xC000..0xC000 + u32::from(table.mft_depth)).contains(&mlid.into()));
}

/// Empties a map.
///
/// # Safety
/// The map is the caller's own.
pub unsafe fn init(map: *mut cl_qmap_t) {
    // SAFETY: the caller vouches for the map. Its list is empty where it leads back to its end.
    unsafe {
        (*map).count = 0;
        (*map).nil.pool_item.list_item.p_next = &raw mut (*map).nil.pool_item.list_item;
    }
}

/// Inserts an item; does nothing where the key is there already.
///
/// # Safety
/// Map and item are the caller's own, and so are the items of the map.
pub unsafe fn insert(map: *mut cl_qmap_t, key: u64, item: *mut cl_map_item_t) {
    // SAFETY: the caller vouches for map and items; an item begins with its list item.
    unsafe {
        let end = &raw mut (*map).nil;
        let next = |item: *mut cl_map_item_t| (*item).pool_item.list_item.p_next.cast();
        let mut before = end;
        while next(before) != end && (*next(before)).key < key {
            before = next(before);
        }
        let after: *mut cl_map_item_t = next(before);
        if after != end && (*after).key == key {
            return;
        }
        (*item).key = key;
        (*item).pool_item.list_item.p_next = after.cast();
        (*before).pool_item.list_item.p_next = item.cast();
        (*map).count += 1;
    }
}

unsafe extern "C" fn qmap_get(map: *const cl_qmap_t, key: u64) -> *mut cl_map_item_t {
    // SAFETY: the map is the caller's own; nothing is written.
    unsafe {
        let found = qmap::map::<cl_map_item_t>(map).find(|item| (*item.as_ptr()).key == key);
        found.map_or((&raw const (*map).nil).cast_mut(), NonNull::as_ptr)
    }
}
