//! Moves entries displaced by dead switches, by the load of each port.
//!
//! The lists of module `preference` spread by nominal path counts, evenly while a few links are gone. Dead switches
//! take many paths from some ports and none from others: a port that lost a third of its paths should take fewer. So
//! each port of a switch gets a share of the displaced entries, such that all ports carry equally many entries per
//! path behind them, with those that stay.
//!
//! Shares depend on the nominal fabric and on the dead switches alone. Entries that lose a single link go by the
//! lists, so that they move no other entry.

use super::candidates::CandidatesUp;
use super::inputs::Inputs;
use super::port_choice::GroupSet;
use super::preference::{Digits, Open};
use super::switch_view::SwitchView;
use crate::dmodc::numbers::golden_step;
use crate::dmodc::paths::Paths;
use crate::lft::NO_PATH;
use std::mem;

/// How often shares are corrected by the entries that they bring to each port. A2A on 8,640 nodes with 40 and with 60
/// dead switches was, on the mean, 1.116 and 1.143 times the cut bound without corrections, 1.054 and 1.066 with one,
/// 1.041 and 1.033 with four, 1.040 and 1.029 with sixteen.
const CORRECTIONS: usize = 16;

/// The ports of entries displaced by dead switches; reused for one switch after the other.
#[derive(Default)]
pub struct Shares {
    /// By NID: the port, or [`NO_PATH`] for an entry that is not displaced.
    ports: Vec<u8>,
    lost: Vec<Lost>,
    open: Open,
}

/// Displaced entries with the same candidates left.
struct Lost {
    candidates: GroupSet,
    /// The ports of these candidates.
    ports: Vec<u8>,
    nids: Vec<usize>,
}

impl Lost {
    /// By first digit of a NID, which gives its nominal port: the port's rank among the lost ports; and their number.
    fn ranks(&self, digits: &Digits) -> ([usize; 256], usize) {
        let mut ranks = [0; 256];
        for &nid in &self.nids {
            let [q, ..] = digits.of(nid);
            ranks[q] = 1;
        }
        let mut gone = 0;
        for rank in &mut ranks {
            gone += mem::replace(rank, gone);
        }
        (ranks, gone)
    }
}

impl Shares {
    /// Forgets the displaced entries of the last switch.
    pub fn clear(&mut self) {
        self.ports.clear();
    }

    /// The new port of a displaced NID; [`NO_PATH`] for any other.
    pub fn port(&self, nid: usize) -> u8 {
        self.ports.get(nid).copied().unwrap_or(NO_PATH)
    }

    /// Gives new ports to the entries of a row whose nominal ports are lost with dead switches. `row` is by position.
    pub fn find(
        &mut self,
        inputs: &Inputs,
        standing: &Paths,
        switch: u32,
        candidates: &mut CandidatesUp,
        row: &[u8],
    ) {
        let view = SwitchView::new(standing, switch);
        candidates.find(&view);
        let kept = self.collect(inputs, (standing, &view), candidates, row);
        if self.lost.is_empty() {
            return;
        }
        self.ports.resize(inputs.destinations.slots(), NO_PATH);
        let shares = self.shares(standing, &view, &kept);
        let divider = inputs.divider(switch);
        let digits = Digits::new(&inputs.nominal, switch, divider);
        for lost in &self.lost {
            let shares = lost.ports.iter().map(|&port| shares[usize::from(port)]);
            let all: f64 = shares.clone().sum();
            // Each port has a part of the numbers from 0 to 1: where these parts end.
            let mut ends: Vec<f64> = Vec::with_capacity(lost.ports.len());
            for share in shares {
                let part = match all > 0.0 {
                    true => share / all,
                    false => 1.0 / lost.ports.len() as f64,
                };
                ends.push(ends.last().unwrap_or(&0.0) + part);
            }
            let (ranks, gone) = lost.ranks(&digits);
            let spread = Spread::new(divider, gone * digits.per_path(inputs.destinations.slots()));
            for &nid in &lost.nids {
                let [q, above, beyond] = digits.of(nid);
                let at = spread.number([beyond * gone + ranks[q], above, nid % divider]);
                let nth = ends.partition_point(|&end| end <= at);
                self.ports[nid] = lost.ports[nth.min(lost.ports.len() - 1)];
            }
        }
    }

    /// Collects the displaced entries. Returns how many entries stay, by port.
    fn collect(
        &mut self,
        inputs: &Inputs,
        (standing, view): (&Paths, &SwitchView),
        candidates: &CandidatesUp,
        row: &[u8],
    ) -> [u32; 256] {
        self.lost.clear();
        let mut kept = [0; 256];
        let mut opened = None;
        for (column, nids) in inputs.destinations.runs() {
            let set = candidates.of(*column);
            if opened.replace(set) != Some(set) {
                self.open.set(standing, view.groups(set));
            }
            if self.open.ports().is_empty() {
                continue;
            }
            let mut lost = None;
            for nid in nids.clone() {
                let port = row[nid];
                if self.open.has(port) {
                    kept[usize::from(port)] += 1;
                } else {
                    let lost = lost.get_or_insert_with(|| self.lost_of(set));
                    self.lost[*lost].nids.push(nid);
                }
            }
        }
        kept
    }

    /// The index of the displaced entries with these candidates left, to which all open ports belong.
    fn lost_of(&mut self, candidates: GroupSet) -> usize {
        let known = (self.lost.iter()).position(|lost| lost.candidates == candidates);
        known.unwrap_or_else(|| {
            self.lost.push(Lost {
                candidates,
                ports: self.open.ports().to_vec(),
                nids: Vec::new(),
            });
            self.lost.len() - 1
        })
    }

    /// The share of each port, such that all carry equally many entries per path behind them, as far as possible.
    fn shares(&self, standing: &Paths, view: &SwitchView, kept: &[u32; 256]) -> [f64; 256] {
        let mut counts = [0.0; 256];
        for group in view.up {
            for &port in view.groups.ports(group) {
                counts[usize::from(port)] = f64::from(standing.path_counts[group.remote as usize]);
            }
        }
        let lost: usize = self.lost.iter().map(|lost| lost.nids.len()).sum();
        let entries = f64::from(kept.iter().sum::<u32>()) + lost as f64;
        let each = entries / counts.iter().sum::<f64>();
        let mut more = [0.0; 256];
        for ((more, count), &kept) in more.iter_mut().zip(counts).zip(kept) {
            *more = (each * count - f64::from(kept)).max(0.0);
        }
        let mut shares = more;
        for _ in 0..CORRECTIONS {
            let mut comes = [0.0; 256];
            for lost in &self.lost {
                let ports = || lost.ports.iter().map(|&port| usize::from(port));
                let all: f64 = ports().map(|port| shares[port]).sum();
                if all > 0.0 {
                    ports().for_each(|port| {
                        comes[port] += lost.nids.len() as f64 * shares[port] / all
                    });
                }
            }
            for ((share, more), comes) in shares.iter_mut().zip(more).zip(comes) {
                if comes > 0.0 {
                    *share *= more / comes;
                }
            }
        }
        shares
    }
}

/// Gives numbers below 1 that spread evenly as digits count up. Its steps are parts of 2^64.
struct Spread {
    /// The step of the first digit at a leaf. At upper switches the first digit gives its bits in reverse: entries
    /// that leaves have sent up by even steps are then even at all of these, while any two steps may coincide.
    first: Option<u64>,
    /// Half the least distance between two multiples of the first step: no multiple is where a port's part ends.
    start: u64,
}

/// Steps with evenly spread multiples, √2 - 1 and √3 - 1 of 2^64: their continued fractions have only 1 and 2.
const ROOT_OF_2: u64 = 0x6a09_e667_f3bc_c908;
const ROOT_OF_3: u64 = 0xbb67_ae85_84ca_a73b;

impl Spread {
    /// The steps of switches with this divider. The first digit counts to `count` and starts again: its step is a
    /// multiple of 1/`count`, so the last numbers are as far from the first as any two neighbours. It takes each
    /// multiple once.
    fn new(divider: usize, count: usize) -> Self {
        let least = u64::MAX / count as u64;
        Spread {
            first: (divider == 1).then(|| golden_step(count as u64).wrapping_mul(least)),
            start: least / 2,
        }
    }

    /// The number of these digits.
    fn number(&self, digits: [usize; 3]) -> f64 {
        let [first, second, third] = digits.map(|digit| digit as u64);
        let first = match self.first {
            Some(step) => first.wrapping_mul(step),
            None => first.reverse_bits(),
        };
        let sum = (self.start.wrapping_add(first))
            .wrapping_add(second.wrapping_mul(ROOT_OF_2))
            .wrapping_add(third.wrapping_mul(ROOT_OF_3));
        sum as f64 / u64::MAX as f64
    }
}
