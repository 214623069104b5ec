//! Slurm's `topology.conf` (plugin `topology/tree`) and, from 25.05 on, `topology.yaml`.
//!
//! A switch of Slurm's has either nodes or switches, and a unique name. A node may be on several, if it has
//! ports there. Each connected part of a fabric has a root.

use super::tree::Group;
use std::collections::{BTreeMap, HashSet};

/// `topology.conf`, inner switches first; a block for each of several fabrics.
pub fn slurm_conf(roots: &[Group]) -> String {
    let mut text = String::new();
    for (number, root) in (1..).zip(roots) {
        if roots.len() > 1 {
            text += &format!("# fabric {number} of {}\n", roots.len());
        }
        for group in all(std::slice::from_ref(root)) {
            let name = &group.name;
            text += &match group.groups[..] {
                [] => format!("SwitchName={name} Nodes={}\n", ranges(&group.hosts)),
                _ => format!("SwitchName={name} Switches={}\n", inner(group)),
            };
        }
    }
    text
}

/// `topology.yaml` with one topology, the default.
pub fn slurm_yaml(roots: &[Group]) -> String {
    let mut text =
        "---\n- topology: infiniband\n  cluster_default: true\n  tree:\n    switches:\n".to_owned();
    for group in all(roots) {
        text += &format!("      - switch: {}\n", quoted(&group.name));
        text += &match group.groups[..] {
            [] => format!("        nodes: {}\n", quoted(&ranges(&group.hosts))),
            _ => format!("        children: {}\n", quoted(&inner(group))),
        };
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn inner(group: &Group) -> String {
    ranges(group.groups.iter().map(|group| &group.name))
}

fn all(roots: &[Group]) -> Vec<&Group> {
    let mut groups = Vec::new();
    for root in roots {
        groups.extend(all(&root.groups));
        groups.push(root);
    }
    groups
}

/// Names as Slurm's host list expressions, `node[001-018,020],login1`, whatever their order. Numbers with leading zeros
/// make a list with those of as many digits, all other numbers one list: `node-[1-32]`.
fn ranges<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let names: Vec<(&str, &str)> = names.into_iter().map(|name| numbered(name)).collect();
    let is_padded = |digits: &str| digits.len() > 1 && digits.starts_with('0');
    let padded = names.iter().filter(|(_, digits)| is_padded(digits));
    let padded: HashSet<(&str, usize)> = padded.map(|(stem, d)| (*stem, d.len())).collect();
    // By stem and digits of a padded number; 0 of another.
    let mut lists: BTreeMap<(&str, usize), BTreeMap<u64, &str>> = BTreeMap::new();
    for (stem, digits) in names {
        let is_padded = padded.contains(&(stem, digits.len()));
        let key = (stem, if is_padded { digits.len() } else { 0 });
        let list = lists.entry(key).or_default();
        list.insert(digits.parse().unwrap_or(u64::MAX), digits);
    }
    let mut parts = Vec::new();
    for ((stem, _), mut numbers) in lists {
        if numbers.remove(&u64::MAX).is_some() {
            parts.push(stem.to_owned());
        }
        let numbers: Vec<(u64, &str)> = numbers.into_iter().collect();
        let run = |run: &[(u64, &str)]| match run {
            [(_, one)] => (*one).to_owned(),
            _ => format!("{}-{}", run[0].1, run[run.len() - 1].1),
        };
        let runs = numbers.chunk_by(|a, b| a.0 + 1 == b.0);
        let runs: Vec<String> = runs.map(run).collect();
        match numbers.len() {
            0 => {}
            1 => parts.push(format!("{stem}{}", runs[0])),
            _ => parts.push(format!("{stem}[{}]", runs.join(","))),
        }
    }
    parts.join(",")
}

/// Splits a name before the number at its end; the number is empty without digits or with more than nine.
fn numbered(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match name.len() - stem.len() {
        0..=9 => name.split_at(stem.len()),
        _ => (name, ""),
    }
}
