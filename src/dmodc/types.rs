//! Node types: compute nodes, I/O nodes, others (the paper's gDmodc, after gDmodk).
//!
//! The modulo rule spreads consecutive NIDs. Where traffic goes from one type of node to another,
//! say from compute nodes to the I/O node at the last port of each leaf, the NIDs of those are a
//! fixed stride apart and may all fall on the same ports. Numbering each type by itself, in the
//! topological order, spreads each type by itself.

use super::options::Options;
use crate::fabric::Guid;

/// Which node is of which type.
#[derive(Clone, Debug)]
pub struct NodeTypes {
    compute: Vec<Guid>,
    io: Vec<Guid>,
}

impl NodeTypes {
    /// Number of types.
    pub const COUNT: usize = 3;

    /// Types by the GUID lists of the options, which name ports. Without any list all nodes are of
    /// one type.
    pub fn new(options: &Options) -> Self {
        let sorted = |guids: &[Guid]| {
            let mut guids = guids.to_vec();
            guids.sort_unstable();
            guids
        };
        NodeTypes {
            compute: sorted(&options.cn_guids),
            io: sorted(&options.io_guids),
        }
    }

    /// Whether there is more than one type.
    pub fn are_given(&self) -> bool {
        !(self.compute.is_empty() && self.io.is_empty())
    }

    /// Whether a port is listed as a compute node.
    pub fn is_listed_compute(&self, port: Guid) -> bool {
        self.compute.binary_search(&port).is_ok()
    }

    /// The type of a port: 0 compute, 1 I/O, 2 neither. A node in both lists is a compute node;
    /// without a list of compute nodes, what is not I/O is compute.
    pub fn of(&self, port: Guid) -> usize {
        if self.is_listed_compute(port) {
            0
        } else if self.io.binary_search(&port).is_ok() {
            1
        } else if self.compute.is_empty() {
            0
        } else {
            2
        }
    }
}
