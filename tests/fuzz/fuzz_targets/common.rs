//! What holds for every format of fabrics: whatever is read is written as ibnetdiscover would, and read as the same.

use dmodc_formats::netlist::Netlist;

/// Reads a text that begins so, and checks what is read. The begin chooses the format, so that no run is wasted on
/// another.
pub fn reads(begin: &str, bytes: &[u8]) {
    let text = [begin.as_bytes(), bytes].concat();
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
}
