//! What engines are compared by.

use crate::compare::{Routed, ThrowRow};

/// A measure of an engine's tables in a throw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// All to all.
    A2a,
    /// Random permutations.
    Rp,
    /// Shifts in the order of OpenSM's ftree.
    SpFtree,
    /// Shifts in the order of Dmodc.
    SpDmodc,
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
    pub const ALL: [Measure; 9] = [
        Measure::A2a,
        Measure::Rp,
        Measure::SpFtree,
        Measure::SpDmodc,
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
            Measure::Rp => "RP",
            Measure::SpFtree => "SP, ftree's order",
            Measure::SpDmodc => "SP, Dmodc's order",
            Measure::Cn2io => "compute to I/O",
            Measure::Ebb => "ebb, %",
            Measure::Blocks => "changed blocks",
            Measure::Entries => "changed entries",
            Measure::Time => "time, ms",
        }
    }

    /// Its figure for a row, if it can be compared.
    pub fn of(self, row: &ThrowRow) -> Option<f64> {
        let routed = comparable(row)?;
        let risks = &routed.risks;
        // What has changed since the complete fabric is of interest only where a piece is gone.
        let changed = |count: Option<usize>| Some(count.filter(|_| row.removed > 0)? as f64);
        match self {
            Measure::A2a => Some(risks.a2a.into()),
            Measure::Rp => Some(risks.rp.into()),
            Measure::SpFtree => risks.sp_ftree.map(f64::from),
            Measure::SpDmodc => risks.sp_dmodc.map(f64::from),
            Measure::Cn2io => risks.cn2io.map(f64::from),
            // The differences in the second decimal are those of the draw.
            Measure::Ebb => Some((risks.ebb? * 10.0).round() / 10.0),
            Measure::Blocks => changed(routed.changed_blocks),
            Measure::Entries => changed(routed.changed_entries),
            Measure::Time => Some((routed.lid_matrices + routed.fwd_tables).as_secs_f64() * 1e3),
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

    /// Whether the project's goal speaks of it.
    pub fn has_goal(self) -> bool {
        use Measure::{A2a, Rp, SpDmodc, SpFtree};
        [A2a, Rp, SpFtree, SpDmodc].contains(&self)
    }
}

/// Whether all pairs of leaves have an up-down path.
pub fn is_connected(row: &ThrowRow) -> bool {
    row.unreachable_pairs == Some(0)
}

/// The result of an engine for a throw, if it can be compared: all pairs have an up-down path, and the
/// engine has routed them all.
pub fn comparable(row: &ThrowRow) -> Option<&Routed> {
    let routed = row.outcome.as_ref().ok()?;
    (is_connected(row) && routed.risks.no_route == 0).then_some(routed)
}
