//! Finds switches and hosts by the names that people type: a description, a GUID or a LID.
//!
//! A description need not be whole. Exact matches count first, then matches without regard to case, then
//! descriptions that begin with it as a word (`node001` for `node001 mlx5_0`), then those that a pattern fits
//! (`node[001-004]`, `spine*`), then those that contain it.
//!
//! A name with several matches is refused with a list of them, except where all are meant: the ports of a
//! server, whose descriptions begin with its name, and the matches of a pattern.

mod part;
mod pattern;

pub use part::PartError;

use crate::fabric::{Fabric, Guid, Lid, NodeKind, lid_range};
use crate::netlist::{Kind, Names, Netlist};
use pattern::Pattern;
use std::collections::HashMap;
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

/// An entry of a directory. It displays its kind, GUID, LID and description.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry<T> {
    what: T,
    kind: String,
    /// The GUID of its node.
    node: Guid,
    /// The GUID that it is shown with, and further ones that find it.
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

/// A name without a match, or with several.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// No match.
    #[error("nothing in this fabric is called '{0}': give a description, a GUID or a LID")]
    NotFound(String),
    /// Several matches.
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

/// All entries by name.
pub struct Directory<T> {
    entries: Vec<Entry<T>>,
}

impl Directory<Thing> {
    /// The switches and end nodes of a fabric.
    pub fn of_fabric(fabric: &Fabric, names: &Names) -> Self {
        let switches = Directory::of_switches(fabric, &names.switches).entries;
        let switches = switches.into_iter().map(|entry| Entry {
            what: Thing::Switch(entry.what),
            kind: entry.kind,
            node: entry.node,
            guids: entry.guids,
            lids: entry.lids,
            description: entry.description,
        });
        let nodes = (0..).zip(fabric.end_nodes()).map(|(index, node)| Entry {
            what: Thing::EndNode(index),
            kind: match node.kind {
                NodeKind::Ca => Kind::Ca.to_string(),
                NodeKind::Router => Kind::Router.to_string(),
                NodeKind::Aggregation => "aggregation node".into(),
            },
            node: names.node_guids[index as usize],
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
    /// The switches of a fabric, by index, with their descriptions.
    pub fn of_switches(fabric: &Fabric, names: &[String]) -> Self {
        let entries = (0..).zip(fabric.switches()).zip(names);
        let entries = entries.map(|((index, switch), name)| Entry {
            what: index,
            kind: Kind::Switch.to_string(),
            node: switch.guid,
            guids: vec![switch.guid],
            lids: vec![(switch.lid, switch.lmc)],
            description: name.clone(),
        });
        Directory {
            entries: entries.collect(),
        }
    }

    /// The nodes of a netlist, by index. A port's GUID and LID name its node.
    pub fn of_netlist(netlist: &Netlist) -> Self {
        let entries = (0..).zip(&netlist.nodes).map(|(index, node)| Entry {
            what: index,
            kind: node.kind.to_string(),
            node: node.guid,
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

/// A kind of match.
type Way<'a, T> = &'a dyn Fn(&Entry<T>) -> bool;

/// Whether several matches are all meant.
type AllMeant<T> = fn(&[&Entry<T>]) -> bool;

impl<T: Copy> Directory<T> {
    /// The only match of a name.
    ///
    /// # Errors
    /// If there is none, or several.
    pub fn find(&self, name: &str) -> Result<T, NameError> {
        match self.matches(name.trim()).0[..] {
            [one] => Ok(one.what),
            ref matches => Err(error(name, matches)),
        }
    }

    /// All matches of a name: one thing, the ports of a server, or the matches of a pattern.
    ///
    /// # Errors
    /// If there is none, or if it could be any of several.
    pub fn find_all(&self, name: &str) -> Result<Vec<T>, NameError> {
        let (matches, all_meant) = self.matches(name.trim());
        match matches.len() == 1 || (all_meant(&matches) && !matches.is_empty()) {
            true => Ok(matches.iter().map(|entry| entry.what).collect()),
            false => Err(error(name, &matches)),
        }
    }

    /// The match of `NAME:PORT` or `NAME[PORT]`: that of the name, and a port number.
    pub fn find_port(&self, name: &str) -> Option<Result<(T, u8), NameError>> {
        let name = name.trim();
        let (one, port) = name
            .strip_suffix(']')
            .and_then(|name| name.rsplit_once('['))
            .or_else(|| name.rsplit_once(':'))?;
        let port = port.trim().parse().ok()?;
        Some(self.find(one).map(|one| (one, port)))
    }

    /// All matches of the first kind that has any, and whether all of them are meant.
    fn matches(&self, name: &str) -> (Vec<&Entry<T>>, AllMeant<T>) {
        let lower = name.to_lowercase();
        let (guid, lid, pattern) = (guid(name), lid(name), Pattern::parse(name));
        let ways: [(Way<T>, AllMeant<T>); 7] = [
            (&|entry| entry.description == name, are_a_server),
            (
                &|entry| guid.is_some_and(|guid| entry.guids.contains(&guid)),
                are_a_server,
            ),
            (&|entry| lid.is_some_and(|lid| entry.has_lid(lid)), |_| {
                false
            }),
            (
                &|entry| entry.description.to_lowercase() == lower,
                are_a_server,
            ),
            (&|entry| entry.begins_with(&lower), are_a_server),
            (
                &|entry| (pattern.iter()).any(|p| p.fits(&entry.description.to_lowercase())),
                |_| true,
            ),
            (
                &|entry| !lower.is_empty() && entry.description.to_lowercase().contains(&lower),
                |_| false,
            ),
        ];
        for (way, all_meant) in ways {
            let found: Vec<_> = self.entries.iter().filter(|entry| way(entry)).collect();
            if !found.is_empty() {
                return (found, all_meant);
            }
        }
        (Vec::new(), |_| false)
    }
}

/// Whether these are the ports of one server. Two nodes with the same description are not: every server may
/// have it, such as "localhost mlx5_0".
fn are_a_server<T>(found: &[&Entry<T>]) -> bool {
    let mut nodes: HashMap<&str, Guid> = HashMap::new();
    found.iter().all(|entry| {
        let node = nodes.entry(&entry.description).or_insert(entry.node);
        *node == entry.node && entry.kind != Kind::Switch.to_string()
    })
}

fn error<T>(name: &str, matches: &[&Entry<T>]) -> NameError {
    let name = name.trim().to_owned();
    if matches.is_empty() {
        return NameError::NotFound(name);
    }
    let first = matches.iter().take(LISTED);
    let mut list: String = first.map(|entry| format!("\n  {entry}")).collect();
    if matches.len() > LISTED {
        list += "\n  …";
    }
    NameError::Ambiguous {
        name,
        count: matches.len(),
        list,
    }
}

impl<T> Entry<T> {
    /// Whether its description begins with a text in lower case, as a word.
    fn begins_with(&self, text: &str) -> bool {
        let description = self.description.to_lowercase();
        let rest = description.strip_prefix(text).filter(|_| !text.is_empty());
        rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
    }

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
    fn a_server_is_all_its_ports_and_a_pattern_all_that_fits() {
        let mut net = "Switch 8 \"s\" # \"leaf one\"\nSwitch 8 \"t\" # \"leaf two\"\n".to_owned();
        let hosts = [
            "node1 mlx5_0",
            "node1 mlx5_1",
            "node10 mlx5_0",
            "localhost mlx5_0",
            "localhost mlx5_0",
        ];
        for (port, host) in (1..).zip(hosts) {
            net += &format!("Ca 2 \"h{port}\" # \"{host}\"\n[1] \"s\"[{port}]\n");
            if port == 3 {
                net += "[2] \"s\"[7]\n";
            }
        }
        let netlist = Netlist::parse_leniently(net.as_bytes()).unwrap().value;
        let nodes = Directory::of_netlist(&netlist);
        let (fabric, names) = netlist.to_fabric(None).unwrap();
        let things = Directory::of_fabric(&fabric, &names);
        let counts = |name| {
            let count = |error| match error {
                NameError::Ambiguous { count, .. } => count,
                NameError::NotFound(_) => 0,
            };
            let nodes = nodes.find_all(name).map(|all| all.len());
            let things = things.find_all(name).map(|all| all.len());
            (nodes.map_err(count), things.map_err(count))
        };
        assert_eq!(counts("node1"), (Ok(2), Ok(2)));
        assert_eq!(counts("NODE1 mlx5_1"), (Ok(1), Ok(1)));
        // One adapter with two ports.
        assert_eq!(counts("node10"), (Ok(1), Ok(2)));
        assert_eq!(counts("node10 mlx5_0"), (Ok(1), Ok(2)));
        assert_eq!(counts("node[1-10]"), (Ok(3), Ok(4)));
        assert_eq!(counts("node*"), (Ok(3), Ok(4)));
        assert_eq!(counts("leaf*"), (Ok(2), Ok(2)));
        // Several switches are never one, and a name that every server has names none.
        assert_eq!(counts("leaf"), (Err(2), Err(2)));
        assert_eq!(counts("localhost"), (Err(2), Err(2)));
        assert_eq!(counts("localhost*"), (Ok(2), Ok(2)));
        assert_eq!(counts("mlx5"), (Err(5), Err(6)));
        assert_eq!(counts("node[2-9]"), (Err(0), Err(0)));
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
