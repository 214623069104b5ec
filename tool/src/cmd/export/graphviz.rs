//! Graphviz: the switches by level, each with the number of its hosts, an edge for all links between
//! two switches.

use dmodc::export::Labels;
use dmodc::fabric::{Fabric, counted};
use std::collections::BTreeMap;

/// A graph for `dot`; `rank` gives a switch's rank.
pub fn graphviz(fabric: &Fabric, labels: &Labels, rank: impl Fn(u32) -> u32) -> String {
    let mut text = "graph fabric {\n  rankdir=BT;\n  node [shape=box];\n".to_owned();
    let switches = 0..fabric.switches().len() as u32;
    let mut levels: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for switch in switches.clone() {
        levels.entry(rank(switch)).or_default().push(switch);
    }
    for level in levels.values() {
        text += "  {\n    rank=same;\n";
        for &switch in level {
            let name = &labels.switches[switch as usize];
            let hosts = match fabric.hosts_of(switch).count() {
                0 => String::new(),
                1 => "\\n1 host".into(),
                n => format!("\\n{n} hosts"),
            };
            text += &format!("    \"{name}\" [label=\"{name}{hosts}\"];\n");
        }
        text += "  }\n";
    }
    for switch in switches {
        let is_above = |&other: &u32| (rank(switch), switch) < (rank(other), other);
        for (above, count) in counted(fabric.neighbours(switch).filter(is_above)) {
            let [a, b] = [switch, above].map(|s| &labels.switches[s as usize]);
            let label = match count {
                1 => String::new(),
                n => format!(" [label={n}]"),
            };
            text += &format!("  \"{a}\" -- \"{b}\"{label};\n");
        }
    }
    text + "}\n"
}
