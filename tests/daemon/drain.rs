//! Drained links under OpenSM: Dmodc reads `dmodc.drain` at each sweep and empties its links. `upgrades.rs` pulls them.

use crate::metrics::when;
use crate::support::*;
use dmodc_fabric::{Drained, EndNode, Fabric, Guid};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const TREE: &str = "PGFT(3;6,6,4;1,3,6;1,1,1)";

/// A switch above the leaves.
const SPINE: &str = "L2-4";

/// Files for `dmodc.drain` and `dmodc.metrics`, and the configuration that names them.
fn with_files(sim: &Ibsim, text: &str) -> ([PathBuf; 2], Config) {
    let [file, figures] = ["drain.txt", "dmodc.prom"].map(|name| sim.dir().join(name));
    fs::write(&file, text).expect("written");
    let [drain, metrics] = [&file, &figures].map(|path| path.display());
    let options = format!("dmodc.drain={drain} dmodc.metrics={metrics}");
    ([file, figures], Config::dmodc().options(&options))
}

#[test]
fn a_spine_is_drained_and_used_again() {
    let (net, sim) = Net::simulated(TREE);
    let ([file, figures], config) = with_files(&sim, "# nothing yet\n");
    let sm = OpenSm::start(&sim, &config);
    let are_drained = |count: f64| {
        let found = when(&figures, |m| m.get("dmodc_drained") == count);
        assert_eq!(found.get("dmodc_drained_routes"), 0.0);
        found.get("dmodc_drain_odd_lines")
    };
    let first = sm.files.lfts();
    let told = || sm.files.log_lines("dmodc: drained: ");
    assert_eq!(told(), [""; 0]);

    // An edit and a SIGHUP.
    let odd = "no such switch\nnor this one\n";
    fs::write(&file, format!("{SPINE}  # firmware\n{odd}")).expect("written");
    sm.resweep();
    let lines = told();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    has(
        &lines[0],
        &format!("drained: switch '{SPINE}': empty but for "),
    );
    let odd = ["drain.txt:2: this line drains nothing", "drain.txt:3: "];
    sm.files.assert_errors(&odd);
    assert_ne!(sm.files.last("changed_blocks"), "0");
    assert_eq!(are_drained(1.0), 2.0);
    let switch = net.node(SPINE).guid;
    let drain = Drained { switch, port: None };
    let options = Options {
        drain: vec![drain],
        ..Options::default()
    };
    sm.files.assert_routed(&options);
    sm.resweep();
    assert_eq!((told().len(), &*sm.files.last("changed_blocks")), (1, "0"));

    // The line is removed.
    fs::write(&file, "").expect("written");
    sm.resweep();
    assert!(sm.files.lfts() == first, "the tables did not return");
    assert_eq!(are_drained(0.0), 0.0);
    assert!(sm.stop());
}

/// What a line means depends on what was there before, and not on how much OpenSM logs.
#[test]
fn a_line_for_equipment_that_is_out_is_no_error_at_any_log_level() {
    let (net, mut sim) = Net::simulated(TREE);
    let ([file, _], _) = with_files(&sim, "");
    let options = format!("dmodc.reference=none dmodc.drain={}", file.display());
    let config = Config::dmodc().options(&options).log_flags("0x41");
    let sm = OpenSm::launch(&sim, &config);
    let spine = net.node(SPINE);
    let guid = format!("{:016x}", spine.guid.0);
    // At this level no line says that a sweep has ended: the dump of the subnet does.
    let wait_until_it = |is_there: bool| {
        let dump = || fs::read_to_string(sm.files.path("opensm-subnet.lst"));
        let is = || dump().is_ok_and(|dump| dump.contains(&guid) == is_there);
        process::wait_until(Duration::from_secs(60), is, || "no such dump".into());
    };
    wait_until_it(true);
    sim.unlink_all(spine);
    sm.hang_up();
    wait_until_it(false);

    let from = sm.files.log_len();
    fs::write(&file, format!("0x{guid}\nno such switch\n")).expect("written");
    sm.hang_up();
    sm.files.wait_for(from, "dmodc: ERR");
    sm.files.assert_errors(&["drain.txt:2: "]);
    assert!(sm.stop());
}

/// With `use_ucast_cache` OpenSM calls no engine while the fabric stays; a drain is done all the same.
#[test]
fn a_drain_is_done_with_the_unicast_cache_too() {
    let sim = Ibsim::start(&Net::pgft(TREE).path);
    let ([file, _], config) = with_files(&sim, "");
    let sm = OpenSm::start(&sim, &config.line("use_ucast_cache TRUE"));
    let first = sm.files.lfts();
    sm.resweep();
    assert_eq!(sm.files.routed(), 1, "the cache is used");
    fs::write(&file, SPINE).expect("written");
    sm.resweep();
    assert_eq!(sm.files.log_lines("dmodc: drained: switch '").len(), 1);
    assert_ne!(sm.files.last("changed_blocks"), "0");
    sm.resweep();
    assert_eq!(sm.files.routed(), 2, "the cache is used again");
    fs::write(&file, "").expect("written");
    sm.resweep();
    assert!(sm.files.lfts() == first, "the tables did not return");
    sm.files.assert_errors(&[]);
    assert!(sm.stop());
}

/// "Empty" means that a cable can be pulled: it is said after OpenSM has sent the tables, and not while a switch has
/// not taken its own.
#[test]
fn empty_is_said_when_the_switches_have_their_tables() {
    let (net, mut sim) = Net::simulated(TREE);
    let ([file, figures], config) = with_files(&sim, "");
    let sm = OpenSm::start(&sim, &config);
    let sent = "tables configured on all switches";
    let order = |from: u64| {
        let log = sm.files.log_after(from);
        let at = |text: &str| log.lines().position(|line| line.contains(text));
        [at(sent), at("dmodc: drained: ")].map(|line| line.expect("a line"))
    };
    let is_spine = |peer: u32| net.netlist.nodes[peer as usize].description == SPINE;
    let is_beside = |leaf: &&_| net.uplinks(leaf).any(|p| is_spine(p.peer));
    let beside = net.other_leaves().find(is_beside).expect("a leaf below");

    // A switch beside the spine takes no tables.
    sim.errors_at(&beside.id, 100, "0x19");
    fs::write(&file, SPINE).expect("written");
    let from = sm.files.log_len();
    sm.hang_up();
    sm.files.wait_for(from, "dmodc: drained: ");
    let [sent_at, told_at] = order(from);
    assert!(sent_at < told_at);
    let lines = sm.files.log_lines("dmodc: drained: ");
    let name = &beside.description;
    let expected = format!("OpenSM could not set the tables of '{name}'");
    assert!(lines[0].ends_with(&expected), "{lines:#?}");
    assert!(lines[0].contains(&format!("'{SPINE}': not empty yet: ")));
    let used = when(&figures, |m| m.get("dmodc_drained") == 1.0);
    assert_ne!(used.get("dmodc_drained_routes"), 0.0);

    sim.errors_at(&beside.id, 0, "0x19");
    let from = sm.files.log_len();
    sm.hang_up();
    sm.files.wait_for(from, ": empty");
    let [sent_at, told_at] = order(from);
    assert!(sent_at < told_at);
    when(&figures, |m| m.get("dmodc_drained_routes") == 0.0);
    assert!(sm.stop());
}

/// The ports by which each switch forwards packets of the broadcast group, port 0 aside, by OpenSM's dump.
fn broadcast_ports(sm: &OpenSm) -> BTreeMap<Guid, BTreeSet<PortNumber>> {
    let dump = fs::read_to_string(sm.files.path("opensm.mcfdbs")).expect("a dump");
    let mut all = BTreeMap::new();
    let mut at = Guid(0);
    for line in dump.lines() {
        if let Some(guid) = line.strip_prefix("Switch 0x") {
            at = guid.parse().expect("a GUID");
        } else if let Some(ports) = line.strip_prefix("0xC000 :") {
            let ports = ports.split_whitespace().map(|port| {
                let port = port.strip_prefix("0x").expect("a port");
                PortNumber(u8::from_str_radix(port, 16).expect("a port"))
            });
            let external = ports.filter(|&port| port != PortNumber::ZERO);
            all.insert(at, external.collect());
        }
    }
    all
}

/// Asserts that the group connects these hosts and no others; ibdmchk also finds no loop.
fn assert_reaches(sim: &Ibsim, sm: &OpenSm, fabric: &Fabric, members: &[&EndNode]) {
    let ports = broadcast_ports(sm);
    for member in members {
        let leaf = fabric.guid(member.switch);
        let is_reached = ports.get(&leaf).is_some_and(|of| of.contains(&member.port));
        assert!(is_reached, "{member:?}: {ports:?}");
    }
    tools::ibdmchk(sim, &sm.files);
    let found = String::from_utf8(sm.files.read("ibdmchk.out")).expect("text");
    let group = "Multicast Group:0xC000 has:";
    let hosts = format!("{} switches and:{} HCAs", ports.len(), members.len());
    has(&found, &format!("{group}{hosts}"));
}

#[test]
fn a_multicast_tree_avoids_a_drained_switch() {
    let net = Net::pgft_with_lids(TREE);
    let sim = Ibsim::start(&net.path);
    let ([file, _], config) = with_files(&sim, "");
    let sm = OpenSm::start(&sim, &config);
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
