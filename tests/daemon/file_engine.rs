//! What OpenSM's own engine `file` does with tables that are not, or no longer, those of the fabric: what
//! docs/operations.md says of it.

use crate::support::fabrics::{FIGURE_1, Net};
use crate::support::ibsim::Ibsim;
use crate::support::offline::Offline;
use crate::support::opensm::{self, Config, Files, OpenSm};
use dmodc::dmodc::Options;
use dmodc::lft::{Dump, NO_PATH, Tables};
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

    /// These engines with the file.
    fn config(&self, engines: &str) -> Config {
        Config::engine(engines).line(format!("lfts_file {}", self.path.display()))
    }

    /// What OpenSM holds after a sweep.
    fn tables(&self, files: &Files) -> Tables {
        let dump = Dump::parse_leniently(&files.lfts()).expect("OpenSM's own dump");
        let tables = dump.value.tables_leniently(&self.whole.fabric);
        tables.expect("tables of this fabric").value
    }

    /// The log of one sweep, and what OpenSM holds after it.
    fn route(&self, engines: &str) -> (String, Tables) {
        let sim = Ibsim::start(&self.net.path);
        let files = opensm::route(&sim, &self.config(engines));
        (files.log(), self.tables(&files))
    }
}

/// How many switches have an entry.
fn with_entries(tables: &Tables) -> usize {
    let rows = (0..tables.len() as u32).map(|switch| tables.row(switch));
    rows.filter(|row| row.iter().any(|&port| port != NO_PATH))
        .count()
}

const TAKEN: &str = "file tables configured on all switches";

#[test]
fn an_empty_file_and_one_cut_between_lines_are_taken_as_they_are() {
    let loaded = Loaded::new();
    let text = loaded.text();
    loaded.write("");
    let (log, tables) = loaded.route("file,minhop");
    assert!(log.contains(TAKEN), "{log}");
    assert_eq!(with_entries(&tables), 0, "no switch has a route");
    let third = text
        .match_indices("Unicast lids")
        .nth(3)
        .expect("a switch")
        .0;
    loaded.write(&text[..third]);
    let (log, tables) = loaded.route("file,minhop");
    assert!(log.contains(TAKEN), "{log}");
    assert_eq!(with_entries(&tables), 3);
}

#[test]
fn a_file_cut_in_a_line_or_absent_gives_way_to_the_next_engine() {
    let loaded = Loaded::new();
    let text = loaded.text();
    let entry = text.match_indices("\n0x").nth(40).expect("an entry").0;
    loaded.write(&text[..entry + 6]);
    let (log, tables) = loaded.route("file,minhop");
    assert!(log.contains("PARSE ERROR") && !log.contains(TAKEN), "{log}");
    assert_eq!(with_entries(&tables), tables.len());
    // Another port than any has.
    let (head, tail) = text.split_at(entry + "\n0x0001 ".len());
    loaded.write(&format!("{head}099{}", &tail[3..]));
    let (log, tables) = loaded.route("file,minhop");
    assert!(
        log.contains("Invalid port") && !log.contains(TAKEN),
        "{log}"
    );
    assert_eq!(with_entries(&tables), tables.len());
    fs::remove_file(&loaded.path).expect("it is there");
    let (log, tables) = loaded.route("file,minhop");
    assert!(log.contains("ERR 6302"), "{log}");
    assert_eq!(with_entries(&tables), tables.len());
}

#[test]
fn ports_that_are_down_stay_in_the_tables() {
    let loaded = Loaded::new();
    let mut sim = Ibsim::start(&loaded.net.path);
    let sm = OpenSm::start(&sim, &loaded.config("file"));
    loaded.whole.assert_same(&sm.files.lfts());
    let (node, port) = loaded.net.switch_link();
    sim.unlink(node, port);
    sm.resweep();
    // Nothing is sent elsewhere: what would use the link is lost.
    loaded.whole.assert_same_entries(&sm.files.lfts());
    assert_eq!(sm.files.log_lines("PARSE"), [""; 0]);
}

#[test]
fn other_lids_than_those_of_the_file_are_found_by_guid() {
    let loaded = Loaded::new();
    // OpenSM gives LIDs of its own.
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

#[test]
fn it_is_read_again_in_each_sweep_but_not_while_the_cache_is_valid() {
    let loaded = Loaded::new();
    let mut sim = Ibsim::start(&loaded.net.path);
    let host = sim.hosts()[3].clone();
    for (word, cached) in [("FALSE", false), ("TRUE", true)] {
        loaded.write(&loaded.text());
        let config = loaded
            .config("file")
            .line(format!("use_ucast_cache {word}"));
        let sm = OpenSm::start(&sim, &config);
        assert_eq!(
            with_entries(&loaded.tables(&sm.files)),
            loaded.whole.fabric.switches().len()
        );
        loaded.write("");
        sim.unlink(&host, 1);
        sm.resweep();
        let left = with_entries(&loaded.tables(&sm.files));
        assert_eq!(left > 0, cached, "{left} switches with entries");
        sim.relink(&host, 1);
        assert!(sm.stop());
    }
}
