//! What a running OpenSM sends to the switches when something goes, comes back or moves: the blocks of
//! tables that it sets, counted in its log, beside the sweep's line of Dmodc and the tables themselves. (Hosts that
//! go and come back to their ports change none: `trace`.)
//!
//! OpenSM sends blocks that differ, and the whole table of a switch that reports a port whose state has
//! changed.

use crate::storm::NODES_100;
use crate::storm::cables::Cables;
use crate::storm::faults::pods;
use crate::storm::live::Live;
use crate::support::fabrics::Net;
use crate::support::opensm::{Config, OpenSm};
use dmodc::dmodc::Options;
use dmodc::lft::{Dump, diff};
use dmodc::netlist::Kind;

/// An OpenSM that logs errors, information and debugging, and dumps the routing.
fn start(net: &Net) -> Live<'_> {
    let config = Config::dmodc().log_flags("0x4b");
    Live::start(net, |sim| (OpenSm::launch(sim, &config), "dmodc"))
}

impl Live<'_> {
    /// The tables as OpenSM holds them.
    fn tables(&self) -> Dump {
        Dump::parse(&self.watch.sm.files.lfts()).expect("OpenSM's own dump")
    }

    fn find(&self, description: &str) -> u32 {
        let mut nodes = self.netlist.nodes.iter();
        let found = nodes.position(|n| n.description == description);
        found.expect("a node of that name") as u32
    }

    /// The cables of a node.
    fn of(&self, node: u32) -> Vec<usize> {
        self.cables.of(|n| n == node)
    }

    /// Switches at the other end of the plugged cables of some nodes: their ports change.
    fn touched(&self, nodes: &[u32]) -> usize {
        let mut touched: Vec<u32> = (nodes.iter())
            .flat_map(|&n| self.netlist.nodes[n as usize].ports.iter().map(|p| p.peer))
            .filter(|n| self.netlist.nodes[*n as usize].kind == Kind::Switch)
            .chain([self.cables.home_switch()])
            .collect();
        touched.sort_unstable();
        touched.dedup();
        touched.len()
    }

    /// Changes something that `touched` switches see at a port of theirs; the figures of the log are those of OpenSM's
    /// tables and of the core. Returns how many entries are not at their nominal ports.
    fn sent(&mut self, what: &str, touched: usize, change: impl FnOnce(&mut Cables)) -> usize {
        let (before, from) = (self.tables(), self.log_len());
        let reaction = self.change(change);
        assert!(reaction.ours > 0 && reaction.others == 0);
        self.routed();
        let files = &self.watch.sm.files;
        let set = files
            .log()
            .split_off(from)
            .matches("Setting LinearForwardingTable ")
            .count();
        let numbers = |name: &str| -> Vec<usize> {
            let values = files.swept(from, name).into_iter();
            values.map(|v| v.parse().expect("a number")).collect()
        };
        assert!(files.swept(from, "faults").iter().all(|f| f == "stable"));
        let (blocks, displaced) = (numbers("changed_blocks"), numbers("displaced"));
        let (sweeps, changed) = (blocks.len(), blocks.iter().sum::<usize>());
        println!(
            "{what}: {set} blocks set, {changed} changed, {touched} switches touched, {sweeps} sweeps"
        );
        let found = diff(&before, &self.tables()).blocks();
        assert_eq!(changed, found, "{what}: changed_blocks");
        let whole = touched * self.blocks() * sweeps;
        assert!(changed <= set && set <= changed + whole, "{what}");
        let displaced = displaced.last().copied().unwrap_or(0);
        assert_eq!(displaced, self.displaced(), "{what}: displaced");
        displaced
    }

    /// Blocks of a table.
    fn blocks(&self) -> usize {
        let (fabric, _) = self.watch.sm.files.subnet().to_fabric(None).expect("LIDs");
        fabric.max_lid().index() / 64 + 1
    }

    /// What the core says is displaced on the fabric that OpenSM sees.
    fn displaced(&self) -> usize {
        let (fabric, _) = self.watch.sm.files.subnet().to_fabric(None).expect("LIDs");
        let plan = self
            .core
            .plan(&fabric, &Options::default())
            .expect("a tree");
        let filled = self.core.tables(&fabric, &plan);
        filled.expect("tables that fit").1.displaced
    }
}

#[test]
fn what_breaks_comes_back_to_the_byte() {
    let net = Net::pgft(NODES_100);
    let mut live = start(&net);
    let first = live.tables();
    let home = live.cables.home_switch();
    let [leaf, middle, top] = ["L1-9", "L2-7", "L3-3"].map(|name| live.find(name));
    assert_ne!(leaf, home);
    let is_far = |pod: &&Vec<u32>| !pod.contains(&home) && pod.len() > 1;
    let pods = pods(&net.netlist);
    let pod = pods.iter().find(is_far).expect("another pod");
    let between = |live: &Live, a: u32, b: u32| -> Vec<usize> {
        let (of_a, of_b) = (live.of(a), live.of(b));
        of_a.into_iter()
            .filter(|cable| of_b.contains(cable))
            .collect()
    };
    let up = |node: u32, level: &str| {
        let peers = net.netlist.nodes[node as usize]
            .ports
            .iter()
            .map(|p| p.peer);
        let mut peers =
            peers.filter(|&p| net.netlist.nodes[p as usize].description.starts_with(level));
        peers.next().expect("a switch above")
    };
    let uplink = between(&live, leaf, up(leaf, "L2-"));
    let upper = between(&live, middle, up(middle, "L3-"));
    let faults = [
        ("a leaf's uplink", uplink, 2),
        ("an upper link", upper, 2),
        ("a top switch", live.of(top), live.touched(&[top])),
        ("an upper switch", live.of(middle), live.touched(&[middle])),
        ("a leaf", live.of(leaf), live.touched(&[leaf])),
        (
            "a pod",
            live.cables.of(|n| pod.contains(&n)),
            live.touched(pod),
        ),
    ];
    for (what, cut, touched) in faults {
        assert!(!cut.is_empty());
        live.sent(&format!("{what} goes"), touched, |cables| {
            cut.iter().for_each(|&cable| cables.unplug(cable));
        });
        let displaced = live.sent(&format!("{what} comes back"), touched, |cables| {
            cut.iter().for_each(|&cable| cables.plug(cable));
        });
        assert!(displaced == 0 && live.tables() == first, "{what}");
    }
}
