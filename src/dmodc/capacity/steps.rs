//! Steps: which destinations a share has. All slow links exist for the destinations of the lowest steps.

use super::uplinks::own_and_below;
use crate::dmodc::routes::Inputs;

/// The number of steps: a link exists for the destinations whose steps are below its share. Of the 1,440 destinations
/// of an uplink of a leaf in a fabric of 8,640 nodes, each step has about six.
pub const STEPS: usize = 251;

/// The factor from the number of a destination to its step: near the golden ratio of [`STEPS`].
const TIMES: usize = 155;

/// The step of a destination.
pub fn step(number: usize) -> usize {
    number % STEPS * TIMES % STEPS
}

/// The greatest share, of this many binary digits, below which at most this many of some destinations are, counted by
/// step; at least one of them is below it.
pub fn share_of(counts: &[u32; STEPS], most: f64, digits: u32) -> usize {
    let first = counts.iter().take_while(|&&count| count == 0).count() + 1;
    let mut sum = 0;
    let fits = |count: &&u32| {
        sum += **count;
        f64::from(sum) <= most + 1e-9
    };
    let share = counts.iter().take_while(fits).count();
    let all = usize::BITS - share.leading_zeros();
    let cut = if share < STEPS {
        all.saturating_sub(digits)
    } else {
        0
    };
    (share >> cut << cut).max(first).min(STEPS)
}

/// By uplink of a place, the number of destinations whose nominal port it is, by step: those not below, those below.
pub fn nominal_by_step(inputs: &Inputs, place: u32) -> Vec<[[u32; STEPS]; 2]> {
    let mut is_below = vec![false; inputs.nominal.costs.switches()];
    own_and_below(inputs, place).for_each(|column| is_below[column] = true);
    let groups = &inputs.nominal.groups;
    // The choices of the switches below that lead here: divider, number of groups, and position of the group.
    let mut choices = Vec::new();
    let mut at = place;
    while let Some(below) = groups.down(at).first().map(|g| g.remote) {
        let up = groups.up(below);
        choices.extend(
            up.iter()
                .position(|g| g.remote == at)
                .map(|i| (inputs.divider(below), up.len(), i)),
        );
        at = below;
    }
    let groups = groups.up(place);
    let ends = groups.iter().scan(0, |end, group| {
        *end += group.size();
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    let mut counts = vec![[[0; STEPS]; 2]; ends.last().copied().unwrap_or(0)];
    for (column, nids) in inputs.destinations.runs() {
        for nid in nids.clone() {
            if choices
                .iter()
                .any(|&(divider, of, i)| nid / divider % of != i)
            {
                continue;
            }
            let q = nid / inputs.divider(place);
            let (group, size) = (q % groups.len(), groups[q % groups.len()].size());
            let port = ends[group] - size + q / groups.len() % size;
            counts[port][usize::from(is_below[*column])][step(nid)] += 1;
        }
    }
    counts
}
