//! OpenSM's own options, live: each test fails if the option is not heeded.

use crate::support::fabrics::{FIGURE_1, Net};
use crate::support::ibsim::Ibsim;
use crate::support::offline::Offline;
use crate::support::opensm::{self, Config, Files, OpenSm};
use crate::support::sketch::Sketch;
use dmodc::dmodc::Options;
use dmodc::fabric::Guid;
use std::fs;
use std::path::PathBuf;

/// Writes GUIDs as people do, with comments, to a file of the fabric's folder.
fn guid_file(sim: &Ibsim, guids: &[Guid]) -> PathBuf {
    let path = sim.dir().join("guids");
    let mut text = "# found by hand\n\n".to_owned();
    for guid in guids {
        text += &format!("{guid} # one of {}\n", guids.len());
    }
    fs::write(&path, text).expect("the file can be written");
    path
}

/// Routes a fabric with GUIDs in a file that an option names, and wants the tables that those
/// GUIDs make offline, and others than without.
fn guids_matter(net: &Net, option: &str, guids: Vec<Guid>, set: fn(&mut Options, Vec<Guid>)) {
    let sim = Ibsim::start(&net.path);
    let file = guid_file(&sim, &guids);
    let config = Config::dmodc().line(format!("{option} {}", file.display()));
    let files = opensm::route(&sim, &config);
    assert_eq!(files.log_lines("dmodc: ERR"), [""; 0]);
    let mut options = Options::default();
    let plain = Offline::route(&files.subnet(), 0, 1, &options);
    set(&mut options, guids);
    Offline::route(&files.subnet(), 0, 1, &options).assert_same(&files.lfts());
    assert!(
        plain.dump() != files.lfts(),
        "{option} makes no difference here"
    );
}

/// Port GUIDs of the hosts at these places of the netlist, as ibsim makes them.
fn hosts(net: &Net, wanted: impl Fn(usize) -> bool) -> Vec<Guid> {
    let nodes = net.netlist.nodes.iter();
    let hosts = nodes.filter(|n| n.kind == dmodc::netlist::Kind::Ca);
    let guids = hosts.map(|n| n.port_guid(&n.ports[0])).enumerate();
    guids.filter(|(i, _)| wanted(*i)).map(|(_, g)| g).collect()
}

#[test]
fn root_guid_file() {
    let net = Net::pgft(FIGURE_1);
    // One top switch of four: the others end up further down.
    let top = net.netlist.switches().find(|s| s.ports.len() == 3);
    let top = top.expect("a switch of the top has a link to each part");
    guids_matter(&net, "root_guid_file", vec![top.guid], |o, g| {
        o.root_guids = g;
    });
}

#[test]
fn cn_guid_file() {
    let net = Net::pgft(FIGURE_1);
    let listed = hosts(&net, |i| i % 2 == 1);
    guids_matter(&net, "cn_guid_file", listed, |o, g| o.cn_guids = g);
}

#[test]
fn io_guid_file() {
    let net = Net::pgft(FIGURE_1);
    let listed = hosts(&net, |i| i % 2 == 0);
    guids_matter(&net, "io_guid_file", listed, |o, g| o.io_guids = g);
}

/// A file that is missing or has a line that is no GUID is named in an error, and the fabric is
/// routed without it.
#[test]
fn guid_files_that_are_no_good() {
    let net = Net::pgft(FIGURE_1);
    for option in ["root_guid_file", "cn_guid_file", "io_guid_file"] {
        // The dash is a file of that name: standard input is OpenSM's own.
        for (name, text) in [
            ("missing", None),
            ("bad", Some("0x1\nspine one\n")),
            ("-", None),
        ] {
            let sim = Ibsim::start(&net.path);
            let path = match name {
                "-" => PathBuf::from(name),
                name => sim.dir().join(name),
            };
            if let Some(text) = text {
                fs::write(&path, text).expect("the file can be written");
            }
            let config = Config::dmodc().line(format!("{option} {}", path.display()));
            let files = opensm::route(&sim, &config);
            let errors = files.log_lines("dmodc: ERR");
            assert_eq!(errors.len(), 1, "{option} {name}: {errors:#?}");
            let place = match text {
                None => format!("{}: ", path.display()),
                Some(_) => format!("{}:2: ", path.display()),
            };
            assert!(errors[0].contains(&place), "{option} {name}: {errors:#?}");
            let plain = Offline::route(&files.subnet(), 0, 1, &Options::default());
            plain.assert_same(&files.lfts());
        }
    }
}

/// GUIDs of another fabric are an error line, and the fabric is routed as without the file.
#[test]
fn guid_files_of_another_fabric_are_named() {
    let net = Net::two_levels();
    let cases = [
        ("root_guid_file", "switches"),
        ("cn_guid_file", "ports of end nodes"),
        ("io_guid_file", "ports of end nodes"),
    ];
    for (option, what) in cases {
        let sim = Ibsim::start(&net.path);
        let path = sim.dir().join("guids");
        fs::write(&path, "0x1234\n").expect("the file can be written");
        let config = Config::dmodc().line(format!("{option} {}", path.display()));
        let files = opensm::route(&sim, &config);
        let errors = files.log_lines("dmodc: ERR");
        let named = format!("{}: 0 of 1 GUIDs are {what} of this fabric", path.display());
        assert!(
            errors.len() == 1 && errors[0].contains(&named),
            "{errors:#?}"
        );
    }
}

#[test]
fn connect_roots() {
    // Two leaves under two spines: only the spines have no up-down path between them.
    let mut sketch = Sketch::switches(2, 2);
    for _ in 0..2 {
        let spine = sketch.switch();
        sketch.link(0, spine);
        sketch.link(1, spine);
    }
    let net = sketch.net();
    for wanted in [false, true] {
        let sim = Ibsim::start(&net.path);
        let word = if wanted { "TRUE" } else { "FALSE" };
        let files = opensm::route(&sim, &Config::dmodc().line(format!("connect_roots {word}")));
        let options = Options {
            connect_roots: wanted,
            ..Options::default()
        };
        let offline = Offline::route(&files.subnet(), 0, 1, &options);
        offline.assert_same(&files.lfts());
        let report = offline.check(&files.lfts());
        assert!(report.is_minimal(), "{report:#?}");
        let connected = report.turned.routes;
        assert_eq!(connected, if wanted { 2 } else { 0 });
    }
}

#[test]
fn dump_files_dir() {
    let net = Net::two_levels();
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, &Config::dmodc());
    let order = String::from_utf8(files.read("opensm-dmodc-ca-order.dump")).expect("text");
    assert_eq!(order.lines().count(), 4, "{order}");
}

/// While OpenSM's cache holds, a leaf that goes and comes back is routed from it, by no engine.
#[test]
fn use_ucast_cache() {
    for cache in [false, true] {
        let word = if cache { "TRUE" } else { "FALSE" };
        let net = Net::pgft(FIGURE_1);
        let mut sim = Ibsim::start(&net.path);
        let sm = OpenSm::start(
            &sim,
            &Config::dmodc().line(format!("use_ucast_cache {word}")),
        );
        let first = sm.files.lfts();
        let before = routed(&sm.files);
        let host = sim.hosts().last().expect("a host").clone();
        sim.unlink(&host, 1);
        sm.resweep();
        sim.relink(&host, 1);
        sm.resweep();
        let calls = routed(&sm.files) - before;
        assert_eq!(calls == 0, cache, "{calls} calls of the engine");
        assert!(sm.files.lfts() == first, "the tables did not return");
    }
}

fn routed(files: &Files) -> usize {
    files.log_lines("dmodc: routed ").len()
}
