//! Switches and hosts by the names that people type: a description, a GUID or a LID.
//!
//! A description need not be whole. Exact matches count first, then those that differ in upper and
//! lower case only, then those whose first word it is (`node001` for `node001 mlx5_0`), then those
//! that contain it. What matches several is refused with a list of them.

mod part;

pub use part::PartError;

use crate::fabric::{Fabric, Guid, Lid, NodeKind, lid_range};
use crate::netlist::{Kind, Names, Netlist};
use std::fmt;

/// How many matches an ambiguous name lists.
const LISTED: usize = 10;

/// A switch or an end node of a fabric, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thing {
    /// A switch.
    Switch(u32),
    /// An end node.
    EndNode(u32),
}

/// One that can be named. It shows itself as its kind, GUID, LID and description.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry<T> {
    what: T,
    kind: String,
    /// The GUID that it is shown with, and others by which it is known.
    guids: Vec<Guid>,
    /// Base LID (0 for none) and LMC of each of its ports.
    lids: Vec<(Lid, u8)>,
    description: String,
}

impl<T> fmt::Display for Entry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} '{}'", self.kind, self.guids[0], self.description)?;
        for (lid, _) in self.lids.iter().filter(|(lid, _)| *lid != Lid(0)) {
            write!(f, " LID {lid}")?;
        }
        Ok(())
    }
}

/// A name that names nothing, or several things.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// It names nothing.
    #[error("nothing in this fabric is called '{0}': give a description, a GUID or a LID")]
    NotFound(String),
    /// It names several things.
    #[error("'{name}' could be any of {count}:{list}")]
    Ambiguous {
        /// The name.
        name: String,
        /// How many things match.
        count: usize,
        /// The first of them, one a line.
        list: String,
    },
}

/// All that can be named.
pub struct Directory<T> {
    entries: Vec<Entry<T>>,
}

impl Directory<Thing> {
    /// The switches and end nodes of a fabric.
    pub fn of_fabric(fabric: &Fabric, names: &Names) -> Self {
        let switches = (0..).zip(fabric.switches()).map(|(index, switch)| Entry {
            what: Thing::Switch(index),
            kind: Kind::Switch.to_string(),
            guids: vec![switch.guid],
            lids: vec![(switch.lid, switch.lmc)],
            description: names.switches[index as usize].clone(),
        });
        let nodes = (0..).zip(fabric.end_nodes()).map(|(index, node)| Entry {
            what: Thing::EndNode(index),
            kind: match node.kind {
                NodeKind::Ca => Kind::Ca.to_string(),
                NodeKind::Router => Kind::Router.to_string(),
                NodeKind::Aggregation => "aggregation node".into(),
            },
            guids: vec![node.guid, names.node_guids[index as usize]],
            lids: vec![(node.lid, node.lmc)],
            description: names.end_nodes[index as usize].clone(),
        });
        Directory {
            entries: switches.chain(nodes).collect(),
        }
    }
}

impl Directory<u32> {
    /// The nodes of a netlist, by index. A port's GUID and LID name its node.
    pub fn of_netlist(netlist: &Netlist) -> Self {
        let entries = (0..).zip(&netlist.nodes).map(|(index, node)| Entry {
            what: index,
            kind: node.kind.to_string(),
            guids: vec![node.guid],
            lids: match node.kind {
                Kind::Switch => vec![(node.lid, node.lmc)],
                _ => node.ports.iter().map(|p| (p.lid, p.lmc)).collect(),
            },
            description: node.description.clone(),
        });
        let mut entries: Vec<Entry<u32>> = entries.collect();
        for (entry, node) in entries.iter_mut().zip(&netlist.nodes) {
            let guids = node.ports.iter().map(|port| node.port_guid(port));
            entry.guids.extend(guids);
        }
        Directory { entries }
    }
}

/// A way to match.
type Way<'a, T> = &'a dyn Fn(&Entry<T>) -> bool;

impl<T: Copy> Directory<T> {
    /// What a name names.
    pub fn find(&self, name: &str) -> Result<T, NameError> {
        let name = name.trim();
        let matches = self.matches(name);
        match matches[..] {
            [] => Err(NameError::NotFound(name.into())),
            [one] => Ok(one.what),
            _ => {
                let mut list: String = matches
                    .iter()
                    .take(LISTED)
                    .map(|entry| format!("\n  {entry}"))
                    .collect();
                if matches.len() > LISTED {
                    list += "\n  …";
                }
                Err(NameError::Ambiguous {
                    name: name.into(),
                    count: matches.len(),
                    list,
                })
            }
        }
    }

    /// What `NAME:PORT` or `NAME[PORT]` names: the one before, and a port number.
    pub fn find_port(&self, name: &str) -> Option<Result<(T, u8), NameError>> {
        let name = name.trim();
        let (one, port) = name
            .strip_suffix(']')
            .and_then(|name| name.rsplit_once('['))
            .or_else(|| name.rsplit_once(':'))?;
        let port = port.trim().parse().ok()?;
        Some(self.find(one).map(|one| (one, port)))
    }

    /// All that match in the first way in which any does.
    fn matches(&self, name: &str) -> Vec<&Entry<T>> {
        let lower = name.to_lowercase();
        let (guid, lid) = (guid(name), lid(name));
        let first_word = |text: &str| text.split_whitespace().next().map(str::to_lowercase);
        let ways: [Way<T>; 6] = [
            &|entry| entry.description == name,
            &|entry| guid.is_some_and(|guid| entry.guids.contains(&guid)),
            &|entry| lid.is_some_and(|lid| entry.has_lid(lid)),
            &|entry| entry.description.to_lowercase() == lower,
            &|entry| first_word(&entry.description).as_ref() == Some(&lower),
            &|entry| !lower.is_empty() && entry.description.to_lowercase().contains(&lower),
        ];
        let found = ways
            .iter()
            .map(|way| self.entries.iter().filter(|e| way(e)).collect::<Vec<_>>());
        found
            .into_iter()
            .find(|f| !f.is_empty())
            .unwrap_or_default()
    }
}

impl<T> Entry<T> {
    fn has_lid(&self, lid: Lid) -> bool {
        let mut ranges = self
            .lids
            .iter()
            .filter_map(|&(lid, lmc)| lid_range(lid, lmc));
        ranges.any(|range| range.contains(&lid.0))
    }
}

/// `0x2c9..`, `S-0002c9..`, or 16 hexadecimal digits.
fn guid(name: &str) -> Option<Guid> {
    let dashed = ["S-", "H-", "R-"].iter().find_map(|p| name.strip_prefix(p));
    let bare = dashed.or((name.len() == 16).then_some(name));
    let digits = name.strip_prefix("0x").or(bare)?;
    u64::from_str_radix(digits, 16).ok().map(Guid)
}

/// `12`, `0x000c`, `lid 12`.
fn lid(name: &str) -> Option<Lid> {
    let number = name.strip_prefix("lid").or(name.strip_prefix("LID"));
    let number = number.unwrap_or(name).trim_start_matches([' ', ':', '=']);
    let lid = match number.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16),
        None => number.parse(),
    };
    lid.ok().map(Lid).filter(|lid| lid.is_unicast())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NET: &str = r#"switchguid=0xa1(a1)
Switch	4 "S-00000000000000a1"		# "leaf one" base port 0 lid 10 lmc 0
[1]	"H-00000000000000b0"[1](b1) 		# "node1 mlx5_0" lid 4 4xEDR
[2]	"H-00000000000000c0"[1](c1) 		# "node10 mlx5_0" lid 8 4xEDR

caguid=0xb0
Ca	2 "H-00000000000000b0"		# "node1 mlx5_0"
[1](b1) 	"S-00000000000000a1"[1]		# lid 4 lmc 2 "leaf one" lid 10 4xEDR

caguid=0xc0
Ca	2 "H-00000000000000c0"		# "node10 mlx5_0"
[1](c1) 	"S-00000000000000a1"[2]		# lid 8 lmc 0 "leaf one" lid 10 4xEDR
"#;

    #[test]
    fn by_description_guid_and_lid() {
        let netlist = Netlist::parse(NET.as_bytes()).unwrap();
        let nodes = Directory::of_netlist(&netlist);
        let (fabric, names) = netlist.to_fabric(None).unwrap();
        let things = Directory::of_fabric(&fabric, &names);
        for (name, node, thing) in [
            ("leaf one", 0, Thing::Switch(0)),
            ("Leaf", 0, Thing::Switch(0)),
            ("S-00000000000000a1", 0, Thing::Switch(0)),
            ("00000000000000a1", 0, Thing::Switch(0)),
            ("10", 0, Thing::Switch(0)),
            ("0x000a", 0, Thing::Switch(0)),
            ("node1", 1, Thing::EndNode(0)),
            ("NODE10", 2, Thing::EndNode(1)),
            ("0xb1", 1, Thing::EndNode(0)),
            ("0xb0", 1, Thing::EndNode(0)),
            ("lid 7", 1, Thing::EndNode(0)),
            (" LID:8 ", 2, Thing::EndNode(1)),
        ] {
            assert_eq!(nodes.find(name), Ok(node), "{name}");
            assert_eq!(things.find(name), Ok(thing), "{name}");
        }
        assert_eq!(nodes.find_port("leaf one:2"), Some(Ok((0, 2))));
        assert_eq!(nodes.find_port("S-00000000000000a1[1]"), Some(Ok((0, 1))));
        assert_eq!(nodes.find_port("leaf one"), None);
    }

    #[test]
    fn what_names_several_things_or_none_says_so() {
        let netlist = Netlist::parse(NET.as_bytes()).unwrap();
        let nodes = Directory::of_netlist(&netlist);
        assert_eq!(
            nodes.find("mlx5").unwrap_err().to_string(),
            "'mlx5' could be any of 2:\
             \n  host 0x00000000000000b0 'node1 mlx5_0' LID 4\
             \n  host 0x00000000000000c0 'node10 mlx5_0' LID 8"
        );
        for name in ["", "spine", "99", "0xffff"] {
            let NameError::NotFound(_) = nodes.find(name).unwrap_err() else {
                panic!("{name}");
            };
        }
    }
}
