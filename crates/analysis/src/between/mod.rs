//! Follows packets while a subnet manager sends new tables block by block.
//!
//! After a change of the fabric the switches hold old tables, then a mixture of old and new blocks, then new
//! tables. [`between`] takes the blocks in the order in which they arrive and, for every LID, follows the
//! packets from all switches with end nodes after each block that changes the LID's routes. So it covers
//! every moment. [`in_any_order`] covers all mixtures: each switch has its old entry for a LID or its new one.
//!
//! A [`Harm`] is a fault that a packet can meet on its route. Links that only the fabric after the change has carry
//! no packets yet: OpenSM makes ports ACTIVE once all tables are sent.
//!
//! The figures count pairs of an end node and a LID of another end node, if both end nodes are at the same
//! place before and after the change. There are three groups:
//! - *cut*: the old tables do not deliver on the fabric after the change, so the route has to change;
//! - *standing*: the old tables do deliver. Only the new tables can harm these pairs;
//! - *dropped*: the old tables deliver, the new ones do not.
//!
//! Cycles are counted in the channel dependency graph of all routes together: old, in between and new. These
//! are more routes than exist at any moment, but packets on an old route may still be under way.

mod mixer;

use crate::{ChannelId, Channels, Dependencies};
use dmodc_fabric::{Fabric, Lid, SwitchId, Tables};
use mixer::{Found, Mixer, entry};
use rayon::prelude::*;
use typed_index_collections::{TiSlice, TiVec};

/// A fabric and its tables.
pub type Routed<'r> = (&'r Fabric, &'r Tables);

/// A block of 64 LIDs in the table of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The switch.
    pub switch: SwitchId,
    /// The block's first LID / 64.
    pub number: u16,
}

/// Harm that a packet may meet while tables change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Harm {
    /// A switch without an entry for the packet's LID.
    Hole,
    /// An entry that names a port without a link, or the port of another host.
    DeadLink,
    /// A link that only the fabric after the change has: its ports are not ACTIVE yet.
    NotActive,
    /// A switch that the packet has passed before.
    Loop,
    /// A turn that is part of a cycle of channel dependencies.
    Cycle,
}

impl Harm {
    /// All kinds. A packet that meets one of the first four does not arrive.
    pub const ALL: [Harm; 5] = [
        Harm::Hole,
        Harm::DeadLink,
        Harm::NotActive,
        Harm::Loop,
        Harm::Cycle,
    ];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The harm to one group of pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// All pairs.
    pub pairs: u64,
    /// Pairs whose packets did not arrive at some time.
    pub hurt: u64,
    /// Pairs whose packets met each [`Harm`] at some time, in the order of [`Harm::ALL`].
    pub met: [u64; 5],
}

impl Group {
    /// Pairs whose packets met this at some time.
    pub fn met(&self, harm: Harm) -> u64 {
        self.met[harm as usize]
    }
}

/// The harm while new tables replaced old ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Between {
    /// The blocks that arrived.
    pub blocks: u32,
    /// Pairs that the old tables still deliver after the change.
    pub standing: Group,
    /// Pairs that the old tables do not deliver after the change.
    pub cut: Group,
    /// Pairs that the old tables still deliver after the change, and the new ones do not.
    pub dropped: u64,
    /// Channels on cycles of dependencies.
    pub cyclic: usize,
}

/// The blocks that differ, in the order in which OpenSM sends them: the first block of all switches, then
/// the second, and so on. Switches come in the order of OpenSM's map, whose keys are GUIDs in network byte
/// order. A new switch has no entries yet.
pub fn blocks_as_sent(before: Routed, after: Routed) -> Vec<Block> {
    let switches = after.0.switches();
    let mut order: Vec<SwitchId> = switches.keys().collect();
    order.sort_by_key(|&s| switches[s].guid.0.to_be());
    let was = old_numbers(before, after);
    let width = before.1.width().max(after.1.width());
    let mut blocks = Vec::new();
    for number in 0..width.div_ceil(64) as u16 {
        let lids = || (number * 64..number * 64 + 64).map(Lid);
        let changed = order.iter().copied().filter(|&s| {
            let old = was[s];
            lids().any(|lid| entry(before.1, old, lid) != after.1.get(s, lid))
        });
        blocks.extend(changed.map(|switch| Block { switch, number }));
    }
    blocks
}

/// By switch of the new fabric: its number in the old one.
fn old_numbers(before: Routed, after: Routed) -> TiVec<SwitchId, Option<SwitchId>> {
    let switches = after.0.switches().iter();
    let numbers = switches.map(|switch| before.0.switch_by_guid(switch.guid));
    numbers.collect()
}

/// Follows all packets while the blocks of `order` arrive one by one. A block that differs and is not in `order`
/// never arrives.
pub fn between(before: Routed, after: Routed, order: &[Block]) -> Between {
    follow(before, after, Some(order))
}

/// As [`between`], of blocks that arrive in any order: what packets can meet in some mixture of the tables.
pub fn in_any_order(before: Routed, after: Routed) -> Between {
    follow(before, after, None)
}

fn follow(before: Routed, after: Routed, order: Option<&[Block]>) -> Between {
    let blocks = order.map_or(0, <[Block]>::len);
    let channels = Channels::new(after.0);
    let mixer = Mixer::new(before, after, &channels, order);
    let switches = after.0.switches().len();
    let all = |cycles: &TiSlice<ChannelId, u32>| {
        (0..switches)
            .into_par_iter()
            .with_min_len(switches / (8 * rayon::current_num_threads()) + 1)
            .fold(
                || Found::new(&channels),
                |found, target| mixer.destinations(SwitchId::from(target), cycles, found),
            )
            .reduce(|| Found::new(&channels), Found::merge)
    };
    let mut found = all(TiSlice::from_ref(&[]));
    let cycles = found.dependencies.cycles(&channels);
    let cyclic = cycles.iter().filter(|&&c| c != Dependencies::NO_CYCLE);
    let cyclic = cyclic.count();
    if cyclic > 0 {
        // A second pass: only now are the turns on cycles known.
        found = all(&cycles);
    }
    let [standing, cut, dropped, _] = found.groups;
    Between {
        blocks: blocks as u32,
        standing,
        cut,
        dropped: dropped.pairs,
        cyclic,
    }
}
