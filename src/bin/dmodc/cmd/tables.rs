//! What `check` and `analyze` have in common: a fabric, the tables to judge, and how to name things.

use super::{Failure, load_fabric, one_stdin};
use dmodc::analysis::{Channel, Route};
use dmodc::dmodc::Options;
use dmodc::fabric::{Fabric, Guid, Lid, lid_range};
use dmodc::lft::{Dump, Tables};
use dmodc::netlist::{Names, read_guids};
use std::path::{Path, PathBuf};

/// The arguments that name a fabric and its tables.
#[derive(clap::Args)]
pub struct Input {
    /// The fabric
    net: PathBuf,
    /// The forwarding tables, as opensm-lfts.dump
    lfts: PathBuf,
    /// LMC of all end nodes, as given to 'dmodc route' [default: what the netlist says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=7))]
    lmc: Option<u8>,
    /// Node GUIDs of the switches at the top of the tree
    #[arg(long, value_name = "F")]
    root_guids: Option<PathBuf>,
    /// Port GUIDs of the compute nodes
    #[arg(long, value_name = "F")]
    cn_guids: Option<PathBuf>,
    /// Port GUIDs of the I/O nodes
    #[arg(long, value_name = "F")]
    io_guids: Option<PathBuf>,
}

/// A fabric with the tables to judge.
pub struct Judged {
    /// The fabric.
    pub fabric: Fabric,
    /// The names in it.
    pub names: Names,
    /// Its tables.
    pub tables: Tables,
    /// What ranks it.
    pub options: Options,
}

impl Input {
    /// Reads everything. `order` is a further input of the caller's, yet to be read.
    pub fn load(&self, order: Option<&PathBuf>) -> Result<Judged, Failure> {
        let guid_files = [self.root_guids.as_ref(), self.cn_guids.as_ref(), order];
        one_stdin(
            guid_files
                .into_iter()
                .flatten()
                .chain([&self.net, &self.lfts]),
        )?;
        let (fabric, names) = load_fabric(&self.net, self.lmc)?;
        let dump = Dump::read(&self.lfts)?;
        let tables = dump
            .tables(&fabric)
            .map_err(|fault| fault.in_file(&self.lfts))?;
        let options = Options {
            root_guids: guids(self.root_guids.as_deref())?,
            cn_guids: guids(self.cn_guids.as_deref())?,
            io_guids: guids(self.io_guids.as_deref())?,
            ..Options::default()
        };
        Ok(Judged {
            fabric,
            names,
            tables,
            options,
        })
    }
}

fn guids(path: Option<&Path>) -> Result<Vec<Guid>, Failure> {
    Ok(path.map(read_guids).transpose()?.unwrap_or_default())
}

impl Judged {
    /// A switch by GUID and description.
    pub fn switch(&self, index: u32) -> String {
        let guid = self.fabric.switches()[index as usize].guid;
        format!("{guid} '{}'", self.names.switches[index as usize])
    }

    /// A route by its source and its destination.
    pub fn route(&self, route: &Route) -> String {
        let (from, lid) = (self.switch(route.switch), route.lid);
        format!("{from} to LID {lid} '{}'", self.owner(lid))
    }

    /// A channel by its two ends.
    pub fn channel(&self, c: Channel) -> String {
        let (from, to) = (self.switch(c.from), self.switch(c.to));
        format!("{from} port {} -> {to} port {}", c.port, c.to_port)
    }

    /// The description of what has a LID.
    fn owner(&self, lid: Lid) -> &str {
        let has = |base, lmc| lid_range(base, lmc).is_some_and(|range| range.contains(&lid.0));
        let node = self
            .fabric
            .end_nodes()
            .iter()
            .position(|n| has(n.lid, n.lmc));
        let switch = || {
            self.fabric
                .switches()
                .iter()
                .position(|s| has(s.lid, s.lmc))
        };
        match node {
            Some(node) => &self.names.end_nodes[node],
            None => switch().map_or("", |switch| &self.names.switches[switch]),
        }
    }
}
