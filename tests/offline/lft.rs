//! Dumps of forwarding tables and node order files.

use crate::support::{data, has};
use dmodc::fabric::{Fabric, Lid};
use dmodc::lft::{Dump, NO_PATH, Tables, parse_order, write_dump, write_order};
use dmodc::netlist::{Names, Netlist};

fn small() -> (Fabric, Names) {
    let netlist = Netlist::read(&data("crlf.ibnetdiscover")).unwrap();
    netlist.to_fabric(None).unwrap()
}

/// Tables in which every entry is some port that its switch has, or none.
fn arbitrary(fabric: &Fabric) -> Tables {
    let mut tables = Tables::for_fabric(fabric);
    for (index, switch) in (0..).zip(fabric.switches()) {
        for (lid, entry) in tables.row_mut(index).iter_mut().enumerate().skip(1) {
            let port = (lid * 7 + index as usize) % (usize::from(switch.ports) + 2);
            *entry = match port > usize::from(switch.ports) {
                true => NO_PATH,
                false => port as u8,
            };
        }
    }
    tables
}

fn dumped(fabric: &Fabric, names: &Names, tables: &Tables) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_dump(fabric, names, tables, false, &mut bytes).unwrap();
    bytes
}

#[test]
fn the_text_is_opensm_s() {
    let (fabric, mut names) = small();
    let mut tables = Tables::for_fabric(&fabric);
    for (lid, port) in [(10, 0), (11, 3), (4, 1), (7, 1), (12, 3), (9, 2)] {
        tables.row_mut(0)[lid] = port;
    }
    names.ambiguous[2] = true;
    let text = String::from_utf8(dumped(&fabric, &names, &tables)).unwrap();
    let expected = "\
Unicast lids [0-19] of switch Lid 10 guid 0x00000000000000a1 ('leaf \"one\"'):
0x0004 001 # Channel Adapter portguid 0x00000000000000b1: 'host'
0x0007 001 # Channel Adapter portguid 0x00000000000000b1: 'host'
0x0009 002 # unknown node and type
0x000a 000 # Switch portguid 0x00000000000000a1: 'leaf \"one\"'
0x000b 003 # Switch portguid 0x00000000000000a2: 'spine'
0x000c 003 # Channel Adapter: 'Mellanox Technologies Aggregation Node'
19 lids dumped
Unicast lids [0-19] of switch Lid 11 guid 0x00000000000000a2 ('spine'):
19 lids dumped
";
    assert_eq!(text, expected);
}

#[test]
fn a_dump_that_does_not_fit_the_fabric_is_refused() {
    let (fabric, names) = small();
    let (tables, text) = (
        arbitrary(&fabric),
        dumped(&fabric, &names, &arbitrary(&fabric)),
    );
    let read = Dump::parse(&text).unwrap();
    assert!(read.tables(&fabric).unwrap() == tables);
    let text = String::from_utf8(text).unwrap();
    let refusal = |text: &str| {
        let fault = match Dump::parse(text.as_bytes()) {
            Ok(dump) => dump.tables(&fabric).unwrap_err(),
            Err(fault) => fault,
        };
        format!("{}: {}", fault.line, fault.reason)
    };
    let second = text.rfind("Unicast").unwrap();
    let other = text.replace("00a2 ('spine')", "00a3 ('spine')");
    let fourth = other[other.rfind("Unicast").unwrap()..].replacen("00a3", "00a4", 1);
    let more = format!("{text}{fourth}");
    let none = other.replace("00a1 (", "00a4 (");
    let twice = text.replace("00a2 ('spine')", "00a1 ('spine')");
    let high = text.replacen("0x0001 001", "0x0001 200", 1);
    for (bad, told) in [
        (
            &text[..second],
            "0: switch 0x00000000000000a2 of the fabric",
        ),
        (&other, "switch 0x00000000000000a2 of the fabric is not in"),
        (&more, "switch 0x00000000000000a4 is not in the fabric"),
        (&none, "no switch of the fabric is in the dump"),
        (&twice, "appears twice"),
        (&high, "port 200 of switch"),
        (&text.replacen("0x0001", "0xffff", 1), "2: bad entry"),
        (&text.replacen("0x0002", "0x0001", 1), "has two entries"),
        (&text[..text.len() - 20], "truncated"),
        ("", "not a dump of forwarding tables"),
        ("Unicast lids \u{1}\n0x0001 001\n", "without a GUID"),
        ("\u{0}\u{1}", "1: binary data"),
        ("0x0001 001 # x\n", "1: an entry that belongs to no switch"),
    ] {
        has(&refusal(bad), told);
    }
}

#[test]
fn the_words_of_dump_lfts_are_read_too() {
    let text = "\
Unicast lids [0x0-0x3] of switch Lid 1 guid 0x00000000000000a1 (leaf):
  Lid  Out   Destination
       Port     Info
0x0001 000 : (Switch portguid 0x00000000000000a1: 'leaf')
0x0002 012 : (Channel Adapter portguid 0x00000000000000b1: 'h')
2 valid lids dumped
";
    let dump = Dump::parse(text.as_bytes()).unwrap();
    assert_eq!(dump.switches[0].entries, [(Lid(1), 0), (Lid(2), 12)]);
}

#[test]
fn an_order_file_keeps_the_order_and_skips_the_padding() {
    let (fabric, names) = small();
    let mut bytes = Vec::new();
    let name = |node| &names.end_nodes[node as usize];
    write_order(&fabric, &[1, 0], name, &mut bytes).unwrap();
    assert_eq!(bytes, b"0x0010\thost\n0x0004\thost\n");
    bytes.extend_from_slice(b"0xFFFF\tDUMMY\r\n");
    assert_eq!(parse_order(&fabric, &bytes).unwrap(), [1, 0]);
    let refusal = |text: &str| {
        let fault = parse_order(&fabric, text.as_bytes()).unwrap_err();
        format!("{}: {}", fault.line, fault.reason)
    };
    assert_eq!(refusal("# x\n0x0005\tn\n"), "2: no end node has LID 5");
    let twice = "2: the end node with LID 4 appears twice, first in line 1";
    assert_eq!(refusal("0x0004\tn\n0x0004\tn\n"), twice);
    assert_eq!(
        refusal("host\n"),
        "1: no LID at the start of the line: 'host'"
    );
}
