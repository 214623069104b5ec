//! Fabrics to route, and the tool as the offline side of every comparison.

use super::process::{self, Finished};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Two leaves with two hosts each under two upper switches.
pub fn two_levels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/two-levels.netlist")
}

/// The netlist of a PGFT, made by the tool in `dir`.
pub fn pgft(spec: &str, dir: &Path) -> PathBuf {
    let netlist = dir.join("fabric.netlist");
    let done = dmodc(dir, &["generate", spec, "-o", text(&netlist)]);
    assert!(done.success(), "{}", done.output);
    netlist
}

/// The same netlist with some links between switches taken away.
pub fn without_links(netlist: &Path, links: usize, seed: u64) -> PathBuf {
    let degraded = netlist.with_extension("degraded");
    let (links, seed) = (links.to_string(), seed.to_string());
    let dir = netlist.parent().expect("the netlist lies in a folder");
    let args = ["degrade", text(netlist), "--links", &links, "--seed", &seed];
    let done = dmodc(dir, &[&args[..], &["-o", text(&degraded)]].concat());
    assert!(done.success(), "{}", done.output);
    degraded
}

/// The tables that the tool computes for a netlist or a subnet dump, with more options.
pub fn route_offline(net: &Path, dir: &Path, options: &[&str]) -> Vec<u8> {
    let lfts = dir.join("offline.lfts");
    let done = dmodc(dir, &[&["route", text(net), "--lfts", text(&lfts)], options].concat());
    assert!(done.success(), "{}", done.output);
    fs::read(&lfts).expect("the tool has written its tables")
}

/// Runs the tool.
pub fn dmodc(dir: &Path, args: &[&str]) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dmodc"));
    command.current_dir(dir).args(args);
    process::run(command, &dir.join("dmodc.out"), Duration::from_secs(60))
}

/// A path as the tool takes it.
fn text(path: &Path) -> &str {
    path.to_str().expect("the path is plain text")
}

/// A fabric of the collection of real ones, if this machine has it.
pub fn collected(name: &str) -> Option<PathBuf> {
    let dirs = ["shared/topologies", "../shared/topologies"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = dirs.iter().map(|dir| root.join(dir).join(name)).find(|file| file.exists());
    if found.is_none() {
        eprintln!("skipped: no {name} beside this repository");
    }
    found
}
