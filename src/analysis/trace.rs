//! The route of one packet, switch by switch.

use super::channels::{Channels, Hop};
use super::updown::{UNREACHABLE, UpDown};
use super::walk::Target;
use crate::fabric::Lid;
use crate::lft::{NO_PATH, Tables};

/// One link of the route, between two switches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The channel taken.
    pub channel: u32,
    /// Whether it goes up.
    pub up: bool,
    /// Whether the packet has gone down before, and goes up again here.
    pub turns: bool,
    /// The other channels that would have led nearer: each begins a shortest up-down path from here. In
    /// ascending order.
    pub others: Vec<u32>,
}

/// The end of a route: at the destination, or at the switch `at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the other lines have them")]
pub enum End {
    Arrives,
    /// The switch has no entry for the LID.
    NoEntry {
        at: u32,
    },
    /// The table of the switch is not known.
    Unknown {
        at: u32,
    },
    /// The entry names a port with no link, or of another node.
    WrongPort {
        at: u32,
        port: u8,
    },
    /// Nowhere: the packet comes to this switch again.
    Loop {
        at: u32,
    },
}

/// The route of a packet from a switch to a LID.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The links between switches that it takes.
    pub steps: Vec<Step>,
    /// How it ends.
    pub end: End,
}

impl Trace {
    /// Whether it arrives and never goes up after having gone down.
    pub fn is_good(&self) -> bool {
        self.end == End::Arrives && !self.steps.iter().any(|step| step.turns)
    }
}

/// Follows a packet from the switch `from` to a LID that lives at port `port` (0 for the switch itself) of `switch`.
pub fn trace(
    channels: &Channels,
    tables: &Tables,
    paths: &UpDown,
    from: u32,
    lid: Lid,
    (switch, port): (u32, u8),
) -> Trace {
    let target = Target { switch, port };
    let (best, down) = paths.distances_and_down(switch);
    let mut seen = vec![false; channels.switches()];
    let (mut at, mut descended) = (from, false);
    let mut steps = Vec::new();
    let end = loop {
        if std::mem::replace(&mut seen[at as usize], true) {
            break End::Loop { at };
        }
        let entry = tables.get(at, lid);
        if entry == NO_PATH {
            break match tables.unknown().contains(&at) {
                true => End::Unknown { at },
                false => End::NoEntry { at },
            };
        }
        let here = Target {
            switch: at,
            port: entry,
        };
        if here == target {
            break End::Arrives;
        }
        let Hop::Switch { channel, to } = channels.hop(at, entry) else {
            break End::WrongPort { at, port: entry };
        };
        let far = if descended { &down } else { &best }[at as usize];
        let nearer = |other: u32| {
            let up = paths.is_up(other);
            let then = if up { &best } else { &down };
            let allowed = far != UNREACHABLE && !(up && descended);
            allowed && then[channels.get(other).to as usize] < far
        };
        let others = channels.of_switch(at);
        let others = others.filter(|&c| c != channel && nearer(c)).collect();
        let up = paths.is_up(channel);
        steps.push(Step {
            channel,
            up,
            turns: up && descended,
            others,
        });
        descended |= !up;
        at = to;
    };
    Trace { steps, end }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{node_lid, port, ranked, send, two_spines};
    use super::*;

    #[test]
    fn tells_each_link_where_it_turns_and_what_else_there_was() {
        let (fabric, ranks) = two_spines();
        let channels = Channels::new(&fabric);
        let paths = UpDown::new(&channels, ranked(&ranks));
        let mut tables = Tables::for_fabric(&fabric);
        let node = &fabric.end_nodes()[5];
        let lid = node_lid(&fabric, 5);
        let go =
            |tables: &Tables| trace(&channels, tables, &paths, 0, lid, (node.switch, node.port));
        assert_eq!(go(&tables).end, End::NoEntry { at: 0 });
        tables.row_mut(2)[lid.index()] = node.port;
        send(&fabric, &mut tables, lid, &[0, 3, 2]);
        let way = go(&tables);
        assert_eq!((way.end, way.steps.len()), (End::Arrives, 2));
        let other = channels.get(way.steps[0].others[0]);
        assert_eq!((other.from, other.port), (0, port(&fabric, 0, 4)));
        assert!(way.steps[0].up && !way.steps[1].up && way.steps[1].others.is_empty());
        // Down to leaf 1, and up again.
        send(&fabric, &mut tables, lid, &[0, 3, 1, 4, 2]);
        let way = go(&tables);
        let turns: Vec<bool> = way.steps.iter().map(|s| s.turns).collect();
        assert_eq!(
            (way.end, turns),
            (End::Arrives, vec![false, false, true, false])
        );
        send(&fabric, &mut tables, lid, &[1, 3]);
        assert_eq!(go(&tables).end, End::Loop { at: 3 });
        tables.row_mut(0)[lid.index()] = fabric.end_nodes()[0].port;
        let wrong = tables.get(0, lid);
        assert_eq!(go(&tables).end, End::WrongPort { at: 0, port: wrong });
    }
}
