//! Tables as ibdiagnet has them: `.fdbs`, which OpenSM writes as well, and `ibdiagnet2.far`.

use crate::support::data;
use dmodc::fabric::{Guid, Lid};
use dmodc::lft::{Dump, DumpReason};

fn entries(pairs: &[(u16, u8)]) -> Vec<(Lid, u8)> {
    pairs.iter().map(|&(lid, port)| (Lid(lid), port)).collect()
}

/// The first warning about a text, or why it is refused.
fn told(text: &str) -> (u32, DumpReason) {
    let fault = Dump::parse(text.as_bytes()).unwrap_err();
    (fault.line, fault.reason)
}

/// Lines that ibdiagnet wrote at NCAR.
#[test]
fn tables_that_ibdiagnet_wrote() {
    let dump = Dump::read(&data("ibdiagnet.fdbs")).unwrap();
    assert_eq!((dump.switches.len(), dump.adaptive), (1, 0));
    assert_eq!(dump.switches[0].guid, Guid(0x0002_c903_0068_ec10));
    let ports = [3, 2, 1, 2, 2, 3, 2, 5, 5];
    let expected: Vec<(Lid, u8)> = (2..).map(Lid).zip(ports).collect();
    assert_eq!(dump.switches[0].entries, expected);
}

/// All that `dump_ucast_routes` of osm_dump.c prints, and that of OpenSM before 3.3.
#[test]
fn tables_that_opensm_writes() {
    for begin in ["dump_ucast_routes:", "__osm_ucast_mgr_dump_ucast_routes:"] {
        let text = format!(
            "{begin} Switch 0x00000000000000a1\nLID    : Port : Hops : Optimal\n\
             0x0001 : 000  : 00   : yes\n\
             0x0002 : UNREACHABLE\n\
             0x0003 : 012  : HOPS UNKNOWN\n\
             0x00AB : 007  : 03   : No 2 hop path possible via port 5!\n\
             {begin} Switch 0x00000000000000a0\nLID    : Port : Hops : Optimal\n\
             0x00AB : 001  : 02   : yes\n"
        );
        let dump = Dump::parse(text.as_bytes()).unwrap();
        let tables = dump.switches.iter().map(|s| (s.guid, &*s.entries));
        let expected = [
            (Guid(0xa0), entries(&[(0xab, 1)])),
            (Guid(0xa1), entries(&[(1, 0), (3, 12), (0xab, 7)])),
        ];
        assert!(tables.eq(expected.iter().map(|(guid, table)| (*guid, &**table))));
    }
}

#[test]
fn what_is_odd_in_them_is_told() {
    let whole = |guid: u8| {
        format!(
            "dump_ucast_routes: Switch 0x{guid}\nLID    : Port : Hops : Optimal\n\
             0x0001 : 001  : 01   : yes\n0x0002 : UNREACHABLE\n0x0003 : 001  : 01   : yes\n"
        )
    };
    let text: String = [1, 2, 3].map(whole).concat();
    assert!(Dump::parse(text.as_bytes()).is_ok());
    // A switch has a line for every LID: a table that ends sooner than all others is cut.
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for left in [11, 12, 13, 14] {
        let (_, reason) = told(&lines[..left].concat());
        assert_eq!(reason, DumpReason::Truncated, "{left}");
    }
    assert!(Dump::parse(lines[..10].concat().as_bytes()).is_ok());
    assert_eq!(told(&text[..text.len() - 1]).1, DumpReason::Truncated);
    let bad = told(&text.replacen("003 : 001", "003 : 00x", 1));
    assert!(matches!(bad, (5, DumpReason::BadEntry(_))), "{bad:?}");
    let bad = told(&text.replacen("Switch 0x2", "Switch", 1));
    assert!(matches!(bad, (6, DumpReason::NoGuid(_))), "{bad:?}");
    // Tables of multicast are none of these.
    let multicast = "\nSwitch 0x00000000000000a1\nLID    : Out Port(s)\n0xC000 : 0x001  0x002 \n";
    assert!(matches!(told(multicast), (4, DumpReason::BadEntry(_))));
}

/// A switch may have several tables, of which LIDs alone select the first.
#[test]
fn further_tables_of_a_switch_are_left_out() {
    let text = "# made by ibdiagnet\n\
        osm_ucast_mgr_dump_ucast_routes: Switch 0x00000000000000a1\nPLFT_NUM: 0\n\
        LID    : Port : Hops : Optimal\n0x0001 : 001  : 00   : yes\n\
        PLFT_NUM: 1\nLID    : Port : Hops : Optimal\n0x0001 : 002  : 00   : yes\n\n\
        osm_ucast_mgr_dump_ucast_routes: Switch 0x00000000000000a2\nPLFT_NUM: 0\n\
        LID    : Port : Hops : Optimal\n0x0001 : 003  : 00   : yes\n";
    let read = Dump::parse_leniently(text.as_bytes()).unwrap();
    let switches = read.value.switches.iter();
    let tables: Vec<_> = switches.map(|s| s.entries.to_vec()).collect();
    assert_eq!(tables, [entries(&[(1, 1)]), entries(&[(1, 3)])]);
    let guid = Guid(0xa1);
    let private = DumpReason::PrivateTable { guid, number: 1 };
    assert_eq!(told(text), (6, private));
}

/// As the parser of CrackedPoly/Rapimt reads it.
const FAR: &str = "# made by ibdiagnet
File version: 2
Switch 0x00000000000000a1 (leaf)
AR: enabled
Groups Definition:
Group   Sub Group   WHBF   Ports
---------------------------------
0       0           0      3,4,
LFT Definition:
PLFT_NUM: 0, top: 0x5
LID     Static Port   Lid State   Group
---------------------------------------
0x0001  0             Static      0
0x0002  3             Free        0
0x0003  4             HBF         0
0x0004  1             Static      0
0x0005  255           Static      0
PLFT_NUM: 1, top: 0x1
LID     Static Port   Lid State   Group
---------------------------------------
0x0001  9             Free        0
Switch 0x00000000000000a2 (spine)
Groups Definition:
LFT Definition:
PLFT_NUM: 0, top: 0x1
0x0001  2             Static      0
";

#[test]
fn adaptive_routing_is_counted() {
    let read = Dump::parse_leniently(FAR.as_bytes()).unwrap();
    assert_eq!(read.warnings.count(), 1);
    let dump = read.value;
    assert_eq!((dump.adaptive, dump.entries()), (2, 5));
    let leaf = entries(&[(1, 0), (2, 3), (3, 4), (4, 1)]);
    assert_eq!(dump.switches[0].entries, leaf);
    assert_eq!(dump.switches[1].entries, entries(&[(1, 2)]));
}
