//! Linear forwarding tables: in memory, as OpenSM's text dump, and compared.

mod table;

pub use table::{NO_PATH, Tables};
