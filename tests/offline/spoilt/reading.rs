//! What the parser makes of spoilt captures. That whatever is read is sound once it is written, `fuzz/fuzz_targets/netlist.rs`
//! judges.

use super::*;
use crate::routed::written;

/// What is left of a fabric without LIDs: who is linked to whom.
fn wiring(fabric: &Fabric) -> Vec<String> {
    let nodes = fabric.end_nodes().iter();
    let nodes = nodes.map(|n| format!("{} {} {}", n.guid, n.switch, n.port));
    let switches = (0..).zip(fabric.switches());
    let switches = switches.map(|(s, switch)| format!("{} {:?}", switch.guid, fabric.peers_of(s)));
    nodes.chain(switches).collect()
}

#[test]
fn what_is_odd_in_a_capture_is_read_as_what_it_means() {
    for path in production() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (whole, none) = read(&text);
        assert_eq!(none, 0, "{}", path.display());
        let whole = fabric(&whole);
        for way in ways(&text) {
            let what = format!("{}: {}", path.display(), way.what);
            let (netlist, warnings) = read(&way.text);
            assert_eq!(warnings, way.warnings, "{what}");
            let found = fabric(&netlist);
            assert_eq!(wiring(&found), wiring(&whole), "{what}");
            assert_eq!(found == whole, way.lids, "{what}");
            let strict = Netlist::parse(way.text.as_bytes());
            assert_eq!(strict.is_err(), way.warnings > 0, "{what}");
            // What is written is sound.
            let again = Netlist::parse(&written(&netlist));
            assert!(again.unwrap() == netlist, "{what}");
        }
    }
}

#[test]
fn subnet_lists_of_other_programs() {
    for path in production() {
        let (netlist, _) = read(&std::fs::read_to_string(&path).unwrap());
        let whole = fabric(&netlist);
        let ours = subnet_lst(&netlist, |node| format!("{:04X}", node.device));
        let wide = subnet_lst(&netlist, |node| format!("{:04X}0000", node.device));
        for text in [&ours, &wide] {
            let (read, warnings) = read(text);
            assert_eq!(warnings, 0);
            assert!(fabric(&read) == whole, "{}", path.display());
        }
        // Who is an aggregation node is told by its description too.
        let unreadable = subnet_lst(&netlist, |_| "xxxx".into());
        let (found, warnings) = read(&unreadable);
        assert_eq!(warnings, ours.lines().count() as u64);
        assert!(fabric(&found) == whole, "{}", path.display());
        let log = format!("\x1b[0mOpenSM> \n{ours}\n# done\n");
        let (found, warnings) = read(&log);
        assert_eq!(warnings, 3, "the colour, the prompt, the comment");
        assert!(fabric(&found) == whole, "{}", path.display());
    }
}
