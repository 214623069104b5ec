//! The entries of all LIDs, row by row: (1) and (2).
//!
//! *Idea.* What (1) and (2) ask of an entry that goes to another switch depends on that switch and the LID alone. So
//! switches none of whose ports lead to different switches are a class, for which entries are known: looked at are only
//! entries that differ, and those whose port is dark here alone. Of a switch above counts only for which LIDs it has
//! entries: those of a class that have entries for the same LIDs are one.
//!
//! *Invariant.* A known entry is right at each switch of the class at which its port leads as at the others. An entry that
//! goes home, turns or is listed as left out is never known.
//!
//! *Cost.* Half an instruction for an entry that is equal, some 20 to 50 for another one.

use crate::ways::{Carries, NOBODY, Owner, Way, Ways};
use crate::{Claim, Reason};
use dmodc_fabric::{NO_PATH, PortNumber, SwitchId};
use std::collections::BTreeMap;
use std::ops::Range;
use typed_index_collections::{TiSlice, TiVec};

/// A fault: switch, LID, reason.
pub type Fault = (SwitchId, usize, Reason);

/// The turns in use, as the switches before, at and after the turn, each with the first LID that makes it.
pub type Turns = BTreeMap<(SwitchId, SwitchId, SwitchId), usize>;

/// Switches of one part of the fabric that carry alike, so they need entries for the same LIDs, and whose ports lead alike.
struct Class {
    part: Option<SwitchId>,
    carries: Carries,
    /// By port: where it leads, if what is right there is right for all of them.
    shared: Vec<Way>,
    first: SwitchId,
    row: Vec<u8>,
    /// The indices whose entry in `row` is not known.
    unknown: Vec<usize>,
}

/// How many entries are compared without a look at the loop: word by word, 8,640 nodes need 14.3 million instructions for
/// 12.6.
const BLOCK: usize = 64;

impl Class {
    /// Writes the indices at which a row has another entry to the front of `others`. Returns how many.
    // Inlined, this loop and that of `add` need a quarter of the instructions more, for want of registers.
    #[inline(never)]
    fn others(&self, row: &[u8], others: &mut [usize]) -> usize {
        let (blocks, rest) = row.as_chunks::<BLOCK>();
        let blocks = blocks.iter().zip(self.row.as_chunks::<BLOCK>().0);
        let mut count = 0;
        for (at, (row, known)) in blocks.enumerate() {
            let words = row.as_chunks().0.iter().zip(known.as_chunks().0);
            for (i, (&row, &known)) in words.enumerate() {
                let differ = u64::from_le_bytes(row) ^ u64::from_le_bytes(known);
                if differ != 0 {
                    count = add(others, count, BLOCK * at + 8 * i, differ);
                }
            }
        }
        let rest = row.len() - rest.len()..row.len();
        for at in rest.filter(|&at| row[at] != self.row[at]) {
            others[count] = at;
            count += 1;
        }
        count
    }
}

/// Writes the indices of the bytes that differ in a word to `others`, from `count` on. Returns how many there are then.
#[inline(never)]
fn add(others: &mut [usize], mut count: usize, first: usize, mut differ: u64) -> usize {
    while differ != 0 {
        let bit = differ.trailing_zeros() & 56;
        differ &= !(0xff << bit);
        others[count] = first + bit as usize / 8;
        count += 1;
    }
    count
}

/// Where an entry leads.
#[derive(Clone, Copy)]
struct Lead<'c> {
    /// The row of the next switch; empty without one.
    row: &'c [u8],
    /// By entry of that row: whether it may follow.
    may_follow: &'c [bool; 256],
    /// Whether what is right there is right for the class.
    is_shared: bool,
}

/// A switch whose row is checked.
struct Here<'c> {
    ways: &'c Ways,
    /// Of the LIDs of the part: the rows, the owners, the first.
    rows: &'c TiSlice<SwitchId, &'c [u8]>,
    owner: &'c [Owner],
    first: usize,
    claim: &'c Claim<'c>,
    s: SwitchId,
    /// The pairs of the claim from here that may turn; `None`: all.
    detours: Option<&'c [(SwitchId, SwitchId)]>,
    /// By entry.
    leads: [Lead<'c>; 256],
    turns: Turns,
}

impl Here<'_> {
    /// Checks the entry at an index. Returns whether it is right at all switches of the class. For a LID that nobody has no
    /// path ends: one of its entries is found wrong.
    #[inline(always)]
    fn check(&mut self, at: usize, entry: u8) -> Result<bool, Fault> {
        let lead = &self.leads[usize::from(entry)];
        match lead.row.get(at) {
            Some(&onward) if lead.may_follow[usize::from(onward)] => Ok(lead.is_shared),
            // Else 1,600 parts of 3 switches need a third of the instructions more.
            _ if entry == NO_PATH && !self.is_needed(self.s, self.owner[at].0) => Ok(true),
            _ => self.entry(at, PortNumber(entry)),
        }
    }

    /// Checks an entry that leads home, turns, is none, or is wrong. Returns whether it is right at all switches of the class.
    #[inline(never)]
    fn entry(&mut self, at: usize, port: PortNumber) -> Result<bool, Fault> {
        let (s, owner, lid) = (self.s, self.owner[at], self.first + at);
        let to = owner.0;
        let reason = match self.ways.way(s, port).next() {
            _ if to == NOBODY => Reason::NoOwner(port),
            Some(next) => match self.ways.way(next, PortNumber(self.rows[next][at])) {
                Way::Up(above) if self.may_turn(to) => {
                    self.turns.entry((s, next, above)).or_insert(lid);
                    return Ok(false);
                }
                Way::Up(_) => Reason::Turn(port),
                // Its entry may not follow and does not go up: there is none.
                _ if !self.may_lack(next, to) => return Err((next, lid, Reason::Hole)),
                _ => Reason::DeadEnd(port),
            },
            // An absent node waits at a port that may be dark; one that is there is at a port that leads to it.
            None if owner == (s, port) => return Ok(false),
            None if port.0 != NO_PATH => Reason::Port(port),
            None if self.may_lack(s, to) => return Ok(false),
            None => Reason::Hole,
        };
        Err((s, lid, reason))
    }

    /// Whether packets from here to LIDs at a switch may turn.
    fn may_turn(&self, to: SwitchId) -> bool {
        let is_listed = |own: &[_]| own.binary_search(&(self.s, to)).is_ok();
        self.detours.is_none_or(is_listed)
    }

    /// Whether a switch may lack entries for LIDs at another.
    fn may_lack(&self, s: SwitchId, to: SwitchId) -> bool {
        !self.is_needed(s, to) || self.claim.left_out.binary_search(&(s, to)).is_ok()
    }

    /// Whether end nodes need entries of a switch for LIDs at another, and links join the two.
    #[inline(always)]
    fn is_needed(&self, s: SwitchId, to: SwitchId) -> bool {
        let ways = self.ways;
        let is_joined = to != NOBODY && ways.part[s] == ways.part[to];
        is_joined && ways.are_needed(s, to, self.claim.connect_roots)
    }
}

/// Checks every entry for some LIDs. An *index* is a LID counted from the first of these. Returns the turns from down to
/// up.
///
/// # Errors
/// An entry that is wrong.
pub fn check(
    ways: &Ways,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
    lids: Range<usize>,
) -> Result<Turns, Fault> {
    let mut classes: Vec<Class> = Vec::new();
    let mut others = vec![0; lids.len()];
    let rows: TiVec<SwitchId, &[u8]> = rows.iter().map(|row| &row[lids.clone()]).collect();
    let nowhere = Lead {
        row: &[],
        may_follow: &ways.has_entry,
        is_shared: false,
    };
    let mut here = Here {
        ways,
        rows: &rows,
        owner: &ways.owner.raw[lids.clone()],
        first: lids.start,
        claim,
        s: NOBODY,
        detours: claim.detours,
        leads: [nowhere; 256],
        turns: Turns::new(),
    };
    // By switch: a switch with entries for the same LIDs, found from the top down. So the leaves of all pods are one class:
    // a fifth of the instructions at 8,640 nodes.
    let mut alike: TiVec<SwitchId, SwitchId> = ways.part.keys().collect();
    let mut switches = alike.raw.clone();
    switches.sort_unstable_by_key(|&s| std::cmp::Reverse((claim.order[s], s)));
    for s in switches {
        let row = rows[s];
        here.s = s;
        // Among all pairs, searches take 3 % of the instructions of 8,640 nodes with faults.
        here.detours = claim.detours.map(|pairs| {
            let from = &pairs[pairs.partition_point(|pair| pair.0 < s)..];
            &from[..from.partition_point(|pair| pair.0 == s)]
        });
        // Switches of a pod differ below, those of a plane above: what is above is shared, by the tops what is below.
        let own = ways.ways(s);
        let has_up = own.iter().any(|way| matches!(way, Way::Up(_)));
        let mut shared = Vec::with_capacity(own.len());
        for (lead, &way) in here.leads.iter_mut().zip(own) {
            let (of_class, may_follow) = match way {
                Way::Up(next) => (Way::Up(alike[next]), &ways.has_entry),
                Way::Down(next) if has_up => (Way::Nowhere, &ways.is_no_turn[next]),
                Way::Down(next) => (way, &ways.is_no_turn[next]),
                Way::Nowhere => (way, &ways.has_entry),
            };
            *lead = Lead {
                row: way.next().map_or(&[], |next| rows[next]),
                may_follow,
                is_shared: of_class != Way::Nowhere,
            };
            shared.push(of_class);
        }
        let (part, carries) = (ways.part[s], ways.carries[s]);
        let is_alike = |(a, b): (&Way, &Way)| a == b || [a, b].contains(&&Way::Nowhere);
        let is_own = |class: &&mut Class| {
            let of_class = (class.part, class.carries);
            of_class == (part, carries) && class.shared.iter().zip(&shared).all(is_alike)
        };
        // From the last one: the leaves come last. 2 % of the instructions of 8,640 nodes.
        if let Some(class) = classes.iter_mut().rev().find(is_own) {
            let count = class.others(row, &mut others);
            let mut has_same = true;
            for &at in &others[..count] {
                has_same &= (row[at] == NO_PATH) == (class.row[at] == NO_PATH);
                here.check(at, row[at])?;
            }
            for at in std::mem::take(&mut class.unknown) {
                let is_same = (row[at] == NO_PATH) == (class.row[at] == NO_PATH);
                match here.check(at, row[at])? && is_same {
                    true => class.row[at] = row[at],
                    false => class.unknown.push(at),
                }
            }
            if has_same {
                alike[s] = class.first;
            }
            for ((own, known), port) in shared.iter().zip(&mut class.shared).zip(0..) {
                if *known == Way::Nowhere {
                    *known = *own;
                } else if *own == Way::Nowhere && row.contains(&port) {
                    let all = row.iter().enumerate();
                    for (at, _) in all.filter(|(_, entry)| **entry == port) {
                        here.check(at, port)?;
                    }
                }
            }
        } else {
            let mut unknown = Vec::new();
            for (at, &entry) in row.iter().enumerate() {
                if !here.check(at, entry)? {
                    unknown.push(at);
                }
            }
            classes.push(Class {
                part,
                carries,
                shared,
                first: s,
                row: row.to_vec(),
                unknown,
            });
        }
    }
    Ok(here.turns)
}

/// Checks that pairs listed as left out have no entry. Returns the number of LIDs that need one.
///
/// # Errors
/// An entry of such a pair.
pub fn left_out(
    ways: &Ways,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
) -> Result<usize, Fault> {
    let mut lids: TiVec<SwitchId, Vec<usize>> = vec![Vec::new(); rows.len()].into();
    for (lid, &(to, _)) in ways.owner.raw.iter().enumerate() {
        if to != NOBODY && !claim.left_out.is_empty() {
            lids[to].push(lid);
        }
    }
    let mut count = 0;
    for &(s, to) in claim.left_out {
        let is_needed = ways.are_needed(s, to, claim.connect_roots);
        count += usize::from(is_needed) * lids[to].len();
        if let Some(&lid) = lids[to].iter().find(|&&lid| rows[s][lid] != NO_PATH) {
            return Err((s, lid, Reason::Listed(PortNumber(rows[s][lid]))));
        }
    }
    Ok(count)
}
