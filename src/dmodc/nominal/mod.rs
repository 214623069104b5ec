//! The fabric as it should be, as far as the fabric as it is tells: links that all the likes of a
//! switch have and it has not.
//!
//! The routes of a fabric with faults are those of the nominal fabric wherever these still stand, so a
//! link that goes moves what went over it and nothing else (`faults=stable`). What leaves no trace, a
//! dead switch or a pod, needs a reference to be known of.

mod ports;
mod siblings;
mod standing;

pub use siblings::complete;
pub use standing::standing;
