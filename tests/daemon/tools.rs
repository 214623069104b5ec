//! The stock diagnostics on Dmodc's tables: hosts, routers and switches reply at all their LIDs, wherever they are.

use crate::support::*;
use dmodc_fabric::{EndNode, NodeKind};
use dmodc_formats::netlist::Kind;
use std::collections::BTreeSet;

#[test]
fn osmtest_passes() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let sm = OpenSm::start(&sim, &Config::dmodc().line(tools::OSMTEST));
    tools::osmtest(&sim, &sm.files);
}

/// Every end node replies at each of its LIDs, every switch with its counters; ibtracert follows the routes to them.
#[test]
fn every_lid_answers_and_is_traced() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let sm = OpenSm::start(&sim, &Config::dmodc().lmc(1));
    let lids = sm.files.end_node_lids(1);
    assert_eq!(lids.len(), sim.hosts().len() * 2);
    let ask = |line, lids: &[u16], word| {
        tools::asked(tools::last(&sim), (&sim, &sm.files), line, lids, word)
    };
    for &lid in &lids {
        ask("smpquery nodeinfo", &[lid], "Channel Adapter");
    }
    for pair in lids.windows(2).filter(|pair| pair[0] / 2 != pair[1] / 2) {
        ask("ibtracert", pair, "To ca");
    }
    let (fabric, _) = sm.files.subnet().to_fabric(Some(1)).expect("LIDs for all");
    for switch in fabric.switches() {
        let lid = switch.lid.0;
        let info = ask("smpquery nodeinfo", &[lid], "Switch");
        has(&info, &switch.guid.to_string());
        // Of port 1.
        ask("perfquery", &[lid, 1], "PortRcvData");
        ask("ibtracert", &[lids[0], lid], "To switch");
    }
}

/// Hosts on all leaves and on both spines, routers on a leaf and a spine. No switch is above both spines: what is on them
/// reaches the other by detours.
#[test]
fn hosts_and_routers_on_spines() {
    let hosts = [sketch::each(4, 3), vec![4, 5]].concat();
    let links = (0..4).flat_map(|leaf| [(leaf, 4), (leaf, 5)]);
    let net = sketch::drawn(&hosts, &[1, 5], links);
    let sim = Ibsim::start(&net.path);
    let sm = OpenSm::start(&sim, &Config::dmodc());
    let offline = sm.files.assert_routed(&Options::default());
    let report = offline.assert_clean(&sm.files.lfts());
    let connections = offline.plan.connections();
    assert!(report.turned.routes > 0 && connections.left_out == 0);
    let turned = format!(" turned={} left_out=0", connections.turned);
    has(&sm.files.log_lines("dmodc: routed ").concat(), &turned);
    sm.files.assert_errors(&[]);
    let nodes = offline.fabric.end_nodes().iter();
    let (routers, hosts): (Vec<&EndNode>, Vec<&EndNode>) =
        nodes.partition(|n| n.kind == NodeKind::Router);
    assert_eq!(routers.len(), 2, "OpenSM gives routers LIDs");
    // The node order has no routers: they run no ranks of a job.
    let order = std::fs::read(sm.files.by_port(Files::ORDER)).expect("the order");
    let order = String::from_utf8(order).expect("text");
    assert_eq!(order.lines().count(), 14, "{order}");
    assert_eq!(order, offline.order());
    // From the first host, on a leaf, and from a spine to the other.
    let ends = (&sim, &sm.files);
    for (nodes, kind) in [(&routers, "Router"), (&hosts, "Channel Adapter")] {
        for node in nodes {
            let lid = &[node.lid.0];
            tools::asked(&sim.hosts()[0], ends, "smpquery nodeinfo", lid, kind);
        }
    }
    let on_leaf = |node: &&&EndNode| offline.plan.ranking().is_leaf(node.switch);
    let (_, on_spines): (Vec<&EndNode>, Vec<&EndNode>) = hosts.iter().partition(on_leaf);
    let [a, b] = [0, 1].map(|at| on_spines[at].lid.0);
    for lids in [[a, b], [b, a]] {
        tools::asked(tools::last(&sim), ends, "ibtracert", &lids, "To ca");
    }
}

/// With links lost, ibqueryerrors reads from a host on every leaf all counters that it reads under updn, by detours.
#[test]
fn ibqueryerrors_has_no_failure_that_updn_has_not() {
    let whole = Net::pgft("PGFT(3;2,3,3;1,3,3;1,1,1)");
    let net = whole.without_links(4, 1);
    let mut leaves = BTreeSet::new();
    let hosts = net.netlist.nodes.iter().filter(|n| n.kind == Kind::Ca);
    let hosts = hosts.filter(|host| leaves.insert(host.ports[0].peer));
    let hosts: Vec<&str> = hosts.map(|host| &*host.id).collect();
    let failures = |config: &Config| -> Vec<BTreeSet<String>> {
        let sim = Ibsim::start(&net.path);
        let sm = OpenSm::start(&sim, config);
        let failures = hosts
            .iter()
            .map(|host| tools::ibqueryerrors(&sim, &sm.files, host));
        failures.collect()
    };
    let (ours, updn) = (
        failures(&Config::dmodc()),
        failures(&Config::engines("updn")),
    );
    for (ours, updn) in ours.iter().zip(&updn) {
        assert!(ours.is_subset(updn), "{ours:#?}\n{updn:#?}");
    }
    let without = failures(&Config::dmodc().options("dmodc.on_unreachable=partial"));
    assert!(without.iter().any(|failed| !failed.is_empty()));
}
