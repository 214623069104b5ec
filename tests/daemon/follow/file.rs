//! File mode.

use super::{Follower, config, hang_up, seen_from, wait_until_routed};
use crate::support::*;
use std::fs;

#[test]
fn tables_follow_links_hosts_and_switches() {
    let (net, mut sim) = Net::simulated(FIGURE_1);
    let nodes = net.netlist.nodes.len();
    let file = sim.dir().join("tables");
    let path = path_of(&file).to_owned();
    let hops = sim.dir().join("hops");
    // Before OpenSM has assigned LIDs.
    let keeps = ["--lfts", &path, "--lid-matrix", path_of(&hops)];
    let mut first = Follower::start(&sim, &[&keeps[..], &["--once"]].concat());
    assert_eq!(first.ends(), Some(0), "{}", first.said());
    let matrix = format!("lid_matrix_dump_file {}", hops.display());
    let sm = OpenSm::start(&sim, &config(&file).line(matrix));
    let notify = hang_up(&sm);
    let follower = Follower::start(&sim, &[&keeps[..], &["--notify", &notify]].concat());
    follower.wait_for("tables written", 1);
    wait_until_routed(&sm.files, nodes);
    let whole = fs::read(&file).expect("tables");
    follower.wait_for("this host's OpenSM is master", 1);

    let (node, port) = net.switch_link();
    let host = sim.hosts()[5].clone();
    sim.unlink(node, port);
    follower.wait_for("lost: '", 1);
    sim.unlink(&host, PortNumber(1));
    follower.wait_for("lost: host", 1);
    wait_until_routed(&sm.files, nodes - 1);
    sim.relink(&host, PortNumber(1));
    sim.relink(node, port);
    follower.wait_for("back: ", 2);
    wait_until_routed(&sm.files, nodes);
    assert!(fs::read(&file).expect("tables") == whole, "they return");
    assert_eq!(sm.files.log_lines("PARSE"), [""; 0]);
    tools::ibdmchk(&sim, &sm.files);
    let said = follower.said();
    assert!(!said.contains("ERR"), "{said}");
    assert!(sm.stop());
}

#[test]
fn beside_a_standby_it_waits() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let file = sim.dir().join("tables");
    let path = path_of(&file).to_owned();
    let _sm = OpenSm::start(&sim, &Config::engines("minhop"));
    let elsewhere = seen_from(&sim, 3, "ibnetdiscover");
    let follower = Follower::discovering(&sim, &elsewhere, &["--lfts", &path]);
    follower.wait_for("another host's OpenSM is master: waiting", 1);
    assert!(!file.exists());
}
