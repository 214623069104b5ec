//! Netlists: the counts of production fabrics, and cut files. Every dialect and every error is tested in
//! `tests/data/answers/netlists.txt`.

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
