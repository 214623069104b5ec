//! Slurm's `topology.conf` (plugin `topology/tree`) and, from 25.05 on, `topology.yaml`.
//!
//! A switch of Slurm's has either nodes or switches, and a unique name; a node should be on one switch alone.
//! Each connected part of a fabric has a root.

use super::tree::Group;

/// `topology.conf`, inner switches first.
pub fn slurm_conf(roots: &[Group]) -> String {
    let mut text = String::new();
    for group in all(roots) {
        let name = &group.name;
        text += &match group.groups[..] {
            [] => format!("SwitchName={name} Nodes={}\n", ranges(&group.hosts)),
            _ => format!("SwitchName={name} Switches={}\n", inner(group)),
        };
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

/// Names as Slurm's host list expressions: `node[001-018,020],login1`.
fn ranges<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let mut names: Vec<(&str, &str)> = names.into_iter().map(|name| numbered(name)).collect();
    names.sort_by_key(|&(stem, digits)| (stem, digits.len(), digits.parse::<u64>().ok()));
    let mut parts = Vec::new();
    for same in names.chunk_by(|a, b| a.0 == b.0 && a.1.len() == b.1.len()) {
        let stem = same[0].0;
        let number = |at: usize| same[at].1.parse::<u64>().unwrap_or_default();
        if same.len() == 1 || same[0].1.is_empty() {
            parts.extend(same.iter().map(|(stem, digits)| format!("{stem}{digits}")));
            continue;
        }
        let mut runs = Vec::new();
        let mut from = 0;
        for at in 1..=same.len() {
            if at == same.len() || number(at) != number(at - 1) + 1 {
                runs.push(match at - from {
                    1 => same[from].1.to_owned(),
                    _ => format!("{}-{}", same[from].1, same[at - 1].1),
                });
                from = at;
            }
        }
        parts.push(format!("{stem}[{}]", runs.join(",")));
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
