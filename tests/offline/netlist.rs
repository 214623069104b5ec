//! Netlists: the counts of production fabrics, cut files, and a case that fuzzing has found. Every dialect and every
//! error is tested in `tests/data/answers/netlists.txt`.

use crate::support::{data, has, production};
use dmodc_formats::netlist::Netlist;

#[test]
fn production_fabrics_have_the_counts_their_names_say() {
    for path in production() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let (fabric, _) = Netlist::read(&path).unwrap().to_fabric(None).unwrap();
        has(&name, &format!("-{}sw", fabric.switches().len()));
        let text = std::fs::read_to_string(&path).unwrap();
        let cas = text.lines().filter(|l| l.starts_with("[1](")).count();
        let second_ports = text.lines().filter(|l| l.starts_with("[2](")).count();
        assert_eq!(fabric.end_nodes().len(), cas + second_ports, "{name}");
    }
}

#[test]
fn every_truncation_is_noticed() {
    let sound = std::fs::read(data("no-tabs.ibnetdiscover")).unwrap();
    let whole = Netlist::parse(&sound).unwrap();
    for end in 0..sound.len() - 1 {
        match Netlist::parse(&sound[..end]) {
            Err(_) => {}
            // Cut within the trailer of the very last line: nothing of the fabric is lost.
            Ok(netlist) => {
                let (fabric, _) = netlist.to_fabric(None).unwrap();
                assert!(fabric == whole.to_fabric(None).unwrap().0, "cut at {end}");
            }
        }
    }
}

/// Found by fuzzing: a written netlist reads back, also where a port GUID is as short as a port number.
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
    let again = Netlist::parse(&netlist.to_text());
    assert_eq!(again.expect("a netlist"), netlist);
}
