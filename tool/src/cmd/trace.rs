//! `dmodc trace`: the route between two hosts or switches, there and back.

use super::tables::{Input, Judged, node_name};
use crate::failure::{Failure, Outcome};
use crate::output::{print_json, print_text};
use dmodc::analysis::{Channels, End, Trace, Traffic, UpDown, trace};
use dmodc::dmodc::Ranking;
use dmodc::fabric::Lid;
use dmodc::names::{Directory, Thing};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Instant;

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
    switch: u32,
    port: u8,
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
    let judged = args.input.load()?;
    let directory = Directory::of_fabric(&judged.fabric, &judged.names);
    let endpoints = |name: &str| {
        let things = directory.find_all(name)?;
        let endpoints = things.into_iter().map(|thing| endpoint(&judged, thing));
        Ok::<Vec<Endpoint>, Failure>(endpoints.collect())
    };
    let pairs = pairs(&judged, endpoints(&args.from)?, endpoints(&args.to)?)?;
    let order: Vec<u32> = (0..judged.fabric.end_nodes().len() as u32).collect();
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
        let text: Vec<String> = routes
            .iter()
            .flatten()
            .map(|route| shown.text(route))
            .collect();
        print_text(&text.join("\n"), false)?;
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
    let joined = |a: &Endpoint, b: &Endpoint| part[a.switch as usize] == part[b.switch as usize];
    let any_joined = from.iter().any(|a| to.iter().any(|b| joined(a, b)));
    let all = from.iter().flat_map(|a| to.iter().map(move |b| (a, b)));
    let traced = all
        .filter(|(a, b)| !any_joined || joined(a, b))
        .take(MOST + 1);
    let pairs: Vec<_> = traced.map(|(a, b)| (a.clone(), b.clone())).collect();
    match pairs.len() > MOST {
        true => Err(Failure::Usage(
            "more than 100 pairs; give names that fit fewer",
        )),
        false => Ok(pairs),
    }
}

fn endpoint(judged: &Judged, thing: Thing) -> Endpoint {
    match thing {
        Thing::Switch(index) => Endpoint {
            switch: index,
            port: 0,
            lid: judged.fabric.switches()[index as usize].lid,
            name: judged.switch(index),
        },
        Thing::EndNode(index) => {
            let node = &judged.fabric.end_nodes()[index as usize];
            Endpoint {
                switch: node.switch,
                port: node.port,
                lid: node.lid,
                name: node_name(&judged.fabric, &judged.names, index),
            }
        }
    }
}

struct Shown<'a> {
    judged: &'a Judged,
    channels: &'a Channels,
    risks: &'a [u32],
}

impl Shown<'_> {
    fn text(&self, route: &Route) -> String {
        let mut text = format!(
            "from {} to {} LID {}\n",
            route.from.name, route.to.name, route.to.lid
        );
        if route.from.port > 0 {
            let leaf = self.judged.switch(route.from.switch);
            text += &format!("  enters {leaf} by port {}\n", route.from.port);
        }
        for step in &route.trace.steps {
            let direction = match (step.up, step.turns) {
                (true, true) => "up AGAIN",
                (true, false) => "up",
                _ => "down",
            };
            let channel = self.judged.channel(self.channels.get(step.channel));
            let risk = self.risks[step.channel as usize];
            text += &format!("  {direction:<4}  {channel}  risk {risk}");
            for (at, &other) in step.others.iter().enumerate() {
                let before = if at == 0 { "; other ports: " } else { ", " };
                let (port, risk) = (self.channels.get(other).port, self.risks[other as usize]);
                text += &format!("{before}{port} (risk {risk})");
            }
            text.push('\n');
        }
        text + &format!("  {}\n", self.end(route))
    }

    fn end(&self, route: &Route) -> String {
        let switch = |at: u32| self.judged.switch(at);
        let (port, last) = (route.to.port, route.to.switch);
        match route.trace.end {
            End::Arrives if port > 0 => format!("arrives by port {port} of {}", switch(last)),
            End::Arrives => "arrives".into(),
            End::NoEntry { at } => format!("LOST: {} has no entry for the LID", switch(at)),
            End::Unknown { at } => format!("ENDS HERE: the table of {} is not known", switch(at)),
            End::WrongPort { at, port: wrong } => {
                format!(
                    "LOST: {} sends it to port {wrong}, the wrong one",
                    switch(at)
                )
            }
            End::Loop { at } => format!("LOST: it comes to {} again, for ever", switch(at)),
        }
    }

    fn json(&self, route: &Route) -> Value {
        let Judged { fabric, names, .. } = self.judged;
        let guid = |switch: u32| fabric.switches()[switch as usize].guid.to_string();
        let name = |switch: u32| &names.switches[switch as usize];
        let risk = |channel: u32| self.risks[channel as usize];
        let hops = route.trace.steps.iter().map(|step| {
            let c = self.channels.get(step.channel);
            let other = |&c: &u32| json!({ "port": self.channels.get(c).port, "a2a": risk(c) });
            json!({
                "guid": guid(c.from), "name": name(c.from), "port": c.port,
                "to_guid": guid(c.to), "to_name": name(c.to), "to_port": c.to_port,
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
