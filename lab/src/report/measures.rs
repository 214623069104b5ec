//! What engines are compared by.

use crate::compare::{Routed, ThrowRow};

/// A measure of an engine's tables in a throw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// All to all.
    A2a,
    /// The same over capacity, where links differ in speed.
    A2aCapacity,
    /// The worst permutation.
    Exact,
    /// The same over capacity.
    ExactCapacity,
    /// Random permutations.
    Rp,
    /// The same over capacity.
    RpCapacity,
    /// Shifts in the order of OpenSM's ftree.
    SpFtree,
    /// The same over capacity.
    SpFtreeCapacity,
    /// Shifts in the order of Dmodc.
    SpDmodc,
    /// The same over capacity.
    SpDmodcCapacity,
    /// Compute nodes to I/O nodes.
    Cn2io,
    /// Effective bisection bandwidth.
    Ebb,
    /// Blocks that differ from the tables of the complete fabric.
    Blocks,
    /// Entries that differ from them.
    Entries,
    /// Time of the callbacks.
    Time,
}

impl Measure {
    /// All of them, in the order of the report.
    pub const ALL: [Measure; 15] = [
        Measure::A2a,
        Measure::A2aCapacity,
        Measure::Exact,
        Measure::ExactCapacity,
        Measure::Rp,
        Measure::RpCapacity,
        Measure::SpFtree,
        Measure::SpFtreeCapacity,
        Measure::SpDmodc,
        Measure::SpDmodcCapacity,
        Measure::Cn2io,
        Measure::Ebb,
        Measure::Blocks,
        Measure::Entries,
        Measure::Time,
    ];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Measure::A2a => "A2A",
            Measure::A2aCapacity => "A2A over capacity",
            Measure::Exact => "worst permutation",
            Measure::ExactCapacity => "worst permutation over capacity",
            Measure::Rp => "RP",
            Measure::RpCapacity => "RP over capacity",
            Measure::SpFtree => "SP, ftree's order",
            Measure::SpFtreeCapacity => "SP, ftree's order, over capacity",
            Measure::SpDmodc => "SP, Dmodc's order",
            Measure::SpDmodcCapacity => "SP, Dmodc's order, over capacity",
            Measure::Cn2io => "compute to I/O",
            Measure::Ebb => "ebb, %",
            Measure::Blocks => "changed blocks",
            Measure::Entries => "changed entries",
            Measure::Time => "time, ms",
        }
    }

    /// Its figure for a row, if it can be compared.
    pub fn of(self, row: &ThrowRow) -> Option<f64> {
        self.figure(row, comparable(row)?)
    }

    /// Its figure for a row in which some pair has no up-down path, if the engine has left no pair out.
    pub fn of_cut(self, row: &ThrowRow) -> Option<f64> {
        self.figure(row, routed_in_full(row)?)
            .filter(|_| !is_connected(row))
    }

    fn figure(self, row: &ThrowRow, routed: &Routed) -> Option<f64> {
        let risks = &routed.risks;
        // What has changed since the complete fabric is of interest only where a piece is gone.
        let changed = |count: Option<usize>| Some(count.filter(|_| row.removed > 0)? as f64);
        match self {
            Measure::A2a => Some(risks.a2a.into()),
            Measure::A2aCapacity => over_capacity(row, Some(risks.a2a), risks.a2a_capacity),
            Measure::Exact => risks.exact.map(f64::from),
            Measure::ExactCapacity => over_capacity(row, risks.exact, risks.exact_capacity),
            Measure::Rp => Some(risks.rp.into()),
            Measure::RpCapacity => over_capacity(row, Some(risks.rp), risks.rp_capacity),
            Measure::SpFtree => risks.sp_ftree.map(f64::from),
            Measure::SpFtreeCapacity => over_capacity(row, risks.sp_ftree, risks.sp_ftree_capacity),
            Measure::SpDmodc => risks.sp_dmodc.map(f64::from),
            Measure::SpDmodcCapacity => over_capacity(row, risks.sp_dmodc, risks.sp_dmodc_capacity),
            Measure::Cn2io => risks.cn2io.map(f64::from),
            // The differences in the second decimal are those of the draw.
            Measure::Ebb => Some((risks.ebb? * 10.0).round() / 10.0),
            Measure::Blocks => changed(routed.changed_blocks),
            Measure::Entries => changed(routed.changed_entries),
            Measure::Time => Some(row.callbacks()?.as_secs_f64() * 1e3),
        }
    }

    /// Whether `one` is better than `other`.
    pub fn is_better(self, one: f64, other: f64) -> bool {
        match self {
            Measure::Ebb => one > other,
            _ => one < other,
        }
    }

    /// The best of some figures.
    pub fn best(self, figures: impl IntoIterator<Item = f64>) -> Option<f64> {
        let better = |a, b| if self.is_better(b, a) { b } else { a };
        figures.into_iter().reduce(better)
    }

    /// The least that the fabric of a row allows, if that is known.
    pub fn bound(self, row: &ThrowRow) -> Option<f64> {
        comparable(row)?;
        match self {
            Measure::A2a => row.a2a_bound.map(f64::from),
            Measure::A2aCapacity => over_capacity(row, row.a2a_bound, row.a2a_bound_capacity),
            _ => None,
        }
    }
}

/// A figure over capacity. While no link is slow yet it is the figure itself.
fn over_capacity(row: &ThrowRow, value: Option<u32>, over: Option<f64>) -> Option<f64> {
    let is_whole = row.equipment.slows() && row.removed == 0;
    over.or_else(|| value.filter(|_| is_whole).map(f64::from))
}

/// Whether all pairs of leaves have an up-down path.
pub fn is_connected(row: &ThrowRow) -> bool {
    row.unreachable_pairs == Some(0)
}

/// The result of an engine for a throw, if it can be compared: all pairs have an up-down path, and the
/// engine has routed them all.
pub fn comparable(row: &ThrowRow) -> Option<&Routed> {
    routed_in_full(row).filter(|_| is_connected(row))
}

/// The result of an engine that has routed all pairs.
pub fn routed_in_full(row: &ThrowRow) -> Option<&Routed> {
    let routed = row.outcome.as_ref().ok()?;
    (routed.risks.no_route == 0).then_some(routed)
}
