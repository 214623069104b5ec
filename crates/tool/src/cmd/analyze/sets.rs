//! Traffic between sets of hosts: `--from`, `--to` and `--sets`.

use super::super::patterns::{Wrong, members};
use super::super::tables::Judged;
use crate::failure::Failure;
use crate::input::{each_line, input};
use crate::output::add;
use dmodc_analysis::{Between, Traffic};
use dmodc_fabric::NodeId;
use dmodc_formats::names::Directory;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Sets {
    /// The traffic of each host of this set to each of --to, and back: names, patterns, switches, or a name in --sets
    #[arg(long, value_name = "SET", requires = "to")]
    from: Option<String>,
    /// The other set
    #[arg(long, value_name = "SET", requires = "from")]
    to: Option<String>,
    /// Sets of hosts, one a line: NAME: SET. Without --from, the traffic of each to each other
    #[arg(long, value_name = "F", value_parser = input())]
    sets: Option<PathBuf>,
}

/// A set: its name, and the positions of its hosts.
type Set = (String, Vec<usize>);

/// The traffic from one set to another.
pub struct Way {
    sets: [Set; 2],
    found: Between,
}

impl Sets {
    pub fn are_given(&self) -> bool {
        self.from.is_some() || self.sets.is_some()
    }

    /// Measures all ways, each followed by the way back.
    pub fn ways(&self, judged: &Judged, traffic: &Traffic) -> Result<Vec<Way>, Failure> {
        let directory = Directory::of_fabric(&judged.fabric, &judged.names);
        let positions = |nodes: BTreeSet<NodeId>| -> Vec<usize> {
            let order = traffic.nodes().iter().enumerate();
            let order = order.filter(|(_, node)| nodes.contains(node));
            order.map(|(position, _)| position).collect()
        };
        let set = |name: &str, text: &str| -> Result<Set, Wrong> {
            let nodes = members(&directory, judged, text)?;
            let positions = positions(nodes);
            match positions.is_empty() {
                true => Err(Wrong::NoRank(text.into())),
                false => Ok((name.to_owned(), positions)),
            }
        };
        let mut named: Vec<Set> = Vec::new();
        if let Some(path) = &self.sets {
            each_line::<Wrong>(path, |line| {
                let parts = line
                    .split_once(':')
                    .filter(|(name, _)| !name.trim().is_empty());
                let (name, text) = parts.ok_or_else(|| Wrong::NoSet(line.into()))?;
                let one = set(name.trim(), text)?;
                if named.iter().any(|(known, _)| *known == one.0) {
                    return Err(Wrong::Twice(one.0));
                }
                named.push(one);
                Ok(())
            })?;
        }
        let mut pairs = Vec::new();
        if let (Some(from), Some(to)) = (&self.from, &self.to) {
            let one = |name: &String| match named.iter().find(|(known, _)| known == name) {
                Some(known) => Ok(known.clone()),
                None => set(name, name),
            };
            pairs.push([one(from)?, one(to)?]);
        } else {
            for (i, one) in named.iter().enumerate() {
                pairs.extend(
                    named[i + 1..]
                        .iter()
                        .map(|other| [one.clone(), other.clone()]),
                );
            }
        }
        let both = pairs
            .into_iter()
            .flat_map(|[a, b]| [[a.clone(), b.clone()], [b, a]]);
        let way = |sets: [Set; 2]| Way {
            found: traffic.between(&sets[0].1, &sets[1].1),
            sets,
        };
        Ok(both.map(way).collect())
    }
}

impl Way {
    /// Of senders, then of receivers: what they get on the mean, and the least with its host's position.
    fn shares(&self) -> Option<[(f64, f64, usize); 2]> {
        let shares = self.found.shares.as_ref()?;
        let one = |i: usize| {
            // A host alone in the other set has nobody to send to, or to hear from.
            let others = &self.sets[1 - i].1[..];
            let all = shares[i]
                .iter()
                .copied()
                .zip(self.sets[i].1.iter().copied());
            let all: Vec<(f64, usize)> = all.filter(|&(_, at)| others != [at]).collect();
            let least = all.iter().min_by(|a, b| a.0.total_cmp(&b.0));
            let (least, at) = least.copied().unwrap_or_default();
            let sum: f64 = all.iter().map(|(share, _)| share).sum();
            (sum / all.len().max(1) as f64, least, at)
        };
        Some([one(0), one(1)])
    }

    pub fn json(&self, judged: &Judged, traffic: &Traffic) -> Value {
        let [from, to] = &self.sets;
        let worst = self.found.ports.worst(1).into_iter().next();
        let port = worst.map(|(c, _)| judged.channel(traffic.channels().get(c)));
        let mut value = json!({
            "from": from.0,
            "to": to.0,
            "senders": from.1.len(),
            "receivers": to.1.len(),
            "flows": self.found.flows,
            "no_route": self.found.lost,
            "worst_port": { "flows": self.found.ports.value, "port": port },
            "mean_port_flows": self.found.mean,
        });
        add(
            &mut value["worst_port"],
            "flows_capacity",
            self.found.ports.over_capacity,
        );
        if let Some(shares) = self.shares() {
            for (i, key) in ["sent", "received"].into_iter().enumerate() {
                let (mean, least, at) = shares[i];
                let host = &judged.names.end_nodes[traffic.nodes()[at]];
                let most = self.found.ideal[i];
                value[key] = json!({ "mean": mean, "least": least, "host": host, "at_most": most });
            }
        }
        value
    }

    pub fn text(&self, judged: &Judged, traffic: &Traffic) -> String {
        let [from, to] = &self.sets;
        let (found, name) = (&self.found, |at: usize| {
            &judged.names.end_nodes[traffic.nodes()[at]]
        });
        let mut text = format!(
            "{} ({}) to {} ({})\n",
            from.0,
            from.1.len(),
            to.0,
            to.1.len()
        );
        let mut row = |what: &str, value: String| text += &format!("{what:<26}  {value}\n");
        let flows = |n: usize| format!("{n:>8}");
        row("  flows", flows(found.flows));
        if found.lost > 0 {
            row("  flows without a route", flows(found.lost));
        }
        if let Some((c, worst)) = found.ports.worst(1).into_iter().find(|(_, n)| *n > 0) {
            let port = judged.channel(traffic.channels().get(c));
            row("  flows, worst port", format!("{worst:>8}  {port}"));
            row("  flows, mean of ports", format!("{:>8.1}", found.mean));
        }
        let Some(shares) = self.shares() else {
            row("  bandwidth", "       -  too many flows".into());
            return text;
        };
        for (what, (mean, least, at), most) in [
            ("sends", shares[0], found.ideal[0]),
            ("receives", shares[1], found.ideal[1]),
        ] {
            let mean = format!("{mean:>8.3}  of {most:.3}");
            row(&format!("  a host {what}, mean"), mean);
            row(
                &format!("  a host {what}, least"),
                format!("{least:>8.3}  '{}'", name(at)),
            );
        }
        text
    }
}
