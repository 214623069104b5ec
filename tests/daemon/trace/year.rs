//! The year of the trace under each engine: servers alone, or with failing links and switches and with upgrades.

use super::{Event, Servers, What};
use crate::long;
use crate::storm::measured::print;
use crate::storm::{asked, measures};
use crate::support::*;
use dmodc_fabric::random::Random;
use dmodc_formats::netlist::{Kind, Netlist};
use std::{env, fs};

/// 3,200 ports of 400 servers with 8 ports each.
const SHAPE: &str = "PGFT(3;25,8,16;1,8,16;1,4,1)";
/// Servers on a leaf, and leaves in a pod.
const POD: [u32; 2] = [25, 8];
const ENGINES: [&str; 9] = [
    "dmodc",
    "auto",
    "drained",
    "paper",
    "updn",
    "ftree",
    "minhop",
    "minhop+cache",
    "sssp",
];
/// The faults of 400 servers in 348 days, beside the repository.
const TRACE: &str = "../shared/trace/servers.csv";
const DAYS: f64 = 348.0;
/// One link of so many and one switch of so many fail in a year, and are back after so many days on average: both
/// assumed; the rate is of the order that Domke, Hoefler and Matsuoka have (Fail-in-place network design, SC 2014).
const FAILS: f64 = 100.0;
const REPAIR: f64 = 3.0;
/// Upgrades a year, and in how many parts each level is upgraded.
const UPGRADES: usize = 4;
const PARTS: usize = 8;

/// The events of one time.
struct Moment {
    day: f64,
    what: &'static str,
    events: Vec<Event>,
    /// The switches that are drained from now on.
    drain: Option<Vec<u32>>,
}

/// The first `TRACE_MOMENTS` (100) moments of the trace under each engine of `TRACE_ENGINES`, as a table.
/// With `TRACE_FAULTS`, a seed, also with faults of links and switches, and upgrades.
#[test]
#[ignore = "long: make trace"]
fn a_year_of_400_servers() {
    let file = root().join(TRACE);
    let file = env::var_os("TRACE_FILE").map_or(file, Into::into);
    let Ok(text) = fs::read_to_string(&file) else {
        crate::skip::skipped(format_args!("{} is not here", file.display()));
        return;
    };
    let (count, seed) = (
        long::number("TRACE_MOMENTS", 100),
        long::number("TRACE_FAULTS", 0u64),
    );
    let net = Net::pgft_with_lids(SHAPE);
    for engine in asked("TRACE_ENGINES", &ENGINES) {
        let columns = &[measures::reaction, measures::lost, measures::traffic];
        let mut servers = Servers::start(engine, &net, POD, columns);
        let mut moments = moments(&text);
        if seed > 0 {
            moments.extend(faults(&servers, seed));
            moments.extend(upgrades(&net.netlist, engine == "drained"));
            moments.sort_by(|a, b| a.day.total_cmp(&b.day));
        }
        moments.truncate(count);
        for moment in moments {
            if let Some(nodes) = moment.drain {
                servers.fabric.drain(&nodes);
            }
            servers.happens(moment.what, &moment.events);
        }
        print(engine, &servers.fabric.rows);
    }
}

/// The moments of a trace: `day,server,event,class`, in the order of days. A cable is one port of its server.
fn moments(text: &str) -> Vec<Moment> {
    let lines = text.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let server: u32 = fields[1].parse().expect("a server");
        let what = match fields[3] {
            "Parameter Plane Cable" => What::Port(server, server),
            _ => What::Server(server),
        };
        (fields[0], (what, fields[2] == "up"))
    });
    let lines: Vec<_> = lines.collect();
    let at_once = lines.chunk_by(|a, b| a.0 == b.0);
    let moment = |moment: &[(&str, Event)]| Moment {
        day: moment[0].0.parse().expect("a day"),
        what: "servers",
        events: moment.iter().map(|&(_, event)| event).collect(),
        drain: None,
    };
    at_once.map(moment).collect()
}

/// Links and switches that fail and are repaired.
fn faults(servers: &Servers, seed: u64) -> Vec<Moment> {
    let mut random = Random::new(seed);
    let mut part = || (random.below(1 << 30) + 1) as f64 / (1 << 30) as f64;
    let nodes = &servers.fabric.live.netlist.nodes;
    let is_switch = |n: u32| nodes[n as usize].kind == Kind::Switch;
    let cables = &servers.fabric.live.cables;
    let mut between = cables.cables_of(is_switch);
    let of_hosts = cables.of_hosts();
    between.retain(|c| of_hosts.binary_search(c).is_err());
    let switches = (0..nodes.len() as u32).filter(|&n| is_switch(n) && n != cables.home_switch());
    let all = between.into_iter().map(What::Cable);
    let mut moments = Vec::new();
    for what in all.chain(switches.map(What::Switch)) {
        if part() > DAYS / 365.0 / FAILS {
            continue;
        }
        let goes = part() * DAYS;
        let comes = goes - part().ln() * REPAIR;
        moments.extend([(goes, false), (comes, true)].map(|(day, comes)| Moment {
            day,
            what: "faults",
            events: vec![(what, comes)],
            drain: None,
        }));
    }
    moments
}

/// All switches above the leaves get new firmware each quarter, an eighth of a level at once: drained, pulled, back.
fn upgrades(net: &Netlist, drains: bool) -> Vec<Moment> {
    let switches = (0u32..)
        .zip(&net.nodes)
        .filter(|(_, n)| n.kind == Kind::Switch);
    let part_of = |name: &str| -> Option<(u32, usize)> {
        let (level, number) = name.strip_prefix('L')?.split_once('-')?;
        let number: usize = number.parse().ok()?;
        Some((level.parse().ok()?, number % PARTS))
    };
    let mut parts: Vec<((u32, usize), u32)> = switches
        .filter_map(|(n, switch)| Some((part_of(&switch.description)?, n)))
        .filter(|((level, _), _)| *level > 1)
        .collect();
    parts.sort_unstable();
    let mut moments = Vec::new();
    for quarter in 1..=UPGRADES {
        let mut day = DAYS * quarter as f64 / UPGRADES as f64 - 1.0;
        let mut next = |what, events: Vec<Event>, drain| {
            day += 0.01;
            moments.push(Moment {
                day,
                what,
                events,
                drain,
            });
        };
        for part in parts.chunk_by(|a, b| a.0 == b.0) {
            let events = |comes| {
                part.iter()
                    .map(|&(_, n)| (What::Upgrade(n), comes))
                    .collect()
            };
            if drains {
                next(
                    "drain",
                    vec![],
                    Some(part.iter().map(|&(_, n)| n).collect()),
                );
            }
            next("pull", events(false), None);
            next("return", events(true), None);
        }
        if drains {
            next("drain", vec![], Some(vec![]));
        }
    }
    moments
}
