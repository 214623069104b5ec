//! The reference under a running OpenSM: missing equipment keeps its place, and a file that is no reference does no
//! harm.

mod folder;
mod forget;

use crate::support::*;
use dmodc_fabric::{Fabric, Guid};
use dmodc_formats::files::of_ports;
use dmodc_formats::netlist::Netlist;
use dmodc_formats::reference::Reference;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

const TREE: &str = "PGFT(2;4,6;1,4;1,1)";
const SPINE: &str = "L2-0";

/// The file of an OpenSM at a host, by the port GUID that ibsim gives it.
pub fn at_port(net: &Net, host: usize) -> String {
    let hosts = net.netlist.nodes.iter();
    let mut hosts = hosts.filter(|n| n.kind == dmodc_formats::netlist::Kind::Ca);
    let host = hosts.nth(host).expect("a host");
    let port = host.guid.0 + u64::from(host.ports[0].number.0);
    Files::REFERENCE.replace("%g", &Guid(port).to_string())
}

fn with_option(reference: &str) -> Config {
    Config::dmodc().options(&format!("dmodc.reference={reference}"))
}

/// The file that Dmodc keeps.
pub fn kept(path: &Path) -> Reference {
    let text = fs::read(path).expect("the file");
    let read = Reference::parse_leniently(&text).expect("a reference");
    read.strict().expect("nothing is odd")
}

/// The places that it has.
pub fn places(path: &Path) -> Fabric {
    kept(path).fabric().expect("LIDs")
}

/// A fabric that has no node in common with any other.
fn other(shape: &str) -> Netlist {
    let mut other = Net::pgft(shape).netlist;
    for node in &mut other.nodes {
        node.guid = Guid(node.guid.0 ^ 1 << 60);
        node.id = format!("other-{}", node.id);
        node.ports.iter_mut().for_each(|port| port.guid = None);
    }
    other
}

/// Asserts that OpenSM's tables are the offline ones of its last subnet dump with this reference, and deliver.
fn assert_tables_fit(files: &Files, reference: Option<Fabric>) {
    let options = Options {
        reference: reference.map(Arc::new),
        ..Options::default()
    };
    let offline = files.assert_routed(&options);
    offline.assert_clean(&files.lfts());
}

#[test]
fn a_file_that_is_no_reference_is_one_line_and_does_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("plain text").to_owned()
    };
    let text = other(FIGURE_1).to_text();
    // A sparse file, which takes no disk space.
    let huge = file("huge", b"");
    let grown = File::options().write(true).open(&huge);
    let grown = grown.and_then(|file| file.set_len(1 << 40));
    grown.expect("a file with a hole");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let sim = Ibsim::start(&Net::pgft(TREE).path);
    for (reference, reason) in [
        (file("half", &text[..text.len() / 2]), "half"),
        (file("noise", b"\0\xff reference \n"), "noise"),
        (at("none"), "No such file"),
        (at(""), "not a plain file but a folder"),
        (file("other", &text), "of another fabric"),
        (huge, "more than any fabric needs"),
    ] {
        let sm = OpenSm::start(&sim, &with_option(&reference));
        sm.resweep();
        sm.files.assert_errors(&[reason]);
        assert_tables_fit(&sm.files, None);
    }
}

#[test]
fn the_papers_rule_takes_no_reference() {
    let sim = Ibsim::start(&Net::pgft(TREE).path);
    let config = Config::dmodc().options("dmodc.reference=some-file dmodc.faults=paper");
    let files = opensm::route(&sim, &config);
    files.assert_errors(&["dmodc.faults=paper"]);
    // The default has no file then, and no error.
    let files = opensm::route(&sim, &Config::dmodc().options("dmodc.faults=paper"));
    files.assert_errors(&[]);
    let kept = of_ports(&files.path(Files::REFERENCE));
    assert!(kept.is_empty(), "{kept:?}");
}
