//! The interface for a plugin that links this crate and adds engines, as the laboratory's plugin does: it registers
//! engines, and may use these parts of OpenSM.
//!
//! Such a library links this crate, and so has its `osm_event_plugin`. It calls [`extend`] as it is loaded.
//! Absence: this crate's own plugin calls nothing here, and knows no option of an extension.

use super::callbacks;
use super::ffi::symbols::{Setup, Symbols};
use super::options;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

pub use super::ffi::symbols::{Missing, find};
pub use super::ffi::{bindings, qmap};
pub use super::guard::guard;

/// Registers engines beside Dmodc. Gets all of `event_plugin_options`.
pub type Extension = fn(&OpenSm, &str);

static EXTENSION: OnceLock<Extension> = OnceLock::new();

/// Has OpenSM's creation of the plugin call this too. The first extension counts.
pub fn extend(extension: Extension) {
    let _ = EXTENSION.set(extension);
}

/// An OpenSM that is creating its plugins.
pub struct OpenSm {
    osm: NonNull<bindings::osm_opensm_t>,
    symbols: Symbols,
}

impl OpenSm {
    /// Calls the extension, if there is one.
    ///
    /// # Safety
    /// `osm` is an OpenSM that is creating its plugins, and `symbols` are its functions.
    pub(super) unsafe fn extended(
        osm: NonNull<bindings::osm_opensm_t>,
        symbols: Symbols,
        words: &str,
    ) {
        if let Some(extension) = EXTENSION.get() {
            extension(&OpenSm { osm, symbols }, words);
        }
    }

    /// The running OpenSM, which outlives the plugin.
    pub fn pointer(&self) -> NonNull<bindings::osm_opensm_t> {
        self.osm
    }

    /// Registers a routing engine, whose context OpenSM then keeps. Returns whether it takes it.
    ///
    /// # Safety
    /// `context` is what `setup` and the callbacks that it sets expect, for as long as OpenSM runs.
    pub unsafe fn register(&self, name: &'static CStr, setup: Setup, context: *mut c_void) -> bool {
        // SAFETY: `extended` was called with an OpenSM that is creating its plugins; the caller vouches for the rest.
        unsafe { self.symbols.register(self.osm, name, setup, context) }
    }

    /// Registers another Dmodc by a name, with options as they stand in `event_plugin_options`.
    pub fn register_dmodc(&self, name: &'static CStr, words: &str) -> bool {
        let (options, errors) = options::parse(words);
        errors.iter().for_each(|e| log::error!("{e}"));
        // SAFETY: as for `register`; Dmodc's context is its own.
        unsafe { callbacks::register(self.osm, self.symbols, name, options) }.is_some()
    }
}
