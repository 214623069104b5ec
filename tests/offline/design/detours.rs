//! Detours are spread: where two pods have no plane in common, the routes between them turn at more than one leaf.

use super::fabrics::pgft;
use super::*;

/// Shapes that lose a third of their upper switches, the seed, and A2A and SP of sssp, whose routes may close cycles.
const THROWS: [(&str, u64, u32, u32); 12] = [
    ("PGFT(3;4,4,6;1,4,4;1,1,1)", 1, 20, 10),
    ("PGFT(3;4,4,6;1,4,4;1,1,1)", 11, 20, 9),
    ("PGFT(3;4,4,6;1,4,4;1,1,1)", 12, 20, 10),
    ("PGFT(3;4,4,6;1,4,4;1,1,1)", 13, 20, 8),
    ("PGFT(3;6,6,8;1,6,6;1,1,1)", 2, 42, 10),
    ("PGFT(3;6,6,8;1,6,6;1,1,1)", 5, 60, 19),
    ("PGFT(3;6,6,8;1,6,6;1,1,1)", 8, 42, 19),
    ("PGFT(3;6,6,8;1,6,6;1,1,1)", 9, 42, 15),
    ("PGFT(3;12,8,12;1,4,8;1,1,1)", 1, 396, 27),
    ("PGFT(3;12,8,12;1,4,8;1,1,1)", 2, 204, 29),
    ("PGFT(3;12,8,12;1,4,8;1,1,1)", 3, 108, 36),
    ("PGFT(3;12,8,12;1,4,8;1,1,1)", 4, 396, 26),
];

/// A2A is at most a fifth above the bound or above sssp's; every pair with an up-down path uses one, and no cycle
/// closes. SP is at most half above sssp's in seven throws of twelve; the goal is all. Routes of sssp may close
/// cycles; turns of Dmodc may not, so they enter the lowest of their planes at one leaf alone.
#[test]
fn are_shared_out() {
    let mut found = Findings::default();
    let mut near_sssp = 0;
    for (shape, seed, a2a, sp) in THROWS {
        let whole = names::at_random(&pgft(shape), seed);
        let count = whole.removable_switches(false).len() / 3;
        let (less, _) = whole
            .without_switches(count, seed, false)
            .expect("switches");
        let routed = Routed::new(&less);
        let (pairs, left) = (
            routed.plan.unreachable().count,
            routed.plan.connections().left_out,
        );
        assert!(pairs > 0, "{shape}, seed {seed}: nothing turns");
        let (is_a2a, is_sp, bound) = (routed.a2a(), routed.sp(), routed.bound());
        near_sssp += usize::from(2 * is_sp <= 3 * sp);
        let holds = 5 * is_a2a <= 6 * a2a.max(bound);
        found.add(
            holds && routed.defect().is_none(),
            format!(
                "{shape}, seed {seed}: {pairs} pairs turn, {left} left out, A2A {is_a2a}, SP {is_sp}; \
                 sssp {a2a}, {sp}; bound {bound}"
            ),
        );
    }
    found.add(
        near_sssp >= 7,
        format!("SP near sssp's in {near_sssp} of {}", THROWS.len()),
    );
}
