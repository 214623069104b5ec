//! Linear forwarding tables: in memory, as text in OpenSM's and ibdiagnet's formats, and their differences.

mod diff;
mod lids;
mod line;
mod order;
mod read;
mod write;

pub use diff::{Changes, Diff, diff};
pub use order::{OrderReason, parse_order, parse_order_leniently, write_order};
pub use read::{Dump, DumpReason, DumpedSwitch};
pub use write::{write_dump, write_lid_matrix};
