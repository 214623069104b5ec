//! Leaves that are not full, in a regular way: A2A, SP and effective bisection bandwidth are close to what `paper`
//! gives, which counts those that are there, with everything in order.

use super::events::small;
use super::fabrics::{carriers, hosts_of, pgft};
use super::*;

const SHAPES: [&str; 5] = [
    "PGFT(2;12,24;1,12;1,1)",
    "PGFT(2;18,36;1,18;1,1)",
    "PGFT(2;12,24;1,6;1,1)",
    "PGFT(3;6,6,8;1,6,6;1,1,1)",
    "PGFT(3;12,8,12;1,4,8;1,1,1)",
];

/// Held to `paper` in order, where some hosts stay: given the number of the leaf and that of the host on it.
fn close_to_paper(
    found: &mut Findings,
    what: &str,
    shape: &str,
    stays: impl Fn(usize, usize) -> bool,
) {
    let places = pgft(shape);
    let mut gone = Vec::new();
    for (nth, leaf) in carriers(&places).into_iter().enumerate() {
        let hosts = hosts_of(&places, leaf).into_iter().enumerate();
        gone.extend(
            hosts
                .filter(|&(host, _)| !stays(nth, host))
                .map(|(_, host)| host),
        );
    }
    let less = places.without_nodes(&gone);
    let oracle = Routed::paper(&names::in_order(&less));
    for seed in throws(1) {
        let netlist = names::at_random(&less, seed);
        let Some(routed) = found.route(&netlist, what) else {
            continue;
        };
        let [is, best] = [&routed, &oracle].map(|r| {
            let ebb = r.traffic().effective_bisection_bandwidth(40, 1, &|_| ());
            (r.a2a(), r.sp(), ebb.expect("nodes").percent)
        });
        let holds = is_close(is.0, best.0) && is_close(is.1, best.1) && is.2 > 0.93 * best.2;
        found.add(
            holds && routed.defect().is_none(),
            format!(
                "{shape}, {what}, seed {seed}: A2A {}, SP {}, EBB {:.1}; paper in order {}, {}, {:.1}",
                is.0, is.1, is.2, best.0, best.1, best.2
            ),
        );
    }
}

#[test]
fn regular_halves_and_thirds() {
    let mut found = Findings::default();
    for shape in small(SHAPES, 300) {
        for every in [2, 3, 6] {
            let what = format!("every {every}. host stays");
            close_to_paper(&mut found, &what, shape, |_, host| host % every == 0);
            let what = format!("every {every}. host goes");
            close_to_paper(&mut found, &what, shape, |_, host| host % every != 0);
            let what = format!("every {every}. host stays, from another one on at each leaf");
            close_to_paper(&mut found, &what, shape, |leaf, host| {
                (leaf + host) % every == 0
            });
        }
    }
    found.end();
}

#[test]
fn few_hosts_at_the_same_ports() {
    let mut found = Findings::default();
    for shape in small(SHAPES, 300) {
        for count in [1, 2, 4] {
            let what = format!("the first {count} of each leaf");
            close_to_paper(&mut found, &what, shape, |_, host| host < count);
        }
        let what = "leaves full and leaves with two, by turns";
        close_to_paper(&mut found, what, shape, |leaf, host| {
            leaf % 2 == 0 || host < 2
        });
    }
    found.end();
}

#[test]
#[ignore = "does not hold yet: EBB a tenth below the paper, 5 of 15"]
fn some_leaves_are_empty() {
    let mut found = Findings::default();
    for shape in small(SHAPES, 300) {
        close_to_paper(&mut found, "every second leaf", shape, |leaf, _| {
            leaf % 2 == 0
        });
        close_to_paper(&mut found, "two of three leaves", shape, |leaf, _| {
            leaf % 3 != 1
        });
        let half = |leaf: usize, host: usize| leaf.is_multiple_of(2) && host.is_multiple_of(2);
        close_to_paper(&mut found, "half of every second leaf", shape, half);
    }
    found.end();
}
