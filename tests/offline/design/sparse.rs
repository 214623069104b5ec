//! Leaves that are not full, in a regular way: A2A, SP and effective bisection bandwidth are close to `paper`'s, which
//! numbers only the hosts that are there, with GUIDs in order.

use super::fabrics::{carriers, hosts_of, pgft};
use super::whole::small;
use super::*;

const SHAPES: [&str; 5] = [
    "PGFT(2;12,24;1,12;1,1)",
    "PGFT(2;18,36;1,18;1,1)",
    "PGFT(2;12,24;1,6;1,1)",
    "PGFT(3;6,6,8;1,6,6;1,1,1)",
    "PGFT(3;12,8,12;1,4,8;1,1,1)",
];

/// A fabric with the hosts that stay, by the number of the leaf and the number of the host on it.
pub fn only(places: &Netlist, stays: impl Fn(usize, usize) -> bool) -> Netlist {
    let mut gone = Vec::new();
    for (nth, leaf) in carriers(places).into_iter().enumerate() {
        let hosts = hosts_of(places, leaf).into_iter().enumerate();
        let go = hosts.filter(|&(host, _)| !stays(nth, host));
        gone.extend(go.map(|(_, host)| host));
    }
    places.without_nodes(&gone)
}

/// Whether a host stays, by the number of the leaf and the number of the host on it.
type Stays = Box<dyn Fn(usize, usize) -> bool>;

/// Some of the hosts of each leaf, in the same way on all leaves: of two, three, six one stays, or goes.
fn same_on_all_leaves() -> Vec<(String, Stays)> {
    let some = |every| {
        let of = |stay: bool| -> Stays { Box::new(move |_, host| (host % every == 0) == stay) };
        let word = |stay| if stay { "stays" } else { "goes" };
        [true, false].map(|stay| (format!("every {every}. host {}", word(stay)), of(stay)))
    };
    [2, 3, 6].into_iter().flat_map(some).collect()
}

/// A2A and SP are close to `paper`'s on the fabric with the hosts that are there; returns whether they are, and a text.
fn is_close_to_paper(routed: &Routed, paper: &Routed) -> (bool, String) {
    let [is, best] = [routed, paper].map(|r| (r.a2a(), r.sp()));
    let text = format!("A2A, SP {is:?}; paper in order {best:?}");
    (is_close(is.0, best.0) && is_close(is.1, best.1), text)
}

/// These; the first few of each leaf; in turn a full leaf and a leaf with
/// two hosts.
#[test]
fn close_to_paper() {
    let mut kinds = same_on_all_leaves();
    let mut add = |what: String, stays: Stays| kinds.push((what, stays));
    for count in [1, 2, 4] {
        add(
            format!("the first {count} of each leaf"),
            Box::new(move |_, host| host < count),
        );
    }
    let by_turns = |leaf, host| leaf % 2 == 0 || host < 2;
    add("leaves full and leaves with two".into(), Box::new(by_turns));
    let mut found = Findings::default();
    for shape in small(SHAPES, 300) {
        let whole = pgft(shape);
        for (what, stays) in &kinds {
            let less = only(&whole, stays);
            let paper = Routed::paper(&names::in_order(&less));
            for seed in throws(1) {
                let Some(routed) = found.route(&names::at_random(&less, seed), what) else {
                    continue;
                };
                let (close, text) = is_close_to_paper(&routed, &paper);
                let [is, best] = [&routed, &paper].map(|r| {
                    let traffic = r.traffic();
                    let ebb = traffic.effective_bisection_bandwidth(40, 1, false, &|_| ());
                    ebb.expect("nodes").percent
                });
                found.add(
                    close && is > 0.93 * best && routed.defect().is_none(),
                    format!("{shape}, {what}, seed {seed}: {text}; EBB {is}, {best}"),
                );
            }
        }
    }
}

/// With a reference in which these hosts are off for good: they do not make the routes of the others worse.
#[test]
fn hosts_are_off_for_good() {
    let mut found = Findings::default();
    for shape in [SHAPES[0], SHAPES[3], SHAPES[4]] {
        let whole = names::at_random(&pgft(shape), 1);
        for (what, stays) in same_on_all_leaves() {
            let less = only(&whole, stays);
            let routed = Routed::with_reference(&less, &whole);
            let paper = Routed::paper(&names::in_order(&less));
            let (close, text) = is_close_to_paper(&routed, &paper);
            found.add(close, format!("{shape}, {what}, with a reference: {text}"));
        }
    }
}

/// Leaves without hosts keep their numbers, or hosts that leave would change entries of others. So full leaves beside
/// empty ones have the routes of the whole fabric, and half-full ones those of a fabric whose leaves are all half full.
///
/// The goal was to be close to `paper`, which counts only leaves that have hosts. But then hosts that leave change
/// entries of others: A2A is 22 for 17 and 12 for 9 on 1,152 nodes, EBB a tenth below on the others.
#[test]
fn some_leaves_are_empty() {
    let mut found = Findings::default();
    type Some = fn(usize, usize) -> bool;
    let kinds: [(&str, Some, Some); 3] = [
        (
            "every second leaf",
            |leaf, _| leaf.is_multiple_of(2),
            |_, _| true,
        ),
        ("two of three leaves", |leaf, _| leaf % 3 != 1, |_, _| true),
        (
            "half of every second leaf",
            |leaf, host| leaf.is_multiple_of(2) && host.is_multiple_of(2),
            |_, host| host.is_multiple_of(2),
        ),
    ];
    for shape in small(SHAPES, 300) {
        for (what, stays, in_all) in kinds {
            let whole = names::at_random(&pgft(shape), 1);
            let netlist = |stays: Some| only(&whole, stays);
            let [Some(some), Some(all)] =
                [stays, in_all].map(|stays| found.route(&netlist(stays), what))
            else {
                continue;
            };
            let others = others(&some.changes(&all));
            found.add(
                others == 0,
                format!("{shape}, {what}: {others} entries of others"),
            );
            found.add(
                some.a2a() <= all.a2a() && some.defect().is_none(),
                format!("{shape}, {what}: A2A {}", some.a2a()),
            );
        }
    }
}
