//! Whether turns close a cycle with the dependencies that the order of switches allows, or with those of the tables.
//!
//! The order alone allows no cycle, so each cycle has a turn: a walk from a channel after a turn, over allowed
//! dependencies and turns (or over those in use), that comes to a channel of its own again. One depth-first search over
//! channels (switch, port) finds one if there is one. A packet that goes up to a switch and back over the same link
//! would have to turn below it, back again: such a turn is a cycle at once, so no dependency leads back.

use crate::rows::{Fault, Turns};
use crate::ways::{NOBODY, Way, Ways};
use crate::{Claim, Reason};
use dmodc_fabric::{PortNumber, SwitchId};
use typed_index_collections::TiSlice;

/// By channel and port: whether packets that come by the channel leave by the port.
fn used(ways: &Ways, rows: &TiSlice<SwitchId, &[u8]>) -> Vec<bool> {
    let mut all = vec![false; rows.len() * ways.width * ways.width];
    for (s, row) in rows.iter_enumerated() {
        for lid in 0..ways.owner.len() {
            let to = |s, entry| ways.way(s, PortNumber(entry)).next();
            if let Some(at) = to(s, row[lid])
                && to(at, rows[at][lid]).is_some()
            {
                let channel = usize::from(s) * ways.width + usize::from(row[lid]);
                all[channel * ways.width + usize::from(rows[at][lid])] = true;
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
    let used = claim.detours.is_none().then(|| used(ways, rows));
    // The channels that may follow one.
    let next = |channel: usize| {
        let from = SwitchId::from(channel / ways.width);
        let way = ways.ways(from)[channel % ways.width];
        let (at, is_up) = (way.next().expect("a link"), matches!(way, Way::Up(_)));
        let turned = turns.range((from, at, SwitchId(0))..(from, at, NOBODY));
        let turned: Vec<SwitchId> = turned.map(|(&(.., to), _)| to).collect();
        let used = used.as_ref();
        let own = ways.ways(at).iter().enumerate();
        let own = own.filter(move |&(port, onward)| match (used, onward) {
            (Some(used), _) => used[channel * ways.width + port],
            (_, Way::Up(to)) => is_up || turned.contains(to),
            (_, Way::Down(to)) => *to != from,
            (_, Way::Nowhere) => false,
        });
        own.map(move |(port, _)| usize::from(at) * ways.width + port)
    };
    // `true`: on the way of the search; `false`: all behind it is searched.
    let mut seen: Vec<Option<bool>> = vec![None; rows.len() * ways.width];
    for (&(from, at, to), &lid) in turns {
        let cycle = || Err((from, lid, Reason::Cycle(PortNumber(rows[from][lid]))));
        if from == to {
            return cycle();
        }
        // The search starts at the turn, which these channels follow.
        let own = ways.ways(at).iter().enumerate();
        for (port, _) in own.filter(|(_, way)| **way == Way::Up(to)) {
            let first = usize::from(at) * ways.width + port;
            if seen[first].is_some() {
                continue;
            }
            seen[first] = Some(true);
            let mut open = vec![(first, next(first))];
            while let Some((channel, left)) = open.last_mut() {
                let Some(follower) = left.next() else {
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
    }
    Ok(())
}
