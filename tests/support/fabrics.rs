//! Fabrics to route: generated, degraded, from files.

use super::ibsim::Ibsim;
use super::tool::data;
use ::fabrics::{node_at, tree};
use dmodc_fabric::PortNumber;
use dmodc_formats::netlist::generate::Order;
use dmodc_formats::netlist::{Kind, Netlist, Node, Port};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// 648 nodes and 54 switches: the largest tree of two levels with 36-port switches.
pub const NODES_648: &str = "PGFT(2;18,36;1,18;1,1)";

/// A netlist and its file. A temporary file is removed with this value.
pub struct Net {
    pub netlist: Netlist,
    pub path: PathBuf,
    _dir: Option<TempDir>,
}

impl Net {
    /// A PGFT with GUIDs out of order, as they are in real fabrics, and no LIDs.
    pub fn pgft(spec: &str) -> Net {
        Net::generated(spec, false)
    }

    /// As [`Net::pgft`], with an ibsim that plays it.
    pub fn simulated(spec: &str) -> (Net, Ibsim) {
        let net = Net::pgft(spec);
        let sim = Ibsim::start(&net.path);
        (net, sim)
    }

    /// As [`Net::pgft`], with LIDs in the netlist, so that every OpenSM assigns the same LIDs.
    pub fn pgft_with_lids(spec: &str) -> Net {
        Net::generated(spec, true)
    }

    fn generated(spec: &str, lids: bool) -> Net {
        let order = Order {
            seed: Some(7),
            lids,
        };
        Net::write(tree(spec, order))
    }

    /// The same fabric with fewer links between switches.
    pub fn without_links(&self, links: usize, seed: u64) -> Net {
        let (netlist, _) = self
            .netlist
            .without_links(links, seed)
            .expect("that many links");
        Net::write(netlist)
    }

    pub fn write(netlist: Netlist) -> Net {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("fabric.netlist");
        fs::write(&path, netlist.to_text()).expect("the netlist can be written");
        Net {
            netlist,
            path,
            _dir: Some(dir),
        }
    }

    pub fn open(path: PathBuf) -> Net {
        Net {
            netlist: Netlist::read(&path).expect("a good netlist"),
            path,
            _dir: None,
        }
    }

    /// Two leaves with two hosts each under two upper switches.
    pub fn two_levels() -> Net {
        Net::open(data("two-levels.netlist"))
    }

    /// A production fabric of `tests/data/production`.
    pub fn production(name: &str) -> Net {
        Net::open(data(&format!("production/{name}.ibnetdiscover")))
    }

    /// The node with this description.
    pub fn node(&self, name: &str) -> &Node {
        &self.netlist.nodes[node_at(&self.netlist, name) as usize]
    }

    pub fn leaves(&self) -> impl Iterator<Item = &Node> {
        let is_host = |p: &Port| self.netlist.nodes[p.peer as usize].kind != Kind::Switch;
        let switches = self.netlist.switches();
        switches.filter(move |node| node.ports.iter().any(is_host))
    }

    pub fn uplinks<'n>(&'n self, leaf: &'n Node) -> impl Iterator<Item = &'n Port> {
        let peer = |p: &Port| &self.netlist.nodes[p.peer as usize];
        leaf.ports
            .iter()
            .filter(move |p| peer(p).kind == Kind::Switch)
    }

    /// All leaves except the leaf of the first host, where OpenSM runs.
    pub fn other_leaves(&self) -> impl Iterator<Item = &Node> {
        let mut nodes = self.netlist.nodes.iter();
        let home = nodes.find(|n| n.kind == Kind::Ca).expect("a host");
        let home = &self.netlist.nodes[home.ports[0].peer as usize];
        self.leaves().filter(|leaf| leaf.guid != home.guid)
    }

    /// A link between two switches: the node name and the port at one end of it.
    pub fn switch_link(&self) -> (&str, PortNumber) {
        let [(node, port), _] = self.netlist.links_between_switches()[0];
        (&self.netlist.nodes[node as usize].id, port)
    }
}
