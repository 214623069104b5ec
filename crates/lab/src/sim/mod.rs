//! Simulated fabrics: the stock ibsim and OpenSM as child processes. A child ends when the value that owns
//! it is dropped, and when this process ends for any reason. From the first child on, this process handles
//! INT, TERM and HUP.
//!
//! ```text
//! Netlist ─ Ibsim ─ Config + Files ─ opensm ─ its log, its dumps
//! ```
//!
//! Each fabric has its own sockets, files and caches, in a temporary folder, so any number of them can run
//! at the same time, under any user.

mod ibsim;
mod opensm;
mod process;
mod signals;

pub use ibsim::Ibsim;
pub use opensm::{Config, Files, NoTables, Plugin};
pub use process::{Guard, PrivateDir, Program, last_line, poll, text_of};
pub use signals::when_stopped;
