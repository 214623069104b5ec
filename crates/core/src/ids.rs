//! The core's own indices. Each kind of thing has a type, so that one index cannot stand for another.

use dmodc_fabric::index;
use typed_index_collections::TiVec;

pub use dmodc_fabric::SwitchId;

index! {
    /// A kind of switches.
    KindId(u16)
}

index! {
    /// A class of switches that are equal in some way.
    ClassId(u32)
}

index! {
    /// A column of costs: a switch in the order of [`Costs::columns`](crate::paths::Costs::columns).
    Column(u32)
}

index! {
    /// A target of detours: the LIDs that use the same ones.
    TargetId(u32)
}

/// A value for each switch. Numbers beyond those of the fabric are switches that only the reference has.
pub type BySwitch<T> = TiVec<SwitchId, T>;
