//! InfiniBand's identifiers.

use std::fmt;

/// A 64-bit globally unique identifier in host order. A switch's node GUID is its *UUID* in the
/// paper's sense: the total order by which port groups and leaves are sorted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Guid(pub u64);

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:016x}", self.0)
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A local identifier in host order. Unicast LIDs are `1..=0xBFFF`; 0 means "none yet".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Lid(pub u16);

impl Lid {
    /// The highest unicast LID (`IB_LID_UCAST_END_HO`).
    pub const UNICAST_MAX: Lid = Lid(0xBFFF);

    /// A LID from a file, 0 included; `None` beyond the unicast range.
    pub fn read(value: u64) -> Option<Lid> {
        (value <= Self::UNICAST_MAX.0.into()).then_some(Lid(value as u16))
    }

    /// Whether this is a unicast LID.
    pub fn is_unicast(self) -> bool {
        (1..=Self::UNICAST_MAX.0).contains(&self.0)
    }

    /// The LID as an index into a linear forwarding table.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Lid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
