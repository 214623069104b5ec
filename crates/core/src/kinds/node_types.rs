//! Node types: compute nodes, I/O nodes, others (the paper's gDmodc, after gDmodk).
//!
//! The modulo rule spreads consecutive NIDs. In traffic from one type of node to another, say from compute
//! nodes to the I/O node at the last port of each leaf, the destinations' NIDs are a fixed stride apart and
//! may all use the same ports. Separate numbers for each type, in the topological order, spread each type.

use crate::options::Options;
use dmodc_fabric::Guid;
use std::collections::BTreeSet;

/// The purpose of a node. The variants are in the order of their NIDs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeType {
    /// A compute node.
    Compute,
    /// An I/O node: storage, or a gateway.
    Io,
    /// A node in neither list.
    Other,
}

/// The lists of ports that give each node its type.
#[derive(Clone, Debug)]
pub struct NodeTypes {
    compute: Vec<Guid>,
    /// Each GUID with its index in the list.
    io: Vec<(Guid, usize)>,
}

impl NodeTypes {
    /// Types by the GUID lists of the options, which name ports. Without lists all nodes have one type.
    pub fn new(options: &Options) -> Self {
        let mut compute = options.cn_guids.clone();
        compute.sort_unstable();
        let mut listed = BTreeSet::new();
        let io = options.io_guids.iter().filter(|guid| listed.insert(**guid));
        let mut io: Vec<(Guid, usize)> = io.copied().zip(0..).collect();
        io.sort_unstable();
        NodeTypes { compute, io }
    }

    /// Whether there is more than one type.
    pub fn are_given(&self) -> bool {
        !(self.compute.is_empty() && self.io.is_empty())
    }

    /// Whether a port is listed as a compute node.
    pub fn is_listed_compute(&self, port: Guid) -> bool {
        self.compute.binary_search(&port).is_ok()
    }

    /// The types in use, in the order of their NIDs.
    pub fn all(&self) -> &'static [NodeType] {
        match self.are_given() {
            true => &[NodeType::Compute, NodeType::Io, NodeType::Other],
            false => &[NodeType::Compute],
        }
    }

    /// The index of a port in the list of I/O nodes, doubled ones left out.
    pub fn place_in_list(&self, port: Guid) -> Option<usize> {
        let at = self.io.partition_point(|&(guid, _)| guid < port);
        self.io.get(at).filter(|io| io.0 == port).map(|io| io.1)
    }

    /// The number of listed I/O nodes.
    pub fn io_count(&self) -> usize {
        self.io.len()
    }

    /// The type of a port. A node in both lists is a compute node; without a list of compute nodes, every node that is
    /// no I/O node is a compute node.
    pub fn type_of(&self, port: Guid) -> NodeType {
        if self.is_listed_compute(port) {
            NodeType::Compute
        } else if self.place_in_list(port).is_some() {
            NodeType::Io
        } else if self.compute.is_empty() {
            NodeType::Compute
        } else {
            NodeType::Other
        }
    }
}
