//! The output of `dmodc whatif --each`.

use super::{Each, Harm, Lost};
use crate::cmd::args::Meant;
use crate::cmd::tables::{link_name, switch_name};
use dmodc_analysis::Risks;
use dmodc_fabric::{Fabric, Guid, NodeId, PortNumber, SwitchId};
use dmodc_formats::netlist::Names;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Instant;

/// The most lines of losses, and of pairs, to print. `--json` has all.
const LINES: usize = 20;

/// The losses, the greatest harm first.
pub struct Found {
    pub harms: Vec<Harm>,
    pub now: Risks,
    /// How many single links and switches cut hosts off.
    pub cuts: [usize; 2],
    pub step: usize,
}

impl Found {
    /// The pairs of leaves with one way left, each with the first loss that takes it.
    fn one_way(&self) -> Vec<(SwitchId, SwitchId, Lost)> {
        let mut seen = BTreeSet::new();
        let pairs = self.harms.iter().flat_map(|harm| {
            let pairs = harm.last_way.iter();
            pairs.map(|&(a, b)| (a, b, harm.lost))
        });
        let mut pairs: Vec<_> = pairs.filter(|&(a, b, _)| seen.insert((a, b))).collect();
        pairs.sort_by_key(|&(a, b, _)| (a, b));
        pairs
    }

    pub fn json(&self, each: Each, meant: &Meant, start: Instant) -> Value {
        let (fabric, names) = (&meant.fabric, &meant.names);
        let named = |guid: Guid, name: &String| json!({ "guid": guid.to_string(), "name": name });
        let switch = |s: SwitchId| named(fabric.guid(s), &names.switches[s]);
        let ends = |lost: Lost| -> Value {
            let end = |(s, port): (SwitchId, PortNumber)| {
                let mut end = switch(s);
                end["port"] = port.0.into();
                end
            };
            match lost {
                Lost::Switch(s) => json!([switch(s)]),
                Lost::Link(ends) => ends.into_iter().map(end).collect(),
            }
        };
        let hosts = |leaves: &[SwitchId]| -> Value {
            let nodes = leaves.iter().flat_map(|&s| fabric.node_ids_of(s));
            let host = |n: NodeId| named(fabric.end_nodes()[n].guid, &names.end_nodes[n]);
            nodes.map(host).collect()
        };
        let figures = |value: &mut Value, risks: &Risks| {
            value["a2a"] = risks.a2a.into();
            value["rp"] = risks.rp.into();
            value["sp"] = risks.sp.into();
        };
        let losses = self.harms.iter().map(|harm| {
            let mut value = json!({
                "lost": ends(harm.lost),
                "own_hosts": harm.lost.switch().map_or(0, |s| fabric.hosts_of(s).count()),
                "cut_off": hosts(&harm.cut),
                "left_out": harm.left_out,
                "last_way": harm.last_way.len(),
                "half_ways": harm.half,
            });
            match &harm.risks {
                Ok(risks) => figures(&mut value, risks),
                Err(reason) => value["refused"] = reason.as_str().into(),
            }
            value
        });
        let one_way = self.one_way().into_iter();
        let one_way = one_way
            .map(|(a, b, lost)| json!({ "from": switch(a), "to": switch(b), "lost": ends(lost) }));
        let mut value = json!({
            "each": if each == Each::Link { "link" } else { "switch" },
            "switches": fabric.switches().len(),
            "links": fabric.switch_links(),
            "before": {},
            "losses": losses.collect::<Value>(),
            "one_way_pairs": one_way.collect::<Value>(),
            "links_that_cut_off": self.cuts[0],
            "switches_that_cut_off": self.cuts[1],
            "shifts_step": self.step,
            "seconds": start.elapsed().as_secs_f64(),
        });
        figures(&mut value["before"], &self.now);
        value
    }

    pub fn text(&self, each: Each, fabric: &Fabric, names: &Names) -> String {
        let name = |s: SwitchId| switch_name(fabric, names, s);
        let shown = |lost: Lost| match lost {
            Lost::Switch(s) => name(s),
            Lost::Link(ends) => link_name(fabric, names, ends),
        };
        let what = if each == Each::Link { "link" } else { "switch" };
        let head = ["cut off", "left out", "last way", "half", "A2A", "SP", "RP"];
        let row = |cells: [String; 7], what: &str| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
            format!("{cells}  {what}\n")
        };
        let mut text = row(head.map(str::to_owned), &format!("without {what}"));
        let dash = || "-".to_owned();
        let now = [self.now.a2a, self.now.sp, self.now.rp].map(|n| n.to_string());
        let [a2a, sp, rp] = now;
        text += &row([dash(), dash(), dash(), dash(), a2a, sp, rp], "nothing");
        let alike: Vec<&[Harm]> = (self.harms.chunk_by(|a, b| a.key() == b.key())).collect();
        for group in alike.iter().take(LINES) {
            let harm = &group[0];
            let risks = harm.risks.as_ref().ok();
            let risk = |of: fn(&Risks) -> u32| risks.map_or_else(dash, |r| of(r).to_string());
            let [a2a, sp, rp] = [risk(|r| r.a2a), risk(|r| r.sp), risk(|r| r.rp)];
            let counts = [harm.cut_off, harm.left_out, harm.last_way.len(), harm.half];
            let [cut, left, last, half] = counts.map(|n| n.to_string());
            let mut what = shown(harm.lost);
            if group.len() > 1 {
                what += &format!(", and {} alike", group.len() - 1);
            }
            if let Err(reason) = &harm.risks {
                what += &format!(": {reason}");
            }
            text += &row([cut, left, last, half, a2a, sp, rp], &what);
        }
        if alike.len() > LINES {
            let rest: usize = alike[LINES..].iter().map(|group| group.len()).sum();
            text += &format!("… and {rest} with less harm\n");
        }
        if self.step > 1 {
            text += &format!("SP over one in {} shifts\n", self.step);
        }
        let pairs = self.one_way();
        text += &format!("\npairs of leaves with one way left: {}\n", pairs.len());
        for (a, b, lost) in pairs.iter().take(LINES) {
            text += &format!("  {} and {}: {}\n", name(*a), name(*b), shown(*lost));
        }
        if pairs.len() > LINES {
            text += &format!("  … and {} more\n", pairs.len() - LINES);
        }
        text + &match self.cuts {
            [0, 0] => "no single link or upper switch cuts a host off\n".to_owned(),
            [links, switches] => {
                format!("single links that cut hosts off: {links}; switches: {switches}\n")
            }
        }
    }
}
