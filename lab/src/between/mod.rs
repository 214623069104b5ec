//! In between: what happens to packets while a subnet manager sends new tables block by block.
//!
//! After a change of the fabric the switches hold old tables, then some old and some new ones, then new
//! ones. Packets meet this mixture. [`between`] takes the blocks in the order in which they arrive and, for
//! every LID, follows the packets of all switches with hosts after each block that changes its routes. So
//! it leaves out no moment. Time is the number of blocks that have arrived.
//!
//! A [`Harm`] is a thing that a packet can meet on its way. Links that only the fabric after the change has carry
//! no packets as yet: OpenSM makes ports ACTIVE once all tables are sent.
//!
//! Counted are pairs of a host and a LID of another, where both have been and still are at the same place,
//! and the new tables have a route. There are two groups of them:
//! - *cut*: the old tables do not deliver on the fabric after the change, so the route has to change;
//! - *standing*: they do. No harm comes to these but by the new tables.
//!
//! A circle is one of the channel dependency graph of all routes: old, in between and new ones together.
//! These are more routes than exist at any moment, but packets on an old route may still be under way.

mod mixer;
mod order;

use dmodc::analysis::{Channels, Dependencies};
use dmodc::fabric::Fabric;
use dmodc::lft::Tables;
use mixer::{Found, Mixer};
use rayon::prelude::*;

pub use order::{Block, blocks_as_sent};

pub type Routed<'r> = (&'r Fabric, &'r Tables);

/// Harm that a packet may meet while tables change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Harm {
    /// A switch with no entry for its LID.
    Hole,
    /// An entry that names a port without a link, or the port of another host.
    DeadLink,
    /// A link that is there only since the change, so that its ports are not ACTIVE yet.
    NotActive,
    /// A switch where it has been before.
    Loop,
    /// A turn that is part of a circle of channel dependencies.
    Circle,
}

impl Harm {
    /// All of them. A packet that meets one of the first four does not arrive.
    pub const ALL: [Harm; 5] = [
        Harm::Hole,
        Harm::DeadLink,
        Harm::NotActive,
        Harm::Loop,
        Harm::Circle,
    ];

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The harm that some pairs have met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Group {
    pub pairs: u64,
    /// Pairs that did not arrive at some time.
    pub hurt: u64,
    /// Pairs that met each [`Harm`] at some time, in the order of [`Harm::ALL`].
    pub met: [u64; 5],
    /// The most pairs that did not arrive at one time.
    pub most: u64,
    /// The most blocks that arrived while one pair did not.
    pub longest: u32,
    /// The blocks that arrived while a pair did not, summed over all pairs.
    pub total: u64,
}

impl Group {
    pub fn met(&self, harm: Harm) -> u64 {
        self.met[harm as usize]
    }

    /// The blocks that arrived while a pair did not, on average.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.pairs.max(1) as f64
    }
}

/// What happened between two tables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Between {
    pub blocks: u32,
    /// Pairs that the old tables still deliver after the change.
    pub standing: Group,
    /// Pairs that they do not.
    pub cut: Group,
    pub circling: usize,
}

/// Follows all packets while these blocks arrive one by one. Blocks that differ and are not among them never
/// arrive.
pub fn between(before: Routed, after: Routed, order: &[Block]) -> Between {
    let channels = Channels::new(after.0);
    let mixer = Mixer::new(before, after, &channels, order);
    let switches = after.0.switches().len();
    let all = |circles: &[u32]| {
        (0..switches as u32)
            .into_par_iter()
            .with_min_len(switches / (8 * rayon::current_num_threads()) + 1)
            .fold(
                || Found::new(&channels, order.len()),
                |found, target| mixer.destinations(target, circles, found),
            )
            .reduce(|| Found::new(&channels, order.len()), Found::merge)
    };
    let mut found = all(&[]);
    let circles = found.dependencies.circles(&channels);
    let circling = circles.iter().filter(|&&c| c != Dependencies::NO_CIRCLE);
    let circling = circling.count();
    if circling > 0 {
        // Only now is it known which turns are part of one.
        found = all(&circles);
    }
    let [standing, cut] = found.groups();
    Between {
        blocks: order.len() as u32,
        standing,
        cut,
        circling,
    }
}
