//! The tables that a live OpenSM holds are those that the library computes from its subnet dump,
//! byte for byte: the same fabric by two sources, the same tables by two sinks. And they deliver, as ibdmchk finds too.

use crate::long;
use crate::support::*;

/// The production fabrics that are trees, and how many pairs of switches with end nodes have no
/// up-down path: in one, hosts hang off two spines.
const PRODUCTION: [(&str, usize); 5] = [
    ("small-2sw.ibnetdiscover", 0),
    ("irregular-11sw.ibnetdiscover", 0),
    ("leaf-to-leaf-8sw.ibnetdiscover", 0),
    ("director-174sw.ibnetdiscover", 0),
    ("gpu-cluster-206sw.ibnetdiscover", 1),
];

/// Routes a fabric with a live OpenSM and offline, from OpenSM's dump with any number of threads
/// and from the netlist itself, compares, and has the tables checked.
fn same_live_and_offline(net: &Net, config: &Config) -> (Vec<u8>, Offline) {
    let options = &Options::default();
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, config);
    let live = files.lfts();
    // Of production fabrics it counts other pairs: hosts have several ports, and switches aggregation nodes.
    if net.path.extension().is_some_and(|kind| kind == "netlist") {
        tools::ibdmchk(&sim, &files);
    }
    for threads in [1, 2] {
        let offline = Offline::route(&files.subnet(), config.lmc, threads, options);
        offline.assert_same(&live);
    }
    let offline = Offline::route(
        &offline::with_lids_of(&net.netlist, &files),
        config.lmc,
        1,
        options,
    );
    offline.assert_same_entries(&live);
    offline.assert_clean(&live);
    (live, offline)
}

#[test]
fn nodes_648_whole_and_with_a_tenth_of_the_links_gone() {
    let whole = Net::pgft(NODES_648);
    for net in [&whole, &whole.without_links(65, 1)] {
        same_live_and_offline(net, &Config::dmodc());
    }
}

#[test]
fn production_fabrics() {
    let is_long = long::runs("production fabrics of more than 20 switches");
    for (name, unreachable) in PRODUCTION {
        let net = Net::production(name);
        if !is_long && net.netlist.switches().count() > 20 {
            continue;
        }
        let (live, offline) = same_live_and_offline(&net, &Config::dmodc());
        assert_eq!(offline.plan.unreachable().count, unreachable, "{name}");
        assert_eq!(
            offline.check(&live).unreachable_pairs,
            unreachable,
            "{name}"
        );
    }
}

/// The LIDs of a port lead over different paths, as many as there are.
#[test]
fn several_lids_a_port() {
    for lmc in 1..=3 {
        let config = Config::dmodc().lmc(lmc);
        let (live, offline) = same_live_and_offline(&Net::pgft(FIGURE_1), &config);
        for from in 0..offline.fabric.end_nodes().len() as u32 {
            for to in 0..offline.fabric.end_nodes().len() as u32 {
                let paths = offline.paths(&live, from, to).len();
                let expected = offline.count_paths(from, to).min(1 << lmc);
                assert_eq!(paths, expected, "LMC {lmc}, from node {from} to {to}");
            }
        }
    }
}

#[test]
fn several_lids_a_switch() {
    let net = Net::pgft(FIGURE_1).with_enhanced_ports_zero();
    let config = Config::dmodc().lmc(2).line("lmc_esp0 TRUE");
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, &config);
    let subnet = offline::with_lmc_at_switches(files.subnet(), &net.netlist, 2);
    let offline = Offline::route(&subnet, 2, 1, &Options::default());
    assert_eq!(offline.fabric.lid_count(), 4 * (12 + 16));
    offline.assert_same(&files.lfts());
    offline.assert_clean(&files.lfts());
}
