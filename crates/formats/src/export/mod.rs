//! A fabric for other programs: names in a form that they accept, and the roots for OpenSM's other engines.
//!
//! The name of a switch is its description. The name of a host is the first word of its description, usually its host
//! name (`node001` of `node001 mlx5_0`). Other characters than letters, digits, dots, dashes and underscores become
//! dashes. Where a description is no host name, or several switches share one, the name gets the GUID.
//! [`Labels::unnamed`] lists such hosts. A map can give other names.

use crate::netlist::{NameMap, Names};
use dmodc_fabric::{Fabric, Guid, NodeId, NodeKind, SwitchId, counted};
use std::collections::{HashMap, HashSet};
use typed_index_collections::TiVec;

/// The maximum length of a name: Slurm's limit, and the length of a description.
const LONGEST: usize = 64;

/// The names of a fabric's switches and hosts for other programs.
pub struct Labels {
    /// By switch; unique.
    pub switches: TiVec<SwitchId, String>,
    /// By end node; the ports of one host share its name. `None` for routers and aggregation nodes.
    pub hosts: TiVec<NodeId, Option<String>>,
    /// The end nodes of hosts whose descriptions are no host names.
    pub unnamed: Vec<NodeId>,
}

impl Labels {
    /// Names all switches and hosts. If the map has a name for the node or port GUID, that name holds. Adapters with
    /// the same name count as one host.
    pub fn new(fabric: &Fabric, names: &Names, given: &NameMap) -> Labels {
        let plain: Vec<String> = (fabric.switches().iter().zip(&names.switches))
            .map(|(switch, name)| word(given.get(&switch.guid).unwrap_or(name)))
            .collect();
        let count = counted(plain.iter().map(String::as_str));
        let unique = |(name, guid): (&String, u64)| match count[name.as_str()] {
            1 if !name.is_empty() => name.clone(),
            _ => with_guid(name, guid),
        };
        let guids = fabric.switches().iter().map(|switch| switch.guid.0);
        // The adapters of one host have different descriptions. So a description of two adapters names no host.
        let mut described: HashMap<&str, HashSet<Guid>> = HashMap::new();
        for (name, &guid) in names.end_nodes.iter().zip(&names.node_guids) {
            described.entry(name).or_default().insert(guid);
        }
        let mut unnamed = Vec::new();
        let nodes = fabric.end_nodes().iter_enumerated();
        let hosts = nodes.map(|(index, node)| {
            if node.kind != NodeKind::Ca {
                return None;
            }
            let (guid, description) = (names.node_guids[index], names.end_nodes[index].as_str());
            if let Some(name) = given.get(&node.guid).or(given.get(&guid)) {
                return Some(word(first_word(name)));
            }
            let first = first_word(description);
            let name = word(first);
            let is_unique = described[description].len() == 1 && !is_of_no_host(description);
            if !is_unique || name != first || name.is_empty() {
                unnamed.push(index);
            }
            Some(match is_unique && !name.is_empty() {
                true => name,
                false => with_guid(&name, guid.0),
            })
        });
        let hosts = hosts.collect();
        Labels {
            switches: plain.iter().zip(guids).map(unique).collect(),
            hosts,
            unnamed,
        }
    }

    /// Removes the names of the hosts whose descriptions are no host names.
    pub fn leave_out_unnamed(&mut self) {
        for &node in &self.unnamed {
            self.hosts[node] = None;
        }
    }

    /// The names of the hosts of some end nodes, each once, in the order of the end nodes.
    pub fn each_once(&self, nodes: impl IntoIterator<Item = NodeId>) -> Vec<&str> {
        let mut seen = HashSet::new();
        let hosts = nodes.into_iter().map(|n| self.hosts[n].as_deref());
        let names = hosts.flatten();
        names.filter(|name| seen.insert(*name)).collect()
    }
}

/// Whether a description is an adapter's default, or begins with the name of every unnamed host (`localhost`).
fn is_of_no_host(description: &str) -> bool {
    let makers = ["Mellanox Technologies", "ConnectX", "BlueField"];
    let words = ["localhost", "mlx4_", "mlx5_", "hfi1_"];
    makers.iter().any(|maker| description.contains(maker))
        || words.iter().any(|word| description.starts_with(word))
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// A unique name: at most 64 characters, the GUID at the end.
fn with_guid(name: &str, guid: u64) -> String {
    let name: String = name.chars().take(LONGEST - 17).collect();
    format!("{name}-{guid:016x}").trim_matches('-').to_owned()
}

/// A description as one word: other characters become dashes.
fn word(description: &str) -> String {
    let keep = |c: char| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') => c,
        _ => '-',
    };
    let word: String = description.chars().map(keep).collect();
    let word = word.trim_matches('-');
    word[..word.len().min(LONGEST)].to_owned()
}
