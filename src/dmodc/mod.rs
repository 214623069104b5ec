//! Dmodc: the pipeline from a fabric to its forwarding tables.

use crate::fabric::{Fabric, Guid};
use std::time::Duration;

/// What to do when a pair of leaves has no up-down path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnUnreachable {
    /// Route all the rest and leave those entries at "no path".
    #[default]
    Partial,
    /// Refuse the fabric.
    Fail,
}

/// What the administrator may ask for. The default asks for nothing.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What to do with pairs that have no up-down path.
    pub on_unreachable: OnUnreachable,
    /// Connect switches that have no up-down path between them (OpenSM's `connect_roots`).
    pub connect_roots: bool,
    /// Switches at the top of the tree (OpenSM's `root_guid_file`).
    pub root_guids: Vec<Guid>,
    /// Port GUIDs of compute nodes (OpenSM's `cn_guid_file`).
    pub cn_guids: Vec<Guid>,
    /// Port GUIDs of I/O nodes (OpenSM's `io_guid_file`).
    pub io_guids: Vec<Guid>,
}

/// Why a fabric was not routed. Nothing has been written when this is returned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RouteError {
    /// `on_unreachable=fail`, and there are such pairs.
    #[error("{0} pairs of leaves have no up-down path")]
    Unreachable(usize),
}

/// Time spent in each phase of the core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Ranking and port groups.
    pub rank: Duration,
    /// Costs, dividers and the validity pass.
    pub cost: Duration,
    /// Topological NIDs.
    pub nid: Duration,
    /// Routes.
    pub routes: Duration,
}

/// Computes routes with a thread pool of its own.
pub struct Engine {}

impl Engine {
    /// An engine with `threads` threads; 0 means one for each processor.
    pub fn new(threads: usize) -> Result<Engine, rayon::ThreadPoolBuildError> {
        let _ = threads;
        unimplemented!()
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        unimplemented!()
    }

    /// Everything but the routes: ranks, port groups, costs, dividers, NIDs, validity.
    pub fn plan(&self, fabric: &Fabric, options: &Options) -> Result<Plan, RouteError> {
        let _ = (fabric, options);
        unimplemented!()
    }

    /// Writes the routes. `rows[s]` is the LFT of switch `s`, indexed by LID, at least
    /// `fabric.max_lid() + 1` long and all [`crate::lft::NO_PATH`]; entries of LIDs that the
    /// fabric does not have, or cannot reach, are left alone. Returns the time taken.
    pub fn fill(&self, fabric: &Fabric, plan: &Plan, rows: &mut [&mut [u8]]) -> Duration {
        let _ = (fabric, plan, rows);
        unimplemented!()
    }
}

/// What is known of a fabric before its routes are written.
pub struct Plan {}

impl Plan {
    /// End nodes (indices into [`Fabric::end_nodes`]) in ascending topological NID.
    pub fn order(&self) -> &[u32] {
        unimplemented!()
    }

    /// Rank of a switch: 0 at the leaves.
    pub fn rank(&self, switch: u32) -> u32 {
        let _ = switch;
        unimplemented!()
    }

    /// Number of different ranks.
    pub fn ranks(&self) -> usize {
        unimplemented!()
    }

    /// Whether a link from `from` to its neighbour `to` goes up, in the total order (rank, UUID).
    pub fn is_up(&self, from: u32, to: u32) -> bool {
        let _ = (from, to);
        unimplemented!()
    }

    /// Hops of the up-down path from switch `from` to switch `to`, `None` if there is none.
    pub fn cost(&self, from: u32, to: u32) -> Option<u8> {
        let _ = (from, to);
        unimplemented!()
    }

    /// Pairs of leaves without an up-down path: how many, and the first few.
    pub fn unreachable(&self) -> (usize, &[(u32, u32)]) {
        unimplemented!()
    }

    /// Alternative output ports P(s,d) of the paper's equation (2), ascending by group and port.
    pub fn alternatives(&self, fabric: &Fabric, switch: u32, end_node: u32) -> Vec<u8> {
        let _ = (fabric, switch, end_node);
        unimplemented!()
    }

    /// Time spent so far.
    pub fn timings(&self) -> Timings {
        unimplemented!()
    }
}
