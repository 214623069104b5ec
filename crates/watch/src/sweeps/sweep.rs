//! The figures of a sweep, for the log line and `dmodc.metrics`.

use super::planned::Planned;
use dmodc_core::{Faults, Filled, PHASES};
use std::time::{Duration, Instant};

/// The figures of a sweep, by their names in the log line.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "docs/options.md explains them")]
pub struct Sweep {
    pub switches: usize,
    pub nodes: usize,
    pub lids: usize,
    pub ranks: usize,
    pub unreachable: usize,
    pub threads: usize,
    pub total: Duration,
    /// The parts of `total`.
    pub phases: [Duration; PHASES.len()],
    pub faults: Faults,
    pub displaced: usize,
    pub changed_blocks: usize,
    pub turned: usize,
    pub left_out: usize,
    /// The time of the proof, which has passed.
    pub proof: Duration,
}

impl Sweep {
    /// The figures of a planned, filled and proven sweep. The callback began at `start`; reading the subnet took `read`.
    pub fn new(
        planned: &Planned,
        (filled, proof): (Filled, Duration),
        (start, read): (Instant, Duration),
        changed_blocks: usize,
    ) -> Self {
        let plan = &planned.plan;
        let (total, timings) = (start.elapsed(), plan.timings());
        let known = [read, timings.rank, timings.cost, timings.nid, filled.time];
        let [read, rank, cost, nid, fill] = known;
        let rest = total.saturating_sub(known.iter().sum::<Duration>() + proof);
        let mut sweep = Sweep {
            unreachable: plan.unreachable().count,
            threads: filled.threads,
            total,
            phases: [read, rank, cost, nid, fill, rest],
            faults: planned.options.faults,
            displaced: filled.displaced,
            changed_blocks,
            turned: plan.connections().turned,
            left_out: plan.connections().left_out,
            proof,
            ..Sweep::default()
        };
        sweep.seen(planned);
        sweep
    }

    /// Sets the sizes of the fabric.
    pub fn seen(&mut self, planned: &Planned) {
        let Planned { fabric, plan, .. } = planned;
        self.switches = fabric.switches().len();
        self.nodes = fabric.end_nodes().len();
        self.lids = fabric.lid_count();
        self.ranks = plan.ranking().per_rank().len();
    }
}
