//! The common part of `check` and `analyze`: reads a fabric and its tables, and names things in messages.

use super::args::GuidFiles;
use super::reading::Reading;
use crate::failure::Failure;
use crate::input::{input, shown};
use crate::output::complain;
use dmodc_analysis::{Channel, Route};
use dmodc_core::Options;
use dmodc_fabric::{Fabric, Lid, NodeId, PortNumber, SwitchId, Tables, lid_range};
use dmodc_formats::lft::Dump;
use dmodc_formats::netlist::{Names, Netlist};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The arguments that name a fabric and its tables.
#[derive(clap::Args)]
pub struct Input {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    /// The forwarding tables, as opensm-lfts.dump, .fdbs or ibdiagnet2.far
    #[arg(value_parser = input())]
    lfts: PathBuf,
    /// LMC of all end nodes, as given to 'dmodc route' [default: the netlist's, else the tables']
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=7))]
    lmc: Option<u8>,
    #[command(flatten)]
    guid_files: GuidFiles,
    /// How the files are read
    #[command(flatten)]
    pub reading: Reading,
}

pub struct Judged {
    pub netlist: Netlist,
    pub fabric: Fabric,
    pub names: Names,
    pub tables: Tables,
    pub options: Options,
    /// Hosts that no link joins to a switch, by GUID and description.
    pub without_switch: Vec<String>,
    /// The number of LIDs of virtual ports, and the tables with these in the place of their ports' LIDs: as often as
    /// some port has any.
    pub virtual_lids: usize,
    pub virtual_tables: Vec<Tables>,
    /// The number of LIDs of the tables that belong to no port of the file.
    pub without_owner: usize,
}

impl Input {
    /// Reads the fabrics of the file, each with its tables, and with the virtual ports of a file.
    pub fn load(&self, vports: Option<&Path>) -> Result<Vec<Judged>, Failure> {
        let netlists = self.reading.fabrics(&self.net)?;
        let dump = self.reading.dump(&self.lfts)?;
        let is_one = netlists.len() == 1;
        let judged = |netlist| self.judged(netlist, &dump, vports, is_one);
        netlists.into_iter().map(judged).collect()
    }

    /// The tables of a fabric in a dump, which has those of others too unless it `is_one`.
    pub fn tables(
        &self,
        path: &Path,
        dump: &Dump,
        fabric: &Fabric,
        is_one: bool,
    ) -> Result<Tables, Failure> {
        match is_one {
            true => self.reading.tables(path, dump, fabric),
            false => self.reading.tables(path, &dump.only(fabric), fabric),
        }
    }

    /// A fabric with its tables. The LMC is the one that is given, the file's, or the tables' if the file has none.
    fn judged(
        &self,
        netlist: Netlist,
        dump: &Dump,
        vports: Option<&Path>,
        is_one: bool,
    ) -> Result<Judged, Failure> {
        let (reading, lids) = (self.reading, Failure::lids(&self.net));
        let (mut fabric, mut names) = netlist.to_fabric(self.lmc).map_err(&lids)?;
        let with = |lmc| netlist.to_fabric(Some(lmc)).ok().map(|(fabric, _)| fabric);
        let lmc = match self.lmc {
            None => dump.lmc(&fabric, with),
            Some(_) => None,
        };
        if let Some(lmc) = lmc {
            let net = shown(&self.net).display();
            complain(&format!(
                "dmodc: LMC {lmc}, by the tables: {net} has LMC 0 (--lmc 0 judges the base LIDs alone)\n"
            ));
            (fabric, names) = netlist.to_fabric(Some(lmc)).map_err(&lids)?;
        }
        let tables = self.tables(&self.lfts, dump, &fabric, is_one)?;
        let virtual_lids = match vports {
            Some(_) => reading.virtual_lids(vports, (&self.net, &netlist), &fabric)?,
            None => Vec::new(),
        };
        let without_owner = dump.without_owner(&fabric);
        let known: HashSet<Lid> = virtual_lids.iter().map(|(lid, _)| *lid).collect();
        let apart = netlist.without_switch();
        let apart = apart.map(|node| format!("{} {} '{}'", node.kind, node.guid, node.description));
        Ok(Judged {
            without_switch: apart.collect(),
            without_owner: (without_owner.iter())
                .filter(|lid| !known.contains(lid))
                .count(),
            virtual_tables: dump.in_place(&tables, &fabric, &virtual_lids),
            virtual_lids: virtual_lids.len(),
            options: (self.guid_files).options(reading, &fabric, Options::default())?,
            netlist,
            fabric,
            names,
            tables,
        })
    }
}

/// A switch by GUID and description.
pub fn switch_name(fabric: &Fabric, names: &Names, index: SwitchId) -> String {
    let guid = fabric.switches()[index].guid;
    format!("{guid} '{}'", names.switches[index])
}

/// A port of a switch, as `dmodc wiring` has it.
fn port_name(fabric: &Fabric, names: &Names, (switch, port): (SwitchId, PortNumber)) -> String {
    let (name, port) = (switch_name(fabric, names, switch), names.port(switch, port));
    format!("{name} [{port}]")
}

/// A link by its ends.
pub fn link_name(fabric: &Fabric, names: &Names, ends: [(SwitchId, PortNumber); 2]) -> String {
    ends.map(|end| port_name(fabric, names, end)).join(" -- ")
}

/// An end node by GUID and description.
pub fn node_name(fabric: &Fabric, names: &Names, index: NodeId) -> String {
    let guid = fabric.end_nodes()[index].guid;
    format!("{guid} '{}'", names.end_nodes[index])
}

impl Judged {
    pub fn switch(&self, index: SwitchId) -> String {
        switch_name(&self.fabric, &self.names, index)
    }

    pub fn node(&self, index: NodeId) -> String {
        node_name(&self.fabric, &self.names, index)
    }

    pub fn port(&self, end: (SwitchId, PortNumber)) -> String {
        port_name(&self.fabric, &self.names, end)
    }

    pub fn link(&self, ends: [(SwitchId, PortNumber); 2]) -> String {
        link_name(&self.fabric, &self.names, ends)
    }

    /// A route by its source and its destination.
    pub fn route(&self, route: &Route) -> String {
        let (from, lid) = (self.switch(route.switch), route.lid);
        format!("{from} to LID {lid} '{}'", self.owner(lid))
    }

    pub fn channel(&self, c: Channel) -> String {
        let (from, to) = (self.switch(c.from), self.switch(c.to));
        let port = |switch, port| self.names.port(switch, port);
        let [near, far] = [port(c.from, c.port), port(c.to, c.to_port)];
        format!("{from} port {near} -> {to} port {far}")
    }

    /// The description of the owner of a LID.
    pub fn owner(&self, lid: Lid) -> &str {
        let has = |base, lmc| lid_range(base, lmc).is_some_and(|range| range.contains(&lid.0));
        let (nodes, switches) = (self.fabric.end_nodes(), self.fabric.switches());
        if let Some(node) = nodes.position(|n| has(n.lid, n.lmc)) {
            return &self.names.end_nodes[node];
        }
        let switch = switches.position(|s| has(s.lid, s.lmc));
        switch.map_or("", |switch| &self.names.switches[switch])
    }
}
