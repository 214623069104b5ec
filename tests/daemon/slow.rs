//! Links that came up slow, under OpenSM: the log tells each once, and `dmodc.metrics` has a series for it.

use crate::changes::said;
use crate::metrics::{Metrics, TREE, metrics_file, wait_for_use, when, with_reference};
use crate::support::*;
use dmodc::netlist::{Kind, Netlist, Node};
use std::fs;

/// A node by its description.
fn node<'n>(net: &'n Netlist, name: &str) -> &'n Node {
    let found = net.nodes.iter().find(|n| n.description == name);
    found.expect("a node")
}

/// The slow links that the metrics have.
fn slow(metrics: &Metrics) -> Vec<String> {
    let names = metrics.names();
    names
        .filter(|name| name.starts_with("dmodc_links_slow"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_link_and_a_host_that_came_up_at_1x_are_told() {
    // As people write it for ibsim: the widths that are enabled, and no speeds elsewhere.
    let tree = Net::pgft(TREE);
    let mut text = Vec::new();
    tree.netlist.write(&mut text).expect("memory");
    let text = String::from_utf8(text)
        .expect("UTF-8")
        .replace(" 4xEDR", "");
    let (spine, host) = (node(&tree.netlist, "L2-4"), node(&tree.netlist, "node-7"));
    let (up, at) = (&spine.ports[2], &host.ports[0]);
    let id = |index: u32| tree.netlist.nodes[index as usize].id.as_str();
    let slow_ports = [
        (&*spine.id, up.number),
        (id(up.peer), up.peer_port),
        (&*host.id, at.number),
        (id(at.peer), at.peer_port),
    ];
    let mut owner = "";
    let lines = text.lines().map(|line| {
        let named = line.split('"').nth(1).filter(|_| !line.starts_with('['));
        owner = named.unwrap_or(owner);
        let mut ports = slow_ports.iter();
        let is_slow =
            ports.any(|&(id, port)| id == owner && line.starts_with(&format!("[{port}]")));
        format!("{line}{}\n", if is_slow { " w=1" } else { "" })
    });
    let text: String = lines.collect();
    assert_eq!(text.matches(" w=1\n").count(), 4);
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), text).expect("written");
    let net = Net::open(file.path().to_owned());
    let sim = Ibsim::start(&net.path);
    let (metrics, config) = with_reference(&sim, "auto");
    let sm = OpenSm::start(&sim, &config);
    let leaf = (&tree.netlist.nodes[up.peer as usize], up.peer_port);
    let expected = [
        format!(
            "slow: '{}' [{}] -- 'L2-4' [3] 1xSDR, siblings 4xSDR",
            leaf.0.description, leaf.1
        ),
        format!(
            "slow: host 'node-7' at '{}' [{}] 1xSDR, siblings 4xSDR",
            tree.netlist.nodes[at.peer as usize].description, at.peer_port
        ),
    ];
    assert_eq!(said(&sm, 0)[1..3], expected);
    let found = slow(&wait_for_use(&metrics, true));
    assert_eq!(found.len(), 2, "{found:?}");
    let of_link = found
        .iter()
        .find(|name| name.contains("peer_description=\"L2-4\""));
    let labels = format!("description=\"{}\",port=\"{}\"", leaf.0.description, leaf.1);
    assert!(
        of_link.is_some_and(|name| name.contains(&labels)),
        "{found:?}"
    );
    assert!(of_link.is_some_and(|n| n.ends_with("speed=\"1xSDR\",expected=\"4xSDR\"}")));
    // The reference that it keeps leaves the speed of both open.
    let places = fs::read(sm.files.path("opensm-dmodc-reference.net")).expect("the places");
    let places = Netlist::parse(&places).expect("a netlist");
    let ports = places.nodes.iter().flat_map(|node| &node.ports);
    let mut links: Vec<&str> = ports.map(|port| &*port.link).collect();
    links.sort_unstable();
    assert_eq!(
        (links.len(), links.partition_point(|l| *l == "4x")),
        (72, 4)
    );
    assert!(links[4..].iter().all(|link| *link == "4xSDR"), "{links:?}");
    // What OpenSM dumps says the same, and so does the tool.
    sm.resweep();
    assert_eq!(sm.files.log_lines("dmodc: slow").len(), 2);
    assert_eq!(slow(&wait_for_use(&metrics, true)), found);
    let (fabric, _) = net.netlist.to_fabric(None).expect("LIDs");
    let (live, _) = sm.files.subnet().to_fabric(None).expect("LIDs");
    for (s, switch) in (0u32..).zip(fabric.switches()) {
        assert_eq!(live.speeds_of(s), fabric.speeds_of(s), "{}", switch.guid);
    }
}

#[test]
fn a_link_that_comes_up_slow_later_is_named_first_and_ends_with_the_link() {
    // A port of each switch is spare.
    let mut netlist = Net::pgft(TREE).netlist.clone();
    let nodes = netlist.nodes.iter_mut();
    nodes
        .filter(|n| n.kind == Kind::Switch)
        .for_each(|n| n.port_count += 1);
    let net = Net::write(netlist);
    let mut sim = Ibsim::start(&net.path);
    let (metrics, config) = metrics_file(&sim, Config::dmodc());
    let sm = OpenSm::start(&sim, &config);
    assert_eq!(slow(&wait_for_use(&metrics, true)), [""; 0]);
    let leaf = net.other_leaves().next().expect("a leaf");
    let up = net.uplinks(leaf).next().expect("a link up");
    let port = up.number;
    let spine = &net.netlist.nodes[up.peer as usize];
    // ibsim's other ports are 4xSDR.
    let spare = leaf.port_count;
    assert!(leaf.ports.iter().all(|p| p.number != spare), "{leaf:?}");
    let from = sm.files.log().len();
    sim.batch(&[
        format!("Unlink \"{}\"[{port}]", leaf.id),
        format!(
            "Link \"{}\"[{spare}] \"{}\"[{}]",
            leaf.id, spine.id, up.peer_port
        ),
    ]);
    sm.resweep();
    let lines = said(&sm, from);
    // ibsim raises such a link to 4xQDR once OpenSM has set what is enabled.
    let is_it = |line: &String| {
        let link = format!(
            "slow: '{}' [{spare}] -- '{}' [{}] ",
            leaf.description, spine.description, up.peer_port
        );
        let speed = line.strip_prefix(&link);
        speed.is_some_and(|s| ["4xSDR, siblings 4xEDR", "4xQDR, siblings 4xEDR"].contains(&s))
    };
    assert!(lines.iter().any(is_it), "{lines:#?}");
    let found = when(&metrics, |m| slow(m).len() == 1);
    let found = slow(&found);
    let is_slow = |speed: &str| found[0].contains(&format!("speed=\"{speed}\",expected=\"4xEDR\""));
    assert!(["4xSDR", "4xQDR"].into_iter().any(is_slow), "{found:?}");
    let from = sm.files.log().len();
    sim.unlink(&leaf.id, spare);
    sm.resweep();
    assert!(said(&sm, from).iter().all(|line| !line.contains("mended")));
    when(&metrics, |m| slow(m).is_empty());
}
