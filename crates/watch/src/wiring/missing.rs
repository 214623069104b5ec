//! Finds known links that are missing (dark at both ends), and orders the ends of a link.

use dmodc_fabric::{Merged, PortNumber, SwitchId};

/// A link between two switches, as (switch, port), the lower end first.
pub type Uplink = [(SwitchId, PortNumber); 2];

/// The missing links of `merged.nominal`, in ascending order of their lower ends. `rank` gives the rank of a
/// switch there.
pub fn missing_uplinks(merged: &Merged, rank: impl Fn(SwitchId) -> u32) -> Vec<Uplink> {
    let missing = merged.missing_links();
    let mut missing: Vec<Uplink> = missing.map(|link| low_first(link, &rank)).collect();
    missing.sort_unstable();
    missing
}

/// A link with its lower end first: the switch of lower rank, or of lower index where the ranks are equal.
pub fn low_first([a, b]: Uplink, rank: impl Fn(SwitchId) -> u32) -> Uplink {
    match (rank(a.0), a.0) <= (rank(b.0), b.0) {
        true => [a, b],
        false => [b, a],
    }
}
