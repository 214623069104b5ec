//! `dmodc forget`, and who else reads what `dmodc.reference=auto` keeps.

use crate::routed::with_reference;
use crate::support::*;
use dmodc::dmodc::Engine;
use dmodc::fabric::Fabric;
use dmodc::netlist::Netlist;
use dmodc::reference::{Day, Reference};
use std::collections::HashMap;
use std::fs;

fn fabric(file: &str) -> Fabric {
    let netlist = Netlist::parse(&fs::read(file).expect("the file")).expect("a netlist");
    netlist.to_fabric(None).expect("LIDs").0
}

/// A fabric without a leaf, an uplink and a host, and the file that `auto` has of it.
fn seen() -> (Routed, String, String) {
    let routed = Routed::shape("PGFT(2;4,4;1,3;1,1)");
    let (less, kept) = (routed.file("less"), routed.file("kept"));
    let gone = ["L1-2", "L1-0:6", "node-5"];
    let removed = gone.iter().flat_map(|thing| ["--remove", *thing]);
    let args = ["degrade", &routed.net, "-o", &less].into_iter();
    ok(&args.chain(removed).collect::<Vec<_>>());
    let netlist = Netlist::parse(&fs::read(&routed.net).expect("there")).expect("a netlist");
    let options = with_reference(&netlist);
    let whole = Reference::from(netlist);
    let engine = Engine::new(1).expect("a thread");
    let plan = engine.plan(&fabric(&less), &options).expect("a tree");
    let (merged, _) = plan.known().expect("a reference");
    let day = Day::parse("2026-03-11").expect("a day");
    let mut text = Vec::new();
    let grown = whole.grown(merged, &HashMap::new(), day);
    grown.write(&mut text).expect("memory takes it");
    fs::write(&kept, text).expect("written");
    (routed, less, kept)
}

#[test]
fn what_will_not_come_back_is_listed_and_forgotten() {
    let (_routed, less, kept) = seen();
    let list = ok(&["forget", "--reference", &kept]);
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 4, "{list}");
    assert!(lines[0].starts_with("2026-03-11 switch 0x") && lines[0].ends_with("'L1-2'"));
    assert!(lines[1].starts_with("2026-03-11 link 0x"), "{list}");
    assert!(lines[1].ends_with("'L1-0' [6]"), "{list}");
    assert!(lines[2].ends_with("'node-5'"), "{list}");
    // `wiring` says when it was last seen.
    let wiring = ends(1, &["wiring", &less, "--reference", &kept]);
    let seen = wiring.matches("last seen 2026-03-11");
    assert_eq!(seen.count(), 3, "{wiring}");
    let told = ok(&["forget", "--reference", &kept, "L1-2", "L1-0:6"]);
    let told: Vec<&str> = told.lines().collect();
    let is_dated = |line: &&str| line.ends_with(", last seen 2026-03-11");
    assert!(told.iter().all(is_dated));
    assert!(told[0].starts_with("forgotten: switch ") && told[1].starts_with("forgotten: link "));
    assert_eq!(ok(&["forget", "--reference", &kept]).lines().count(), 2);
    assert!(!fs::read_to_string(&kept).expect("there").contains("L1-2"));
    // What is there comes back: that is said.
    let output = dmodc(&["forget", "--reference", &kept, "node-0"]);
    assert!(stderr(&output).contains("comes back with the next sweep"));
    let unknown = fails(2, &["forget", "--reference", &kept, "L1-2"]);
    assert!(unknown.contains("nothing in this fabric is called 'L1-2'"));
}

#[test]
fn the_file_of_the_plugin_is_the_default() {
    let (_routed, _, kept) = seen();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opensm-dmodc-reference.net");
    fs::copy(&kept, &path).expect("copied");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dmodc"));
    let output = command.arg("forget").env("OSM_CACHE_DIR", folder.path());
    let output = output.output().expect("it runs");
    let list = String::from_utf8(output.stdout).expect("text");
    assert!(list.ends_with("3 dark\n"), "{list}");
}

#[test]
fn what_is_no_reference_stays_as_it_is() {
    let (_routed, less, kept) = seen();
    let text = fs::read_to_string(&kept).expect("there");
    let later = text.replacen("reference 1", "reference 2", 1);
    let broken = text.replacen("#: seen 2026-03-11", "#: seen yesterday", 1);
    for (text, reason) in [
        (later, "version '2'"),
        (broken, "not a note of a reference: seen yesterday"),
        ("noise".to_owned(), ""),
    ] {
        fs::write(&kept, &text).expect("written");
        assert!(fails(2, &["forget", "--reference", &kept, "L1-2"]).contains(reason));
        assert!(fails(2, &["route", &less, "--reference", &kept]).contains(reason));
        assert_eq!(fs::read_to_string(&kept).expect("there"), text);
    }
    let piped = fails(2, &["forget", "--reference", "-", "L1-2"]);
    assert!(piped.contains("cannot be changed"));
}
