//! Simulated fabrics: the stock ibsim and its clients as processes that end with the value that owns
//! them.
//!
//! Everything of one fabric (sockets, files, caches) is private to it, in a temporary folder, so that
//! any number of them stand side by side, under any user.

mod error;
mod ibsim;
mod process;

pub use error::SimError;
pub use ibsim::Ibsim;
pub use process::{Guard, PrivateDir, Program, poll};
