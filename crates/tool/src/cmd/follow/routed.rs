//! The tables of a look, and how they are written.

use dmodc_core::hop_row;
use dmodc_fabric::{Lid, Tables};
use dmodc_formats::lft::{write_dump, write_lid_matrix};
use dmodc_formats::netlist::{Kind, Names, Netlist, Node};
use dmodc_watch::sweeps::Planned;
use std::io::{self, Write};

pub struct Routed {
    pub planned: Planned,
    pub names: Names,
    pub tables: Tables,
    /// The highest LID that a port of the fabric has.
    pub highest: Lid,
}

impl Routed {
    /// Writes the tables, as `dmodc route --lfts --plain` does, without LIDs above the subnet's highest: OpenSM would
    /// write beyond its own tables for these.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let fabric = &self.planned.fabric;
        let is_higher = self.tables.width() - 1 > self.highest.index();
        let cut = is_higher.then(|| self.tables.up_to(self.highest));
        let tables = cut.as_ref().unwrap_or(&self.tables);
        write_dump(fabric, &self.names, tables, true, out)
    }

    /// Writes the hop counts, as `dmodc route --lid-matrix` does.
    pub fn write_lid_matrix(&self, out: &mut dyn Write) -> io::Result<()> {
        let Planned { fabric, plan, .. } = &self.planned;
        write_lid_matrix(fabric, |from, to| hop_row(fabric, plan, from, to), out)
    }
}

/// The highest LID of a netlist, with LMCs counted; `None` if it has no LIDs.
pub fn highest(netlist: &Netlist, lmc: Option<u8>) -> Option<Lid> {
    let of_node = |node: &Node| match node.kind {
        Kind::Switch => vec![(node.lid, node.lmc)],
        _ => (node.ports.iter().map(|p| (p.lid, lmc.unwrap_or(p.lmc)))).collect(),
    };
    let lids = netlist.nodes.iter().flat_map(of_node);
    let lids = lids.filter(|(lid, _)| *lid != Lid(0));
    let last = |(lid, lmc): (Lid, u8)| Lid(lid.0.saturating_add((1 << lmc) - 1));
    lids.map(last).max()
}
