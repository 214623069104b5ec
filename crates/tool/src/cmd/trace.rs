//! `dmodc trace`: the route between two hosts or switches, there and back.

use super::tables::{Input, Judged};
use crate::failure::{Failure, Outcome, refused};
use crate::output::{print, print_json};
use dmodc_analysis::{ChannelId, Channels, End, Trace, Traffic, UpDown, trace};
use dmodc_core::Ranking;
use dmodc_fabric::{Lid, NodeId, PortNumber, SwitchId};
use dmodc_formats::names::{Directory, Thing};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Instant;
use typed_index_collections::TiSlice;

/// Follow the route from one host or switch to another, and back
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc trace fabric.net fabric.lfts node001 node002
  dmodc trace fabric.net fabric.lfts 0x0002c903000abcde 'leaf 17'
  dmodc trace opensm-subnet.lst opensm-lfts.dump 12 345 --json

FROM and TO are hosts or switches: a description or a part of one, a GUID, or a LID. The name of a
server stands for all its ports, and node[001-004] and node* for all that fit; routes go from each port to
each that is in the same network of switches, up to 100 pairs. Any other name that fits several is
refused with a list. With --json the first pair is 'there' and 'back', all others are in 'more'.

A line for each link: up or down, switch and port at both ends, the A2A congestion risk of the port
(see 'dmodc analyze'), and the other ports by which the packet would have come nearer, each with its
risk.

Exit code 0 if all routes arrive and none goes up again after down, else 1.")]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Where the route begins
    from: String,
    /// Where it ends
    to: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const MOST: usize = 100;

/// An end of a route: its switch and port (0 for the switch itself), LID and name.
#[derive(Clone)]
struct Endpoint {
    switch: SwitchId,
    port: PortNumber,
    lid: Lid,
    name: String,
}

struct Route {
    from: Endpoint,
    to: Endpoint,
    trace: Trace,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let mut all = args.input.load(None)?;
    // Of several fabrics, the one that has both ends; else the first, for the message.
    let has_both = |one: &Judged| {
        let directory = Directory::of_fabric(&one.fabric, &one.names);
        let mut ends = [&args.from, &args.to].into_iter();
        ends.all(|name| directory.find_all(name).is_ok())
    };
    let both = all.iter().position(has_both);
    let judged = all.swap_remove(both.unwrap_or(0));
    let directory = Directory::of_fabric(&judged.fabric, &judged.names);
    let endpoints = |name: &str| {
        let things = directory.find_all(name)?;
        let endpoints = things.into_iter().map(|thing| endpoint(&judged, thing));
        Ok::<Vec<Endpoint>, Failure>(endpoints.collect())
    };
    let pairs = pairs(&judged, endpoints(&args.from)?, endpoints(&args.to)?)?;
    let order: Vec<NodeId> = judged.fabric.end_nodes().keys().collect();
    let traffic = Traffic::new(&judged.fabric, &judged.tables, &order);
    let channels = traffic.channels();
    let ranking = Ranking::new(&judged.fabric, &judged.options);
    let paths = UpDown::new(channels, |a, b| ranking.is_up(a, b));
    let route = |from: &Endpoint, to: &Endpoint| {
        let end = (to.switch, to.port);
        Route {
            from: from.clone(),
            to: to.clone(),
            trace: trace(channels, &judged.tables, &paths, from.switch, to.lid, end),
        }
    };
    let routes = pairs.iter().map(|(a, b)| [route(a, b), route(b, a)]);
    let routes: Vec<[Route; 2]> = routes.collect();
    let shown = Shown {
        judged: &judged,
        channels,
        risks: &traffic.all_to_all(&|_| ()).by_channel,
    };
    if args.json {
        let seconds = start.elapsed().as_secs_f64();
        let object = |routes: &[Route; 2]| {
            let [there, back] = routes.each_ref().map(|route| shown.json(route));
            json!({ "there": there, "back": back })
        };
        let more: Vec<_> = routes[1..].iter().map(object).collect();
        let mut all = object(&routes[0]);
        (all["more"], all["seconds"]) = (more.into(), seconds.into());
        print_json(&all)?;
    } else {
        let texts = routes.iter().flatten().map(|route| shown.text(route));
        print(texts.collect::<Vec<String>>().join("\n"))?;
    }
    let good = routes.iter().flatten().all(|route| route.trace.is_good());
    Ok(ExitCode::from(u8::from(!good)))
}

/// The pairs to trace, at least one: pairs in one connected network of switches, or all if there are none.
fn pairs(
    judged: &Judged,
    from: Vec<Endpoint>,
    to: Vec<Endpoint>,
) -> Result<Vec<(Endpoint, Endpoint)>, Failure> {
    let part = judged.fabric.parts(|_| true);
    let joined = |a: &Endpoint, b: &Endpoint| part[a.switch] == part[b.switch];
    let any_joined = from.iter().any(|a| to.iter().any(|b| joined(a, b)));
    let all = from.iter().flat_map(|a| to.iter().map(move |b| (a, b)));
    let traced = all.filter(|(a, b)| !any_joined || joined(a, b));
    let pairs = traced.map(|(a, b)| (a.clone(), b.clone()));
    let pairs: Vec<_> = pairs.take(MOST + 1).collect();
    match pairs.len() > MOST {
        true => refused("more than 100 pairs; give names that fit fewer"),
        false => Ok(pairs),
    }
}

fn endpoint(judged: &Judged, thing: Thing) -> Endpoint {
    match thing {
        Thing::Switch(index) => Endpoint {
            switch: index,
            port: PortNumber::ZERO,
            lid: judged.fabric.switches()[index].lid,
            name: judged.switch(index),
        },
        Thing::EndNode(index) => {
            let node = &judged.fabric.end_nodes()[index];
            Endpoint {
                switch: node.switch,
                port: node.port,
                lid: node.lid,
                name: judged.node(index),
            }
        }
    }
}

struct Shown<'a> {
    judged: &'a Judged,
    channels: &'a Channels,
    risks: &'a TiSlice<ChannelId, u32>,
}

impl Shown<'_> {
    fn text(&self, route: &Route) -> String {
        let (from, to, lid) = (&route.from.name, &route.to.name, route.to.lid);
        let mut text = format!("from {from} to {to} LID {lid}\n");
        if route.from.port > PortNumber::ZERO {
            let leaf = self.judged.switch(route.from.switch);
            let port = self.judged.names.port(route.from.switch, route.from.port);
            text += &format!("  enters {leaf} by port {port}\n");
        }
        for step in &route.trace.steps {
            let direction = match (step.up, step.turns) {
                (true, true) => "up AGAIN",
                (true, false) => "up",
                _ => "down",
            };
            let channel = self.judged.channel(self.channels.get(step.channel));
            let risk = self.risks[step.channel];
            text += &format!("  {direction:<4}  {channel}  risk {risk}");
            for (at, &other) in step.others.iter().enumerate() {
                let before = if at == 0 { "; other ports: " } else { ", " };
                let (port, risk) = (self.channels.get(other).port, self.risks[other]);
                text += &format!("{before}{port} (risk {risk})");
            }
            text.push('\n');
        }
        text + &format!("  {}\n", self.end(route))
    }

    fn end(&self, route: &Route) -> String {
        let switch = |at: SwitchId| self.judged.switch(at);
        let (port, last) = (route.to.port, route.to.switch);
        match route.trace.end {
            End::Arrives if port > PortNumber::ZERO => {
                let port = self.judged.names.port(last, port);
                format!("arrives by port {port} of {}", switch(last))
            }
            End::Arrives => "arrives".into(),
            End::NoEntry { at } => format!("LOST: {} has no entry for the LID", switch(at)),
            End::Unknown { at } => format!("ENDS HERE: the table of {} is not known", switch(at)),
            End::WrongPort { at, port } => {
                let (at, port) = (switch(at), self.judged.names.port(at, port));
                format!("LOST: {at} sends it to port {port}, the wrong one")
            }
            End::Loop { at } => format!("LOST: it comes to {} again, for ever", switch(at)),
        }
    }

    fn json(&self, route: &Route) -> Value {
        let Judged { fabric, names, .. } = self.judged;
        let guid = |switch: SwitchId| fabric.switches()[switch].guid.to_string();
        let name = |switch: SwitchId| &names.switches[switch];
        let risk = |channel: ChannelId| self.risks[channel];
        let hops = route.trace.steps.iter().map(|step| {
            let c = self.channels.get(step.channel);
            let other = |&c: &ChannelId| json!({ "port": self.channels.get(c).port.0, "a2a": risk(c) });
            json!({
                "guid": guid(c.from), "name": name(c.from), "port": c.port.0,
                "to_guid": guid(c.to), "to_name": name(c.to), "to_port": c.to_port.0,
                "up": step.up, "turn": step.turns,
                "a2a": risk(step.channel), "other_ports": step.others.iter().map(other).collect::<Value>(),
            })
        });
        json!({
            "from": route.from.name,
            "to": route.to.name,
            "lid": route.to.lid.0,
            "hops": hops.collect::<Value>(),
            "arrives": route.trace.end == End::Arrives,
            "turns": route.trace.steps.iter().filter(|step| step.turns).count(),
            "end": self.end(route),
        })
    }
}
