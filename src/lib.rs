//! The OpenSM plugin: all code that depends on OpenSM, and all of the crate's `unsafe`.
//!
//! A sweep: OpenSM calls `callbacks` under its lock. `engine` copies the subnet into an owned
//! [`dmodc_fabric::Fabric`] (`snapshot`), adds the absent LIDs (`absent`), and lets the core plan and fill the
//! forwarding `tables`, which are plain byte slices. `mcast` builds multicast trees from the same snapshot;
//! [`dmodc_watch::sweeps`] writes logs and metrics.
//!
//! Beside the invariants of `docs/architecture.md`:
//! - every `extern "C"` function runs inside `guard`, but for the two that only return or assign;
//! - no pointer of OpenSM outlives its callback, but for `osm_opensm_t` itself, which outlives the plugin;
//! - only `ffi`, `entry`, `callbacks` and [`extension`] may contain `unsafe` code.

mod absent;
#[allow(unsafe_code)]
mod callbacks;
mod drain;
mod engine;
#[allow(unsafe_code)]
mod entry;
#[allow(unsafe_code)]
pub mod extension;
mod failure;
#[allow(unsafe_code)]
mod ffi;
mod guard;
#[cfg(test)]
#[allow(unsafe_code)]
mod hostile;
mod log;
mod mcast;
mod options;
mod pulse;
mod snapshot;
mod tables;
mod version;
