//! The tables that a live OpenSM holds are those that the library computes from its subnet dump, byte for byte: the
//! same fabric by two sources, the same tables by two sinks. And they deliver, as ibdmchk finds too. `alerts.rs` tests
//! production fabrics.

use crate::support::*;

/// Routes a generated fabric with OpenSM, and asserts that the tables are the offline ones and pass ibdmchk.
fn same_live_and_offline(net: &Net, config: &Config) -> (Vec<u8>, Offline) {
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, config);
    tools::ibdmchk(&sim, &files);
    (files.lfts(), assert_same(net, &files, config.lmc))
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
        same_live_and_offline(net, &Config::dmodc());
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
