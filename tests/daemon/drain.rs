//! Drained links under OpenSM: `dmodc.drain` is read anew at each sweep, what it names is empty, and pulling it changes
//! nothing for hosts.

use crate::hang_up::last;
use crate::support::fabrics::Net;
use crate::support::ibsim::Ibsim;
use crate::support::offline::Offline;
use crate::support::opensm::{Config, OpenSm};
use dmodc::dmodc::{Drained, Options};
use dmodc::lft::{Dump, Tables};
use dmodc::netlist::Netlist;
use std::fs;

const TREE: &str = "PGFT(3;6,6,4;1,3,6;1,1,1)";

/// A switch above the leaves.
const SPINE: &str = "L2-4";

fn tables(sm: &OpenSm, netlist: &Netlist) -> Tables {
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    let dump = Dump::parse_leniently(&sm.files.lfts())
        .expect("a dump")
        .value;
    dump.tables_leniently(&fabric).expect("tables").value
}

#[test]
fn a_spine_is_drained_pulled_and_used_again() {
    let net = Net::pgft(TREE);
    let mut sim = Ibsim::start(&net.path);
    let file = sim.dir().join("drain.txt");
    fs::write(&file, "# nothing yet\n").expect("written");
    let option = format!("event_plugin_options dmodc.drain={}", file.display());
    let sm = OpenSm::start(&sim, &Config::dmodc().line(option));
    let before = sm.files.subnet();
    let first = tables(&sm, &before);
    let told = || sm.files.log_lines("dmodc: drained: ");
    assert_eq!(told(), [""; 0]);

    // An edit and a SIGHUP.
    fs::write(&file, format!("{SPINE}  # firmware\nno such switch\n")).expect("written");
    sm.resweep();
    let lines = told();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(
        lines[0].contains(&format!("drained: switch '{SPINE}': empty but for ")),
        "{lines:#?}"
    );
    let odd = sm.files.log_lines("nothing is drained: ");
    assert!(
        odd.len() == 1 && odd[0].contains("drain.txt:2: "),
        "{odd:#?}"
    );
    assert_ne!(last(&sm, "changed_blocks"), "0");
    let spine = before
        .switches()
        .find(|n| n.description == SPINE)
        .expect("it is there");
    let drain = vec![Drained {
        switch: spine.guid,
        port: None,
    }];
    let options = Options {
        drain,
        ..Options::default()
    };
    Offline::route(&before, 0, 1, &options).assert_same(&sm.files.lfts());
    let empty = tables(&sm, &before);
    sm.resweep();
    assert_eq!((told().len(), &*last(&sm, "changed_blocks")), (1, "0"));

    let mut switches = net.netlist.switches();
    let simulated = switches
        .find(|n| n.guid == spine.guid)
        .expect("it is there");
    // It goes: no entry of a leaf for a host changes.
    for port in &spine.ports {
        sim.unlink(&simulated.id, port.number);
    }
    sm.resweep();
    let (fabric, _) = before.to_fabric(None).expect("LIDs");
    let now = sm.files.subnet();
    let (less, _) = now.to_fabric(None).expect("LIDs");
    assert_eq!(less.switches().len() + 1, fabric.switches().len());
    let gone = tables(&sm, &now);
    let leaves = (0u32..).zip(less.switches());
    for (s, switch) in leaves.filter(|&(s, _)| !less.end_nodes_of(s).is_empty()) {
        let was = fabric.switch_by_guid(switch.guid).expect("it is there");
        for lid in fabric.end_nodes().iter().map(|node| node.lid) {
            let [was, is] = [empty.get(was, lid), gone.get(s, lid)];
            assert_eq!(was, is, "{switch:?} to {lid}");
        }
    }

    // It is back, and the line goes.
    for port in &spine.ports {
        sim.relink(&simulated.id, port.number);
    }
    fs::write(&file, "").expect("written");
    sm.resweep();
    let again = sm.files.subnet();
    assert_eq!(tables(&sm, &again), first);
    assert!(sm.stop());
}
