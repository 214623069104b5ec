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
                let parts = line.split_once(':');
                let parts = parts.filter(|(name, _)| !name.trim().is_empty());
                let (name, text) = parts.ok_or_else(|| Wrong::NoSet(line.into()))?;
                let one = set(name.trim(), text)?;
                if named.iter().any(|(known, _)| *known == one.0) {
                    return Err(Wrong::Twice(one.0));
                }
                named.push(one);
                Ok(())
            })?;
        }
        if let (Some(from), Some(to)) = (&self.from, &self.to) {
            let one = |name: &String| match named.iter().find(|(known, _)| known == name) {
                Some(known) => Ok(known.clone()),
                None => set(name, name),
            };
            named = vec![one(from)?, one(to)?];
        }
        let mut ways = Vec::new();
        for (i, one) in named.iter().enumerate() {
            for other in &named[i + 1..] {
                for sets in [[one, other], [other, one]] {
                    let found = traffic.between(&sets[0].1, &sets[1].1);
                    let sets = sets.map(Set::clone);
                    ways.push(Way { sets, found });
                }
            }
        }
        Ok(ways)
    }
}

impl Way {
    /// Of senders, then of receivers: what they get on the mean, and the least with its host's position.
    fn shares(&self) -> Option<[(f64, f64, usize); 2]> {
        let shares = self.found.shares.as_ref()?;
        let one = |i: usize| {
            // A host alone in the other set has nobody to send to, or to hear from.
            let others = &self.sets[1 - i].1[..];
            let all = shares[i].iter().zip(&self.sets[i].1);
            let all: Vec<_> = all.filter(|&(_, at)| others != [*at]).collect();
            let least = all.iter().copied().min_by(|a, b| a.0.total_cmp(b.0));
            let (least, at) = least.unwrap_or((&0.0, &0));
            let sum: f64 = all.iter().map(|(share, _)| *share).sum();
            (sum / all.len().max(1) as f64, *least, *at)
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
        let over = self.found.ports.over_capacity;
        add(&mut value["worst_port"], "flows_capacity", over);
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
        let found = &self.found;
        let name = |at: usize| &judged.names.end_nodes[traffic.nodes()[at]];
        let [one, other] = [from, to].map(|set| format!("{} ({})", set.0, set.1.len()));
        let mut text = format!("{one} to {other}\n");
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
        let what = ["sends", "receives"].into_iter().zip(shares);
        for ((what, (mean, least, at)), most) in what.zip(found.ideal) {
            let mean = format!("{mean:>8.3}  of {most:.3}");
            row(&format!("  a host {what}, mean"), mean);
            let least = format!("{least:>8.3}  '{}'", name(at));
            row(&format!("  a host {what}, least"), least);
        }
        text
    }
}
