use super::*;

fn read(text: &str) -> (Vec<Counts>, u64) {
    let read = Reading::parse_leniently(text.as_bytes()).expect("counters");
    let counts = read.value.0.values().map(|(_, counts)| *counts).collect();
    (counts, read.warnings.count())
}

const IBQUERYERRORS: &str = "Errors for 0x1 \"leaf [1]\"\n   \
    GUID 0x1 port ALL: [SymbolErrorCounter == 507]\n   \
    GUID 0x1 port 33: [SymbolErrorCounter == 500] [LinkDownedCounter == 3] [PortXmitWait == 9] \
    [PortXmitData == 6768 (26.438KB)]\n       \
    Link info:    128  33[  ] ==( 4X  10.0 Gbps (FDR10) Active/  LinkUp)==>  0x2     18   30[  ] \"s\" ( )\n\n\
    ## Summary: 152 nodes checked, 2 bad nodes found\n## Suppressed:\n";
const PERFQUERY: &str = "# Port counters: Lid 128 port 33 (CapMask: 0x1300)\nPortSelect:......................33\n\
    SymbolErrorCounter:..............500\nLinkDownedCounter:...............3\n\
    # Port extended counters: Lid 128 port 33 (CapMask: 0x1300 CapMask2: 0x0000000)\nPortSelect:...33\n";
const DB_CSV: &str = "START_NODES\nNodeDesc,NumPorts,NodeGUID\n\"a,b\",1,0x1\nEND_NODES\n\nSTART_PM_INFO\n\
    NodeGUID,PortGUID,PortNumber,LinkDownedCounter,SymbolErrorCounter,SymbolErrorCounterExt\n\
    0x1,0x1,33,0x3,255,500\nEND_PM_INFO\n";

#[test]
fn all_tools_say_the_same() {
    for text in [IBQUERYERRORS, PERFQUERY, DB_CSV] {
        let (counts, warnings) = read(text);
        let (counters, ber) = (counts[0].counters, counts[0].symbol_ber);
        assert_eq!(
            (counts.len(), counters, ber, warnings),
            (1, [3, 0, 0, 0, 500], None, 0)
        );
    }
    let old = "   GUID 0x1 port 2: [SymbolErrors == 4] [LinkRecovers == 1]\n";
    assert_eq!(read(old).0[0].counters, [0, 1, 0, 0, 4]);
}

#[test]
fn error_rates_have_a_mantissa_and_an_exponent_or_none() {
    let db = "START_PHY_DB16\nNodeGuid,PortNum,field14,field15,field16,field17\n\
        0x1,1,15,254,3,13\n0x1,2,15,254,1,4000000\nEND_PHY_DB16\n";
    let bers = [Some(3e-13), None];
    assert_eq!(
        read(db).0.iter().map(|c| c.symbol_ber).collect::<Vec<_>>(),
        bers
    );
    let net = "Ty : # : #IB : GUID : LID : Raw BER : Effective BER : Symbol BER : Symbol Err : Node Desc\n\
        SW : a : 1 : 0x1 : 10 (0xa) : 1e-5 : 2e-13 : 3e-13 : 4 : \"MF0;leaf : 1\"\n\
        SW : a : 2 : 0x1 : 10 (0xa) : N/A : N/A : N/A : N/A : \"x\"\n";
    assert_eq!(
        read(net).0.iter().map(|c| c.symbol_ber).collect::<Vec<_>>(),
        bers
    );
}

#[test]
fn what_is_cut_or_spoilt_is_told_or_refused() {
    let cut = IBQUERYERRORS.replace(" [PortXmitData == 6768 (26.438KB)]", " [PortXm");
    assert_eq!(read(&cut).1, 1);
    let spoilt =
        DB_CSV.replace("0x1,0x1,33", "?,?,33") + "   GUID 0x1 port 2: [SymbolErrorCounter == 4]\n";
    assert_eq!(read(&spoilt).1, 1);
    let end = DB_CSV.replace("END_PM_INFO\n", "");
    for refused in ["", "Ca 1 \"H-1\"\n", &end] {
        assert!(
            Reading::parse_leniently(refused.as_bytes()).is_err(),
            "{refused}"
        );
    }
}

#[test]
fn a_counter_that_goes_down_was_cleared() {
    let port = CountedPort::Host(NodeId(0));
    let reading = |symbols: u64| {
        let counters = [0, 0, 0, 0, symbols];
        BTreeMap::from([(
            port,
            Counts {
                counters,
                ..Counts::default()
            },
        )])
    };
    for (readings, expected) in [(&[5][..], 5), (&[5, 9], 4), (&[5, 9, 2], 6)] {
        let readings: Vec<_> = readings.iter().map(|&n| reading(n)).collect();
        assert_eq!(counted(&readings)[&port].counters[4], expected);
    }
}
