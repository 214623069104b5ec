//! The route of one packet, switch by switch.

use super::channels::{ChannelId, Channels};
use super::updown::{UNREACHABLE, UpDown};
use dmodc_fabric::{Lid, NO_PATH, PortNumber, SwitchId, Tables};
use typed_index_collections::TiVec;

/// One link of the route, between two switches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The channel taken.
    pub channel: ChannelId,
    /// Whether it goes up.
    pub up: bool,
    /// Whether the packet has gone down before, and goes up again here.
    pub turns: bool,
    /// The other channels that begin a shortest up-down path from here (after a step down: a shortest path that only
    /// goes down), in ascending order.
    pub others: Vec<ChannelId>,
}

/// The end of a route: at the destination, or at the switch `at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the other lines have them")]
pub enum End {
    Arrives,
    /// The switch has no entry for the LID.
    NoEntry {
        at: SwitchId,
    },
    /// The table of the switch is not known.
    Unknown {
        at: SwitchId,
    },
    /// The entry names a port without a link, or the port of another node.
    WrongPort {
        at: SwitchId,
        port: PortNumber,
    },
    /// The packet reaches this switch a second time.
    Loop {
        at: SwitchId,
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
    /// Whether the packet arrives and never goes up after it has gone down.
    pub fn is_good(&self) -> bool {
        self.end == End::Arrives && !self.steps.iter().any(|step| step.turns)
    }
}

/// Follows a packet from the switch `from` to a LID at port `port` (0 for the switch itself) of `switch`.
pub fn trace(
    channels: &Channels,
    tables: &Tables,
    paths: &UpDown,
    from: SwitchId,
    lid: Lid,
    (switch, port): (SwitchId, PortNumber),
) -> Trace {
    let (best, down) = paths.distances_and_down(switch);
    let mut seen: TiVec<SwitchId, _> = vec![false; channels.switches()].into();
    let (mut at, mut descended) = (from, false);
    let mut steps = Vec::new();
    let end = loop {
        if std::mem::replace(&mut seen[at], true) {
            break End::Loop { at };
        }
        let entry = tables.get(at, lid);
        if entry == NO_PATH {
            break match tables.unknown().contains(&at) {
                true => End::Unknown { at },
                false => End::NoEntry { at },
            };
        }
        let next = PortNumber(entry);
        if (at, next) == (switch, port) {
            break End::Arrives;
        }
        let Some((channel, to)) = channels.hop(at, next) else {
            break End::WrongPort { at, port: next };
        };
        let far = if descended { &down } else { &best }[at];
        let nearer = |other: ChannelId| {
            let up = paths.is_up(other);
            let then = if up { &best } else { &down };
            let allowed = far != UNREACHABLE && !(up && descended);
            allowed && then[channels.get(other).to] < far
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
