//! The places that `reference=auto` keeps while OpenSM runs, and those that `dmodc forget` removes.

use super::{SPINE, TREE, assert_tables_fit, at_port, kept, places, with_option};
use crate::support::*;
use std::collections::BTreeSet;
use std::fs;

/// The file has names, and the day on which missing equipment was last seen. Forgotten equipment stays forgotten.
#[test]
fn dark_equipment_has_a_date_until_it_returns_or_is_forgotten() {
    let (net, mut sim) = Net::simulated(TREE);
    let sm = OpenSm::start(&sim, &with_option("auto"));
    let path = sm.files.by_port(Files::REFERENCE);
    assert!(kept(&path).dark.is_empty());
    let (switch, port) = net.switch_link();
    sim.unlink(switch, port);
    sm.resweep();
    let lost = kept(&path);
    let [day] = lost.dark.values().collect::<Vec<_>>()[..] else {
        panic!("one link: {:?}", lost.dark);
    };
    let line = format!(", last seen {day}");
    let lines = sm.files.log_lines("missing, by the reference");
    assert!(lines.iter().any(|l| l.ends_with(&line)), "{lines:#?}");
    let names = |netlist: &dmodc_formats::netlist::Netlist| -> BTreeSet<String> {
        netlist.switches().map(|n| n.description.clone()).collect()
    };
    assert_eq!(names(&lost.netlist), names(&net.netlist));
    sim.relink(switch, port);
    sm.resweep();
    assert!(kept(&path).dark.is_empty(), "it is back");

    sim.unlink_all(net.node(SPINE));
    sm.resweep();
    assert_eq!(kept(&path).dark.len(), 1, "the spine, and not its links");
    done(tool(["forget", SPINE, "--reference"]).arg(&path));
    for _ in 0..2 {
        sm.resweep();
        let now = kept(&path);
        assert!(now.dark.is_empty(), "{:?}", now.dark);
        assert_eq!(now.netlist.switches().count(), 9);
        assert_tables_fit(&sm.files, Some(places(&path)));
    }
    sm.files.assert_errors(&[]);
}

#[test]
fn a_file_of_a_later_version_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (net, sim) = Net::simulated(TREE);
    let path = folder.path().join(at_port(&net, 0));
    let text = "# dmodc reference 2\nwhatever that will be\n";
    fs::write(&path, text).expect("written");
    let sm = OpenSm::start(&sim, &with_option("auto").cache_dir(folder.path()));
    sm.resweep();
    sm.files.assert_errors(&["version '2'"]);
    assert_eq!(fs::read_to_string(&path).expect("there"), text);
    assert_tables_fit(&sm.files, None);
}
