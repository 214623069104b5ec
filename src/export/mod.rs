//! The fabric in the formats of other programs: Slurm, Graphviz, a list of hosts.
//!
//! These know no InfiniBand names. A host is called by the first word of its description, which is
//! its host name as a rule (`node001` of `node001 mlx5_0`), a switch by its whole description, both
//! in letters, digits, dots, dashes and underscores alone.

mod graphviz;
mod slurm;
mod tree;

pub use graphviz::graphviz;
pub use slurm::{slurm_conf, slurm_yaml};
pub use tree::{Group, groups};

use crate::fabric::{Fabric, Guid, NodeKind};
use crate::netlist::Names;
use std::collections::{HashMap, HashSet};

/// How long a name may be: Slurm's limit, and that of a description.
const LONGEST: usize = 64;

/// The names of a fabric's switches and hosts for other programs.
pub struct Labels {
    /// By switch index; unique.
    pub switches: Vec<String>,
    /// By end node index; the ports of one host share its name. `None` for what is no host: routers
    /// and aggregation nodes.
    pub hosts: Vec<Option<String>>,
}

impl Labels {
    /// Names everything.
    pub fn new(fabric: &Fabric, names: &Names) -> Labels {
        let plain: Vec<String> = names.switches.iter().map(|name| word(name)).collect();
        let mut count: HashMap<&str, usize> = HashMap::new();
        for name in &plain {
            *count.entry(name).or_default() += 1;
        }
        let unique = |(name, guid): (&String, u64)| match count[name.as_str()] {
            1 if !name.is_empty() => name.clone(),
            _ => with_guid(name, guid),
        };
        let guids = fabric.switches().iter().map(|switch| switch.guid.0);
        // Two adapters of one host differ in their descriptions; of two that do not, neither says
        // which host it is in.
        let mut said: HashMap<&str, HashSet<Guid>> = HashMap::new();
        for (name, &guid) in names.end_nodes.iter().zip(&names.node_guids) {
            said.entry(name).or_default().insert(guid);
        }
        let hosts = fabric.end_nodes().iter().enumerate().map(|(index, node)| {
            let description = &names.end_nodes[index];
            let name = description.split_whitespace().next().map(word);
            let name = name.unwrap_or_default();
            let alone = said[description.as_str()].len() == 1 && !name.is_empty();
            let maker = description.contains("Mellanox Technologies");
            let name = match alone && !maker {
                true => name,
                false => with_guid(&name, names.node_guids[index].0),
            };
            (node.kind == NodeKind::Ca).then_some(name)
        });
        Labels {
            switches: plain.iter().zip(guids).map(unique).collect(),
            hosts: hosts.collect(),
        }
    }

    /// The hosts of some end nodes, each once, in their order.
    pub fn each_once(&self, nodes: impl IntoIterator<Item = u32>) -> Vec<&str> {
        let mut seen = HashSet::new();
        let names = nodes
            .into_iter()
            .filter_map(|n| self.hosts[n as usize].as_deref());
        names.filter(|name| seen.insert(*name)).collect()
    }
}

/// A name that is unique, in 64 characters.
fn with_guid(name: &str, guid: u64) -> String {
    let name: String = name.chars().take(LONGEST - 17).collect();
    format!("{name}-{guid:016x}").trim_matches('-').to_owned()
}

/// A description as one word.
fn word(description: &str) -> String {
    let keep = |c: char| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') => c,
        _ => '-',
    };
    let word: String = description.chars().map(keep).collect();
    let word = word.trim_matches('-');
    word[..word.len().min(LONGEST)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_become_words() {
        assert_eq!(word("MF0;sw 1:MSB7800/U1"), "MF0-sw-1-MSB7800-U1");
        assert_eq!(with_guid("sw", 10), "sw-000000000000000a");
        assert_eq!(with_guid(&"x".repeat(64), 10).len(), 64);
    }

    #[test]
    fn hosts_that_cannot_be_told_apart_get_their_guid() {
        let host = |n: u64, description: &str| {
            format!("caguid=0x{n}0\nCa 2 \"h{n}\" # \"{description}\"\n[1] \"s\"[{n}]\n")
        };
        let mut net = "Switch 8 \"s\" # \"leaf\"\n".to_owned();
        for n in 1..=5 {
            net += &format!("[{n}] \"h{n}\"[1]\n");
        }
        net += &host(1, "node1 mlx5_0");
        net += &host(2, "node1 mlx5_1");
        net += &host(3, "localhost mlx5_0");
        net += &host(4, "localhost mlx5_0");
        net += &host(5, "MT4123 ConnectX6   Mellanox Technologies");
        let netlist = crate::netlist::Netlist::parse(net.as_bytes()).unwrap();
        let (fabric, names) = netlist.to_fabric(None).unwrap();
        let labels = Labels::new(&fabric, &names);
        let expected = [
            "node1",
            "localhost-0000000000000030",
            "localhost-0000000000000040",
            "MT4123-0000000000000050",
        ];
        assert_eq!(labels.each_once(0..5), expected);
    }
}
