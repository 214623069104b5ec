//! The order in which OpenSM sends blocks, by its own log.

use crate::storm::NODES_100;
use crate::storm::cables::Cables;
use crate::storm::truth::Truth;
use crate::storm::watch::Watch;
use crate::support::fabrics::Net;
use crate::support::ibsim::Ibsim;
use crate::support::opensm::{Config, OpenSm};
use dmodc::analysis::blocks_as_sent;
use dmodc::fabric::Guid;

/// The blocks that the log says were written, each by its number and switch.
fn written(log: &str) -> Vec<(u16, Guid)> {
    let lines = log
        .lines()
        .filter_map(|line| line.split_once("Writing FT block "));
    let blocks = lines.filter_map(|(_, rest)| {
        let (number, guid) = rest.trim_end().split_once(" to switch 0x")?;
        let guid = u64::from_str_radix(guid, 16).ok()?;
        Some((number.parse().ok()?, Guid(guid)))
    });
    blocks.collect()
}

#[test]
fn opensm_sends_the_first_block_to_all_switches_and_then_the_next() {
    let net = Net::pgft(NODES_100);
    let mut sim = Ibsim::start(&net.path);
    // By the paper's rule hosts that go change much.
    let config = Config::dmodc().line("event_plugin_options dmodc.faults=paper");
    let sm = OpenSm::launch(&sim, &config.log_flags("0x0b"));
    let (mut watch, _) = Watch::first_sweep(sm, &sim, "dmodc");
    let mut cables = Cables::new(&net.netlist);
    let before = Truth::read(&mut sim, &net.netlist, cables.home()).fabric_and_tables();
    let from = watch.sm.files.log().len();
    for cable in cables.of_hosts().into_iter().step_by(30) {
        cables.unplug(cable);
    }
    let batch = cables.take();
    sim.batch(&batch.commands);
    watch.reaction(&sim, !batch.unseen);
    let after = Truth::read(&mut sim, &net.netlist, cables.home()).fabric_and_tables();
    let log = watch.sm.files.log().split_off(from);
    let order = blocks_as_sent((&before.0, &before.1), (&after.0, &after.1));
    let wanted: Vec<(u16, Guid)> = (order.iter())
        .map(|b| (b.number, after.0.switches()[b.switch as usize].guid))
        .collect();
    // Switches whose ports changed get all their blocks, and later sweeps may send some again.
    let mut found = written(&log);
    found.retain(|block| wanted.contains(block));
    found.truncate(wanted.len());
    assert!(wanted.len() > 20, "too few blocks to tell: {wanted:?}");
    assert_eq!(found, wanted);
}
