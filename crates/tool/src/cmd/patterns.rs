//! The traffic patterns of `dmodc analyze`, and the hosts of jobs and pairs.

use super::tables::Judged;
use crate::failure::Failure;
use crate::input::{count, each_line};
use dmodc_fabric::{NodeId, NodeKind};
use dmodc_formats::names::{Directory, Thing};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use typed_index_collections::TiVec;

#[derive(Clone, PartialEq, Eq)]
pub enum Pattern {
    A2a,
    Rp,
    Sp,
    Cn2io,
    Io2cn,
    Ebb,
    Pairs(PathBuf),
}

/// The words of the patterns without a file.
const WORDS: [(&str, Pattern); 7] = [
    ("a2a", Pattern::A2a),
    ("all-to-all", Pattern::A2a),
    ("rp", Pattern::Rp),
    ("sp", Pattern::Sp),
    ("cn2io", Pattern::Cn2io),
    ("io2cn", Pattern::Io2cn),
    ("ebb", Pattern::Ebb),
];

pub fn pattern(text: &str) -> Result<Pattern, &'static str> {
    if let Some((_, pattern)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Ok(pattern.clone());
    }
    match text.split_once(':') {
        Some(("pairs", file)) if !file.is_empty() => {
            count(file == "-");
            Ok(Pattern::Pairs(file.into()))
        }
        _ => Err("a pattern is a2a, all-to-all, rp, sp, cn2io, io2cn, ebb or pairs:FILE"),
    }
}

/// The pattern's key in JSON.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Pairs(_) => f.write_str("pairs"),
            of_word => {
                let word = WORDS.iter().find(|(_, pattern)| pattern == of_word);
                f.write_str(word.map_or("", |(word, _)| word))
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    /// A name without a match, or with several.
    #[error(transparent)]
    Name(#[from] dmodc_formats::names::NameError),
    /// A switch or an aggregation node, which runs no rank.
    #[error("'{0}' is no host")]
    NoHost(String),
    /// A host that an earlier line of the job's file has.
    #[error("'{0}' is in the file already")]
    Twice(String),
    /// Not two names.
    #[error("two hosts expected, with a tab or a blank between them: '{0}'")]
    NoPair(String),
    /// A line without a name and a set.
    #[error("NAME: SET expected: '{0}'")]
    NoSet(String),
    /// A host that has no rank.
    #[error("'{0}' takes no part")]
    NoRank(String),
}

/// Reads a file of hosts in the order of the ranks, one a line: the base name of a server stands for all its ports.
pub fn job(path: &Path, judged: &Judged) -> Result<Vec<NodeId>, Failure> {
    let mut hosts = Hosts::new(judged);
    let mut nodes: Vec<NodeId> = Vec::new();
    let mut is_in: TiVec<NodeId, _> = vec![false; judged.fabric.end_nodes().len()].into();
    each_line::<Wrong>(path, |name| {
        for node in hosts.named(name)? {
            if std::mem::replace(&mut is_in[node], true) {
                return Err(Wrong::Twice(name.into()));
            }
            nodes.push(node);
        }
        Ok(())
    })?;
    Ok(nodes)
}

/// Reads a file of pairs of hosts, as positions in an order of nodes. Each port of a server sends to the port
/// of the same number.
pub fn pairs(
    path: &Path,
    judged: &Judged,
    order: &[NodeId],
) -> Result<Vec<(usize, usize)>, Failure> {
    let mut hosts = Hosts::new(judged);
    let mut places: TiVec<NodeId, _> = vec![None; judged.fabric.end_nodes().len()].into();
    for (place, &node) in order.iter().enumerate() {
        places[node] = Some(place);
    }
    let mut pairs = Vec::new();
    each_line::<Wrong>(path, |line| {
        let names = line.split_once('\t').or_else(|| line.split_once(' '));
        let (from, to) = names.ok_or_else(|| Wrong::NoPair(line.into()))?;
        let (from, to) = (from.trim(), to.trim());
        for (a, b) in hosts.named(from)?.into_iter().zip(hosts.named(to)?) {
            let place =
                |node: NodeId, name: &str| places[node].ok_or_else(|| Wrong::NoRank(name.into()));
            pairs.push((place(a, from)?, place(b, to)?));
        }
        Ok(())
    })?;
    Ok(pairs)
}

/// The hosts of a set: names with commas between them, of hosts, servers or switches, which stand for their hosts.
pub fn members(
    directory: &Directory<Thing>,
    judged: &Judged,
    set: &str,
) -> Result<BTreeSet<NodeId>, Wrong> {
    let fabric = &judged.fabric;
    let is_host = |node: &NodeId| fabric.end_nodes()[*node].kind != NodeKind::Aggregation;
    let mut nodes = BTreeSet::new();
    let mut depth = 0;
    // Commas in brackets are of a pattern.
    let names = set.split(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        c == ',' && depth <= 0
    });
    for name in names.map(str::trim).filter(|name| !name.is_empty()) {
        for thing in directory.find_all(name)? {
            match thing {
                Thing::EndNode(node) => nodes.extend(Some(node).filter(is_host)),
                Thing::Switch(switch) => nodes.extend(fabric.node_ids_of(switch).filter(is_host)),
            }
        }
    }
    match nodes.is_empty() {
        true => Err(Wrong::NoHost(set.into())),
        false => Ok(nodes),
    }
}

/// Finds hosts by their names, each name once: a look reads the whole fabric, and a file may have a million pairs.
pub struct Hosts<'j> {
    directory: Directory<Thing>,
    judged: &'j Judged,
    known: HashMap<String, Vec<NodeId>>,
}

impl<'j> Hosts<'j> {
    pub fn new(judged: &'j Judged) -> Self {
        Hosts {
            directory: Directory::of_fabric(&judged.fabric, &judged.names),
            judged,
            known: HashMap::new(),
        }
    }

    /// The hosts that a name means.
    pub fn named(&mut self, name: &str) -> Result<Vec<NodeId>, Wrong> {
        if let Some(known) = self.known.get(name) {
            return Ok(known.clone());
        }
        let kind = |node: NodeId| self.judged.fabric.end_nodes()[node].kind;
        let hosts = self.directory.find_all(name)?.into_iter();
        let hosts = hosts.map(|thing| match thing {
            Thing::EndNode(node) if kind(node) != NodeKind::Aggregation => Ok(node),
            _ => Err(Wrong::NoHost(name.into())),
        });
        let hosts = hosts.collect::<Result<Vec<NodeId>, Wrong>>()?;
        self.known.insert(name.into(), hosts.clone());
        Ok(hosts)
    }
}
