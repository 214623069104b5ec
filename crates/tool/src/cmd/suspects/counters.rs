//! Suspects by error counters.

use super::super::tables::{Judged, link_name, node_name};
use super::{Args, drained};
use crate::failure::Outcome;
use crate::input;
use crate::output::{complain, print_json, print_text};
use dmodc_analysis::Traffic;
use dmodc_formats::counters::{CountedPort, Reading, counted};
use dmodc_watch::suspects::{Cable, Suspect, suspects};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Instant;

/// The number of suspects to print.
const NAMED: usize = 20;

pub fn run(args: &Args, judged: &Judged, traffic: &Traffic, start: Instant) -> Outcome {
    let reading = args.input.reading;
    let (fabric, names) = (&judged.fabric, &judged.names);
    let mut readings = Vec::new();
    for path in &args.counters {
        let read = input::read(path, Reading::parse_leniently)?;
        let ports = reading.take(path, read)?.ports(fabric, names);
        readings.push(reading.take(path, ports)?);
    }
    for (two, path) in readings.windows(2).zip(args.counters.iter().skip(1)) {
        if !two[0].keys().any(|port| two[1].contains_key(port)) {
            let file = input::shown(path).display();
            complain(&format!(
                "dmodc: warning: {file}: no port in common with the reading before it\n"
            ));
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
    let found = suspects(fabric, &counted(&readings), into);
    let name = |suspect: &Suspect| cable(judged, suspect.cable);
    let reason = |suspect: &Suspect| reason(judged, suspect);
    let drained = match &args.drain {
        Some(path) => {
            let line = |suspect| format!("{}: {}", name(suspect), reason(suspect));
            let all = found
                .suspects
                .iter()
                .map(|one| (Some(one.cable), line(one)));
            let all: Vec<_> = all.collect();
            Some(drained::write(path, args.at_most, judged, &all)?)
        }
        None => None,
    };
    let code = ExitCode::from(u8::from(!found.suspects.is_empty()));
    if args.json {
        let one = |suspect: &Suspect| {
            json!({
                "cable": name(suspect),
                "ends": ends(judged, suspect.cable),
                "reason": reason(suspect),
                "routes": suspect.routes,
                "harm": suspect.harm,
            })
        };
        print_json(&json!({
            "suspects": found.suspects.iter().map(one).collect::<Value>(),
            "few": found.few,
            "drained": drained.map(|drained| drained.json()),
            "seconds": start.elapsed().as_secs_f64(),
        }))?;
        return Ok(code);
    }
    let first = found.suspects.iter().take(NAMED);
    let mut text: String = first
        .map(|suspect| format!("{}: {}\n", name(suspect), reason(suspect)))
        .collect();
    if found.suspects.len() > NAMED {
        text += "…\n";
    }
    let (count, few) = (found.suspects.len(), found.few);
    text += &format!("{count} suspects; {few} more links with a few errors\n");
    text += &drained.map_or_else(String::new, |drained| drained.text());
    print_text(&text, args.drain.as_deref().is_some_and(input::is_dash))?;
    Ok(code)
}

fn cable(judged: &Judged, cable: Cable) -> String {
    match cable {
        Cable::Link(ends) => link_name(&judged.fabric, &judged.names, ends),
        Cable::Host(host) => {
            let node = &judged.fabric.end_nodes()[host];
            let (leaf, port) = (node.switch, judged.names.port(node.switch, node.port));
            let host = node_name(&judged.fabric, &judged.names, host);
            format!("{} [{port}] -- {host}", judged.switch(leaf))
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
            [
                &*judged.names.switches[leaf],
                &*judged.names.end_nodes[host],
            ]
        }
    };
    let counted = suspect.counted.iter().zip(names);
    let counted = counted.filter(|(words, _)| !words.is_empty());
    let counted: Vec<String> = counted
        .map(|(words, at)| format!("{words} at '{at}'"))
        .collect();
    format!("{}; {} routes", counted.join("; "), suspect.routes)
}
