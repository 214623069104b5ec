//! Real daemons for tests: ibsim plays the fabric, the stock OpenSM manages it, and the stock
//! diagnostics check the outcome.
//!
//! Rules of the house:
//! - what a test starts is owned by a guard, which kills it by its process id when dropped, so
//!   that a failing test leaves nothing behind;
//! - readiness is polled against a deadline, never slept for;
//! - everything (sockets, caches, logs, dumps) is private to one instance, so that any number of
//!   them run side by side, under any user;
//! - a missing program is a failure that says which package brings it, never a silent pass.

pub mod fabrics;
pub mod ibsim;
pub mod judge;
pub mod opensm;
pub mod process;
pub mod sketch;
pub mod tail;
pub mod tools;
