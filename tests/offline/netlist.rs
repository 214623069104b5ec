//! Netlists: every dialect, every way to be wrong, and back to a file.

use crate::routed::written;
use crate::support::{data, has, production};
use dmodc::fabric::{Guid, Lid, NodeKind, Peer};
use dmodc::netlist::{Kind, Netlist, PortZero};
use std::path::Path;

fn read(path: &Path) -> Netlist {
    Netlist::read(path).unwrap_or_else(|e| panic!("{e}"))
}

/// What a text is refused with, `line: reason`; line 0 stands for the whole file.
fn refusal(text: impl AsRef<[u8]>) -> String {
    let fault = Netlist::parse(text.as_ref()).unwrap_err();
    format!("{}: {}", fault.line, fault.reason)
}

/// A switch with two hosts, to be spoilt.
const SOUND: &str = r#"switchguid=0xa1
Switch	4 "S-a1"		# "leaf" base port 0 lid 1 lmc 0
[1]	"H-b1"[1](b2) 		# "h1" lid 2 4xEDR
[2]	"H-c1"[1](c2) 		# "h2" lid 3 4xEDR

caguid=0xb1
Ca	1 "H-b1"		# "h1"
[1](b2) 	"S-a1"[1]		# lid 2 lmc 0 "leaf" lid 1 4xEDR

caguid=0xc1
Ca	1 "H-c1"		# "h2"
[1](c2) 	"S-a1"[2]		# lid 3 lmc 0 "leaf" lid 1 4xEDR
"#;

fn spoilt(from: &str, to: &str) -> String {
    assert!(SOUND.contains(from), "{from}");
    refusal(SOUND.replacen(from, to, 1))
}

#[test]
fn ibsim_s_short_names_get_ibsim_s_defaults() {
    let netlist = read(&data("short-names.net"));
    let guids: Vec<u64> = netlist.nodes.iter().map(|n| n.guid.0).collect();
    assert_eq!(guids, [0x200000, 0x200001, 0x100000, 0x100003, 0]);
    let (fabric, names) = netlist.to_fabric(None).unwrap();
    assert_eq!(names.switches, ["sw1", "sw2"]);
    assert_eq!(names.end_nodes, ["h1", "h2", "r1"]);
    assert_eq!(fabric.switch_links(), 2);
    assert_eq!(fabric.end_nodes()[1].guid, Guid(0x100005));
    assert_eq!(fabric.end_nodes()[2].kind, NodeKind::Router);
    let lids: Vec<u16> = fabric.end_nodes().iter().map(|n| n.lid.0).collect();
    assert_eq!(lids, [3, 4, 5]);
}

#[test]
fn crlf_prompts_chassis_ports_self_links_and_lmc() {
    let netlist = read(&data("crlf.ibnetdiscover"));
    let leaf = &netlist.nodes[0];
    assert_eq!(leaf.description, "leaf \"one\"");
    assert_eq!(leaf.port_zero, Some(PortZero::Enhanced));
    assert_eq!((leaf.vendor, leaf.device), (0x2c9, 0xcf08));
    assert_eq!(&*leaf.ports[2].link, "4xHDR");
    let (fabric, names) = netlist.to_fabric(None).unwrap();
    // A link from a switch to itself does not count.
    assert_eq!(fabric.switch_links(), 1);
    assert_eq!(fabric.peer(1, 1), Peer::None);
    assert_eq!(fabric.peer(0, 3), Peer::Switch { index: 1, port: 3 });
    let nodes = fabric.end_nodes().iter();
    let ends: Vec<_> = nodes.map(|n| (n.lid.0, n.lmc, n.guid.0)).collect();
    assert_eq!(ends, [(4, 2, 0xb1), (16, 2, 0xb2), (12, 0, 0xc1)]);
    assert_eq!(fabric.end_nodes()[2].kind, NodeKind::Aggregation);
    assert_eq!(names.end_nodes[0], "host");
}

#[test]
fn tabs_are_no_part_of_the_grammar() {
    let netlist = read(&data("no-tabs.ibnetdiscover"));
    let (fabric, names) = netlist.to_fabric(None).unwrap();
    assert_eq!(names.switches, ["one", "two"]);
    assert_eq!(fabric.end_nodes()[0].guid, Guid(0xb2));
    assert_eq!(fabric.end_nodes()[0].lid, Lid(3));
    assert_eq!(fabric.switch_links(), 1);
}

#[test]
fn opensm_s_subnet_list() {
    let netlist = read(&data("subnet.lst"));
    // Not the swapped one of the right side.
    assert_eq!(netlist.nodes[1].device, 0xcf08);
    assert_eq!(netlist.nodes[0].description, "host {1}");
    assert_eq!(&*netlist.nodes[0].ports[0].link, "4xEDR");
    assert_eq!(netlist.nodes[2].kind, Kind::Router);
    let (fabric, _) = netlist.to_fabric(None).unwrap();
    let nodes = fabric.end_nodes().iter();
    let ends: Vec<_> = nodes.map(|n| (n.port, n.lid.0, n.guid.0)).collect();
    assert_eq!(ends, [(2, 7, 0xd1), (31, 3, 0xb1)]);
    // Who is an aggregation node is told by its description too.
    let text = std::fs::read_to_string(data("subnet.lst")).unwrap();
    let text = text.replace("host {1}", NodeKind::AGGREGATION_DESCRIPTION);
    let (fabric, _) = Netlist::parse(text.as_bytes())
        .unwrap()
        .to_fabric(None)
        .unwrap();
    assert_eq!(fabric.end_nodes()[1].kind, NodeKind::Aggregation);
}

#[test]
fn production_fabrics_have_the_counts_their_names_say() {
    for path in production() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let (fabric, _) = read(&path).to_fabric(None).unwrap();
        has(&name, &format!("-{}sw", fabric.switches().len()));
        let text = std::fs::read_to_string(&path).unwrap();
        let cas = text.lines().filter(|l| l.starts_with("[1](")).count();
        let second_ports = text.lines().filter(|l| l.starts_with("[2](")).count();
        assert_eq!(fabric.end_nodes().len(), cas + second_ports, "{name}");
    }
}

#[test]
fn an_lmc_asked_for_moves_only_what_it_must() {
    let netlist = Netlist::parse(SOUND.as_bytes()).unwrap();
    let (fabric, _) = netlist.to_fabric(Some(1)).unwrap();
    let nodes = fabric.end_nodes().iter();
    assert!(nodes.map(|n| (n.lid.0, n.lmc)).eq([(2, 1), (4, 1)]));
    assert_eq!(fabric.switches()[0].lid, Lid(1));
}

#[test]
fn text_that_is_no_netlist() {
    for (text, told) in [
        ("", "0: the file is empty"),
        ("hello\nworld\n", "0: no switch, CA or router"),
        ("Switch\x00\x01", "1: binary data: not a netlist"),
        (
            "Switch 4 \"S-a1\"\n",
            "0: no link in it: a fabric has at least one",
        ),
        ("include \"x\"\n", "1: 'include' lines"),
        ("[1] \"a\"[1]\n", "1: a port line that belongs to no node"),
    ] {
        let refusal = refusal(text);
        assert!(refusal.starts_with(told), "{refusal}");
    }
}

#[test]
fn every_truncation_is_noticed() {
    let whole = Netlist::parse(SOUND.as_bytes()).unwrap();
    for end in 0..SOUND.len() - 1 {
        match Netlist::parse(&SOUND.as_bytes()[..end]) {
            Err(_) => {}
            // Cut within the trailer of the very last line: nothing of the fabric is lost.
            Ok(netlist) => {
                let (fabric, _) = netlist.to_fabric(None).unwrap();
                assert!(fabric == whole.to_fabric(None).unwrap().0, "cut at {end}");
            }
        }
    }
}

#[test]
fn links_told_otherwise_by_the_other_side_numbers_out_of_range_and_things_used_twice() {
    let own = "[1](b2) \t\"S-a1\"[1]\t\t# lid 2 lmc 0 \"leaf\" lid 1 4xEDR\n";
    let told = r#"3: port 1 of "S-a1" is linked to port 1 of "H-b1", which says nothing"#;
    has(&spoilt(own, ""), told);
    has(
        &spoilt("\n[1](c2)", "\n[1](b2)"),
        "12: port GUID 0x00000000000000b2",
    );
    has(&spoilt("\"H-c1\"\t\t#", "\"H-b1\"\t\t#"), "twice");
    // What stands in the file, what is put there instead, and what is told.
    let faults = r#"
        "S-a1"[1] => "S-a1"[3] => which is linked to port 3 of "S-a1"
        "H-b1"[1] => "H-xx"[1] => "H-xx", which the file does not
        [2]+      => [1]+      => 4: port 1 of "S-a1" is used twice
        Switch+4  => Switch+300 => 2: a node with 300 ports
        Switch+4  => Switch+1  => 4: "S-a1" has ports 1 to 1, not 2
        lid 3 lmc => lid 2 lmc => 12: LID 2 belongs to "H-b1" of line 8 too
        lid 3 lmc => lid 49152 lmc => 12: LID 49152 with LMC 0 is out of
        lid 3 lmc 0 => lid 3 lmc 8 => 12: LID 3 with LMC 8 is out of
        lid 2 lmc 0 => lid 2 lmc 1 => 12: LID 3 belongs to "H-b1" of line 8 too
        caguid=0xc1 => caguid=0xb1 => 11: GUID 0x00000000000000b1
        caguid=0xb1 => caguid=zz => 6: no value for 'caguid' in 'caguid=zz'"#;
    for line in faults.lines().skip(1) {
        let words: Vec<&str> = line.split("=>").map(str::trim).collect();
        let [from, to] = [0, 1].map(|at: usize| words[at].replace('+', "\t"));
        has(&spoilt(&from, &to), words[2]);
    }
}

#[test]
fn ids_that_are_no_text_and_read_alike_are_one_id() {
    // Found by fuzzing: two ids that differ only in bytes that are not UTF-8 were two nodes, and
    // one and the same when written.
    let twice = b"Switch 1 \"s\xfe\"\n[1] \"s\xff\"[1]\nSwitch 1 \"s\xff\"\n";
    let told = "3: node \"s\u{fffd}\" is described twice, first in line 1";
    assert_eq!(refusal(twice), told);
}

/// Found by fuzzing: what is written reads back, also where a port GUID is as short as a port number.
#[test]
fn a_short_port_guid_reads_back() {
    let side = |kind: &str, node: &str, port: &str, number: &str| {
        format!(
            "{{ {kind} Ports:24 SystemGUID:{node} NodeGUID:{node} PortGUID:{port} VenID:000002C9 \
             DevID:CF080000 Rev:00000000 {{{kind}}} LID:000{number} PN:0{number} }}"
        )
    };
    let switch = side("SW", "00000000000000a1", "00000000000000a1", "2");
    let router = side("Rt", "00000000002000d0", "00000000000000d1", "1");
    let ends = "PHY=4x LOG=ACT SPD=25\n";
    let text = format!("{switch} {router} {ends}{router} {switch} {ends}");
    let netlist = Netlist::parse(text.as_bytes()).expect("a list");
    assert_eq!(netlist.nodes.len(), 2);
    let again = Netlist::parse(&written(&netlist));
    assert_eq!(again.expect("a netlist"), netlist);
}
