//! Writes a netlist as ibnetdiscover does: ibsim loads it, and the parser reads the same back.
//!
//! Every node gets its assignments (GUIDs, vendor and device), since ibsim's counters would give
//! others. LID 0 means "none", for ibsim and for the parser.

use super::model::{Kind, Netlist, Node, Port, PortZero};
use std::io::{self, Write};

impl Netlist {
    /// Writes the netlist, with labels as ibdiagnet has them, in many small writes: use a buffered writer.
    pub fn write<W: Write>(&self, out: &mut W) -> io::Result<()> {
        for node in &self.nodes {
            self.write_node(node, out)?;
        }
        Ok(())
    }

    /// The netlist as text.
    pub fn to_text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        self.write(&mut text).expect("memory can be written");
        text
    }

    fn write_node<W: Write>(&self, node: &Node, out: &mut W) -> io::Result<()> {
        writeln!(out, "vendid=0x{:x}\ndevid=0x{:x}", node.vendor, node.device)?;
        if let Some(guid) = node.system_guid {
            writeln!(out, "sysimgguid=0x{:x}", guid.0)?;
        }
        let guid = node.guid.0;
        let (count, id, description) = (node.port_count, &node.id, &node.description);
        match node.kind {
            Kind::Switch => {
                writeln!(out, "switchguid=0x{guid:x}({guid:x})")?;
                write!(out, "Switch\t{count} \"{id}\"\t\t# \"{description}\" ")?;
                match node.port_zero {
                    Some(PortZero::Enhanced) => write!(out, "enhanced port 0 ")?,
                    Some(PortZero::Base) => write!(out, "base port 0 ")?,
                    None => {}
                }
                writeln!(out, "lid {} lmc {}", node.lid, node.lmc)?;
            }
            Kind::Ca | Kind::Router => {
                let (key, word) = match node.kind {
                    Kind::Router => ("rtguid", "Rt"),
                    _ => ("caguid", "Ca"),
                };
                writeln!(out, "{key}=0x{guid:x}")?;
                writeln!(out, "{word}\t{count} \"{id}\"\t\t# \"{description}\"")?;
            }
        }
        for port in &node.ports {
            self.write_port(node, port, out)?;
        }
        writeln!(out)
    }

    fn write_port<W: Write>(&self, node: &Node, port: &Port, out: &mut W) -> io::Result<()> {
        let peer = &self.nodes[port.peer as usize];
        let far = peer.port(port.peer_port);
        write!(out, "[{}]", port.number)?;
        if let Some(label) = &port.label {
            write!(out, "({label})")?;
        }
        // At least four digits: fewer beside a long node GUID are read as a port number.
        let digits = |node: &Node| if node.guid.0 > 0xffff { 4 } else { 1 };
        if let Some(guid) = port.guid {
            write!(out, "({:0w$x}) ", guid.0, w = digits(node))?;
        }
        write!(out, "\t\"{}\"[{}]", peer.id, port.peer_port)?;
        if let Some(guid) = far.and_then(|p| p.guid) {
            write!(out, "({:0w$x}) ", guid.0, w = digits(peer))?;
        }
        write!(out, "\t\t# ")?;
        if node.kind != Kind::Switch {
            write!(out, "lid {} lmc {} ", port.lid, port.lmc)?;
        }
        let far_lid = match peer.kind {
            Kind::Switch => peer.lid,
            _ => far.map_or(peer.lid, |p| p.lid),
        };
        let (description, link) = (&peer.description, &port.link);
        writeln!(out, "\"{description}\" lid {far_lid} {link}")
    }
}
