//! Routes: every entry of every forwarding table (paper, section III.B).

mod candidates;
mod displaced;
mod inputs;
mod mirror;
mod port_choice;
mod preference;
mod row;
mod row_classes;
mod scratch;
mod shares;
mod switch_view;
mod tables;

pub use inputs::{Common, Inputs};
pub use scratch::RouteMemory;
pub use switch_view::SwitchView;
