//! OpenSM's functions, looked up in the running process when the plugin is loaded.
//!
//! The library links with nothing of OpenSM: `opensm` exports its functions, and its own libraries (libopensm,
//! libosmcomp) are in the global scope. A missing function, such as `osm_register_external_routing_engine` before
//! OpenSM 3.3.23, gives an error with its name instead of a failed `dlopen`.

use super::bindings::{
    cl_map_item_t, cl_qmap_t, cl_spinlock_t, cl_status_t, external_routing_engine_module_t,
    osm_log_level_t, osm_log_t, osm_mcast_tbl_t, osm_opensm_t, osm_routing_engine_t,
    osm_ucast_mgr_t,
};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;

/// The type of `osm_log_v2`.
pub type WriteLog =
    unsafe extern "C" fn(*mut osm_log_t, osm_log_level_t, c_int, *const c_char, ...);
/// The type of `cl_spinlock_acquire` and `cl_spinlock_release`.
pub type LockLog = unsafe extern "C" fn(*mut cl_spinlock_t);
/// Sets an engine's callbacks. OpenSM calls it for each mention of the engine in its list.
pub type Setup = unsafe extern "C" fn(*mut osm_routing_engine_t, *mut osm_opensm_t) -> c_int;

/// An error: the running OpenSM lacks this function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this OpenSM has no {0}(); external routing engines came with OpenSM 3.3.23")]
pub struct Missing(pub &'static str);

/// The functions of OpenSM that the plugin calls, except for [`WriteLog`].
#[derive(Clone, Copy)]
pub struct Symbols {
    pub register_engine: unsafe extern "C" fn(
        *mut osm_opensm_t,
        *const external_routing_engine_module_t,
        *mut c_void,
    ) -> cl_status_t,
    /// Looks up a map item by key; returns the map's end if there is none.
    pub qmap_get: unsafe extern "C" fn(*const cl_qmap_t, u64) -> *mut cl_map_item_t,
    pub mcast_tbl_set: unsafe extern "C" fn(*mut osm_mcast_tbl_t, u16, u8),
    /// Makes OpenSM call its engine in this sweep, with `use_ucast_cache` too.
    pub cache_invalidate: unsafe extern "C" fn(*mut osm_ucast_mgr_t),
}

impl Symbols {
    pub fn load() -> Result<Self, Missing> {
        // SAFETY: these are the types in OpenSM's headers, with which the plugin was built. OpenSM's loader compares
        // their version with its own before it calls the plugin.
        unsafe {
            Ok(Symbols {
                register_engine: function(c"osm_register_external_routing_engine")?,
                qmap_get: function(c"cl_qmap_get")?,
                mcast_tbl_set: function(c"osm_mcast_tbl_set")?,
                cache_invalidate: function(c"osm_ucast_cache_invalidate")?,
            })
        }
    }
}

/// Looks up a function of the running process, as a pointer of type `F`.
///
/// # Safety
/// `F` is the type of pointers to the function `name`.
pub unsafe fn function<F: Copy>(name: &'static CStr) -> Result<F, Missing> {
    const { assert!(size_of::<F>() == size_of::<NonNull<c_void>>()) };
    let address = find(name)?;
    // SAFETY: `F` is as large as the address; the caller guarantees the rest.
    Ok(unsafe { std::mem::transmute_copy(&address) })
}

/// Looks up the address of a function of the running process.
pub fn find(name: &'static CStr) -> Result<NonNull<c_void>, Missing> {
    // SAFETY: dlsym only reads the string, which ends with NUL.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    NonNull::new(address).ok_or(Missing(name.to_str().unwrap_or("?")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "looks functions up in the process")]
    fn a_missing_function_is_named() {
        let error = Symbols::load().err().expect("the test runner is no OpenSM");
        assert_eq!(error, Missing("osm_register_external_routing_engine"));
        assert!(find(c"malloc").is_ok());
    }
}
