//! Writing of forwarding table dumps, and node order files. Reading of dumps is tested in
//! `tests/data/answers/dumps.txt`.

use crate::support::data;
use dmodc_fabric::{Fabric, Lid, NodeId, SwitchId, Tables};
use dmodc_formats::lft::{parse_order, write_dump, write_order};
use dmodc_formats::netlist::{Names, Netlist};

fn small() -> (Fabric, Names) {
    let netlist = Netlist::read(&data("crlf.ibnetdiscover")).unwrap();
    netlist.to_fabric(None).unwrap()
}

#[test]
fn the_text_is_opensm_s() {
    let (fabric, mut names) = small();
    let mut tables = Tables::for_fabric(&fabric);
    for (lid, port) in [(10, 0), (11, 3), (4, 1), (7, 1), (12, 3), (9, 2)] {
        tables.row_mut(SwitchId(0))[Lid(lid)] = port;
    }
    names.ambiguous[NodeId(2)] = true;
    let mut text = Vec::new();
    write_dump(&fabric, &names, &tables, false, &mut text).unwrap();
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
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}

#[test]
fn an_order_file_keeps_the_order_and_skips_the_padding() {
    let (fabric, names) = small();
    let mut bytes = Vec::new();
    let name = |node| &names.end_nodes[node];
    let order = [1, 0].map(NodeId);
    write_order(&fabric, &order, name, &mut bytes).unwrap();
    assert_eq!(bytes, b"0x0010\thost\n0x0004\thost\n");
    bytes.extend_from_slice(b"0xFFFF\tDUMMY\r\n");
    assert_eq!(parse_order(&fabric, &bytes).unwrap(), order);
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
