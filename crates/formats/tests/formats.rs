//! Netlists, references and files by their public functions.

use dmodc_fabric::{Builder, EndNode, Fabric, Guid, Lid, Merged, NodeKind, PortNumber, Speed};
use dmodc_formats::export::Labels;
use dmodc_formats::files;
use dmodc_formats::netlist::generate::{Order, Rlft, build};
use dmodc_formats::netlist::{Kind, NameMap, Netlist, Part};
use dmodc_formats::reference::{Reference, day_of, today};
use fabrics::{named, pgft, without};
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::time::{Duration, SystemTime};

fn shape(nodes: usize, radix: usize) -> String {
    Rlft::new(nodes, radix).unwrap().shape.to_string()
}

#[test]
fn levels_and_parallel_links_follow_the_number_of_nodes() {
    assert_eq!(shape(20, 36), "PGFT(1;20;1;1)");
    assert_eq!(shape(37, 36), "PGFT(2;18,3;1,2;1,9)");
    assert_eq!(shape(648, 36), "PGFT(2;18,36;1,18;1,1)");
    assert_eq!(shape(11664, 36), "PGFT(3;18,18,36;1,18,18;1,1,1)");
    assert_eq!(shape(3240, 36), "PGFT(3;18,18,10;1,18,6;1,1,3)");
}

#[test]
fn a_real_life_tree_leaves_out_switches_without_nodes() {
    for (nodes, switches) in [(37, 5), (655, 127)] {
        let netlist = build(&Rlft::new(nodes, 36).expect("a tree"), Order::default());
        assert_eq!(netlist.switches().count(), switches);
        assert_eq!(netlist.nodes.len(), nodes + switches);
        assert!(netlist.nodes.iter().all(|n| !n.ports.is_empty()));
        assert!(netlist.switches().all(|n| n.port_count == 36));
    }
}

#[test]
fn the_larger_removal_contains_the_smaller_whatever_the_file_s_order() {
    let whole = pgft("PGFT(3;2,2,3;1,2,2;1,2,1)");
    let (_, five) = whole.without_links(5, 9).unwrap();
    let (_, six) = whole.without_links(6, 9).unwrap();
    assert_eq!(six[..5], five);
    let slowed = |count| whole.with_slow_links(count, 0.25, 3).unwrap().1;
    assert_eq!(slowed(6)[..5], slowed(5));
    let words = |of: &Netlist, parts: Vec<Part>| -> Vec<String> {
        parts.into_iter().map(|part| of.describe(part)).collect()
    };
    let last = whole.nodes.len() as u32 - 1;
    let mut reversed = whole.clone();
    reversed.nodes.reverse();
    for node in &mut reversed.nodes {
        node.ports
            .iter_mut()
            .for_each(|port| port.peer = last - port.peer);
    }
    let found = words(&reversed, reversed.without_links(5, 9).unwrap().1);
    assert_eq!(found, words(&whole, five));
    let [found, switches] =
        [&reversed, &whole].map(|of| words(of, of.without_switches(4, 9, true).unwrap().1));
    assert_eq!(found, switches);
}

#[test]
fn a_node_that_has_no_link_anyway_stays() {
    let mut netlist = pgft("PGFT(3;2,2,3;1,2,2;1,2,1)");
    let mut dark = netlist.nodes[netlist.nodes.len() - 1].clone();
    dark.ports.clear();
    dark.guid.0 += 100;
    netlist.nodes.push(dark);
    let nodes = netlist.nodes.len();
    assert_eq!(netlist.without(&[]).nodes.len(), nodes);
    assert_eq!(netlist.without_links(1, 1).unwrap().0.nodes.len(), nodes);
}

#[test]
fn subnets_with_lids_in_common_are_fabrics_of_their_own() {
    let one = pgft("PGFT(2;3,2;1,2;1,1)");
    let mut two = one.clone();
    let count = one.nodes.len() as u32;
    for mut node in one.nodes.clone() {
        node.guid.0 += 1 << 40;
        node.id = node.kind.id(node.guid);
        node.ports.iter_mut().for_each(|port| {
            port.peer += count;
            port.guid = None;
        });
        two.nodes.push(node);
    }
    let has_lids = one.nodes.iter().any(|node| node.lid != Lid(0));
    let read = Netlist::parse(&two.to_text()).expect("no oddity");
    let fabrics = read.fabrics();
    assert_eq!(fabrics.len(), if has_lids { 2 } else { 1 });
    // LIDs of their own make one fabric in two pieces of it.
    for node in &mut two.nodes[count as usize..] {
        node.lid.0 += 1000;
        node.ports.iter_mut().for_each(|port| port.lid.0 += 1000);
    }
    assert_eq!(two.fabrics().len(), 1);
}

#[test]
fn nodes_of_one_guid_are_read_back_as_several() {
    let mut b = Builder::default();
    let switch = b.switch(Guid(3), Lid(3), 0, 4);
    for port in PortNumber::external(3) {
        b.end_node(EndNode {
            guid: Guid(7),
            lid: Lid(10 + u16::from(port.0)),
            lmc: 0,
            kind: NodeKind::Ca,
            switch,
            port,
        });
    }
    let fabric = b.finish().0;
    let read = Netlist::parse(&Netlist::from_fabric(&fabric).to_text()).expect("a netlist");
    let (read, _) = read.to_fabric(None).expect("LIDs");
    assert!(read.has_equipment_of(&fabric));
}

/// The ports kept what the first description, a host's, says of their LIDs; what was written then read back as another
/// fabric.
#[test]
fn a_node_described_as_host_and_switch_has_no_lids_at_its_ports() {
    let text = "Ca 2 \"x\" # \"host\"\n[1] \"S-1\"[1] # lid 3 lmc 0 \"one\" lid 1 4xEDR\n\
                Switch 4 \"x\" # \"two\" base port 0 lid 2 lmc 0\n\
                Switch 4 \"S-1\" # \"one\" base port 0 lid 1 lmc 0\n[1] \"x\"[1] # \"two\" lid 2 4xEDR\n";
    let read = Netlist::parse_leniently(text.as_bytes()).expect("a fabric");
    let netlist = read.value;
    assert!(netlist.switches().count() == 2 && read.warnings.count() > 0);
    assert_eq!(Netlist::parse(&netlist.to_text()), Ok(netlist));
}

/// A reference grown by a fabric without a leaf and a link, with another box as spine; and its fabric.
fn reference() -> (Reference, Fabric) {
    let whole = pgft("PGFT(2;2,4;1,3;1,1)");
    let before = Reference::from(whole.clone());
    let mut less = without(&whole, &["L1-1", "L1-0:5"]);
    named(&mut less, "L2-1").guid = Guid(5);
    let fabric = |netlist: &Netlist| netlist.to_fabric(None).expect("LIDs").0;
    let merged = Merged::new(&fabric(&less), &fabric(&whole));
    let names = HashMap::from([(Guid(5), "a \"new\" box".to_owned())]);
    let known = before.grown(&merged, &names, jiff::civil::date(2026, 2, 28));
    (known, merged.nominal)
}

#[test]
fn a_written_reference_reads_back() {
    let (reference, nominal) = reference();
    let mut text = Vec::new();
    reference.write(&mut text).expect("memory takes it");
    let read = Reference::parse_leniently(&text).expect("a reference");
    assert_eq!(read.warnings.count(), 0);
    assert_eq!(read.value, reference);
    let fabric = read.value.fabric().expect("LIDs");
    assert!(fabric.has_equipment_of(&nominal));
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("a _new_ box"), "{text}");
    let notes: Vec<&str> = text.lines().filter(|l| l.starts_with("#:")).collect();
    assert_eq!(notes.len(), 3, "{notes:#?}");
    assert!(notes[0].starts_with("#: place 0x0000000000000005 of 0x"));
    assert!(notes[1].starts_with("#: seen 2026-02-28: switch 0x"));
    assert!(notes[2].starts_with("#: seen 2026-02-28: link 0x"));
    // Other readers read the file as a netlist.
    assert_eq!(Netlist::parse(text.as_bytes()), Ok(reference.netlist));
}

#[test]
fn a_link_keeps_the_highest_speed_that_was_seen() {
    let (first, fabric) = reference();
    let with = |text: &str| {
        let speed: Speed = text.parse().expect("a speed");
        fabric.clone().with_speeds(|_, _, _| speed)
    };
    let grow = |from: &Reference, now: &Fabric| {
        let known = from.fabric().expect("LIDs");
        let merged = Merged::new(now, &known);
        let grown = from.grown(&merged, &HashMap::new(), today());
        (known.faster_in(now).is_empty(), grown)
    };
    let speed = |of: &Reference, text: &str| {
        let fabric = of.fabric().expect("LIDs");
        let switches = fabric.switches().keys();
        let mut all = switches.flat_map(|s| fabric.speeds_of(s));
        assert!(all.any(|s| s.to_string() == text), "{text}");
    };
    speed(&first, "4xEDR");
    let (is_same, hdr) = grow(&first, &with("4xHDR"));
    assert!(!is_same);
    speed(&hdr, "4xHDR");
    let (is_same, still) = grow(&hdr, &with("1xHDR"));
    assert!(is_same);
    assert_eq!(still.netlist, hdr.netlist);
    // A forgotten speed stays unknown until the link has any known speed.
    let leaf = &hdr.netlist.nodes[0];
    let mut open = hdr.clone();
    let first = BTreeSet::from([(leaf.guid, leaf.ports[0].number)]);
    open.set_speed(&first, Speed::UNKNOWN);
    let links = |of: &Reference| {
        let ports = of.netlist.nodes.iter().flat_map(|n| n.ports.clone());
        ports.filter(|p| &*p.link == "4x").count()
    };
    assert_eq!((links(&hdr), links(&open)), (0, 2));
    let (is_same, again) = grow(&open, &with("4xHDR"));
    assert!(!is_same);
    assert_eq!(again.netlist, hdr.netlist);
}

#[test]
fn days_are_of_utc_and_read_as_written() {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(20_513 * 86_400 - 1);
    assert_eq!(day_of(time).to_string(), "2026-02-28");
    let mut text = Vec::new();
    reference().0.write(&mut text).expect("memory takes it");
    let text = String::from_utf8(text).expect("text");
    for day in ["", "2026-02-30", "2026-13-01", "2026-02-28T00:00"] {
        let text = text.replace("seen 2026-02-28", &format!("seen {day}"));
        assert!(
            Reference::parse_leniently(text.as_bytes()).is_err(),
            "{day}"
        );
    }
}

#[test]
fn descriptions_become_words() {
    let mut netlist = pgft("PGFT(2;2,4;1,2;1,1)");
    let long = "x".repeat(64);
    let names = ["MF0;sw 1:MSB7800/U1", &long, &long, "", "sw", "sw"];
    let switches = netlist.nodes.iter_mut().filter(|n| n.kind == Kind::Switch);
    for (node, name) in switches.zip(names) {
        node.description = name.to_owned();
    }
    let (fabric, names) = netlist.to_fabric(None).expect("LIDs");
    let labels = Labels::new(&fabric, &names, &NameMap::default()).switches;
    let guids: Vec<String> = fabric
        .switches()
        .iter()
        .map(|s| format!("{:016x}", s.guid.0))
        .collect();
    let cut = |of: usize| format!("{}-{}", &long[..47], guids[of]);
    let expected = [
        "MF0-sw-1-MSB7800-U1".to_owned(),
        cut(1),
        cut(2),
        guids[3].clone(),
        format!("sw-{}", guids[4]),
        format!("sw-{}", guids[5]),
    ];
    assert_eq!(labels.raw, expected);
    assert_eq!(labels.raw[1].len(), 64);
}

/// Mode and owner of a file after it has been replaced, in a folder of this mode. The old file has mode 0640 and this
/// owner.
fn replaced(folder_mode: u32, owner: u32) -> (u32, u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("opensm.conf");
    fs::write(&file, "m_key 0x1234").expect("written");
    let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode));
    set(&file, 0o640).expect("a mode");
    set(folder.path(), folder_mode).expect("a mode");
    chown(&file, Some(owner), None).expect("an owner");
    files::replace(&file, b"m_key 0x5678").expect("replaced");
    let new = fs::metadata(&file).expect("it is there");
    (new.mode() & 0o777, new.uid())
}

#[test]
fn a_replaced_file_is_no_more_open_than_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let ours = fs::metadata(folder.path()).expect("it is there").uid();
    assert_eq!(replaced(0o755, ours), (0o640, ours));
    if ours != 0 {
        eprintln!("skipped: only root gives files away");
        return;
    }
    assert_eq!(replaced(0o755, 12), (0o640, 12));
    // Where anybody may have put the file, it becomes ours.
    assert_eq!(replaced(0o1777, 12), (0o600, 0));
}
