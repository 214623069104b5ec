//! The programs that exports are made for, slurmctld and dot, can read them. A test is skipped, with a report, where
//! Debian's package is not installed.

use crate::support::*;
use dmodc_lab::sim::{Guard, poll};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Whether a program is installed. Reports a skip if it is not.
fn is_there(program: &str, package: &str) -> bool {
    let found = Command::new(program).arg("-V").output();
    if found.is_err() {
        crate::skip::skipped(format_args!("no {program}; Debian has it in {package}"));
    }
    found.is_ok()
}

/// The trees among the production fabrics, and two small ones.
fn trees(dir: &Path) -> Vec<String> {
    let others = ["two-planes", "nodes-on-spines"];
    let others = others.map(|name| data(&format!("fabrics/{name}.netlist")));
    let all = production().into_iter().chain(others);
    let mut trees: Vec<String> = all.map(|file| path_of(&file).to_owned()).collect();
    trees.retain(|file| !file.contains("ring"));
    let figure = path_of(&dir.join("figure-1.net")).to_owned();
    ok(["generate", FIGURE_1, "-o", &figure]);
    trees.push(figure);
    trees
}

/// The log lines of the switches, from a slurmctld that reads a topology.conf. The daemon has its own folder and port,
/// and is killed once the lines are there.
fn slurm_reads(dir: &Path, conf: &str, hosts: &str) -> Vec<String> {
    let file = |name: &str| dir.join(name);
    fs::create_dir_all(file("state")).unwrap();
    fs::write(file("topology.conf"), conf).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = port.local_addr().unwrap().port();
    let nodes = hosts.lines().map(|host| format!("NodeName={host}\n"));
    let nodes: String = nodes.collect();
    let word = |program: &str, arg: &str| done(Command::new(program).arg(arg)).trim().to_owned();
    let host = word("uname", "-n");
    let host = host.split('.').next().unwrap();
    let user = word("id", "-un");
    let config = format!(
        "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nAuthType=auth/none\nCredType=cred/none\n\
         SlurmUser={}\nStateSaveLocation={}\nSlurmctldPidFile={}\nSlurmctldPort={port}\n\
         TopologyPlugin=topology/tree\nSelectType=select/cons_tres\n{nodes}PartitionName=all Nodes=ALL\n",
        user,
        path_of(&file("state")),
        path_of(&file("pid")),
    );
    fs::write(file("slurm.conf"), config).unwrap();
    let mut command = Command::new("slurmctld");
    command
        .args(["-D", "-c", "-vv", "-f"])
        .arg(file("slurm.conf"));
    let daemon = Guard::start(command, &file("log")).unwrap();
    let said = || fs::read_to_string(file("log")).unwrap();
    poll(Duration::from_secs(60), || {
        said().contains("switches_dist[0]").then_some(())
    });
    drop(daemon);
    let text = said();
    let mut faults = "fatal|Invalid node name|multiple leaf|invalid child".split('|');
    assert!(!faults.any(|fault| text.contains(fault)), "{text}");
    let lines = text
        .lines()
        .filter_map(|line| line.split_once("Switch level:"));
    let lines: Vec<String> = lines.map(|(_, line)| line.to_owned()).collect();
    assert!(!lines.is_empty(), "{text}");
    lines
}

#[test]
fn slurm_reads_topology_conf() {
    if !is_there("slurmctld", "slurmctld") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (at, net) in trees(dir.path()).iter().enumerate() {
        let conf = ok(["export", net, "slurm"]);
        let hosts = ok(["export", net, "hosts"]);
        let lines = slurm_reads(&dir.path().join(at.to_string()), &conf, &hosts);
        // The word after a key.
        let word = |line: &str, key: &str| -> String {
            let (_, rest) = line.split_once(key).unwrap();
            rest.split(' ').next().unwrap().to_owned()
        };
        let read: BTreeSet<String> = lines.iter().map(|l| word(l, "name:")).collect();
        let lines_of = conf.lines().filter(|line| !line.starts_with('#'));
        let written = lines_of.map(|line| word(line, "SwitchName="));
        assert_eq!(read, written.collect(), "{net}");
        let leaves = lines.iter().filter(|line| line.starts_with("0 "));
        assert_eq!(leaves.count(), conf.matches(" Nodes=").count(), "{net}");
    }
}

#[test]
fn dot_reads_the_graph() {
    if !is_there("dot", "graphviz") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for net in trees(dir.path()) {
        let graph = dir.path().join("graph");
        ok(["export", &net, "dot", "-o", path_of(&graph)]);
        // `-Tcanon` needs no layout, which takes minutes for hundreds of switches.
        let text = done(Command::new("dot").arg("-Tcanon").arg(&graph));
        let graph = fs::read_to_string(&graph).unwrap();
        let edges = |text: &str| text.matches(" -- ").count();
        assert_eq!(edges(&text), edges(&graph), "{net}");
        let switches = graph.matches("[label=\"").count();
        assert_eq!(json(["route", &net])["switches"], switches);
    }
}
