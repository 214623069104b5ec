//! The tables that a live OpenSM holds are those that the library computes from its subnet dump, byte for byte: the
//! same fabric by two sources, the same tables by two sinks. And they deliver, as ibdmchk finds too. `alerts.rs` tests
//! production fabrics.

use crate::support::*;
use dmodc_formats::netlist::PortZero;

/// Routes a generated fabric with OpenSM, and asserts that the tables are the offline ones and pass ibdmchk.
fn same_live_and_offline(net: &Net, lmc: u8) -> (Vec<u8>, Offline) {
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, &Config::dmodc().lmc(lmc));
    tools::ibdmchk(&sim, &files);
    (files.lfts(), assert_same(net, &files, lmc))
}

/// Asserts that OpenSM's tables are the offline ones, made from its dump with one and two threads and from the netlist
/// itself; and that they deliver.
pub fn assert_same(net: &Net, files: &Files, lmc: u8) -> Offline {
    let options = &Options::default();
    let live = files.lfts();
    for threads in [1, 2] {
        Offline::route(&files.subnet(), lmc, threads, options).assert_same(&live);
    }
    let netlist = offline::with_lids_of(&net.netlist, files);
    let offline = Offline::route(&netlist, lmc, 1, options);
    offline.assert_same_entries(&live);
    offline.assert_clean(&live);
    offline
}

#[test]
fn nodes_648_whole_and_with_a_tenth_of_the_links_gone() {
    let whole = Net::pgft(NODES_648);
    for net in [&whole, &whole.without_links(65, 1)] {
        same_live_and_offline(net, 0);
    }
}

/// The LIDs of a port lead over different paths, four at most: with two parallel links, the port on a leaf and the port
/// above it depend on the same two bits of the number, since Π counts groups. There are at least eight paths between two
/// leaves.
#[test]
fn several_lids_a_port() {
    for lmc in 1..=3 {
        let (live, offline) = same_live_and_offline(&Net::pgft(FIGURE_1), lmc);
        let nodes = offline.fabric.end_nodes();
        for from in nodes.keys() {
            for to in nodes.keys() {
                let paths = offline.paths(&live, from, to).len();
                let expected = match nodes[from].switch == nodes[to].switch {
                    true => 1,
                    false => 4.min(1 << lmc),
                };
                assert_eq!(paths, expected, "LMC {lmc}, from node {from:?} to {to:?}");
            }
        }
    }
}

#[test]
fn several_lids_a_switch() {
    let mut netlist = Net::pgft(FIGURE_1).netlist;
    for switch in ::fabrics::switches(&netlist) {
        netlist.nodes[switch as usize].port_zero = Some(PortZero::Enhanced);
    }
    let config = Config::dmodc().lmc(2).line("lmc_esp0 TRUE");
    let sim = Ibsim::start(&Net::write(netlist).path);
    let files = opensm::route(&sim, &config);
    // OpenSM's dump does not have the LMC.
    let mut subnet = files.subnet();
    for switch in ::fabrics::switches(&subnet) {
        subnet.nodes[switch as usize].lmc = 2;
    }
    let offline = Offline::route(&subnet, 2, 1, &Options::default());
    assert_eq!(offline.fabric.lid_count(), 4 * (12 + 16));
    offline.assert_same(&files.lfts());
    offline.assert_clean(&files.lfts());
}

/// With `-B` OpenSM forks before it loads plugins.
#[test]
fn a_daemon_routes_and_ends() {
    let (net, sim) = Net::simulated(FIGURE_1);
    let sm = OpenSm::daemon(&sim, &Config::dmodc());
    assert_same(&net, &sm.files, 0);
    sm.resweep();
    assert_same(&net, &sm.files, 0);
    assert!(sm.stop());
}
