//! Compares OpenSM's tables with the library's offline tables of the same fabric, and checks that they deliver.

use super::opensm::Files;
use dmodc_analysis::{CheckReport, check};
use dmodc_core::{Engine, Options, Plan};
use dmodc_fabric::{Fabric, Lid, NO_PATH, NodeId, PortNumber, Tables};
use dmodc_formats::lft::{Dump, write_dump, write_order};
use dmodc_formats::netlist::{Names, Netlist};
use std::collections::BTreeSet;

/// A fabric routed without OpenSM.
pub struct Offline {
    pub fabric: Fabric,
    pub plan: Plan,
    names: Names,
    tables: Tables,
}

impl Offline {
    /// Routes a netlist. The LMC is an argument because `opensm-subnet.lst` does not contain it.
    pub fn route(netlist: &Netlist, lmc: u8, threads: usize, options: &Options) -> Offline {
        let (fabric, names) = netlist.to_fabric(Some(lmc)).expect("LIDs for all");
        let engine = Engine::new(threads).expect("threads");
        let plan = engine.plan(&fabric, options).expect("the fabric is a tree");
        let (tables, _) = engine
            .tables(&fabric, &plan)
            .expect("tables of the right size");
        Offline {
            fabric,
            plan,
            names,
            tables,
        }
    }

    /// The tables in OpenSM's dump format.
    pub fn dump(&self) -> Vec<u8> {
        let mut dump = Vec::new();
        write_dump(&self.fabric, &self.names, &self.tables, false, &mut dump)
            .expect("memory takes it");
        dump
    }

    /// The node order, as `dmodc route --order` writes it.
    pub fn order(&self) -> String {
        let mut text = Vec::new();
        let name = |node| &self.names.end_nodes[node];
        write_order(&self.fabric, self.plan.order(), name, &mut text).expect("memory takes it");
        String::from_utf8(text).expect("text")
    }

    /// Asserts that OpenSM's dump is equal to [`Offline::dump`], byte for byte.
    pub fn assert_same(&self, live: &[u8]) {
        let offline = self.dump();
        if live == offline {
            return;
        }
        // Prints the first line that differs, not megabytes.
        let [live, offline] = [live, &offline].map(String::from_utf8_lossy);
        let mut lines = live.lines().zip(offline.lines()).enumerate();
        let first = lines.find(|(_, (a, b))| a != b);
        let counts = (live.lines().count(), offline.lines().count());
        panic!("live and offline tables differ, {counts:?} lines, first: {first:#?}");
    }

    pub fn has_entries(&self, live: &[u8]) -> bool {
        let dump = Dump::parse(live).ok();
        let live = dump.and_then(|dump| dump.tables(&self.fabric).ok());
        live.is_some_and(|live| live == self.tables)
    }

    /// Asserts that OpenSM's dump has the same entries. The rest of the dump may differ.
    pub fn assert_same_entries(&self, live: &[u8]) {
        let live = self.read(live);
        for (s, switch) in self.fabric.switches().iter_enumerated() {
            let rows = live.row(s).iter().zip(self.tables.row(s)).enumerate();
            let first = rows.into_iter().find(|(_, (a, b))| a != b);
            assert_eq!(first, None, "(LID, (live, offline)) at {}", switch.guid);
        }
    }

    /// Asserts that OpenSM's tables deliver every pair that has an up-down path by a shortest one, and close no credit
    /// loop.
    pub fn assert_clean(&self, live: &[u8]) -> CheckReport {
        let ranking = self.plan.ranking();
        let report = check(&self.fabric, &self.read(live), |a, b| ranking.is_up(a, b));
        assert!(report.is_minimal(), "{report:#?}");
        report
    }

    /// The paths from the switch of one end node to each LID of another, each as its output ports.
    pub fn paths(&self, live: &[u8], from: NodeId, to: NodeId) -> BTreeSet<Vec<u8>> {
        let tables = self.read(live);
        let (from, to) = (&self.fabric.end_nodes()[from], &self.fabric.end_nodes()[to]);
        let walk = |lid: u16| {
            let (mut at, mut ports) = (from.switch, Vec::new());
            while at != to.switch {
                let port = tables.row(at)[Lid(lid)];
                assert!(
                    port != NO_PATH && ports.len() < 16,
                    "LID {lid} is delivered"
                );
                let Some((next, _)) = self.fabric.far(at, PortNumber(port)) else {
                    panic!("port {port} leads to a switch");
                };
                ports.push(port);
                at = next;
            }
            ports
        };
        (to.lid.0..to.lid.0 + (1 << to.lmc)).map(walk).collect()
    }

    fn read(&self, dump: &[u8]) -> Tables {
        let dump = Dump::parse(dump).expect("a dump of OpenSM's");
        dump.tables(&self.fabric).expect("tables of this fabric")
    }
}

/// The netlist that ibsim simulates, with the LIDs that OpenSM has assigned.
pub fn with_lids_of(original: &Netlist, files: &Files) -> Netlist {
    let subnet = files.subnet();
    let mut netlist = original.clone();
    for node in &mut netlist.nodes {
        let live = subnet.nodes.iter().find(|n| n.guid == node.guid);
        let live = live.expect("OpenSM sees it");
        node.lid = live.lid;
        for port in &mut node.ports {
            port.lid = live.port(port.number).expect("OpenSM sees it").lid;
        }
    }
    netlist
}
