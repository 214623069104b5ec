//! The entries of all LIDs, row by row: (1) and (2).
//!
//! *Idea.* What (1) and (2) ask of an entry that goes to another switch depends on that switch and the LID alone. So
//! switches with ports to the same switches are a group, which knows an entry of each LID that was right at one of
//! them. A row is compared with what its group knows. Looked at are only the entries that differ, and those at the few
//! ports that lead elsewhere than in the group.
//!
//! *Invariant.* What a group knows of a LID is right at each of its switches, but at those ports. An entry that goes
//! home, turns or is listed as left out is never known.
//!
//! *Cost.* Half an instruction for an entry that is known, some 60 for another one.

use crate::ways::{Carries, NOBODY, Way, Ways};
use crate::{Claim, Reason};
use dmodc_fabric::{NO_PATH, PortNumber, SwitchId};
use std::collections::BTreeMap;
use typed_index_collections::{TiSlice, TiVec};

/// The LIDs that are compared at a time.
const BLOCK: usize = 64;

/// The most ports of a switch that lead elsewhere than in its group: each costs a comparison.
const ODD: usize = 6;

/// A fault: switch, LID, reason.
pub type Fault = (SwitchId, usize, Reason);

/// The turns in use, as the switches before, at and after the turn, each with the first LID that makes it.
pub type Turns = BTreeMap<(SwitchId, SwitchId, SwitchId), usize>;

/// Switches whose ports lead alike.
struct Group {
    /// By port: where it leads, if its entries are shared.
    ways: Vec<Way>,
    /// What its switches carry: so they need entries for the same LIDs.
    carries: Carries,
    /// By LID: an entry that is right.
    known: Vec<[u8; BLOCK]>,
    /// By LID: 0 if `known` has an entry for it.
    unknown: Vec<[u8; BLOCK]>,
}

impl Group {
    /// A group that knows that a LID which nobody has needs no entry.
    fn new(ways: &Ways, carries: Carries) -> Group {
        let blocks = ways.owner.len().div_ceil(BLOCK);
        let mut unknown = vec![[0; BLOCK]; blocks];
        for (to, (owner, _)) in unknown.as_flattened_mut().iter_mut().zip(&ways.owner) {
            *to = if *owner == NOBODY { 0 } else { u8::MAX };
        }
        Group {
            carries,
            ways: vec![Way::Nowhere; ways.width],
            known: vec![[NO_PATH; BLOCK]; blocks],
            unknown,
        }
    }

    /// The ports that lead elsewhere than these.
    fn odd(&self, ways: &[Way]) -> impl Iterator<Item = u8> {
        let ports = (0..=u8::MAX).zip(self.ways.iter().zip(ways));
        ports.filter_map(|(port, (a, b))| (*a != Way::Nowhere && a != b).then_some(port))
    }
}

/// All groups.
#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    /// By port and where it leads: the last group that got it.
    last: BTreeMap<(usize, Way), usize>,
}

impl Groups {
    /// Puts a switch into a group, or into a new one.
    fn join(&mut self, all: &Ways, carries: Carries, ways: &[Way]) -> &mut Group {
        let shared = || {
            ways.iter()
                .enumerate()
                .filter(|(_, way)| **way != Way::Nowhere)
        };
        let mut found = shared().filter_map(|(port, way)| self.last.get(&(port, *way)).copied());
        let found = found.find(|&group| {
            self.groups[group].carries == carries && self.groups[group].odd(ways).count() <= ODD
        });
        let number = found.unwrap_or_else(|| {
            self.groups.push(Group::new(all, carries));
            self.groups.len() - 1
        });
        let group = &mut self.groups[number];
        for (port, way) in shared() {
            if group.ways[port] == Way::Nowhere {
                group.ways[port] = *way;
                self.last.insert((port, *way), number);
            }
        }
        group
    }
}

/// What is found of an entry.
enum Found {
    /// It is right wherever the port leads there, or nobody needs one.
    Known,
    /// It is right here.
    Home,
    /// There is none, and the pair is listed.
    LeftOut,
    /// It is a listed turn at a switch, to one above.
    Turn(SwitchId, SwitchId),
    /// It is wrong.
    Wrong(Reason),
}

/// A switch whose row is checked.
struct Here<'c> {
    ways: &'c Ways,
    rows: &'c TiSlice<SwitchId, &'c [u8]>,
    s: SwitchId,
    /// By switch: whether LIDs there may turn, and whether they may lack an entry.
    may: TiVec<SwitchId, (bool, bool)>,
    needs_all: bool,
}

impl Here<'_> {
    /// Whether an entry is right wherever its port leads there, or is for a LID that nobody has: then no path of it
    /// ends, and an entry on it is wrong.
    #[inline(always)]
    fn is_right(&self, lid: usize, way: Way) -> bool {
        match way {
            Way::Up(next) => self.rows[next][lid] != NO_PATH,
            Way::Down(next) => {
                let onward = PortNumber(self.rows[next][lid]);
                matches!(self.ways.way(next, onward), Way::Down(_))
            }
            Way::Home | Way::Nowhere => false,
        }
    }

    /// Checks one entry.
    #[inline(never)]
    fn entry(&self, lid: usize, way: Way, entry: u8) -> Found {
        let port = PortNumber(entry);
        let owner = self.ways.owner.raw[lid];
        if owner.0 == NOBODY {
            return Found::Wrong(Reason::NoOwner(port));
        }
        let (next, is_down) = match way {
            Way::Up(next) => (next, false),
            Way::Down(next) => (next, true),
            // An absent node waits at a port that may be dark; one that is there is at a port that leads to it.
            Way::Home | Way::Nowhere if owner == (self.s, port) => return Found::Home,
            _ if entry == NO_PATH => return self.hole(owner.0),
            _ => return Found::Wrong(Reason::Port(port)),
        };
        let onward = self.rows[next][lid];
        if onward == NO_PATH {
            return Found::Wrong(Reason::DeadEnd(port));
        }
        // The entry there may be wrong, and then is found there.
        match self.ways.way(next, PortNumber(onward)) {
            Way::Up(above) if is_down => match self.may[owner.0].0 {
                true => Found::Turn(next, above),
                false => Found::Wrong(Reason::Turn(port)),
            },
            _ => Found::Known,
        }
    }

    /// Looks at the entries of a block that are not known, or have an odd port. Makes known what is right at all
    /// switches of the group. Returns the others, a bit each.
    #[inline(never)]
    fn settle(
        &self,
        leads: &[(Way, bool); 256],
        odd: &[u8],
        from: usize,
        block: &[u8; BLOCK],
        known: &mut [u8; BLOCK],
        unknown: &mut [u8; BLOCK],
    ) -> u64 {
        let mut others = 0;
        let words = block.as_chunks::<8>().0.iter();
        let known = known.as_chunks_mut::<8>().0.iter_mut();
        let unknown = unknown.as_chunks_mut::<8>().0.iter_mut();
        for (((block, known), unknown), word) in words.zip(known).zip(unknown).zip((0..).step_by(8))
        {
            let entries = u64::from_le_bytes(*block);
            let mut left = (entries ^ u64::from_le_bytes(*known)) | u64::from_le_bytes(*unknown);
            if !odd.is_empty() {
                left |= odd_marks(entries, odd);
            }
            while left != 0 {
                let bit = left.trailing_zeros() & 56;
                left &= !(0xff << bit);
                let at = bit as usize / 8;
                let (way, is_shared) = leads[usize::from((entries >> bit) as u8)];
                if !self.is_right(from + word + at, way) {
                    others |= 1 << (word + at);
                } else if is_shared {
                    (known[at], unknown[at]) = (block[at], 0);
                }
            }
        }
        others
    }

    fn hole(&self, to: SwitchId) -> Found {
        match self.ways.are_needed(self.s, to, self.needs_all) {
            false => Found::Known,
            true if self.may[to].1 => Found::LeftOut,
            true => Found::Wrong(Reason::Hole),
        }
    }
}

/// The pairs from a switch in an ascending list.
fn of(pairs: &[(SwitchId, SwitchId)], s: SwitchId) -> impl Iterator<Item = SwitchId> {
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
    let mut turns = Turns::new();
    let mut groups = Groups::default();
    let mut here = Here {
        ways,
        rows,
        s: NOBODY,
        may: vec![(false, false); rows.len()].into(),
        needs_all: claim.connect_roots,
    };
    // By entry and next entry: whether the turn is known.
    let mut turned = vec![false; 1 << 16];
    for s in rows.keys() {
        here.s = s;
        let own = ways.ways(s);
        of(claim.detours, s).for_each(|to| here.may[to].0 = true);
        of(claim.left_out, s).for_each(|to| here.may[to].1 = true);
        let has_up = ways.ways(s).iter().any(|way| matches!(way, Way::Up(_)));
        let shared = own.iter().map(|&way| match way {
            Way::Up(_) => way,
            Way::Down(_) if !has_up => way,
            _ => Way::Nowhere,
        });
        let shared: Vec<Way> = shared.collect();
        let group = groups.join(ways, ways.carries[s], &shared);
        let odd: Vec<u8> = group.odd(&shared).collect();
        // By entry: where it leads, and whether the group may know it.
        let mut leads = [(Way::Nowhere, false); 256];
        for (port, lead) in leads[..ways.width].iter_mut().enumerate() {
            let is_shared = shared[port] != Way::Nowhere && shared[port] == group.ways[port];
            *lead = (own[port], is_shared);
        }
        leads[usize::from(NO_PATH)].1 = true;
        let before = turns.len();
        let (blocks, rest) = rows[s][..ways.owner.len()].as_chunks::<BLOCK>();
        let mut last = [NO_PATH; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        for (number, (known, unknown)) in group.known.iter_mut().zip(&mut group.unknown).enumerate()
        {
            let block = blocks.get(number).unwrap_or(&last);
            if !differs(block, known, unknown, &odd) {
                continue;
            }
            let from = number * BLOCK;
            let mut left = here.settle(&leads, &odd, from, block, known, unknown);
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                left &= left - 1;
                let (entry, lid) = (block[at], from + at);
                let (way, is_shared) = leads[usize::from(entry)];
                match here.entry(lid, way, entry) {
                    Found::Known if is_shared => (known[at], unknown[at]) = (entry, 0),
                    Found::Known | Found::Home | Found::LeftOut => {}
                    Found::Wrong(reason) => return Err((s, lid, reason)),
                    Found::Turn(next, above) => {
                        let is_known =
                            &mut turned[usize::from(entry) << 8 | usize::from(rows[next][lid])];
                        if !*is_known {
                            *is_known = true;
                            turns.entry((s, next, above)).or_insert(lid);
                        }
                    }
                }
            }
        }
        if turns.len() > before {
            turned.fill(false);
        }
        of(claim.detours, s).for_each(|to| here.may[to].0 = false);
        of(claim.left_out, s).for_each(|to| here.may[to].1 = false);
    }
    Ok(turns)
}

/// Whether an entry of a block is not known, or has an odd port.
#[inline(never)]
fn differs(block: &[u8; BLOCK], known: &[u8; BLOCK], unknown: &[u8; BLOCK], odd: &[u8]) -> bool {
    let mut any = [0; 16];
    for from in (0..BLOCK).step_by(16) {
        for (at, any) in any.iter_mut().enumerate() {
            *any |= (block[from + at] ^ known[from + at]) | unknown[from + at];
        }
    }
    for &port in odd {
        for from in (0..BLOCK).step_by(16) {
            for (at, any) in any.iter_mut().enumerate() {
                *any |= u8::from(block[from + at] == port);
            }
        }
    }
    u128::from_le_bytes(any) != 0
}

/// A byte other than 0 for each of eight entries that has an odd port, and maybe for others.
#[inline(never)]
fn odd_marks(entries: u64, odd: &[u8]) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let odd = odd.iter().map(|&port| {
        let is_zero = entries ^ (ONES * u64::from(port));
        is_zero.wrapping_sub(ONES) & !is_zero & (ONES << 7)
    });
    odd.fold(0, |all, odd| all | odd)
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
