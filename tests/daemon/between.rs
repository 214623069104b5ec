//! `blocks_as_sent` has the order in which OpenSM sends blocks, by OpenSM's own log.

use crate::storm::NODES_100;
use crate::storm::live::Live;
use crate::support::*;
use dmodc_analysis::between::blocks_as_sent;
use dmodc_fabric::Guid;

/// The blocks that OpenSM has written, by its log, each as its number and switch.
fn written(log: &str) -> Vec<(u16, Guid)> {
    let lines = log
        .lines()
        .filter_map(|line| line.split_once("Writing FT block "));
    let blocks = lines.filter_map(|(_, rest)| {
        let (number, guid) = rest.trim_end().split_once(" to switch 0x")?;
        Some((number.parse().ok()?, guid.parse().ok()?))
    });
    blocks.collect()
}

#[test]
fn opensm_sends_the_first_block_to_all_switches_and_then_the_next() {
    let net = Net::pgft(NODES_100);
    // By the paper's rule, hosts that go change many blocks.
    let config = Config::dmodc().options("dmodc.faults=paper");
    let config = config.log_flags("0x0b");
    let mut live = Live::start_without(&net, |_| (), |sim| (OpenSm::launch(sim, &config), "dmodc"));
    let before = live.truth().fabric_and_tables();
    let from = live.log_len();
    live.change(|cables| {
        let some = cables.of_hosts().into_iter().step_by(30);
        cables.unplug(&some.collect::<Vec<_>>());
    });
    let after = live.truth().fabric_and_tables();
    let log = live.watch.sm.files.log_after(from);
    let order = blocks_as_sent((&before.0, &before.1), (&after.0, &after.1));
    let wanted: Vec<(u16, Guid)> = (order.iter())
        .map(|b| (b.number, after.0.guid(b.switch)))
        .collect();
    // Switches whose ports changed get all their blocks, and later sweeps may send some again.
    let mut found = written(&log);
    found.retain(|block| wanted.contains(block));
    found.truncate(wanted.len());
    assert!(wanted.len() > 20, "too few blocks to tell: {wanted:?}");
    assert_eq!(found, wanted);
}
