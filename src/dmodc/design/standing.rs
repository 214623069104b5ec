//! The design without dead switches.

use crate::dmodc::tree::{Links, Sides};

/// The expected links between switches that have links now; `None` if no switch has lost all links.
pub fn standing(expected: &Links, present: &Sides) -> Option<Links> {
    let is_gone = |s: u32| {
        let has_none = present.down(s).is_empty() && present.up(s).is_empty();
        has_none && !expected.of(s).is_empty()
    };
    let is_gone: Vec<bool> = (0..expected.switches() as u32).map(is_gone).collect();
    let stands = |s: u32, other: u32, _| !is_gone[s as usize] && !is_gone[other as usize];
    (is_gone.contains(&true)).then(|| expected.filtered(stands))
}
