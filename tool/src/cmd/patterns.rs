//! The traffic patterns of `dmodc analyze`, and the placement of their ranks.

use super::tables::Judged;
use crate::failure::Failure;
use crate::input::{count, each_line};
use dmodc::analysis::{NoWorkload, Workload};
use dmodc::fabric::NodeKind;
use dmodc::names::{Directory, Thing};
use dmodc::random::Random;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, PartialEq, Eq)]
pub enum Pattern {
    A2a,
    Rp,
    Sp,
    Cn2io,
    Io2cn,
    Ebb,
    /// All to all and shifts within each rail.
    Rails,
    Work(Workload),
    Pairs(PathBuf),
}

/// The words of the patterns other than workloads.
const WORDS: [(&str, Pattern); 8] = [
    ("a2a", Pattern::A2a),
    ("all-to-all", Pattern::A2a),
    ("rp", Pattern::Rp),
    ("sp", Pattern::Sp),
    ("cn2io", Pattern::Cn2io),
    ("io2cn", Pattern::Io2cn),
    ("ebb", Pattern::Ebb),
    ("rails", Pattern::Rails),
];

pub fn pattern(text: &str) -> Result<Pattern, &'static str> {
    if let Some((_, pattern)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Ok(pattern.clone());
    }
    let work = match text.split_once(':') {
        Some(("pairs", file)) if !file.is_empty() => {
            count(file == "-");
            Ok(Pattern::Pairs(file.into()))
        }
        _ => text.parse().map(Pattern::Work),
    };
    work.map_err(|NoWorkload| {
        "a pattern is a2a, all-to-all, rp, sp, cn2io, io2cn, ebb, rails, ring, recursive-doubling, \
         stencil:XxYxZ, incast:N or pairs:FILE"
    })
}

/// The pattern's key in JSON.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Work(workload) => write!(f, "{workload}"),
            Pattern::Pairs(_) => f.write_str("pairs"),
            of_word => {
                let word = WORDS.iter().find(|(_, pattern)| pattern == of_word);
                f.write_str(word.map_or("", |(word, _)| word))
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    Block,
    /// One of each leaf in turn.
    RoundRobin,
    /// Drawn from a seed.
    Random(u64),
}

pub fn placement(text: &str) -> Result<Placement, &'static str> {
    let seed = text.strip_prefix("random:").map(str::parse);
    match (text, seed) {
        ("block", _) => Ok(Placement::Block),
        ("round-robin", _) => Ok(Placement::RoundRobin),
        (_, Some(Ok(seed))) => Ok(Placement::Random(seed)),
        _ => Err("a placement is block, round-robin or random:SEED"),
    }
}

impl Placement {
    /// Takes nodes in the order of the topology; returns them in the order of the ranks.
    pub fn place(self, judged: &Judged, mut nodes: Vec<u32>) -> Vec<u32> {
        match self {
            Placement::Block => {}
            Placement::Random(seed) => Random::new(seed).shuffle(&mut nodes),
            Placement::RoundRobin => {
                let switch = |node: u32| judged.fabric.end_nodes()[node as usize].switch;
                let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
                let round = |node| {
                    let round = seen.entry(switch(node)).or_default();
                    *round += 1;
                    (*round, node)
                };
                let mut rounds: Vec<(usize, u32)> = nodes.into_iter().map(round).collect();
                // Stable: within a round in the order of the topology.
                rounds.sort_by_key(|&(round, _)| round);
                nodes = rounds.into_iter().map(|(_, node)| node).collect();
            }
        }
        nodes
    }
}

#[derive(Debug, thiserror::Error)]
enum Wrong {
    /// A name without a match, or with several.
    #[error(transparent)]
    Name(#[from] dmodc::names::NameError),
    /// A switch or an aggregation node, which runs no rank.
    #[error("'{0}' is no host")]
    NoHost(String),
    /// A host that an earlier line of the job's file has.
    #[error("'{0}' is in the file already")]
    Twice(String),
    /// Not two names.
    #[error("two hosts expected, with a tab or a blank between them: '{0}'")]
    NoPair(String),
    /// A host that has no rank.
    #[error("'{0}' takes no part")]
    NoRank(String),
}

/// Reads a file of hosts in the order of the ranks, one a line: the base name of a server stands for all its ports.
pub fn job(path: &Path, judged: &Judged) -> Result<Vec<u32>, Failure> {
    let directory = Directory::of_fabric(&judged.fabric, &judged.names);
    let mut nodes: Vec<u32> = Vec::new();
    let mut is_in = vec![false; judged.fabric.end_nodes().len()];
    each_line::<Wrong>(path, |name| {
        for node in hosts(&directory, judged, name)? {
            if std::mem::replace(&mut is_in[node as usize], true) {
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
pub fn pairs(path: &Path, judged: &Judged, order: &[u32]) -> Result<Vec<(usize, usize)>, Failure> {
    let directory = Directory::of_fabric(&judged.fabric, &judged.names);
    let mut places = vec![None; judged.fabric.end_nodes().len()];
    for (place, &node) in order.iter().enumerate() {
        places[node as usize] = Some(place);
    }
    let mut pairs = Vec::new();
    each_line::<Wrong>(path, |line| {
        let names = line.split_once('\t').or_else(|| line.split_once(' '));
        let (from, to) = names.ok_or_else(|| Wrong::NoPair(line.into()))?;
        let (from, to) = (from.trim(), to.trim());
        let of = |name| hosts(&directory, judged, name);
        for (a, b) in of(from)?.into_iter().zip(of(to)?) {
            let place = |node: u32, name: &str| {
                places[node as usize].ok_or_else(|| Wrong::NoRank(name.into()))
            };
            pairs.push((place(a, from)?, place(b, to)?));
        }
        Ok(())
    })?;
    Ok(pairs)
}

fn hosts(directory: &Directory<Thing>, judged: &Judged, name: &str) -> Result<Vec<u32>, Wrong> {
    let kind = |node: u32| judged.fabric.end_nodes()[node as usize].kind;
    let hosts = directory.find_all(name)?.into_iter();
    let hosts = hosts.map(|thing| match thing {
        Thing::EndNode(node) if kind(node) != NodeKind::Aggregation => Ok(node),
        _ => Err(Wrong::NoHost(name.into())),
    });
    hosts.collect()
}
