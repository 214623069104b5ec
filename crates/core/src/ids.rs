//! The core's own indices. Each kind of thing has a type, so that one index cannot stand for another.

use dmodc_fabric::index;
use typed_index_collections::TiVec;

pub use dmodc_fabric::SwitchId;

index! {
    /// A kind of switches.
    KindId(u16)
}

index! {
    /// Switches with equal uplinks.
    ClassId(u32)
}

/// A value for each switch. Numbers beyond those of the fabric are switches that only the reference has.
pub type BySwitch<T> = TiVec<SwitchId, T>;
