//! Whether turns close a cycle with the dependencies that the order of switches allows.
//!
//! The order alone allows no cycle, so each cycle has a turn: a walk from the channel after a turn, over allowed
//! dependencies and turns (or over those in use), that comes to a turn's channel before. One depth-first search over
//! (switch, switch) channels finds one if there is one. A packet that goes up to a switch and back over the same link
//! would have to turn below it, back again: such a turn is a cycle at once, so no dependency leads back.

use crate::rows::{Fault, Turns};
use crate::ways::{NOBODY, Way, Ways};
use crate::{Claim, Reason};
use dmodc_fabric::{PortNumber, SwitchId};
use std::collections::BTreeSet;
use std::ops::Range;
use typed_index_collections::{TiSlice, TiVec};

/// The channels: all parallel links in one direction are one.
#[derive(Default)]
struct Channels {
    /// The switch from, the switch to, and whether it goes up.
    all: Vec<(SwitchId, SwitchId, bool)>,
    /// By switch: its own.
    of_switch: TiVec<SwitchId, Range<usize>>,
}

impl Channels {
    fn new(ways: &Ways) -> Channels {
        let mut channels = Channels::default();
        for s in ways.part.keys() {
            let of = |way: &Way| Some((s, way.next()?, matches!(way, Way::Up(_))));
            let mut own: Vec<_> = ways.ways(s).iter().filter_map(of).collect();
            own.sort_unstable();
            own.dedup();
            let first = channels.all.len();
            channels.all.extend(own);
            channels.of_switch.push(first..channels.all.len());
        }
        channels
    }

    fn find(&self, from: SwitchId, to: SwitchId) -> usize {
        let mut own = self.of_switch[from].clone();
        let found = own.find(|&channel| self.all[channel].1 == to);
        found.expect("a turn is over links")
    }

    /// The channels that the order lets follow a channel.
    fn allowed(&self, channel: usize) -> impl Iterator<Item = usize> {
        let (from, at, is_up) = self.all[channel];
        let own = self.of_switch[at].clone();
        own.filter(move |&next| match self.all[next] {
            (.., true) => is_up,
            (_, to, false) => to != from,
        })
    }
}

/// By channel: those that follow it in tables.
fn used(channels: &Channels, ways: &Ways, rows: &TiSlice<SwitchId, &[u8]>) -> Vec<BTreeSet<usize>> {
    let mut all = vec![BTreeSet::new(); channels.all.len()];
    // By entry and next entry.
    let mut seen = vec![false; 1 << 16];
    for (s, row) in rows.iter_enumerated() {
        seen.fill(false);
        for lid in 0..ways.owner.len() {
            let to = |s, entry| ways.way(s, PortNumber(entry)).next();
            let Some(at) = to(s, row[lid]) else { continue };
            let onward = rows[at][lid];
            let pair = usize::from(row[lid]) << 8 | usize::from(onward);
            if !std::mem::replace(&mut seen[pair], true)
                && let Some(next) = to(at, onward)
            {
                all[channels.find(s, at)].insert(channels.find(at, next));
            }
        }
    }
    all
}

/// Checks that turns close no cycle with the dependencies that the order allows, or with those that the tables have.
///
/// # Errors
/// A turn that leads into a cycle, at the switch before it.
pub fn check(
    ways: &Ways,
    turns: &Turns,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
) -> Result<(), Fault> {
    if turns.is_empty() {
        return Ok(());
    }
    let channels = Channels::new(ways);
    let is_by_tables = claim.detours.is_none();
    let used = is_by_tables.then(|| used(&channels, ways, rows));
    let next = |channel: usize| -> Vec<usize> {
        if let Some(used) = &used {
            return used[channel].iter().copied().collect();
        }
        let (from, at, _) = channels.all[channel];
        let turned = turns.range((from, at, SwitchId(0))..(from, at, NOBODY));
        let turned = turned.map(|(&(_, at, to), _)| channels.find(at, to));
        channels.allowed(channel).chain(turned).collect()
    };
    // `true`: on the way of the search; `false`: all behind it is searched.
    let mut seen: Vec<Option<bool>> = vec![None; channels.all.len()];
    for (&(from, at, to), &lid) in turns {
        let cycle = || Err((from, lid, Reason::Cycle(PortNumber(rows[from][lid]))));
        if from == to {
            return cycle();
        }
        // The search starts at the turn, which one channel follows.
        let first = channels.find(at, to);
        let mut open = vec![(first, vec![first])];
        while let Some((channel, left)) = open.last_mut() {
            let Some(follower) = left.pop() else {
                seen[*channel] = Some(false);
                open.pop();
                continue;
            };
            match seen[follower] {
                Some(true) => return cycle(),
                Some(false) => {}
                None => {
                    seen[follower] = Some(true);
                    open.push((follower, next(follower)));
                }
            }
        }
    }
    Ok(())
}
