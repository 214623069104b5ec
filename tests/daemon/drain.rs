//! Drained links under OpenSM: Dmodc reads `dmodc.drain` at each sweep and empties its links. `upgrades.rs` pulls them.

use crate::hang_up::last;
use crate::metrics::when;
use crate::support::*;
use dmodc::dmodc::Drained;
use dmodc::fabric::{EndNode, Fabric, Guid};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const TREE: &str = "PGFT(3;6,6,4;1,3,6;1,1,1)";

/// A switch above the leaves.
const SPINE: &str = "L2-4";

#[test]
fn a_spine_is_drained_and_used_again() {
    let net = Net::pgft(TREE);
    let sim = Ibsim::start(&net.path);
    let file = sim.dir().join("drain.txt");
    fs::write(&file, "# nothing yet\n").expect("written");
    let figures = sim.dir().join("dmodc.prom");
    let [drain, metrics] = [&file, &figures].map(|path| path.display());
    let option = format!("event_plugin_options dmodc.drain={drain} dmodc.metrics={metrics}");
    let sm = OpenSm::start(&sim, &Config::dmodc().line(option));
    let are_drained = |count: f64| {
        let found = when(&figures, |m| m.get("dmodc_drained") == count);
        assert_eq!(found.get("dmodc_drained_routes"), 0.0);
    };
    let first = sm.files.lfts();
    let told = || sm.files.log_lines("dmodc: drained: ");
    assert_eq!(told(), [""; 0]);

    // An edit and a SIGHUP.
    fs::write(&file, format!("{SPINE}  # firmware\nno such switch\n")).expect("written");
    sm.resweep();
    let lines = told();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(
        lines[0].contains(&format!("drained: switch '{SPINE}': empty but for ")),
        "{lines:#?}"
    );
    let odd = sm.files.log_lines("nothing is drained: ");
    assert!(
        odd.len() == 1 && odd[0].contains("drain.txt:2: "),
        "{odd:#?}"
    );
    assert_ne!(last(&sm, "changed_blocks"), "0");
    are_drained(1.0);
    let spine = net.netlist.switches().find(|n| n.description == SPINE);
    let drain = Drained {
        switch: spine.expect("it is there").guid,
        port: None,
    };
    let options = Options {
        drain: vec![drain],
        ..Options::default()
    };
    sm.files.assert_routed(&options);
    sm.resweep();
    assert_eq!((told().len(), &*last(&sm, "changed_blocks")), (1, "0"));

    // The line is removed.
    fs::write(&file, "").expect("written");
    sm.resweep();
    assert!(sm.files.lfts() == first, "the tables did not return");
    are_drained(0.0);
    assert!(sm.stop());
}

/// The ports by which each switch forwards packets of the broadcast group, port 0 aside, by OpenSM's dump.
fn broadcast_ports(sm: &OpenSm) -> BTreeMap<Guid, BTreeSet<u8>> {
    let dump = fs::read_to_string(sm.files.path("opensm.mcfdbs")).expect("a dump");
    let mut all = BTreeMap::new();
    let mut at = Guid(0);
    for line in dump.lines() {
        if let Some(guid) = line.strip_prefix("Switch 0x") {
            at = Guid(u64::from_str_radix(guid, 16).expect("a GUID"));
        } else if let Some(ports) = line.strip_prefix("0xC000 :") {
            let ports = ports.split_whitespace().map(|port| {
                let port = port.strip_prefix("0x").expect("a port");
                u8::from_str_radix(port, 16).expect("a port")
            });
            all.insert(at, ports.filter(|&port| port > 0).collect());
        }
    }
    all
}

/// Asserts that the group connects these hosts and no others; ibdmchk also finds no loop.
fn assert_reaches(sim: &Ibsim, sm: &OpenSm, fabric: &Fabric, members: &[&EndNode]) {
    let ports = broadcast_ports(sm);
    for member in members {
        let leaf = fabric.switches()[member.switch as usize].guid;
        let is_reached = ports.get(&leaf).is_some_and(|of| of.contains(&member.port));
        assert!(is_reached, "{member:?}: {ports:?}");
    }
    tools::ibdmchk(sim, &sm.files);
    let found = String::from_utf8(sm.files.read("ibdmchk.out")).expect("text");
    let group = "Multicast Group:0xC000 has:";
    let hosts = format!("{} switches and:{} HCAs", ports.len(), members.len());
    assert!(
        found.contains(&format!("{group}{hosts}")),
        "{hosts}: {found}"
    );
}

#[test]
fn a_multicast_tree_avoids_a_drained_switch() {
    let net = Net::pgft_with_lids(TREE);
    let sim = Ibsim::start(&net.path);
    let file = sim.dir().join("drain.txt");
    fs::write(&file, "").expect("written");
    let option = format!("event_plugin_options dmodc.drain={}", file.display());
    let sm = OpenSm::start(&sim, &Config::dmodc().line(option));
    let (fabric, _) = sm.files.subnet().to_fabric(None).expect("LIDs");
    // A host at each second leaf.
    let hosts = fabric.end_nodes().iter().step_by(12);
    let members: Vec<&EndNode> = hosts.collect();
    let home = net.netlist.nodes.iter().find(|n| n.id == sim.hosts()[0]);
    let home = home.expect("OpenSM's host").ports[0].lid;
    let ports: Vec<Guid> = members.iter().map(|node| node.guid).collect();
    join::broadcast(&sim, home, &ports);
    sm.resweep();
    let tree = broadcast_ports(&sm);
    assert_reaches(&sim, &sm, &fabric, &members);

    // Drains the top of the tree, and a link of another switch above the leaves.
    let is_upper = |guid: &&Guid| {
        let s = fabric.switch_by_guid(**guid).expect("it is there");
        fabric.end_nodes_of(s).is_empty()
    };
    let mut upper: Vec<Guid> = tree.keys().filter(is_upper).copied().collect();
    upper.sort_by_key(|guid| tree[guid].len());
    let (top, other) = (upper.pop().expect("a top"), upper[0]);
    let link = *tree[&other].first().expect("a port");
    fs::write(&file, format!("{top}\n{other}:{link}\n")).expect("written");
    sm.resweep();
    let drained = broadcast_ports(&sm);
    assert!(!drained.contains_key(&top), "{drained:?}");
    assert!(
        drained
            .get(&other)
            .is_none_or(|ports| !ports.contains(&link))
    );
    assert_reaches(&sim, &sm, &fabric, &members);

    fs::write(&file, "").expect("written");
    sm.resweep();
    assert_eq!(broadcast_ports(&sm), tree);
    assert!(sm.stop());
}
