//! The ports of servers that an export is about: those with a name that fits, or those of one rail.
//!
//! A port's name is the last word of a description of several, `mlx5_1`; of an adapter with several ports the number is
//! behind it, `HCA-1/2`. A rail is the switches where most ports of servers have the same name: a single port with
//! another name there, as drivers number them, belongs to it. Rails are numbered from 1 in the order of these names.

use crate::failure::{Failure, refused};
use dmodc_fabric::{EndNode, Fabric, NodeId, NodeKind, SwitchId, counted, grouped};
use dmodc_formats::names::{fits, natural};
use dmodc_formats::netlist::Names;
use std::collections::{BTreeMap, BTreeSet};
use typed_index_collections::{TiSlice, TiVec};

/// Which ports to take.
#[derive(clap::Args)]
pub struct Chosen {
    /// Take the ports of servers with these names alone, such as mlx5_[0-3]
    #[arg(long, value_name = "PATTERN")]
    ports: Option<String>,
    /// Take the ports at the switches of this rail alone, from 1 on
    #[arg(long, value_name = "N", conflicts_with = "ports")]
    rail: Option<usize>,
}

/// A port's name behind its key, so that ports are in the order of people.
type Name = (Vec<(String, u64)>, String);

fn keyed(name: &str) -> Name {
    (natural(name), name.to_owned())
}

impl Chosen {
    /// The end nodes of an order that are chosen.
    pub fn of_order(
        &self,
        fabric: &Fabric,
        names: &Names,
        order: &[NodeId],
    ) -> Result<Vec<NodeId>, Failure> {
        let ports = port_names(fabric, names);
        let mut chosen = order.to_vec();
        if let Some(pattern) = &self.ports {
            chosen.retain(|&node| {
                let name = &ports[node];
                let adapter = name.split_once('/').map_or(&**name, |(adapter, _)| adapter);
                fits(pattern, name) || fits(pattern, adapter)
            });
            if chosen.is_empty() {
                let is_host = |node: &&NodeId| fabric.end_nodes()[**node].kind == NodeKind::Ca;
                let hosts = order.iter().filter(is_host);
                let all: BTreeSet<Name> = hosts.map(|&node| keyed(&ports[node])).collect();
                let named = all.into_iter().map(|(_, name)| name);
                let some: Vec<String> = named.filter(|name| !name.is_empty()).take(12).collect();
                return Err(Failure::other(match &*some {
                    [] => format!("no port fits '{pattern}': none has a name"),
                    some => format!("no port fits '{pattern}': there are {}", some.join(", ")),
                }));
            }
        }
        if let Some(number) = self.rail {
            let rails = rails(fabric, &ports);
            let switches = number.checked_sub(1).and_then(|at| rails.values().nth(at));
            let Some(switches) = switches else {
                let names = (1..).zip(rails.keys());
                let names: Vec<String> = names
                    .map(|(n, (_, name))| match &**name {
                        "" => format!("{n} (ports without a name)"),
                        name => format!("{n} ({name})"),
                    })
                    .collect();
                let text = format!("no rail {number}: there are {}", names.join(", "));
                return refused(text);
            };
            chosen.retain(|&node| switches.contains(&fabric.end_nodes()[node].switch));
        }
        Ok(chosen)
    }
}

/// The rails: the name of most ports, and the switches.
fn rails(fabric: &Fabric, ports: &TiSlice<NodeId, String>) -> BTreeMap<Name, Vec<SwitchId>> {
    let hosts = fabric.end_nodes().iter_enumerated();
    let hosts = hosts.filter(|(_, end)| end.kind == NodeKind::Ca);
    let names = grouped(hosts.map(|(node, end)| (end.switch, keyed(&ports[node]))));
    grouped(names.into_iter().filter_map(|(switch, names)| {
        // Of several names that are as frequent, the first.
        let names = counted(names).into_iter().rev();
        let (name, _) = names.max_by_key(|(_, count)| *count)?;
        Some((name, switch))
    }))
}

/// The name of the port of each end node.
fn port_names(fabric: &Fabric, names: &Names) -> TiVec<NodeId, String> {
    let count = counted(names.node_guids.iter().copied());
    let nodes = fabric.end_nodes().iter_enumerated();
    let name = |(node, end): (NodeId, &EndNode)| {
        // The words between may be addresses.
        let words = names.end_nodes[node].split_whitespace().skip(1);
        let name = words.last().unwrap_or_default();
        let guid = names.node_guids[node];
        match count[&guid] {
            1 => name.to_owned(),
            // The ports of an adapter with several have its GUID and their number.
            _ => format!("{name}/{}", end.guid.0.wrapping_sub(guid.0)),
        }
    };
    nodes.map(name).collect()
}
