//! OpenSM's maps for the subnets beside this: complib itself makes them and looks things up, or,
//! under Miri, which runs no C, lists in the order of their keys that are laid out alike.

use crate::plugin::ffi::bindings::{
    cl_map_item_t, cl_qmap_t, cl_status_t, external_routing_engine_module_t, osm_mcast_tbl_t,
    osm_opensm_t,
};
use crate::plugin::ffi::symbols::{QmapGet, Symbols};
use std::ffi::c_void;
use std::sync::LazyLock;

type Init = unsafe extern "C" fn(*mut cl_qmap_t);
type Insert = unsafe extern "C" fn(*mut cl_qmap_t, u64, *mut cl_map_item_t) -> *mut cl_map_item_t;

/// What is needed of complib, and of OpenSM itself.
pub struct Complib {
    pub symbols: Symbols,
    pub init: Init,
    pub insert: Insert,
}

pub static COMPLIB: LazyLock<Complib> = LazyLock::new(|| {
    let (init, insert, qmap_get) = maps();
    Complib {
        symbols: Symbols {
            register_engine,
            qmap_get,
            mcast_tbl_set,
        },
        init,
        insert,
    }
});

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

#[cfg(not(miri))]
fn maps() -> (Init, Insert, QmapGet) {
    use std::ffi::CStr;
    use std::mem::transmute;
    // SAFETY: complib is a plain C library; the functions have the types that its header gives
    // them, and stay, for the library is never closed.
    unsafe {
        let library = libc::dlopen(c"libosmcomp.so.5".as_ptr(), libc::RTLD_NOW);
        assert!(
            !library.is_null(),
            "no libosmcomp.so.5; `make setup` installs it with opensm"
        );
        let find = |name: &CStr| {
            let function = libc::dlsym(library, name.as_ptr());
            assert!(!function.is_null(), "complib has {name:?}");
            function
        };
        (
            transmute::<*mut c_void, Init>(find(c"cl_qmap_init")),
            transmute::<*mut c_void, Insert>(find(c"cl_qmap_insert")),
            transmute::<*mut c_void, QmapGet>(find(c"cl_qmap_get")),
        )
    }
}

#[cfg(miri)]
fn maps() -> (Init, Insert, QmapGet) {
    use crate::plugin::ffi::qmap;
    use std::ptr::NonNull;
    unsafe extern "C" fn init(map: *mut cl_qmap_t) {
        // SAFETY: the map is the caller's own. Its list is empty where it leads back to its end.
        unsafe {
            (*map).count = 0;
            (*map).nil.pool_item.list_item.p_next = &raw mut (*map).nil.pool_item.list_item;
        }
    }
    /// Does nothing where the key is there already.
    unsafe extern "C" fn insert(
        map: *mut cl_qmap_t,
        key: u64,
        item: *mut cl_map_item_t,
    ) -> *mut cl_map_item_t {
        // SAFETY: map and item are the caller's own, and so is whatever is in the map; an item
        // begins with its list item.
        unsafe {
            let end = &raw mut (*map).nil;
            let next = |item: *mut cl_map_item_t| (*item).pool_item.list_item.p_next.cast();
            let mut before = end;
            while next(before) != end && (*next(before)).key < key {
                before = next(before);
            }
            let after: *mut cl_map_item_t = next(before);
            if after != end && (*after).key == key {
                return after;
            }
            (*item).key = key;
            (*item).pool_item.list_item.p_next = after.cast();
            (*before).pool_item.list_item.p_next = item.cast();
            (*map).count += 1;
            item
        }
    }
    unsafe extern "C" fn get(map: *const cl_qmap_t, key: u64) -> *mut cl_map_item_t {
        // SAFETY: as above; nothing is written.
        unsafe {
            let found = qmap::map::<cl_map_item_t>(map).find(|item| (*item.as_ptr()).key == key);
            found.map_or((&raw const (*map).nil).cast_mut(), NonNull::as_ptr)
        }
    }
    (init, insert, get)
}
