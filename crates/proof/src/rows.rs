//! The entries of all LIDs, row by row: (1) and (2).
//!
//! *Idea.* What (1) and (2) ask of an entry that goes to another switch depends on that switch and the LID alone. So
//! switches with ports to the same switches are a class, and a row is compared with that of the first of its class:
//! looked at are only the entries that differ, or that were not right for all of the class.
//!
//! *Invariant.* `look` is 0 only where the entry of the first is right at each switch of the class. An entry that goes
//! home, turns or is listed as left out never is.
//!
//! *Cost.* One instruction for an entry that is equal, some 25 for another one.

use crate::ways::{Carries, NOBODY, Owner, Way, Ways};
use crate::{Claim, Reason};
use dmodc_fabric::{NO_PATH, PortNumber, SwitchId};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use typed_index_collections::{TiSlice, TiVec};

/// A fault: switch, LID, reason.
pub type Fault = (SwitchId, usize, Reason);

/// The turns in use, as the switches before, at and after the turn, each with the first LID that makes it.
pub type Turns = BTreeMap<(SwitchId, SwitchId, SwitchId), usize>;

/// A class of switches: their part of the fabric and what they carry, so they need entries for the same LIDs; and by port
/// where it leads, if what is right there is right for all of them.
type Class = (Option<SwitchId>, Carries, Vec<Way>);

/// The first switch of a class.
struct First<'r> {
    row: &'r [u8],
    /// By LID: 0 if the entry is right at each switch of the class.
    look: Vec<u8>,
}

/// Where an entry leads.
#[derive(Clone, Copy)]
struct Lead<'c> {
    next: Option<SwitchId>,
    /// The row of the next switch.
    row: &'c [u8],
    /// By entry of that row: whether it may follow.
    may_follow: &'c [bool; 256],
    /// Whether what is right there is right for the class.
    is_shared: bool,
}

/// A switch whose row is checked.
struct Here<'c> {
    ways: &'c Ways,
    rows: &'c TiSlice<SwitchId, &'c [u8]>,
    s: SwitchId,
    /// By entry.
    leads: [Lead<'c>; 256],
    /// By switch: whether LIDs there may turn, and whether they may lack an entry.
    may: TiVec<SwitchId, (bool, bool)>,
    needs_all: bool,
    turns: Turns,
}

impl Here<'_> {
    /// Checks one entry. Returns whether it is right at all switches of the class. For a LID that nobody has no path
    /// ends: one of its entries is found wrong.
    #[inline(always)]
    fn check(&mut self, lid: usize, entry: u8) -> Result<bool, Fault> {
        let lead = &self.leads[usize::from(entry)];
        match lead.row.get(lid) {
            Some(&onward) if lead.may_follow[usize::from(onward)] => Ok(lead.is_shared),
            _ => self.entry(lid, entry),
        }
    }

    /// Checks an entry that leads home, turns, or is wrong.
    #[inline(never)]
    fn entry(&mut self, lid: usize, entry: u8) -> Result<bool, Fault> {
        let (owner, port) = (self.ways.owner.raw[lid], PortNumber(entry));
        let Some(next) = self.leads[usize::from(entry)].next else {
            return self.end(lid, owner, port);
        };
        let onward = PortNumber(self.rows[next][lid]);
        let reason = match self.ways.way(next, onward) {
            _ if owner.0 == NOBODY => Reason::NoOwner(port),
            Way::Up(above) if self.may[owner.0].0 => {
                self.turns.entry((self.s, next, above)).or_insert(lid);
                return Ok(false);
            }
            Way::Up(_) => Reason::Turn(port),
            _ => Reason::DeadEnd(port),
        };
        Err((self.s, lid, reason))
    }

    /// Checks an entry whose port leads to no switch.
    fn end(&self, lid: usize, owner: Owner, port: PortNumber) -> Result<bool, Fault> {
        let is_hole = port.0 == NO_PATH;
        let found = match owner.0 {
            NOBODY if is_hole => Ok(true),
            NOBODY => Err(Reason::NoOwner(port)),
            // An absent node waits at a port that may be dark; one that is there is at a port that leads to it.
            _ if owner == (self.s, port) => Ok(false),
            _ if !is_hole => Err(Reason::Port(port)),
            to if self.ways.part[self.s] != self.ways.part[to] => Ok(true),
            to if !self.ways.are_needed(self.s, to, self.needs_all) => Ok(true),
            to if self.may[to].1 => Ok(false),
            _ => Err(Reason::Hole),
        };
        found.map_err(|reason| (self.s, lid, reason))
    }
}

/// The pairs from a switch in an ascending list.
fn pairs_from(pairs: &[(SwitchId, SwitchId)], s: SwitchId) -> impl Iterator<Item = SwitchId> {
    let first = pairs.partition_point(|pair| pair.0 < s);
    let own = pairs[first..].iter().take_while(move |pair| pair.0 == s);
    own.map(|pair| pair.1)
}

/// Checks every entry. Returns the turns from down to up, all of listed pairs.
///
/// # Errors
/// The first entry that is wrong.
pub fn check(
    ways: &Ways,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
) -> Result<Turns, Fault> {
    let lids = ways.owner.len();
    let mut classes: BTreeMap<Class, First> = BTreeMap::new();
    let nowhere = Lead {
        next: None,
        row: &[],
        may_follow: &ways.has_entry,
        is_shared: false,
    };
    let mut here = Here {
        ways,
        rows,
        s: NOBODY,
        leads: [nowhere; 256],
        may: vec![(false, false); rows.len()].into(),
        needs_all: claim.connect_roots,
        turns: Turns::new(),
    };
    for s in rows.keys() {
        here.s = s;
        pairs_from(claim.detours, s).for_each(|to| here.may[to].0 = true);
        pairs_from(claim.left_out, s).for_each(|to| here.may[to].1 = true);
        // Switches of a pod differ below, those of a plane above: what is above is shared, by the tops what is below.
        let own = ways.ways(s);
        let has_up = own.iter().any(|way| matches!(way, Way::Up(_)));
        let is_shared = |way: Way| match way {
            Way::Up(_) => true,
            Way::Down(_) => !has_up,
            Way::Home | Way::Nowhere => false,
        };
        for (lead, &way) in here.leads.iter_mut().zip(own) {
            let (row, may_follow) = match way {
                Way::Up(next) => (rows[next], &ways.has_entry),
                Way::Down(next) => (rows[next], &ways.is_no_turn[next]),
                Way::Home | Way::Nowhere => (&[][..], &ways.has_entry),
            };
            *lead = Lead {
                next: way.next(),
                row,
                may_follow,
                is_shared: is_shared(way),
            };
        }
        let shared = own.iter().map(|&way| match is_shared(way) {
            true => way,
            false => Way::Nowhere,
        });
        let class = (ways.part[s], ways.carries[s], shared.collect());
        let row = &rows[s][..lids];
        match classes.entry(class) {
            Entry::Vacant(class) => {
                let mut look = vec![0; lids];
                for ((lid, &entry), look) in row.iter().enumerate().zip(&mut look) {
                    let is_alike = here.check(lid, entry)?;
                    *look = if is_alike { 0 } else { u8::MAX };
                }
                class.insert(First { row, look });
            }
            Entry::Occupied(class) => {
                let First { row: known, look } = class.get();
                let (row, rest) = row.as_chunks::<8>();
                let words = row.len();
                let (known, look) = (known.as_chunks().0, look.as_chunks().0);
                let (known, look) = (&known[..words], &look[..words]);
                for at in 0..words {
                    let word = |all: &[[u8; 8]]| u64::from_le_bytes(all[at]);
                    let mut left = (word(row) ^ word(known)) | word(look);
                    while left != 0 {
                        let bit = left.trailing_zeros() & 56;
                        left &= !(0xff << bit);
                        let lid = 8 * at + bit as usize / 8;
                        let entry = rows[s][lid];
                        here.check(lid, entry)?;
                    }
                }
                for (lid, &entry) in (lids / 8 * 8..).zip(rest) {
                    here.check(lid, entry)?;
                }
            }
        }
        pairs_from(claim.detours, s).for_each(|to| here.may[to].0 = false);
        pairs_from(claim.left_out, s).for_each(|to| here.may[to].1 = false);
    }
    Ok(here.turns)
}

/// Checks the pairs that are left out. Returns the number of LIDs without an entry.
///
/// # Errors
/// The first entry of such a pair.
pub fn left_out(
    ways: &Ways,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
) -> Result<usize, Fault> {
    let mut lids: TiVec<SwitchId, Vec<usize>> = vec![Vec::new(); rows.len()].into();
    let owned = ways
        .owner
        .iter()
        .enumerate()
        .filter(|(_, owner)| owner.0 != NOBODY);
    owned.for_each(|(lid, owner)| lids[owner.0].push(lid));
    let mut count = 0;
    for &(s, to) in claim.left_out {
        count += lids[to].len();
        if let Some(&lid) = lids[to].iter().find(|&&lid| rows[s][lid] != NO_PATH) {
            return Err((s, lid, Reason::Listed(PortNumber(rows[s][lid]))));
        }
    }
    Ok(count)
}
