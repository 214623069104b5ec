//! The log after a change of the fabric: the change first and by name, older changes as a number, and nothing twice.

use crate::metrics::TREE;
use crate::support::*;

/// Dmodc's log lines after the first `from` bytes, except those of sweeps, without OpenSM's prefix.
pub fn said(sm: &OpenSm, from: u64) -> Vec<String> {
    let log = sm.files.log_after(from);
    let lines = log.lines().filter_map(|line| line.split_once("dmodc: "));
    let lines = lines.map(|(_, line)| line.to_owned());
    lines.filter(|line| !line.starts_with("routed ")).collect()
}

/// Of two lost cables on a two-level tree, the log names the new one first, and counts the old one.
#[test]
fn the_cable_that_has_just_gone_is_named_first() {
    let (net, mut sim) = Net::simulated(TREE);
    let nodes = &net.netlist.nodes;
    // The uplinks of all leaves but OpenSM's own.
    let leaves = net.other_leaves();
    let cables = leaves.flat_map(|leaf| net.uplinks(leaf).map(move |port| (leaf, port)));
    let cables: Vec<_> = cables.collect();
    // The first leaf loses a cable before OpenSM starts.
    let (hurt, gone) = (cables[0], cables[7]);
    sim.unlink(&hurt.0.id, hurt.1.number);
    let sm = OpenSm::start(&sim, &Config::dmodc());
    let lines = said(&sm, 0);
    sm.files.log_line("where its siblings have 6");
    assert!(
        lines.iter().all(|line| !line.starts_with("lost: ")),
        "{lines:?}"
    );

    let (leaf, port) = gone;
    let spine = &nodes[port.peer as usize];
    let mut ends = [(leaf, port.number), (spine, port.peer_port)];
    ends.sort_by_key(|(node, _)| node.guid);
    let [a, b] = ends.map(|(node, port)| format!("'{}' [{port}]", node.description));
    let mut sweep = |change: fn(&mut Ibsim, &str, PortNumber)| {
        let from = sm.files.log_len();
        change(&mut sim, &leaf.id, port.number);
        sm.resweep();
        said(&sm, from)
    };
    let lines = sweep(Ibsim::unlink);
    assert_eq!(lines[0], format!("lost: {a} -- {b}"));
    assert_eq!(lines[1], "gone, in all: 1 link");
    assert!(
        lines[2].starts_with("missing, by the reference: "),
        "{lines:?}"
    );
    assert_eq!(lines[3..], ["places in the wiring as before: 1"]);
    assert_eq!(
        sweep(Ibsim::relink),
        [
            format!("back: {a} -- {b}"),
            "places in the wiring as before: 1".into()
        ]
    );
    // The levels are the same in all sweeps, and are logged once.
    assert_eq!(sm.files.log_lines("dmodc: ranks: ").len(), 1);
    assert!(sm.files.routed() >= 3);
}
