//! The OpenSM plugin: all that knows of OpenSM, and all of the crate's `unsafe`.
//!
//! The way of a sweep: OpenSM calls [`entry`] under its lock; [`subnet`] copies its subnet into an
//! owned [`crate::fabric::Fabric`] through the handles of [`live`]; the core computes; [`engine`]
//! hands it the forwarding tables as plain byte slices to fill. [`mcast`] and [`hops`] serve
//! OpenSM's multicast and its dumps from the same snapshot.
//!
//! Invariants:
//! - no panic crosses into OpenSM: every `extern "C"` function runs inside [`guard`], but for the
//!   two that only return or assign;
//! - no pointer of OpenSM outlives the callback it was read in, but for `osm_opensm_t` itself,
//!   which outlives the plugin;
//! - a callback that fails returns a negative value and leaves the tables as it found them; none
//!   ever returns a positive one, which OpenSM takes for "let minhop do it";
//! - `unsafe` is in [`bindings`], [`symbols`], [`qmap`], [`live`], [`objects`], [`group`], [`log`]
//!   and [`entry`]; the other modules are safe code over their handles.

mod bindings;
mod engine;
mod entry;
mod group;
mod guard;
mod hops;
#[cfg(test)]
mod hostile;
mod live;
mod log;
mod mcast;
mod objects;
mod options;
mod order;
mod qmap;
mod report;
mod subnet;
mod symbols;
mod version;
