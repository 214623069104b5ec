//! Places: the plane of each parent and the slot of each switch, by majority.
//!
//! The *plane* of a parent is the port at which most of its children have it, asked kind by kind. The *slot* of a switch
//! is the port at which most of its parents have it. Both are known where three of four votes agree; else GUIDs decide.
//! One wrong cable changes neither, and a replaced box has the place of the box before.
//!
//! Invariant: places depend on ports alone. Cost: linear in the links, but for sorting the votes of each parent.

use super::known::Known;
use super::table::Kinds;
use crate::ids::{BySwitch, KindId};
use crate::spread::{do_agree, most_common};
use typed_index_collections::TiVec;

/// The places of all known switches.
pub struct Places {
    /// By group, in the order of [`Known::all_up`]: the plane of the parent as the kind of the child sees it.
    pub plane: Vec<u8>,
    /// By switch: the port at which most children have it, of whatever kind; 0 without children.
    pub seen_as: BySwitch<u8>,
    /// By switch: its slot; 0 without parents.
    pub slot: BySwitch<u8>,
    /// By rank: whether slots are known.
    pub has_slots: Vec<bool>,
}

/// How many votes there are, and how many of them agree.
#[derive(Clone, Copy, Default)]
struct Votes {
    all: usize,
    agree: usize,
}

impl Votes {
    /// Adds the votes for one switch. A single vote agrees with itself and proves nothing.
    fn add(&mut self, agree: usize, all: usize) {
        if all > 1 {
            self.agree += agree;
            self.all += all;
        }
    }

    fn do_agree(self) -> bool {
        do_agree(self.agree, self.all)
    }
}

impl Places {
    /// Finds all places, and which kinds have planes.
    pub fn new(known: &Known, kinds: &mut Kinds) -> Self {
        let switches = known.switches().len();
        let mut places = Places {
            plane: vec![0; known.all_up().len()],
            seen_as: vec![0; switches].into(),
            slot: vec![0; switches].into(),
            has_slots: Vec::new(),
        };
        places.find_planes(known, kinds);
        places.find_slots(known);
        places
    }

    /// The ranks on which GUIDs decide: planes or slots are unknown.
    pub fn ranks_by_guid(&self, kinds: &Kinds) -> Vec<u32> {
        let by_kind = kinds.kinds.iter().filter(|kind| !kind.has_planes);
        let by_rank = (0..).zip(&self.has_slots).filter(|(_, has)| !**has);
        let mut ranks: Vec<u32> = by_kind.map(|kind| kind.rank + 1).collect();
        ranks.extend(by_rank.map(|(rank, _)| rank));
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    fn find_planes(&mut self, known: &Known, kinds: &mut Kinds) {
        // By child: its kind, its lowest port to the parent, the group.
        let mut votes: Vec<(KindId, u8, usize)> = Vec::new();
        let mut agree: TiVec<KindId, Votes> = vec![Votes::default(); kinds.kinds.len()].into();
        let mut ports = Vec::new();
        for parent in known.switches() {
            votes.clear();
            votes.extend(
                known
                    .down(parent)
                    .map(|(at, group)| (kinds.of_switch[group.child], known.plane_port(group), at)),
            );
            votes.sort_unstable();
            for of_kind in votes.chunk_by(|a, b| a.0 == b.0) {
                ports.clear();
                ports.extend(of_kind.iter().map(|vote| vote.1));
                let (plane, count) = most_common(&mut ports);
                agree[of_kind[0].0].add(count, of_kind.len());
                of_kind.iter().for_each(|vote| self.plane[vote.2] = plane);
            }
            ports.clear();
            ports.extend(votes.iter().map(|vote| self.plane[vote.2]));
            self.seen_as[parent] = most_common(&mut ports).0;
        }
        // A kind without two votes for one parent goes by the other kinds of its rank.
        let mut of_rank = vec![Votes::default(); known.ranks() as usize];
        for (kind, votes) in kinds.kinds.iter().zip(&agree) {
            let of_rank = &mut of_rank[kind.rank as usize];
            of_rank.agree += votes.agree;
            of_rank.all += votes.all;
        }
        for (kind, votes) in kinds.kinds.iter_mut().zip(agree) {
            kind.has_planes = match votes.all {
                0 => of_rank[kind.rank as usize].do_agree(),
                _ => votes.do_agree(),
            };
        }
    }

    fn find_slots(&mut self, known: &Known) {
        let mut agree = vec![Votes::default(); known.ranks() as usize];
        let mut ports = Vec::new();
        for s in known.switches() {
            ports.clear();
            ports.extend(known.up(s).iter().map(|group| group.slot_port));
            let (slot, count) = most_common(&mut ports);
            self.slot[s] = slot;
            agree[known.rank(s) as usize].add(count, ports.len());
        }
        self.has_slots = agree.into_iter().map(Votes::do_agree).collect();
    }
}
