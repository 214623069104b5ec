//! OpenSM's own engine `file` with tables that are not, or no longer, those of the fabric: it behaves as
//! docs/opensm-behaviour.md describes.

use crate::support::*;
use dmodc_fabric::{NO_PATH, SwitchId, Tables};
use dmodc_formats::lft::Dump;
use std::fs;
use std::path::PathBuf;

/// The fabric, and Dmodc's tables of it in a file.
struct Loaded {
    net: Net,
    path: PathBuf,
    whole: Offline,
}

impl Loaded {
    fn new() -> Loaded {
        let net = Net::pgft_with_lids(FIGURE_1);
        let loaded = Loaded {
            path: net.path.with_file_name("lfts"),
            whole: Offline::route(&net.netlist, 0, 1, &Options::default()),
            net,
        };
        loaded.write(&loaded.text());
        loaded
    }

    fn text(&self) -> String {
        String::from_utf8(self.whole.dump()).expect("text")
    }

    fn write(&self, text: &str) {
        fs::write(&self.path, text).expect("written");
    }

    /// The configuration of these engines with the file.
    fn config(&self, engines: &str) -> Config {
        Config::engines(engines).line(format!("lfts_file {}", self.path.display()))
    }

    /// The tables that OpenSM holds after a sweep.
    fn tables(&self, files: &Files) -> Tables {
        let dump = Dump::parse_leniently(&files.lfts()).expect("OpenSM's own dump");
        let tables = dump.value.tables_leniently(&self.whole.fabric);
        tables.expect("tables of this fabric").value
    }

    /// The log of one sweep, and the tables that OpenSM holds after it.
    fn route(&self, engines: &str) -> (String, Tables) {
        let sim = Ibsim::start(&self.net.path);
        let files = opensm::route(&sim, &self.config(engines));
        (files.log(), self.tables(&files))
    }
}

/// The number of switches that have an entry.
fn with_entries(tables: &Tables) -> usize {
    let switches = (0..tables.len()).map(SwitchId::from);
    let rows = switches.map(|switch| tables.row(switch));
    rows.filter(|row| row.iter().any(|&port| port != NO_PATH))
        .count()
}

const TAKEN: &str = "file tables configured on all switches";

#[test]
fn files_are_taken_as_they_are_unless_a_line_is_no_good() {
    let loaded = Loaded::new();
    let text = loaded.text();
    let third = text
        .match_indices("Unicast lids")
        .nth(3)
        .expect("a switch")
        .0;
    let entry = text.match_indices("\n0x").nth(40).expect("an entry").0;
    let (head, tail) = text.split_at(entry + "\n0x0001 ".len());
    // A port number that no switch has.
    let no_port = format!("{head}099{}", &tail[3..]);
    for (file, said, switches) in [
        // OpenSM takes an empty file: no switch has a route.
        (Some(""), TAKEN, Some(0)),
        (Some(&text[..third]), TAKEN, Some(3)),
        // The next engine routes all switches.
        (Some(&text[..entry + 6]), "PARSE ERROR", None),
        (Some(&*no_port), "Invalid port", None),
        (None, "ERR 6302", None),
    ] {
        match file {
            Some(text) => loaded.write(text),
            None => fs::remove_file(&loaded.path).expect("it is there"),
        }
        let (log, tables) = loaded.route("file,minhop");
        assert!(
            log.contains(said) && log.contains(TAKEN) == switches.is_some(),
            "{log}"
        );
        assert_eq!(
            with_entries(&tables),
            switches.unwrap_or(tables.len()),
            "{said}"
        );
    }
}

#[test]
fn a_file_with_other_lids_is_read_by_guid() {
    let loaded = Loaded::new();
    // OpenSM assigns other LIDs.
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let files = opensm::route(&sim, &loaded.config("file"));
    let live = Offline::route(&files.subnet(), 0, 1, &Options::default());
    let lids = |offline: &Offline| -> Vec<_> {
        let nodes = offline.fabric.end_nodes().iter();
        nodes.map(|node| (node.guid, node.lid)).collect()
    };
    assert_ne!(lids(&live), lids(&loaded.whole));
    live.assert_clean(&files.lfts());
}

/// Entries at a port that is down stay, and their packets are lost.
#[test]
fn it_is_read_again_in_each_sweep_but_not_while_the_cache_is_valid() {
    let loaded = Loaded::new();
    let mut sim = Ibsim::start(&loaded.net.path);
    let host = sim.hosts()[3].clone();
    let (node, port) = loaded.net.switch_link();
    for (word, cached) in [("FALSE", false), ("TRUE", true)] {
        loaded.write(&loaded.text());
        let config = loaded.config("file");
        let config = config.line(format!("use_ucast_cache {word}"));
        let sm = OpenSm::start(&sim, &config);
        loaded.whole.assert_same(&sm.files.lfts());
        if !cached {
            sim.unlink(node, port);
            sm.resweep();
            loaded.whole.assert_same_entries(&sm.files.lfts());
            assert_eq!(sm.files.log_lines("PARSE"), [""; 0]);
            sim.relink(node, port);
            sm.resweep();
        }
        loaded.write("");
        sim.unlink(&host, PortNumber(1));
        sm.resweep();
        let left = with_entries(&loaded.tables(&sm.files));
        assert_eq!(left > 0, cached, "{left} switches with entries");
        sim.relink(&host, PortNumber(1));
        assert!(sm.stop());
    }
}
