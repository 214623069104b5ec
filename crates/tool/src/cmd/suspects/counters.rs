//! Suspects by error counters.

use super::super::tables::Judged;
use super::{Answer, Args};
use crate::cmd::reading::warn;
use crate::failure::Failure;
use dmodc_analysis::Traffic;
use dmodc_fabric::Peer;
use dmodc_formats::counters::{CountedPort, Reading, counted};
use dmodc_watch::suspects::{Cable, Suspect, suspects};
use serde_json::{Value, json};

/// The number of suspects to print.
const NAMED: usize = 20;

/// Whether there are suspects, and which.
pub fn answer(args: &Args, judged: &Judged, traffic: &Traffic) -> Result<(bool, Answer), Failure> {
    let reading = args.input.reading;
    let (fabric, names) = (&judged.fabric, &judged.names);
    let mut readings = Vec::new();
    for path in &args.counters {
        let ports = reading.read(path, Reading::parse_leniently)?;
        readings.push(reading.take(path, ports.ports(fabric, names))?);
    }
    for (two, path) in readings.windows(2).zip(args.counters.iter().skip(1)) {
        let are_both = two.iter().all(|ports| !ports.is_empty());
        if are_both && !two[0].keys().any(|port| two[1].contains_key(port)) {
            warn(path, "no port in common with the reading before it");
        }
    }
    let (routes, channels) = (traffic.routes_by_channel(), traffic.channels());
    let others = traffic.nodes().len().saturating_sub(1) as u64;
    let into = |port: CountedPort| match port {
        CountedPort::Switch(switch, number) => match fabric.far(switch, number) {
            Some((from, port)) => channels.by_port(from, port).map_or(0, |c| routes[c]),
            None => others,
        },
        CountedPort::Host(_) => others,
    };
    let counts = counted(&readings);
    let (suspects, few) = suspects(fabric, &counts, into);
    let name = |suspect: &Suspect| cable(judged, suspect.cable);
    let reason = |suspect: &Suspect| reason(judged, suspect);
    let line = |one: &Suspect| format!("{}: {}", name(one), reason(one));
    let told = suspects.iter().map(|one| (Some(one.cable), line(one)));
    let told: Vec<_> = told.collect();
    let one = |suspect: &Suspect| {
        json!({
            "cable": name(suspect),
            "ends": ends(judged, suspect.cable),
            "reason": reason(suspect),
            "routes": suspect.routes,
            "harm": suspect.harm,
        })
    };
    let first = told.iter().take(NAMED);
    let mut text: String = first.map(|(_, line)| format!("{line}\n")).collect();
    if told.len() > NAMED {
        text += "…\n";
    }
    let count = told.len();
    text += &format!("{count} suspects; {few} more links with a few errors\n");
    // Perhaps the cable that was lost.
    let dark = counts.iter().filter_map(|(&port, counts)| match port {
        CountedPort::Switch(switch, port) if fabric.peer(switch, port) == Peer::None => {
            let has_errors = counts.counters.iter().any(|&count| count > 0);
            has_errors.then(|| judged.port((switch, port)))
        }
        _ => None,
    });
    let dark: Vec<String> = dark.collect();
    if !dark.is_empty() {
        text += &format!("errors, but no link now: {}\n", dark.join(", "));
    }
    let suspects: Value = suspects.iter().map(one).collect();
    let json = json!({ "suspects": suspects, "few": few, "without_link": dark });
    Ok((count > 0, Answer { told, json, text }))
}

fn cable(judged: &Judged, cable: Cable) -> String {
    match cable {
        Cable::Link(ends) => judged.link(ends),
        Cable::Host(host) => {
            let node = &judged.fabric.end_nodes()[host];
            let leaf = judged.port((node.switch, node.port));
            format!("{leaf} -- {}", judged.node(host))
        }
    }
}

/// Both ends for programs: GUID and port of switches, the port's GUID of a host.
fn ends(judged: &Judged, cable: Cable) -> Value {
    let fabric = &judged.fabric;
    let switch = |(s, port): (_, dmodc_fabric::PortNumber)| json!({ "guid": fabric.guid(s).to_string(), "port": port.0 });
    match cable {
        Cable::Link(ends) => ends.map(switch).into_iter().collect(),
        Cable::Host(host) => {
            let node = &fabric.end_nodes()[host];
            json!([switch((node.switch, node.port)), { "guid": node.guid.to_string(), "port": null }])
        }
    }
}

/// What the ports of a suspect counted, and what that hurts.
fn reason(judged: &Judged, suspect: &Suspect) -> String {
    let names = match suspect.cable {
        Cable::Link(ends) => ends.map(|(switch, _)| &*judged.names.switches[switch]),
        Cable::Host(host) => {
            let leaf = judged.fabric.end_nodes()[host].switch;
            [&*judged.names.switches[leaf], &judged.names.end_nodes[host]]
        }
    };
    let counted = suspect.counted.iter().zip(names);
    let counted = counted.filter(|(words, _)| !words.is_empty());
    let counted: Vec<String> = counted
        .map(|(words, at)| format!("{words} at '{at}'"))
        .collect();
    format!("{}; {} routes", counted.join("; "), suspect.routes)
}
