//! Graphviz: the switches by level, each with the number of its hosts, an edge for all links between
//! two switches.

use dmodc_fabric::{Fabric, SwitchId, counted, grouped};
use dmodc_formats::export::Labels;

/// A graph for `dot`; `rank` gives a switch's rank.
pub fn graphviz(fabric: &Fabric, labels: &Labels, rank: impl Fn(SwitchId) -> u32) -> String {
    let mut text = "graph fabric {\n  rankdir=BT;\n  node [shape=box];\n".to_owned();
    let switches = || fabric.switches().keys();
    for level in grouped(switches().map(|s| (rank(s), s))).into_values() {
        text += "  {\n    rank=same;\n";
        for switch in level {
            let name = &labels.switches[switch];
            let hosts = match fabric.hosts_of(switch).count() {
                0 => String::new(),
                1 => "\\n1 host".into(),
                n => format!("\\n{n} hosts"),
            };
            text += &format!("    \"{name}\" [label=\"{name}{hosts}\"];\n");
        }
        text += "  }\n";
    }
    for switch in switches() {
        let is_above = |&other: &SwitchId| (rank(switch), switch) < (rank(other), other);
        for (above, count) in counted(fabric.neighbours(switch).filter(is_above)) {
            let [a, b] = [switch, above].map(|s| &labels.switches[s]);
            let label = match count {
                1 => String::new(),
                n => format!(" [label={n}]"),
            };
            text += &format!("  \"{a}\" -- \"{b}\"{label};\n");
        }
    }
    text + "}\n"
}
