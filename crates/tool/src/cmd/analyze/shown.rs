//! The output of `dmodc analyze`: as JSON, as text, and all ports between switches as CSV.

use super::super::check::loops;
use super::super::patterns::Pattern;
use super::super::tables::Judged;
use super::sets::Way;
use super::{Args, worst_permutation};
use crate::output::add;
use dmodc_analysis::{ChannelId, CheckReport, Ebb, Exact, Risk, Traffic, Workload};
use dmodc_fabric::SwitchId;
use serde_json::{Value, json};
use std::fmt::Display;

const WORST: usize = 10;

pub struct Found {
    pub bound: Option<u32>,
    pub bound_over_capacity: Option<f64>,
    pub exact: Option<Exact>,
    pub check: CheckReport,
    pub risks: Vec<(Pattern, Risk)>,
    pub ebb: Option<Ebb>,
    pub pairs: Option<Workload>,
    pub ways: Vec<Way>,
    pub seconds: f64,
}

pub fn json(judged: &Judged, traffic: &Traffic, found: &Found, args: &Args) -> Value {
    let mut object = json!({
        "nodes": judged.fabric.end_nodes().len(),
        "switches": judged.fabric.switches().len(),
        "links": judged.fabric.switch_links(),
        "taking_part": traffic.nodes().len(),
        "skipped": traffic.skipped(),
        "permutations": args.permutations,
        "seed": args.seed,
        "bound": found.bound,
        "seconds": found.seconds,
    });
    for (key, loops) in found.check.loops() {
        object[key] = json!(loops.count);
    }
    let port = |channel| judged.channel(traffic.channels().get(channel));
    let ports = |what: &str, worst: Vec<(ChannelId, u32)>| -> Value {
        let one = |(c, value)| json!({ what: value, "port": port(c) });
        worst.into_iter().map(one).collect()
    };
    if let Some(exact) = &found.exact {
        object["exact"] = json!(exact.value);
        add(&mut object, "exact_capacity", exact.over_capacity);
        object["exact_ports"] = ports("exact", exact.worst(WORST));
    }
    add(&mut object, "a2a_bound_capacity", found.bound_over_capacity);
    if let Some(ebb) = found.ebb {
        object["ebb"] = json!(ebb.percent);
        object["ebb_confidence"] = json!(ebb.confidence);
        object["ebb_both"] = json!(args.both);
    }
    if let Some(pairs) = &found.pairs {
        let ports = pairs.flows.worst(WORST).into_iter().map(|(c, flows)| {
            json!({ "flows": flows, "risk": pairs.risk.by_channel[c], "port": port(c) })
        });
        object["pairs"] = json!({
            "flows": pairs.count,
            "risk": pairs.risk.value,
            "flows_at_worst_port": pairs.flows.value,
            "worst": ports.collect::<Value>(),
        });
        if let Some(rates) = pairs.rates {
            object["pairs"]["rates"] = json!({
                "mean": rates.mean,
                "least": rates.least,
                "fifth_percentile": rates.fifth_percentile,
                "median": rates.median,
            });
        }
    }
    if !found.ways.is_empty() {
        let ways = found.ways.iter();
        object["sets"] = ways.map(|way| way.json(judged, traffic)).collect();
    }
    for (pattern, risk) in &found.risks {
        object[pattern.to_string()] = json!(risk.value);
        let key = format!("{pattern}_capacity");
        add(&mut object, &key, risk.over_capacity);
        let (histogram, worst) = (risk.histogram(), ports("risk", risk.worst(WORST)));
        object[format!("{pattern}_ports")] = json!({ "histogram": histogram, "worst": worst });
    }
    object
}

pub fn text(judged: &Judged, traffic: &Traffic, found: &Found, both: bool) -> String {
    let risks = &found.risks;
    let port = |channel| judged.channel(traffic.channels().get(channel));
    let ways = found.ways.iter().map(|way| way.text(judged, traffic));
    let mut text: String = ways.collect();
    let mut row = |what: &str, value: &dyn Display| {
        text += &format!("{what:<26}  {value:>8}\n", value = value.to_string());
    };
    for (pattern, risk) in risks {
        let name = pattern.to_string().to_uppercase();
        let is_a2a = *pattern == Pattern::A2a;
        row(&name, &risk.value);
        if let Some(bound) = found.bound.filter(|_| is_a2a) {
            row(&format!("{name} bound"), &bound);
        }
        if let Some(over) = risk.over_capacity {
            row(&format!("{name} over capacity"), &format!("{over:.1}"));
        }
        if let Some(bound) = found.bound_over_capacity.filter(|_| is_a2a) {
            row("A2A bound over capacity", &format!("{bound:.1}"));
        }
    }
    if let Some(pairs) = &found.pairs {
        row("pairs flows", &pairs.count);
        row("pairs risk", &pairs.risk.value);
        row("pairs flows, worst port", &pairs.flows.value);
        if let Some(rates) = pairs.rates {
            for (what, rate) in [
                ("mean", rates.mean),
                ("median", rates.median),
                ("5th percentile", rates.fifth_percentile),
                ("least", rates.least),
            ] {
                row(&format!("pairs rate, {what}"), &format!("{rate:.3}"));
            }
        }
    }
    if let Some(exact) = &found.exact {
        row("worst permutation", &exact.value);
        if let Some(over) = exact.over_capacity {
            row("  over capacity", &format!("{over:.1}"));
        }
    }
    if let Some(ebb) = found.ebb {
        let name = if both { "EBB both ways" } else { "EBB" };
        let figures = format!("{:>8.1} % ± {:.1}", ebb.percent, ebb.confidence);
        row(name, &figures);
    }
    row("end nodes taking part", &traffic.nodes().len());
    row("pairs with no route", &traffic.skipped());
    row("credit loops", &found.check.credit_loops.count);
    for (kind, count) in loops(&found.check) {
        row(kind, &count);
    }
    row("seconds", &format!("{:.3}", found.seconds));
    let worst = |worst: Vec<(ChannelId, u32)>| -> String {
        let line = |(c, value)| format!("{value:>8}  {}\n", port(c));
        worst.into_iter().map(line).collect()
    };
    for (pattern, risk) in risks {
        let name = pattern.to_string().to_uppercase();
        text += &format!("\n{name}: ports by risk\n");
        let histogram = risk.histogram();
        let most = histogram.values().copied().max().unwrap_or(1);
        for (value, ports) in histogram {
            let bar = "#".repeat((ports * 40).div_ceil(most));
            text += &format!("{value:>8}  {ports:>8}  {bar}\n");
        }
        text += &format!("{name}: worst ports\n{}", worst(risk.worst(WORST)));
    }
    if let Some(exact) = &found.exact {
        let ports = worst(exact.worst(WORST));
        text += &format!("\nworst permutation: worst ports\n{ports}");
    }
    text
}

/// The columns of `--ports`. Pairs add two.
const PORTS: &str = "switch_guid,switch,port,to_guid,to,to_port,speed,sources,destinations,risk,exact,\
    capacity,exact_capacity";

/// All ports between switches.
pub fn ports(judged: &Judged, traffic: &Traffic, pairs: Option<&Workload>) -> Vec<u8> {
    let ends = traffic.ends_by_channel(&|_| ());
    let exact = worst_permutation(traffic, &[], true).by_channel;
    let mut csv = csv::Writer::from_writer(Vec::new());
    let fabric = &judged.fabric;
    let guid = |s: SwitchId| fabric.guid(s).to_string();
    let name = |s: SwitchId| judged.names.switches[s].clone();
    let channels = traffic.channels();
    let rows = channels.ids().zip(channels.iter()).map(|(id, c)| {
        let (sources, destinations) = ends[id];
        let exact = exact[id].unwrap_or_default();
        let capacity = channels.capacity(id);
        let mut row = vec![
            guid(c.from),
            name(c.from),
            c.port.to_string(),
            guid(c.to),
            name(c.to),
            c.to_port.to_string(),
            fabric.link_speed(c.from, c.port).to_string(),
            sources.to_string(),
            destinations.to_string(),
            sources.min(destinations).to_string(),
            exact.to_string(),
            capacity.to_string(),
            (f64::from(exact) / capacity).to_string(),
        ];
        if let Some(pairs) = pairs {
            let rate = pairs.least_rates[id];
            row.push(pairs.flows.by_channel[id].to_string());
            row.push(rate.map_or_else(String::new, |rate| rate.to_string()));
        }
        row
    });
    let mut header: Vec<String> = PORTS.split(',').map(str::to_owned).collect();
    if pairs.is_some() {
        header.extend(["pairs_flows", "pairs_rate"].map(str::to_owned));
    }
    for row in [header].into_iter().chain(rows) {
        csv.write_record(row).expect("memory can be written");
    }
    csv.into_inner().expect("memory can be written")
}
