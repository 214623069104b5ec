//! The interface for a plugin that links this crate and adds engines, as the laboratory's plugin does. It may also use
//! these parts of OpenSM.
//!
//! Such a library has this crate's `osm_event_plugin`, since it links the crate. It calls [`extend`] when it is loaded.
//! Absence: this crate alone has no extension, and no option for one.

use super::callbacks::{self, Context};
use super::engine::Dmodc;
use super::ffi::symbols::{Setup, Symbols};
use super::options;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

pub use super::ffi::symbols::{Missing, find};
pub use super::ffi::{bindings, qmap};
pub use super::guard::guard;

/// Registers engines beside Dmodc. The text is all of `event_plugin_options`.
pub type Extension = fn(&OpenSm, &str);

static EXTENSION: OnceLock<Extension> = OnceLock::new();

/// Sets the extension, which runs when OpenSM creates the plugin, before Dmodc is registered. The first call counts.
pub fn extend(extension: Extension) {
    let _ = EXTENSION.set(extension);
}

/// An OpenSM that is creating its plugins.
pub struct OpenSm {
    osm: NonNull<bindings::osm_opensm_t>,
    symbols: Symbols,
}

impl OpenSm {
    /// # Safety
    /// `osm` is an OpenSM that is creating its plugins, and `symbols` are its functions.
    pub(super) unsafe fn new(osm: NonNull<bindings::osm_opensm_t>, symbols: Symbols) -> OpenSm {
        OpenSm { osm, symbols }
    }

    /// Calls the extension, if there is one.
    pub(super) fn extended(&self, words: &str) {
        if let Some(extension) = EXTENSION.get() {
            extension(self, words);
        }
    }

    /// The running OpenSM, which outlives the plugin.
    pub fn pointer(&self) -> NonNull<bindings::osm_opensm_t> {
        self.osm
    }

    /// Registers a routing engine with a context that OpenSM keeps. Returns whether OpenSM accepts the engine.
    ///
    /// # Safety
    /// `setup`, and the callbacks that it sets, may use `context` for as long as OpenSM runs.
    pub unsafe fn register(&self, name: &'static CStr, setup: Setup, context: *mut c_void) -> bool {
        let module = bindings::external_routing_engine_module_t {
            name: name.as_ptr(),
            setup: Some(setup),
            context,
        };
        let (osm, register) = (self.osm.as_ptr(), self.symbols.register_engine);
        // SAFETY: OpenSM is creating its plugins, and copies the module; the caller guarantees the rest.
        let status = unsafe { register(osm, &raw const module, context) };
        if status != 0 {
            let name = name.to_string_lossy();
            log::error!("OpenSM refused the routing engine {name} (status {status})");
        }
        status == 0
    }

    /// Registers another Dmodc under a name. `words` are its options, as in `event_plugin_options`.
    pub fn register_dmodc(&self, name: &'static CStr, words: &str) -> bool {
        self.dmodc(name, words).is_some()
    }

    /// As [`OpenSm::register_dmodc`]; returns the context, which lives until [`callbacks::release`].
    pub(super) fn dmodc(&self, name: &'static CStr, words: &str) -> Option<NonNull<Context>> {
        let (options, wrong) = options::parse(words);
        wrong.iter().for_each(|e| log::log!(e.level(), "{e}"));
        let context = Box::into_raw(Box::new(Context {
            osm: self.osm,
            symbols: self.symbols,
            dmodc: Dmodc::new(options),
            pulse: OnceLock::new(),
        }));
        // SAFETY: our callbacks expect this context, and it lives until `release`.
        if unsafe { self.register(name, callbacks::setup, context.cast()) } {
            return NonNull::new(context);
        }
        // SAFETY: OpenSM keeps no pointer to a context that it refused.
        unsafe { callbacks::release(context) };
        None
    }
}
