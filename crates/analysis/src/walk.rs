//! Follows one LID through the tables, from every switch at once.
//!
//! For one LID the tables give each switch its next port: a graph in which every switch has at most one
//! successor. So one visit per switch finds the routes from all switches: a walk continues until it reaches a switch
//! with a known result, an end, or a switch of the same walk.

use super::channels::{ChannelId, Channels};
use dmodc_fabric::{NO_PATH, PortNumber, SwitchId, Tables};
use typed_index_collections::{TiSlice, TiVec};

/// How the walk of a packet ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// Not known yet; only inside of [`Walker::follow`].
    Unvisited,
    /// On the walk in progress; only inside of [`Walker::follow`].
    Walking,
    Delivered,
    NoEntry,
    /// A switch on the route has an entry that names a port without a link, the port of another end node, or port 0
    /// though the switch does not have the LID.
    WrongPort,
    Loop,
    NoTable,
}

/// The location of a LID: a switch, and its port to the end node, or port 0 for the switch's own LIDs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Target {
    pub switch: SwitchId,
    pub port: PortNumber,
}

/// No channel: the packet does not go on to another switch.
pub(super) const NO_CHANNEL: ChannelId = ChannelId(u32::MAX);

/// Follows one LID after another, each in time O(switches), and holds the result of the last LID.
pub(super) struct Walker {
    /// How a packet that starts at a switch ends.
    pub fate: TiVec<SwitchId, Fate>,
    /// Number of links between switches that a packet from a switch crosses; meaningless if it loops.
    pub hops: TiVec<SwitchId, u16>,
    /// The channel by which a packet leaves a switch, or [`NO_CHANNEL`].
    pub next: TiVec<SwitchId, ChannelId>,
    /// The switches from which the LID is delivered, each after the next switch on its route.
    pub delivered: Vec<SwitchId>,
    walk: Vec<SwitchId>,
    /// By switch: whether its table is known.
    has_table: TiVec<SwitchId, bool>,
}

impl Walker {
    /// A walker through `tables`.
    pub fn new(switches: usize, tables: &Tables) -> Walker {
        let mut has_table: TiVec<SwitchId, _> = vec![true; switches].into();
        for &switch in tables.unknown() {
            has_table[switch] = false;
        }
        Walker {
            has_table,
            fate: vec![Fate::Unvisited; switches].into(),
            hops: vec![0; switches].into(),
            next: vec![NO_CHANNEL; switches].into(),
            delivered: Vec::with_capacity(switches),
            walk: Vec::new(),
        }
    }

    /// Follows the LID at `target`; `entries[s]` is its entry at switch `s`.
    pub fn follow(&mut self, channels: &Channels, entries: &TiSlice<SwitchId, u8>, target: Target) {
        self.fate.fill(Fate::Unvisited);
        self.delivered.clear();
        for start in entries.keys() {
            let mut at = start;
            let (fate, mut hops) = loop {
                match self.fate[at] {
                    Fate::Unvisited => {}
                    Fate::Walking => break (Fate::Loop, 0),
                    known => break (known, self.hops[at].saturating_add(1)),
                }
                self.fate[at] = Fate::Walking;
                self.walk.push(at);
                let entry = entries[at];
                self.next[at] = NO_CHANNEL;
                if entry == NO_PATH {
                    let fate = match self.has_table[at] {
                        true => Fate::NoEntry,
                        false => Fate::NoTable,
                    };
                    break (fate, 0);
                }
                let port = PortNumber(entry);
                if (at, port) == (target.switch, target.port) {
                    break (Fate::Delivered, 0);
                }
                let Some((channel, to)) = channels.hop(at, port) else {
                    break (Fate::WrongPort, 0);
                };
                self.next[at] = channel;
                at = to;
            };
            while let Some(at) = self.walk.pop() {
                self.fate[at] = fate;
                self.hops[at] = hops;
                hops = hops.saturating_add(1);
                if fate == Fate::Delivered {
                    self.delivered.push(at);
                }
            }
        }
    }
}
