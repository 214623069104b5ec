//! The common part of `check` and `analyze`: reads a fabric and its tables, and names things in messages.

use super::args::GuidFiles;
use super::reading::Reading;
use crate::failure::Failure;
use crate::input::input;
use dmodc::analysis::{Channel, Route};
use dmodc::dmodc::Options;
use dmodc::fabric::{Fabric, Lid, lid_range};
use dmodc::lft::Tables;
use dmodc::netlist::Names;
use std::path::PathBuf;

/// The arguments that name a fabric and its tables.
#[derive(clap::Args)]
pub struct Input {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    /// The forwarding tables, as opensm-lfts.dump, .fdbs or ibdiagnet2.far
    #[arg(value_parser = input())]
    lfts: PathBuf,
    /// LMC of all end nodes, as given to 'dmodc route' [default: the netlist's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=7))]
    lmc: Option<u8>,
    #[command(flatten)]
    guid_files: GuidFiles,
    /// How the files are read
    #[command(flatten)]
    pub reading: Reading,
}

pub struct Judged {
    pub fabric: Fabric,
    pub names: Names,
    pub tables: Tables,
    pub options: Options,
}

impl Input {
    pub fn load(&self) -> Result<Judged, Failure> {
        let reading = self.reading;
        let (fabric, names) = reading.fabric(&self.net, self.lmc)?;
        Ok(Judged {
            tables: reading.tables(&self.lfts, &fabric)?,
            options: (self.guid_files).options(reading, &fabric, Options::default())?,
            fabric,
            names,
        })
    }
}

/// A switch by GUID and description.
pub fn switch_name(fabric: &Fabric, names: &Names, index: u32) -> String {
    let guid = fabric.switches()[index as usize].guid;
    format!("{guid} '{}'", names.switches[index as usize])
}

/// An end node by GUID and description.
pub fn node_name(fabric: &Fabric, names: &Names, index: u32) -> String {
    let guid = fabric.end_nodes()[index as usize].guid;
    format!("{guid} '{}'", names.end_nodes[index as usize])
}

impl Judged {
    /// A switch by GUID and description.
    pub fn switch(&self, index: u32) -> String {
        switch_name(&self.fabric, &self.names, index)
    }

    /// A route by its source and its destination.
    pub fn route(&self, route: &Route) -> String {
        let (from, lid) = (self.switch(route.switch), route.lid);
        format!("{from} to LID {lid} '{}'", self.owner(lid))
    }

    pub fn channel(&self, c: Channel) -> String {
        let (from, to) = (self.switch(c.from), self.switch(c.to));
        format!("{from} port {} -> {to} port {}", c.port, c.to_port)
    }

    /// The description of the owner of a LID.
    fn owner(&self, lid: Lid) -> &str {
        let has = |base, lmc| lid_range(base, lmc).is_some_and(|range| range.contains(&lid.0));
        let (mut nodes, mut switches) = (
            self.fabric.end_nodes().iter(),
            self.fabric.switches().iter(),
        );
        if let Some(node) = nodes.position(|n| has(n.lid, n.lmc)) {
            return &self.names.end_nodes[node];
        }
        let switch = switches.position(|s| has(s.lid, s.lmc));
        switch.map_or("", |switch| &self.names.switches[switch])
    }
}
