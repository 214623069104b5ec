//! The measures by which engines are compared.

use crate::compare::{Real, ThrowRow};
use dmodc_formats::netlist::Equipment;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    A2a,
    A2aCapacity,
    Exact,
    ExactCapacity,
    Rp,
    RpCapacity,
    SpFtree,
    SpFtreeCapacity,
    SpDmodc,
    SpDmodcCapacity,
    Ebb,
    Blocks,
    Entries,
    Time,
}

/// A measure, its short name, the name of its axis, and its figure for a row.
type Line = (
    Measure,
    &'static str,
    &'static str,
    fn(&ThrowRow) -> Option<f64>,
);

const RISK: &str = "congestion risk, flows (log)";
const OVER: &str = "flows over capacity (log)";

/// All measures, in the order of the report and of [`Measure`].
#[rustfmt::skip]
const ALL: [Line; 14] = [
    (Measure::A2a, "A2A", RISK, |row| row.a2a.map(f64::from)),
    (Measure::A2aCapacity, "A2A over capacity", OVER,
        |row| over_capacity(row, row.a2a, row.a2a_capacity)),
    (Measure::Exact, "worst permutation", "flows (log)", |row| row.exact.map(f64::from)),
    (Measure::ExactCapacity, "worst permutation over capacity", OVER,
        |row| over_capacity(row, row.exact, row.exact_capacity)),
    (Measure::Rp, "RP", RISK, |row| row.rp.map(f64::from)),
    (Measure::RpCapacity, "RP over capacity", OVER,
        |row| over_capacity(row, row.rp, row.rp_capacity)),
    (Measure::SpFtree, "SP, ftree's order", RISK, |row| row.sp_ftree.map(f64::from)),
    (Measure::SpFtreeCapacity, "SP, ftree's order, over capacity", OVER,
        |row| over_capacity(row, row.sp_ftree, row.sp_ftree_capacity)),
    (Measure::SpDmodc, "SP, Dmodc's order", RISK, |row| row.sp_dmodc.map(f64::from)),
    (Measure::SpDmodcCapacity, "SP, Dmodc's order, over capacity", OVER,
        |row| over_capacity(row, row.sp_dmodc, row.sp_dmodc_capacity)),
    // Rounded: the random permutations decide the second decimal.
    (Measure::Ebb, "ebb, %", "percent (log)", |row| Some((row.ebb?.0 * 10.0).round() / 10.0)),
    (Measure::Blocks, "changed blocks", "blocks of 64 LIDs (log)",
        |row| changed(row, row.changed_blocks)),
    (Measure::Entries, "changed entries", "entries (log)", |row| changed(row, row.changed_entries)),
    (Measure::Time, "time, ms", "ms (log)", ThrowRow::callbacks_ms),
];

impl Measure {
    pub fn all() -> impl Iterator<Item = Measure> {
        ALL.into_iter().map(|line| line.0)
    }

    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    pub fn axis(self) -> &'static str {
        ALL[self as usize].2
    }

    fn figure(self, row: &ThrowRow) -> Option<f64> {
        ALL[self as usize].3(row)
    }

    /// The figure of a row, if the row can be compared.
    pub fn comparable_figure(self, row: &ThrowRow) -> Option<f64> {
        is_comparable(row).then(|| self.figure(row))?
    }

    /// The figure of a row in which some pair has no up-down path, if the engine routes every pair.
    pub fn of_cut(self, row: &ThrowRow) -> Option<f64> {
        (row.is_routed_in_full() && !is_connected(row)).then(|| self.figure(row))?
    }

    pub fn is_better(self, one: f64, other: f64) -> bool {
        match self {
            Measure::Ebb => one > other,
            _ => one < other,
        }
    }

    pub fn best(self, figures: impl IntoIterator<Item = f64>) -> Option<f64> {
        let better = |a, b| if self.is_better(b, a) { b } else { a };
        figures.into_iter().reduce(better)
    }

    /// The least figure that the fabric of a row allows, if known.
    pub fn bound(self, row: &ThrowRow) -> Option<f64> {
        match self {
            _ if !is_comparable(row) => None,
            Measure::A2a => row.a2a_bound.map(f64::from),
            Measure::A2aCapacity => over_capacity(row, row.a2a_bound, row.a2a_bound_capacity),
            _ => None,
        }
    }
}

/// A count of changes since the complete fabric, only for rows with removed pieces.
fn changed(row: &ThrowRow, count: Option<usize>) -> Option<f64> {
    Some(count.filter(|_| row.removed > 0)? as f64)
}

/// A figure over capacity. In a series of slow links, a row without a slow link has the figure itself.
fn over_capacity(row: &ThrowRow, value: Option<u32>, over: Option<Real>) -> Option<f64> {
    let is_whole = row.degrade == Equipment::Slow && row.removed == 0;
    let alike = value.filter(|_| is_whole).map(f64::from);
    over.map(|over| over.0).or(alike)
}

/// Whether all pairs of leaves have an up-down path.
pub fn is_connected(row: &ThrowRow) -> bool {
    row.unreachable_pairs == Some(0)
}

/// Whether a row can be compared with others: all pairs of leaves have an up-down path, and the engine has routed all
/// pairs.
pub fn is_comparable(row: &ThrowRow) -> bool {
    row.is_routed_in_full() && is_connected(row)
}
