//! Writes Prometheus' text format.

use super::Named;
use dmodc_fabric::Guid;
use std::fmt::{Display, Write};

/// All figures in the order of the file: name without `dmodc_`, kind, help.
const FIGURES: &str = "\
build_info gauge The version of Dmodc.
sweeps_total counter Sweeps in which OpenSM called Dmodc to route.
refusals_total counter Sweeps that Dmodc refused or failed to route.
proof_failures_total counter Sweeps whose tables failed the proof: OpenSM took its next engine.
changed_blocks_total counter Blocks of 64 LIDs that differed from the blocks last sent, in all routed sweeps.
last_write_timestamp_seconds gauge When this file was written: every 15 seconds while OpenSM's process lives and does not hold its lock, and after each sweep.
last_sweep_timestamp_seconds gauge When the last sweep was routed by any engine, or refused by Dmodc; 0 before.
last_activity_timestamp_seconds gauge When OpenSM last sent a management packet, as it does in each sweep, light ones included.
sweep_interval_seconds gauge OpenSM's option sweep_interval; 0: it does not sweep by itself.
role_since_timestamp_seconds gauge Since when OpenSM has been, or has not been, what dmodc_master says.
master gauge Whether this OpenSM manages the subnet: 1, or 0. Only a master that has swept writes the next figure, and the others once Dmodc has routed.
engine_in_use gauge Whether the last sweep was routed by Dmodc: 1, or 0.
last_read_timestamp_seconds gauge When Dmodc read the fabric that the figures of switches, nodes, LIDs and ranks describe; 0 before.
sweep_seconds gauge Time in Dmodc in the last sweep that it routed.
switches gauge Switches.
nodes gauge End nodes.
lids gauge LIDs routed.
ranks gauge Levels of the tree.
unreachable_pairs gauge Pairs of switches with end nodes that have no up-down path.
turned_pairs gauge Pairs of switch and LID with a route that turns from down to up.
left_out_pairs gauge Pairs of switch and LID without a route.
turned_host_pairs gauge Pairs of hosts with a route that turns, without pairs of two hosts above the leaves.
left_out_host_pairs gauge Pairs of hosts without a route.
displaced_entries gauge Entries of tables that are not at their nominal ports.
drained gauge Present switches and links that are to be drained.
drained_routes gauge Entries that take packets between hosts over drained links: 0 when all may be pulled.
drain_odd_lines gauge Lines of the drain file that drain nothing, by a wrong name or port; 1 if the file is unreadable.
other_managers gauge Other subnet managers that are active, standbys mostly.
phase_seconds gauge Time in a phase; all phases make dmodc_sweep_seconds.
missing_uplinks gauge Links up to present switches that the switch lacks, without drained ones.
leaf_hosts gauge Hosts on the switch, if it has or should have any.
switch_lost gauge 1 for each switch that is gone and not drained.
part_lost gauge Gone switches that are linked to one another, such as a pod: their number, by the first of them.
host_lost gauge 1 for each host that is gone from a present switch.
links_slow gauge 1 for each link that is slower than it should be, until it is mended.
switch_slow gauge Slow links of a switch that has many, such as a box that is slower than the one before: one cause.
stale_since_timestamp_seconds gauge Since when the tables are older than the fabric; 0 if they are not.
";

/// The text of a file. Names of figures come without `dmodc_`.
#[derive(Default)]
pub struct Text {
    pub text: String,
    /// The subnet manager, where its files and those of others meet: a label of each sample.
    pub port: Option<Guid>,
}

impl Text {
    /// Writes the lines before the samples of a figure.
    pub fn head(&mut self, name: &str) {
        let mut figures = FIGURES.lines().filter_map(|line| line.split_once(' '));
        let figure = figures.find(|(figure, _)| *figure == name);
        let figure = figure.and_then(|(_, rest)| rest.split_once(' '));
        let (kind, help) = figure.unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.text,
            "# HELP dmodc_{name} {help}\n# TYPE dmodc_{name} {kind}"
        );
    }

    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let port = self.port.map(|port| ("sm", port.to_string()));
        let port = port.iter().map(|(label, port)| (*label, &**port));
        let mut open = '{';
        let _ = write!(self.text, "dmodc_{name}");
        for (label, text) in port.chain(labels.iter().copied()) {
            let _ = write!(self.text, "{open}{label}=\"{}\"", escaped(text));
            open = ',';
        }
        let close = if open == ',' { "}" } else { "" };
        let _ = writeln!(self.text, "{close} {value}");
    }

    /// Writes a figure of switches or hosts.
    pub fn of_nodes(&mut self, name: &str, nodes: impl Iterator<Item = (Named, usize)>) {
        self.head(name);
        for ((guid, description), value) in nodes {
            let labels = [("guid", &*guid.to_string()), ("description", &description)];
            self.sample(name, &labels, value);
        }
    }

    pub fn single(&mut self, name: &str, value: impl Display) {
        self.head(name);
        self.sample(name, &[], value);
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        let mut text = Text::default();
        let labels = [("name", "a \"b\" \\ {c=1}\nd"), ("port", "7")];
        text.sample("links", &labels, 1);
        let expected = r#"dmodc_links{name="a \"b\" \\ {c=1}\nd",port="7"} 1"#;
        assert_eq!(text.text, format!("{expected}\n"));
        let mut of_port = Text {
            port: Some(Guid(0x11)),
            ..Text::default()
        };
        of_port.sample("nodes", &[], 3);
        of_port.sample("links", &labels[1..], 1);
        let sm = "sm=\"0x0000000000000011\"";
        let expected = format!("dmodc_nodes{{{sm}}} 3\ndmodc_links{{{sm},port=\"7\"}} 1\n");
        assert_eq!(of_port.text, expected);
    }
}
