//! InfiniBand's identifiers, and the indices of a fabric's switches and end nodes. Each is a type of its own: one cannot
//! stand for another, and a typed vector is indexed by its own index alone.

use std::fmt;
use std::num::ParseIntError;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// An index type: a number of its own, which the compiler does not mix up with other numbers. Conversion from and to
/// `usize` serves `typed_index_collections`; nothing else needs it.
#[macro_export]
macro_rules! index {
    ($(#[$doc:meta])* $name:ident($number:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
        pub struct $name(pub $number);

        impl From<usize> for $name {
            #[inline]
            fn from(index: usize) -> Self {
                debug_assert!(<$number>::try_from(index).is_ok());
                $name(index as $number)
            }
        }

        impl From<$name> for usize {
            #[inline]
            fn from(index: $name) -> usize {
                index.0 as usize
            }
        }
    };
}

index! {
    /// A switch of a fabric, by index in ascending GUID: comparing two compares UUIDs.
    SwitchId(u32)
}

index! {
    /// An end node of a fabric, by index in ascending (switch, port).
    NodeId(u32)
}

index! {
    /// A local identifier in host order. Unicast LIDs are `1..=0xBFFF`; 0 means "none yet". It is the index into a
    /// linear forwarding table.
    Lid(u16)
}

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

    /// The LID as a number of entries of a linear forwarding table.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Lid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Lid {
    type Err = ParseIntError;

    /// Reads `12` and `0x000c`.
    fn from_str(text: &str) -> Result<Lid, ParseIntError> {
        match text.strip_prefix("0x") {
            Some(digits) => u16::from_str_radix(digits, 16).map(Lid),
            None => text.parse().map(Lid),
        }
    }
}

/// The number of a switch's port: external ports are 1 to 254, 0 is the switch itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct PortNumber(pub u8);

impl PortNumber {
    /// The port of the switch itself.
    pub const ZERO: PortNumber = PortNumber(0);

    /// The external ports of a switch that has this many, in order.
    #[inline]
    pub fn external(ports: u8) -> impl DoubleEndedIterator<Item = PortNumber> + Clone {
        (0..ports).map(|before| PortNumber(before + 1))
    }

    /// The place of an external port in a list of them, from 0 on.
    #[inline]
    pub fn offset(self) -> usize {
        usize::from(self.0) - 1
    }
}

impl fmt::Display for PortNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for PortNumber {
    type Err = ParseIntError;

    /// Reads `12`.
    fn from_str(text: &str) -> Result<PortNumber, ParseIntError> {
        text.parse().map(PortNumber)
    }
}

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

impl FromStr for Guid {
    type Err = ParseIntError;

    /// Reads hexadecimal digits, with or without `0x`.
    fn from_str(text: &str) -> Result<Guid, ParseIntError> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        u64::from_str_radix(digits, 16).map(Guid)
    }
}

/// The LIDs of a port, or `None` if they are not all unicast or the LMC is above 7.
pub fn lid_range(base: Lid, lmc: u8) -> Option<RangeInclusive<u16>> {
    let last = base.0.checked_add((1u16.checked_shl(lmc.into())?) - 1)?;
    (lmc <= 7 && base.is_unicast() && Lid(last).is_unicast()).then_some(base.0..=last)
}
