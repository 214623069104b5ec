//! OpenSM's C structures behind safe handles: most of the crate's `unsafe` is here.
//!
//! A [`Subnet`] exists only inside the closure that [`Subnet::under_lock`] or [`Subnet::locking`]
//! runs while OpenSM's exclusive lock is held. Switches, ports, nodes and groups borrow its
//! lifetime, so none of them outlives the lock. NULL pointers, ports beyond the table and ports
//! that OpenSM has not initialised become `None` here.

pub mod bindings;
mod live;
mod mgrp;
mod objects;
mod opensm_log;
pub mod qmap;
mod subnet;
pub mod symbols;

pub use live::Live;
pub use mgrp::Group;
pub use objects::{Port, Switch};
pub use opensm_log::OpensmLog;
pub use subnet::{Subnet, activity, plugin_options, port, role};
pub use symbols::Symbols;
