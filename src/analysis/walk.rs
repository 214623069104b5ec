//! Following one LID through the tables, from every switch at once.
//!
//! For one LID the tables say of each switch which port comes next: a graph in which every switch
//! has at most one successor. So the routes from all switches are known after every switch has
//! been visited once: each walk goes on until it meets a switch whose fate is known already, or an
//! end, or itself.

use super::channels::{Channels, Hop};
use crate::lft::NO_PATH;

/// What becomes of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// Not known yet; never seen outside of [`Walker::follow`].
    Unknown,
    /// On the walk in progress; never seen outside of [`Walker::follow`].
    Walking,
    /// It arrives.
    Delivered,
    /// It comes to a switch with no entry for the LID.
    NoEntry,
    /// It comes to a switch whose entry names a port with no link, the port of another end node,
    /// or port 0 of a switch that does not have the LID.
    WrongPort,
    /// It goes round for ever.
    Loop,
}

/// Where a LID lives: a switch and its port, port 0 for the switch's own LIDs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Target {
    pub switch: u32,
    pub port: u8,
}

/// The channel of a switch from which a packet goes no further.
pub(super) const NO_CHANNEL: u32 = u32::MAX;

/// Follows LIDs, one after the other, and holds what was found of the last one.
pub(super) struct Walker {
    fate: Vec<Fate>,
    hops: Vec<u16>,
    next: Vec<u32>,
    delivered: Vec<u32>,
    walk: Vec<u32>,
}

impl Walker {
    pub fn new(switches: usize) -> Walker {
        Walker {
            fate: vec![Fate::Unknown; switches],
            hops: vec![0; switches],
            next: vec![NO_CHANNEL; switches],
            delivered: Vec::with_capacity(switches),
            walk: Vec::new(),
        }
    }

    /// Follows the LID that lives at `target`; `entries[s]` is its entry at switch `s`.
    pub fn follow(&mut self, channels: &Channels, entries: &[u8], target: Target) {
        self.fate.fill(Fate::Unknown);
        self.delivered.clear();
        for start in 0..entries.len() as u32 {
            let mut at = start;
            let (fate, mut hops) = loop {
                match self.fate[at as usize] {
                    Fate::Unknown => {}
                    Fate::Walking => break (Fate::Loop, 0),
                    known => break (known, self.hops[at as usize].saturating_add(1)),
                }
                self.fate[at as usize] = Fate::Walking;
                self.walk.push(at);
                let entry = entries[at as usize];
                self.next[at as usize] = NO_CHANNEL;
                if entry == NO_PATH {
                    break (Fate::NoEntry, 0);
                }
                if (Target {
                    switch: at,
                    port: entry,
                }) == target
                {
                    break (Fate::Delivered, 0);
                }
                match channels.hop(at, entry) {
                    Hop::Switch { channel, to } => {
                        self.next[at as usize] = channel;
                        at = to;
                    }
                    Hop::EndNode(_) | Hop::Nothing => break (Fate::WrongPort, 0),
                }
            };
            while let Some(at) = self.walk.pop() {
                self.fate[at as usize] = fate;
                self.hops[at as usize] = hops;
                hops = hops.saturating_add(1);
                if fate == Fate::Delivered {
                    self.delivered.push(at);
                }
            }
        }
    }

    /// What becomes of a packet that starts at `switch`.
    pub fn fate(&self, switch: u32) -> Fate {
        self.fate[switch as usize]
    }

    /// Links that a packet from `switch` crosses; means nothing where it loops.
    pub fn hops(&self, switch: u32) -> u16 {
        self.hops[switch as usize]
    }

    /// The channel by which a packet leaves `switch`, or [`NO_CHANNEL`].
    pub fn next(&self, switch: u32) -> u32 {
        self.next[switch as usize]
    }

    /// The switches from which it is delivered, each after the one that follows it on the route.
    pub fn delivered(&self) -> &[u32] {
        &self.delivered
    }
}
