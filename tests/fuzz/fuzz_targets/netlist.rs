//! Fabrics in every format: whatever is read is written as ibnetdiscover would, without oddities, and read as the same.
//!
//! One binary for each format. Its name chooses the begin of the text, so that no run is wasted on another format.

#![no_main]

use dmodc_formats::netlist::Netlist;
use libfuzzer_sys::fuzz_target;

/// The begin of the text, by the name of the binary.
const BEGIN: &str = match env!("CARGO_BIN_NAME").as_bytes() {
    b"subnet_lst" => "{ ",
    b"port_list" => "SW     1  1 0x00000000000100a1 4x EDR 's'\n",
    b"db_csv" => "START_NODES\n",
    b"net_dump" => "\"s\", Mellanox, 0x00000000000100a1, LID 1\n",
    b"iblinkinfo" => "Switch: 0x00000000000100a1 s:\n",
    b"labels" => {
        "switchguid=0x100a1\nSwitch  4 \"S-00000000000100a1\"  # \"s\" base port 0 lid 1 lmc 0\n\
         [1](1/1/1) \"S-00000000000100a1\"[2] # \"s\" lid 1 4xEDR\n"
    }
    _ => "",
};

fuzz_target!(|bytes: &[u8]| {
    let text = [BEGIN.as_bytes(), bytes].concat();
    let Ok(read) = Netlist::parse_leniently(&text) else {
        return;
    };
    let netlist = read.value;
    let text = netlist.to_text();
    let again = Netlist::parse(&text).expect("what we write, we read");
    assert!(
        again == netlist,
        "written as:\n{}",
        String::from_utf8_lossy(&text)
    );
    for lmc in [None, Some(0), Some(7)] {
        if let Ok((fabric, names)) = netlist.to_fabric(lmc) {
            assert_eq!(fabric.switches().len(), names.switches.len());
            assert_eq!(fabric.end_nodes().len(), names.end_nodes.len());
        }
    }
});
