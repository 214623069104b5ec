//! How fast links are: read from every format, and written.

use crate::routed::written;
use crate::support::*;
use dmodc::fabric::{Fabric, Guid};
use dmodc::netlist::Netlist;
use std::fs;

/// A leaf with ports 1 and 2 to two hosts and 3 and 4 to a spine, by what stands behind each of its ports and those at
/// the other ends.
fn netlist(near: [&str; 4], far: [&str; 4]) -> String {
    let [h1, h2, up1, up2] = near;
    let [n1, n2, down1, down2] = far;
    format!(
        r#"switchguid=0xa1
Switch	4 "S-a1"		# "leaf w=1"
[1]	"H-b1"[1]{h1}
[2]	"H-c1"[1]{h2}
[3]	"S-a2"[1]{up1}
[4]	"S-a2"[2]{up2}

switchguid=0xa2
Switch	4 "S-a2"		# "spine s=1"
[1]	"S-a1"[3]{down1}
[2]	"S-a1"[4]{down2}

hcaguid=0xb1
Ca	1 "H-b1"		# "h1"
[1]	"S-a1"[1]{n1}

hcaguid=0xc1
Ca	1 "H-c1"		# "h2"
[1]	"S-a1"[2]{n2}
"#
    )
}

fn fabric(text: &str) -> Fabric {
    let netlist = Netlist::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    let again = Netlist::parse(&written(&netlist)).expect("what is written is read");
    assert_eq!(again.to_fabric(None).expect("LIDs").0, fabric, "{text}");
    fabric
}

/// The links of the leaf's four ports.
fn links(fabric: &Fabric) -> [String; 4] {
    let leaf = fabric.switch_by_guid(Guid(0xa1)).expect("the leaf");
    [1, 2, 3, 4].map(|port| fabric.link_speed(leaf, port).to_string())
}

#[test]
fn what_ibnetdiscover_says_is_read() {
    let words = |words: [&str; 4]| words.map(|w| format!("\t\t# \"x\" w=1 \"y\" lid 0 {w}"));
    let read = |near: [&str; 4], far: [&str; 4]| {
        let (near, far) = (words(near), words(far));
        let text = netlist(near.each_ref().map(|s| &**s), far.each_ref().map(|s| &**s));
        links(&fabric(&text))
    };
    let all = ["4xXDR", "2xNDR", "1xHDR", "12xFDR10"];
    assert_eq!(read(all, all), all);
    // Older ones do not know the speed; '-f' has more words, which are of no use then.
    let found = read(
        ["4x???", "4x??? s=4 w=2 v=4", "4xHDR s=4 w=2 v=4", "4xEDR"],
        ["4xNDR", "4x???", "4xHDR", "1xEDR"],
    );
    assert_eq!(found, ["4xNDR", "", "4xHDR", "1xEDR"]);
    assert_eq!(read([""; 4], [""; 4]), [""; 4]);
}

#[test]
fn what_people_write_for_ibsim_is_read() {
    let none = [""; 4];
    assert_eq!(links(&fabric(&netlist(none, none))), none);
    // What one port says makes ibsim's defaults known for the others.
    let one = fabric(&netlist(["", "", " w=1", ""], none));
    assert_eq!(links(&one), ["4xSDR", "4xSDR", "1xSDR", "4xSDR"]);
    assert_eq!(one.speed(0, 3), 2_000);
    let both = fabric(&netlist(
        [" s=4", "\tw=3 s=7", " e=4", ""],
        [" s=4", " w=3,s=3", " w=8 e=6", ""],
    ));
    assert_eq!(links(&both), ["4xQDR", "4xDDR", "4xHDR", "4xSDR"]);
    let text = format!("width=1\nspeed=2\n{}", netlist(["", " w=2", "", ""], none));
    assert_eq!(links(&fabric(&text)), ["1xDDR"; 4]);
}

#[test]
fn what_opensm_says_is_read() {
    let list = fs::read_to_string(data("subnet.lst")).expect("the list");
    assert_eq!(list.matches("PHY=4x LOG=ACT SPD=25").count(), 2);
    for (end, expected) in [
        ("PHY=4x LOG=ACT SPD=25", "4xEDR"),
        ("PHY=1x LOG=ACT SPD=2.5", "1xSDR"),
        ("PHY=8x LOG=INI SPD=5", "8xDDR"),
        ("PHY=12x LOG=ACT SPD=10", "12xQDR"),
        ("PHY=4x LOG=ACT SPD=FDR10", "4xFDR10"),
        ("PHY=4x LOG=ACT SPD=14", "4xFDR"),
        ("PHY=2x LOG=ACT SPD=50", "2xHDR"),
        ("PHY=2x LOG=ACT SPD=100", "2xNDR"),
        ("PHY=4x LOG=ACT SPD=200", "4xXDR"),
        ("PHY=4x LOG=ACT SPD=??", ""),
        ("PHY=?? LOG=ACT SPD=25", ""),
        ("[4x 50.0 Gbps]", "4xHDR"),
        ("[4x 14.0625 Gbps]", "4xFDR"),
        ("[4x 25.78125 Gbps]", "4xEDR"),
        ("[4x 53.125 Gbps]", "4xHDR"),
        ("[1x 106.25 Gbps]", "1xNDR"),
        ("[2x 212.5 Gbps]", "2xXDR"),
    ] {
        let text = list.replace("PHY=4x LOG=ACT SPD=25", end);
        let fabric = fabric(&text);
        assert_eq!(fabric.link_speed(0, 31).to_string(), expected, "{end}");
    }
}
