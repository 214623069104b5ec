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
server stands for all its ports, and node[001-004] and node* for all that fit; ways go from each port to
each that is in the same network of switches, up to 100 pairs. Any other name that fits several is
refused with a list. With --json the first pair is 'there' and 'back', all others are in 'more'.

A line for each link: up or down, switch and port at both ends, the A2A congestion risk of the port
(see 'dmodc analyze'), and the other ports by which the packet would have come nearer, each with its
risk.

Exit code 0 if all ways arrive and none goes up again after down, else 1.")]
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
struct Place {
    switch: u32,
    port: u8,
    lid: Lid,
    name: String,
}

struct Way {
    from: Place,
    to: Place,
    trace: Trace,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let judged = args.input.load()?;
    let directory = Directory::of_fabric(&judged.fabric, &judged.names);
    let places = |name: &str| {
        let things = directory.find_all(name)?;
        let places = things.into_iter().map(|thing| place(&judged, thing));
        Ok::<Vec<Place>, Failure>(places.collect())
    };
    let pairs = pairs(&judged, places(&args.from)?, places(&args.to)?)?;
    let order: Vec<u32> = (0..judged.fabric.end_nodes().len() as u32).collect();
    let traffic = Traffic::new(&judged.fabric, &judged.tables, &order);
    let channels = traffic.channels();
    let ranking = Ranking::new(&judged.fabric, &judged.options);
    let paths = UpDown::new(channels, |a, b| ranking.is_up(a, b));
    let way = |from: &Place, to: &Place| {
        let end = (to.switch, to.port);
        Way {
            from: from.clone(),
            to: to.clone(),
            trace: trace(channels, &judged.tables, &paths, from.switch, to.lid, end),
        }
    };
    let ways = pairs.iter().map(|(a, b)| [way(a, b), way(b, a)]);
    let ways: Vec<[Way; 2]> = ways.collect();
    let shown = Shown {
        judged: &judged,
        channels,
        risks: &traffic.all_to_all(&|_| ()).by_channel,
    };
    if args.json {
        let seconds = start.elapsed().as_secs_f64();
        let object = |ways: &[Way; 2]| {
            let [there, back] = ways.each_ref().map(|way| shown.json(way));
            json!({ "there": there, "back": back })
        };
        let more: Vec<_> = ways[1..].iter().map(object).collect();
        let mut all = object(&ways[0]);
        (all["more"], all["seconds"]) = (more.into(), seconds.into());
        print_json(&all)?;
    } else {
        let text: Vec<String> = ways.iter().flatten().map(|way| shown.text(way)).collect();
        print_text(&text.join("\n"), false)?;
    }
    let good = ways.iter().flatten().all(|way| way.trace.is_good());
    Ok(ExitCode::from(u8::from(!good)))
}

/// The pairs to trace, at least one: pairs in one connected network of switches, or all if there are none.
fn pairs(
    judged: &Judged,
    from: Vec<Place>,
    to: Vec<Place>,
) -> Result<Vec<(Place, Place)>, Failure> {
    let part = judged.fabric.parts(|_| true);
    let joined = |a: &Place, b: &Place| part[a.switch as usize] == part[b.switch as usize];
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

fn place(judged: &Judged, thing: Thing) -> Place {
    match thing {
        Thing::Switch(index) => Place {
            switch: index,
            port: 0,
            lid: judged.fabric.switches()[index as usize].lid,
            name: judged.switch(index),
        },
        Thing::EndNode(index) => {
            let node = &judged.fabric.end_nodes()[index as usize];
            Place {
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
    fn text(&self, way: &Way) -> String {
        let mut text = format!(
            "from {} to {} LID {}\n",
            way.from.name, way.to.name, way.to.lid
        );
        if way.from.port > 0 {
            let leaf = self.judged.switch(way.from.switch);
            text += &format!("  enters {leaf} by port {}\n", way.from.port);
        }
        for step in &way.trace.steps {
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
        text + &format!("  {}\n", self.end(way))
    }

    fn end(&self, way: &Way) -> String {
        let switch = |at: u32| self.judged.switch(at);
        let (port, last) = (way.to.port, way.to.switch);
        match way.trace.end {
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

    fn json(&self, way: &Way) -> Value {
        let Judged { fabric, names, .. } = self.judged;
        let guid = |switch: u32| fabric.switches()[switch as usize].guid.to_string();
        let name = |switch: u32| &names.switches[switch as usize];
        let risk = |channel: u32| self.risks[channel as usize];
        let hops = way.trace.steps.iter().map(|step| {
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
            "from": way.from.name,
            "to": way.to.name,
            "lid": way.to.lid.0,
            "hops": hops.collect::<Value>(),
            "arrives": way.trace.end == End::Arrives,
            "turns": way.trace.steps.iter().filter(|step| step.turns).count(),
            "end": self.end(way),
        })
    }
}
