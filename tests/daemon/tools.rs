//! The stock diagnostics on Dmodc's tables: hosts, routers and switches reply at all their LIDs, wherever they are.

use crate::support::*;
use dmodc_fabric::NodeKind;

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
    for &lid in &lids {
        assert!(
            tools::smpquery(&sim, &sm.files, tools::last(&sim), lid).contains("Channel Adapter")
        );
    }
    for pair in lids.windows(2).filter(|pair| pair[0] / 2 != pair[1] / 2) {
        let route = tools::ibtracert(&sim, &sm.files, pair[0], pair[1]);
        assert!(route.contains("To ca"), "{route}");
    }
    let (fabric, _) = sm.files.subnet().to_fabric(Some(1)).expect("LIDs for all");
    for switch in fabric.switches() {
        let lid = switch.lid.0;
        let info = tools::smpquery(&sim, &sm.files, tools::last(&sim), lid);
        assert!(info.contains("Switch"), "LID {lid}: {info}");
        has(&info, &switch.guid.to_string());
        let counters = tools::perfquery(&sim, &sm.files, lid, 1);
        assert!(counters.contains("PortRcvData"), "LID {lid}: {counters}");
        let route = tools::ibtracert(&sim, &sm.files, lids[0], lid);
        assert!(route.contains("To switch"), "LID {lid}: {route}");
    }
}

/// Hosts on all leaves and on one spine, routers on a leaf and on the other spine.
#[test]
fn hosts_and_routers_on_spines() {
    let mut sketch = Sketch::switches(4, 3);
    let spines = [sketch.switch(), sketch.switch()];
    for spine in spines {
        (0..4).for_each(|leaf| sketch.link(leaf, spine));
    }
    sketch.router(1);
    sketch.router(spines[1]);
    sketch.host(spines[0]);
    let net = sketch.net();
    let sim = Ibsim::start(&net.path);
    let sm = OpenSm::start(&sim, &Config::dmodc());
    let (fabric, _) = sm.files.subnet().to_fabric(Some(0)).expect("LIDs for all");
    let routers = fabric
        .end_nodes()
        .iter()
        .filter(|n| n.kind == NodeKind::Router);
    let routers: Vec<u16> = routers.map(|n| n.lid.0).collect();
    assert_eq!(routers.len(), 2, "OpenSM gives routers LIDs");
    // The node order has no routers: they run no ranks of a job.
    let order = std::fs::read(sm.files.by_port(Files::ORDER)).expect("the order");
    let order = String::from_utf8(order).expect("text");
    assert_eq!(order.lines().count(), 13, "{order}");
    let offline = Offline::route(&sm.files.subnet(), 0, 1, &Options::default());
    assert_eq!(order, offline.order());
    offline.assert_same(&sm.files.lfts());
    offline.assert_clean(&sm.files.lfts());
    // The first host is on a leaf, from which there is an up-down path to every LID.
    let lids = sm.files.end_node_lids(0);
    for &lid in &lids {
        let info = tools::smpquery(&sim, &sm.files, &sim.hosts()[0], lid);
        let kind = match routers.contains(&lid) {
            true => "Router",
            false => "Channel Adapter",
        };
        assert!(info.contains(kind), "LID {lid}: {info}");
    }
}
