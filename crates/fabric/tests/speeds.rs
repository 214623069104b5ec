//! Speeds of links through the operations on fabrics.

use dmodc_fabric::{Fabric, Merged, PortNumber, SwitchId};
use fabrics::{Net, with_speeds};

/// Ports 1 of both switches are joined, and each has a host at its port 2.
#[test]
fn speeds_go_where_their_links_go() {
    let whole = Net::new(&[(0, 1)], &[0, 1]).build();
    let with = |fabric: &Fabric, text: &'static str| with_speeds(fabric.clone(), |_, _| text);
    let speeds = |fabric: &Fabric| {
        let ports = [(0, 1), (0, 2), (1, 1), (1, 2)].map(port);
        ports.map(|(s, port)| fabric.link_speed(s, port).to_string())
    };
    let link = [(0, 1), (1, 1)].map(port);
    let (cut, reference) = (whole.without(&link), with(&whole, "4xHDR"));
    for now in ["1xHDR", ""] {
        let merged = Merged::new(&with(&cut, now), &reference);
        assert_eq!(speeds(&merged.nominal), ["4xHDR", now, "4xHDR", now]);
    }
}

fn port((switch, port): (u32, u8)) -> (SwitchId, PortNumber) {
    (SwitchId(switch), PortNumber(port))
}
