//! Routes are as good with GUIDs at random as with GUIDs in order, and good on irregular fabrics: figures and their
//! limits.

use super::fabrics::*;
use super::whole::Whole;
use super::*;

/// Limits of the figures. What has no limit is not measured.
#[derive(Clone, Copy)]
struct Limits {
    /// The most of A2A, RP and SP.
    most: [u32; 3],
    /// The least effective bisection bandwidth, in percent.
    ebb: f64,
}

const ANY: u32 = u32::MAX;

fn a2a(most: u32) -> Limits {
    Limits {
        most: [most, ANY, ANY],
        ebb: 0.0,
    }
}

/// The figures keep these limits, and the tables have no defect. Returns A2A, RP and SP as far as they are measured.
fn keep(found: &mut Findings, what: &str, routed: &Routed, limits: Limits) -> [u32; 3] {
    let Limits { most, ebb } = limits;
    let traffic = routed.traffic();
    let quiet = &|_| ();
    let patterns = if is_long() { 1000 } else { 200 };
    let measures: [&dyn Fn() -> u32; 3] = [
        &|| traffic.all_to_all(quiet).value,
        &|| traffic.random_permutations(patterns, 1, quiet).value,
        &|| traffic.shifts(quiet).value,
    ];
    let risks = [0, 1, 2].map(|i| if most[i] < ANY { measures[i]() } else { 0 });
    let bandwidth = (ebb > 0.0).then(|| {
        let is = traffic.effective_bisection_bandwidth(patterns, 1, false, quiet);
        is.expect("nodes").percent
    });
    let holds = risks.iter().zip(&most).all(|(is, most)| is <= most);
    found.add(
        holds && bandwidth.is_none_or(|is| is >= ebb) && routed.defect().is_none(),
        format!(
            "{what}: A2A, RP, SP {risks:?}, EBB {bandwidth:?}; at most {most:?}, at least {ebb}"
        ),
    );
    risks
}

/// 8,640 nodes: A2A is at the cut bound of 92, and few ports are near it.
#[test]
fn nodes_8640() {
    let mut found = Findings::default();
    for seed in throws(1) {
        let whole = Whole::pgft(("PGFT(3;24,15,24;1,6,15;1,1,1)", seed));
        let routed = Routed::new(&whole.netlist);
        let risk = routed.traffic().all_to_all(&|_| ());
        let ports = risk.histogram();
        let near = ports.iter().filter(|&(&v, _)| v > 4 && v < risk.value);
        let near: usize = near.map(|(_, count)| count).sum();
        let what = format!(
            "{}: A2A {}, {near} ports between 4 and that",
            whole.what, risk.value
        );
        found.add(risk.value <= 92 && near <= 2160, what);
        if is_long() {
            let sp = routed.sp();
            found.add(sp <= 4, format!("seed {seed}: SP {sp}"));
        }
    }
}

/// Production fabrics. `paper` has 9, 4, 5 on the third, and sssp 8, 4, 7; on the last `paper` has 20, 6, 5, and updn,
/// which treats the spine with three hosts like any other, 18, 6, 5.
const PRODUCTION: [(&str, [u32; 3], f64); 4] = [
    // One of the two orders had an SP of 4 here, both an EBB of 48.7.
    ("director-174sw", [18, 7, 5], 50.0),
    ("gpu-cluster-206sw", [70, 5, 6], 68.0),
    ("irregular-11sw", [9, 4, 5], 71.0),
    ("leaf-to-leaf-8sw", [18, 6, 5], 55.2),
];

/// Those with regular cables also with other GUIDs.
#[test]
fn production_fabrics() {
    let mut found = Findings::default();
    for (nth, (name, most, ebb)) in PRODUCTION.into_iter().enumerate() {
        let netlist = production::read(name);
        let limits = Limits { most, ebb };
        keep(&mut found, name, &Routed::new(&netlist), limits);
        for seed in throws(2).filter(|_| nth < 2) {
            let what = format!("{name}, GUIDs of seed {seed}");
            if let Some(routed) = found.route(&names::at_random(&netlist, seed), &what) {
                keep(&mut found, &what, &routed, limits);
            }
        }
    }
}

/// A2A of sssp, which uses no levels, by seed: `dmodc compare --engines dmodc,sssp`.
const SSSP: [u32; 64] = [
    25, 34, 46, 49, 33, 42, 25, 30, 32, 36, 44, 33, 56, 41, 32, 34, 34, 44, 30, 33, 33, 21, 31, 29,
    28, 36, 31, 30, 35, 47, 20, 46, 33, 26, 40, 41, 31, 29, 28, 32, 29, 39, 33, 23, 34, 39, 47, 32,
    36, 35, 45, 39, 31, 47, 25, 27, 31, 46, 31, 35, 40, 49, 32, 37,
];
/// The same with two leaves on the spines.
const SSSP_ON_SPINES: [u32; 64] = [
    26, 37, 50, 47, 38, 43, 25, 33, 34, 38, 47, 34, 56, 43, 34, 38, 37, 46, 33, 35, 35, 23, 33, 30,
    29, 38, 31, 30, 36, 48, 23, 46, 35, 28, 42, 42, 31, 30, 32, 33, 30, 40, 36, 23, 34, 43, 48, 32,
    37, 37, 46, 40, 34, 50, 26, 29, 33, 49, 33, 37, 43, 50, 36, 39,
];
/// Of these 128 fabrics, A2A is below sssp's on 65, equal on 38, one more on 21, and two or three more on these four:
/// seeds, leaves on spines, and how much more.
const MORE: [(u64, usize, u32); 4] = [(3, 0, 2), (18, 0, 2), (37, 2, 2), (58, 2, 3)];

/// A2A is at most one above sssp's but for those, and on the mean below; for seeds without a known figure of sssp, at
/// most a seventh above the bound.
#[test]
fn pods_of_unequal_size() {
    let mut found = Findings::default();
    let mut sums = [0; 2];
    for (on_spines, sssp) in [(0, SSSP), (2, SSSP_ON_SPINES)] {
        for seed in throws(8) {
            let whole = Whole::pods(uneven(seed, on_spines), seed);
            let Some(routed) = found.route(&whole.netlist, &whole.what) else {
                continue;
            };
            let is_it = |&&(s, on, _): &&(u64, usize, u32)| (s, on) == (seed, on_spines);
            let more = MORE.iter().find(is_it).map_or(1, |known| known.2);
            let bound = routed.bound();
            let known = sssp.get(seed as usize - 1);
            let most = known.map_or(bound + bound / 7, |sssp| sssp + more);
            let [a2a, ..] = keep(&mut found, &whole.what, &routed, a2a(most));
            if let Some(&sssp) = known {
                sums[0] += a2a;
                sums[1] += sssp;
            }
        }
    }
    let [ours, of_sssp] = sums;
    found.add(ours < of_sssp, format!("all A2A {ours}, of sssp {of_sssp}"));
}

/// A switch with the parents of others and more gives these others no lost links: no entry is displaced. On leaves on
/// spines, which have the parents of all mids, and on a leaf with links to two pods.
#[test]
fn whole_fabrics_lack_nothing() {
    let mut found = Findings::default();
    for seed in throws(8) {
        let on_spines = uneven(seed, 2).draw(seed);
        let mut border = uneven(seed, 0).draw(seed);
        let leaf = add(&mut border, Kind::Switch, "leaf of two pods".to_owned(), 36);
        for (pod, plane) in (0..8).map(|i| (i / 4, i % 4)) {
            let mid = node_at(&border, &format!("mid {pod}.{plane}"));
            let uplink = PortNumber(13 + 4 * pod + plane);
            let port = spare(&border, mid);
            link(&mut border, (leaf, uplink), (mid, port));
        }
        add_host(&mut border, leaf, PortNumber(1));
        let border = names::with_lids(&border, 0, seed);
        for (what, netlist) in [("leaves on spines", on_spines), ("border leaf", border)] {
            let what = format!("{what}, seed {seed}");
            if let Some(routed) = found.route(&names::at_random(&netlist, seed), &what) {
                let displaced = routed.displaced;
                found.add(displaced == 0, format!("{what}: {displaced} displaced"));
            }
        }
    }
}

/// A2A of version a1de1bd with cables at random, on seeds 1 to 3.
const AT_RANDOM: [(&str, [u32; 3]); 4] = [
    ("PGFT(2;18,36;1,18;1,1)", [18; 3]),
    ("PGFT(3;6,6,8;1,6,6;1,1,1)", [7; 3]),
    ("PGFT(3;12,8,12;1,4,8;1,1,1)", [33; 3]),
    ("PGFT(4;4,4,4,4;1,2,3,4;1,2,1,2)", [16, 16, 18]),
];

#[test]
fn cables_at_random() {
    let mut found = Findings::default();
    for (shape, before) in AT_RANDOM {
        for (seed, before) in (1..).zip(before) {
            let whole = Whole::shuffled((shape, seed));
            keep(
                &mut found,
                &whole.what,
                &Routed::new(&whole.netlist),
                a2a(before),
            );
        }
    }
}

/// Shapes that lose a third of their upper switches, the seed, and A2A and SP of sssp, whose routes may close cycles.
const DETOURS: [(&str, u64, u32, u32); 12] = [
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

/// Where two pods have no plane in common, the routes between them turn at more than one leaf: A2A is at most a third
/// above the bound or above sssp's (a fifth if switches were left out of the detours). SP is at most half above sssp's in six throws of twelve; the goal is all. Routes
/// of sssp may close cycles; turns of Dmodc may not, so they enter the lowest of their planes at one leaf alone.
#[test]
fn detours_are_shared_out() {
    let mut found = Findings::default();
    let mut near_sssp = 0;
    for (shape, seed, most, sp) in DETOURS {
        let whole = Whole::pgft((shape, seed));
        let count = whole.netlist.removable_switches(false).len() / 3;
        let less = whole.netlist.without_switches(count, seed, false);
        let routed = Routed::new(&less.expect("switches").0);
        assert!(
            routed.plan.unreachable().count > 0,
            "{}: nothing turns",
            whole.what
        );
        let limits = Limits {
            most: [4 * most.max(routed.bound()) / 3, ANY, ANY - 1],
            ebb: 0.0,
        };
        let [_, _, is] = keep(&mut found, &whole.what, &routed, limits);
        near_sssp += usize::from(2 * is <= 3 * sp);
    }
    let all = DETOURS.len();
    found.add(
        near_sssp >= 6,
        format!("SP near sssp's in {near_sssp} of {all}"),
    );
}
