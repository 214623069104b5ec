//! OpenSM's own options, under OpenSM: each test fails if Dmodc ignores the option.

use crate::support::*;
use dmodc_fabric::Guid;
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

/// Asserts that GUIDs in the file of an option give the same tables as offline, and others than without the option.
fn guids_matter(net: &Net, option: &str, guids: Vec<Guid>, set: fn(&mut Options, Vec<Guid>)) {
    let sim = Ibsim::start(&net.path);
    let file = guid_file(&sim, &guids);
    let config = Config::dmodc().line(format!("{option} {}", file.display()));
    let files = opensm::route(&sim, &config);
    files.assert_errors(&[]);
    let mut options = Options::default();
    let plain = Offline::route(&files.subnet(), 0, 1, &options);
    set(&mut options, guids);
    files.assert_routed(&options);
    assert!(
        plain.dump() != files.lfts(),
        "{option} makes no difference here"
    );
}

/// Port GUIDs of the hosts at these places of the netlist, as ibsim makes them.
fn hosts(net: &Net, wanted: impl Fn(usize) -> bool) -> Vec<Guid> {
    let nodes = net.netlist.nodes.iter();
    let hosts = nodes.filter(|n| n.kind == dmodc_formats::netlist::Kind::Ca);
    let guids = hosts.map(|n| n.port_guid(&n.ports[0])).enumerate();
    guids.filter(|(i, _)| wanted(*i)).map(|(_, g)| g).collect()
}

#[test]
fn guid_files_are_heeded() {
    let net = Net::pgft(FIGURE_1);
    // One top switch of four: the others end up further down.
    let top = net.netlist.switches().find(|s| s.ports.len() == 3);
    let top = top.expect("a switch of the top has a link to each part");
    guids_matter(&net, "root_guid_file", vec![top.guid], |o, g| {
        o.root_guids = g
    });
    let [odd, even] = [1, 0].map(|rest| hosts(&net, |i| i % 2 == rest));
    guids_matter(&net, "cn_guid_file", odd, |o, g| o.cn_guids = g);
    guids_matter(&net, "io_guid_file", even, |o, g| o.io_guids = g);
}

/// A spine was replaced and the file has the old one; and the file has a leaf. Both are named, and the tables are those
/// of the cables.
#[test]
fn roots_that_the_cables_contradict_are_named_and_not_obeyed() {
    let net = Net::two_levels();
    let switches = net.netlist.switches();
    let is_leaf = |guid: Guid| net.leaves().any(|leaf| leaf.guid == guid);
    let (leaves, mut roots): (Vec<Guid>, _) = switches.map(|s| s.guid).partition(|&g| is_leaf(g));
    let new = std::mem::replace(roots.last_mut().expect("spines"), Guid(0xdead));
    roots.push(leaves[1]);
    let sim = Ibsim::start(&net.path);
    let file = guid_file(&sim, &roots);
    let config = Config::dmodc().line(format!("root_guid_file {}", file.display()));
    let files = opensm::route(&sim, &config);
    files.assert_errors(&[]);
    let stale = files.log_line("no switch of this fabric: 0x000000000000dead; taken as roots");
    assert!(stale.ends_with(&new.to_string()), "{stale}");
    let below = files.log_line("not taken as roots, since there are switches above them: ");
    assert!(below.ends_with(&leaves[1].to_string()), "{below}");
    has(&below, path_of(&file));
    files.assert_routed(&Options::default());
}

/// A file that is missing or has a line that is no GUID gives an error with its name, and Dmodc routes without it.
/// GUIDs of another fabric give an error too.
#[test]
fn guid_files_that_are_no_good() {
    const SWITCHES: &str = ": 0 of 1 GUIDs are switches of this fabric";
    const NODES: &str = ": 0 of 1 GUIDs are ports of end nodes of this fabric";
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let at = |name: &str| sim.dir().join(name);
    for (name, text) in [("bad", "0x1\nspine one\n"), ("others", "0x1234\n")] {
        fs::write(at(name), text).expect("the file can be written");
    }
    for (path, told) in [
        (at("missing"), [": "; 3]),
        // The dash is a file of that name: standard input is OpenSM's own.
        ("-".into(), [": "; 3]),
        (at("bad"), [":2: "; 3]),
        (at("others"), [SWITCHES, NODES, NODES]),
    ] {
        let mut config = Config::dmodc();
        for option in ["root", "cn", "io"] {
            config = config.line(format!("{option}_guid_file {}", path.display()));
        }
        let files = opensm::route(&sim, &config);
        let errors = files.log_lines("dmodc: ERR");
        assert_eq!(errors.len(), 3, "{errors:#?}");
        for told in told {
            let place = format!("{}{told}", path.display());
            let is_told = errors.iter().any(|e| e.contains(&place));
            assert!(is_told, "{place}: {errors:#?}");
        }
        let plain = Offline::route(&files.subnet(), 0, 1, &Options::default());
        let is_plain = plain.has_entries(&files.lfts());
        assert!(is_plain || path == at("others"), "{}", path.display());
    }
}

/// After a `SIGHUP` OpenSM takes up some changed options of its file, others only when it starts.
#[test]
fn some_changed_options_are_taken_up_and_others_need_a_restart() {
    let sim = Ibsim::start(&Net::pgft("PGFT(2;4,6;1,4;1,1)").path);
    let sm = OpenSm::start(&sim, &Config::dmodc());
    let file = sm.files.path("opensm.conf");
    let first = fs::read_to_string(&file).expect("OpenSM's options");
    sm.resweep();
    assert_eq!(sm.files.last("faults"), "stable");
    assert_eq!(sm.files.last("turned"), "0");

    let other = format!("{first}event_plugin_options dmodc.faults=paper\nconnect_roots TRUE\n");
    fs::write(&file, other).expect("written");
    sm.resweep();
    // The plugin has its options from the start.
    assert_eq!(sm.files.last("faults"), "stable");
    let connected = Options {
        connect_roots: true,
        ..Options::default()
    };
    let offline = sm.files.assert_routed(&connected);
    let report = offline.assert_clean(&sm.files.lfts());
    // Six pairs of spines, both ways.
    assert_eq!(report.turned.routes, 12, "{report:#?}");
    assert_eq!(sm.files.last("turned"), "12", "connect_roots is taken up");

    // OpenSM keeps an option whose line is gone, until the file sets another value.
    fs::write(&file, &first).expect("written");
    sm.resweep();
    assert_ne!(sm.files.last("turned"), "0");
    fs::write(&file, format!("{first}connect_roots FALSE\n")).expect("written");
    sm.resweep();
    assert_eq!(sm.files.last("turned"), "0");
    sm.files.assert_routed(&Options::default());
    assert!(sm.stop());
}
