//! Real daemons for tests: ibsim simulates the fabric, the stock OpenSM manages it, and the stock
//! diagnostics check the result.
//!
//! Rules:
//! - nothing that a test starts outlives the test, or the process of the tests (see `dmodc_lab::sim`);
//! - tests poll for readiness with a deadline, and never sleep for it;
//! - each instance has its own sockets, caches, logs and dumps, so any number of them can run at the same
//!   time, under any user;
//! - a missing program is a failure that names its package, never a silent pass.

pub mod fabrics;
pub mod ibsim;
pub mod join;
pub mod offline;
pub mod opensm;
pub mod process;
pub mod sketch;
pub mod tool;
pub mod tools;

pub use dmodc_core::Options;
pub use dmodc_fabric::PortNumber;
pub use fabrics::{NODES_648, Net};
pub use ibsim::Ibsim;
pub use offline::Offline;
pub use opensm::{Config, Files, OpenSm, Tested};
pub use process::{Guard, poll, signal, wait_until};
pub use tool::{FIGURE_1, data, done, ends, has, path_of, root, tool};
