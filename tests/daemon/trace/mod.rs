//! Servers that go and come back under a running OpenSM, as they do all day long: the blocks of tables that it
//! sends. A server has a port on each leaf of its pod.
//!
//! OpenSM sends the whole table of each switch that reports a port whose state has changed, whatever the engine.
//! Dmodc adds no block to these.

use crate::storm::cables::Cables;
use crate::storm::live::Live;
use crate::storm::smps::Smps;
use crate::storm::watch::Reaction;
use crate::storm::{NODES_100, engines, median_and_worst};
use crate::support::fabrics::Net;
use crate::support::opensm::OpenSm;
use dmodc::analysis::Traffic;
use dmodc::dmodc::{Engine, Options};
use dmodc::fabric::{EndNode, Fabric, Guid, Lid, Peer};
use dmodc::lft::Tables;
use dmodc_lab::between::{Routed, between, blocks_as_sent};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::{env, fs};

/// 3,200 ports of 400 servers with 8 ports each.
const SHAPE: &str = "PGFT(3;25,8,16;1,8,16;1,4,1)";
/// Servers on a leaf, and leaves in a pod.
const POD: [u32; 2] = [25, 8];
const ENGINES: [&str; 7] = [
    "dmodc",
    "paper",
    "updn",
    "ftree",
    "minhop",
    "minhop+cache",
    "sssp",
];
/// The faults of 400 servers in 348 days, beside the repository.
const TRACE: &str = "../shared/trace/servers.csv";

/// Random permutations of each moment.
const PERMUTATIONS: usize = 100;

/// What servers do at one time.
struct Moment<'t> {
    day: &'t str,
    /// The server, its port if it is about a cable alone, and whether it comes.
    events: Vec<(u32, Option<u32>, bool)>,
}

/// What a moment did to the servers that it is not about.
struct Figures {
    /// Ordered pairs of hosts whose route changed.
    rerouted: u64,
    /// Ordered pairs of hosts that did not arrive at some time while OpenSM sent the tables.
    hurt: u64,
    /// A2A, RP and SP of the hosts that are there.
    risks: [u32; 3],
}

/// A fabric of servers under an engine.
struct Servers<'n> {
    pod: [u32; 2],
    live: Live<'n>,
    /// Plugged cables of each node, by its number.
    of_node: Vec<Vec<usize>>,
}

impl<'n> Servers<'n> {
    fn start(engine: &'static str, net: &'n Net, pod: [u32; 2]) -> Servers<'n> {
        let live = Live::start(net, |sim| {
            let (config, name) = engines::config(engine, net, sim);
            (OpenSm::launch(sim, &config.log_flags("0x03")), name)
        });
        Smps::logged(&live.watch.sm);
        let mut of_node = Vec::new();
        for cable in live.cables.of_hosts() {
            let name = &net.netlist.nodes[live.cables.ca_of(cable) as usize].description;
            let number = name.strip_prefix("node-").and_then(|n| n.parse().ok());
            let number: usize = number.expect("a generated name");
            of_node.resize(of_node.len().max(number + 1), Vec::new());
            of_node[number].push(cable);
        }
        Servers { pod, live, of_node }
    }

    /// The cables of a server; OpenSM's own is not among them.
    fn of(&self, server: u32) -> Vec<usize> {
        let [ports, leaves] = self.pod;
        let (pod, port) = (server / ports, server % ports);
        let nodes = (0..leaves).map(|leaf| (pod * leaves + leaf) * ports + port);
        let cables = nodes.flat_map(|node| self.of_node[node as usize].iter().copied());
        cables.collect()
    }

    /// Lets servers, or single ports of them, go and come; a port that was off has forgotten its LID.
    fn happens(&mut self, moment: &[(u32, Option<u32>, bool)]) -> Reaction {
        let moment: Vec<(Vec<usize>, bool)> = (moment.iter())
            .map(|&(server, port, comes)| {
                let mut cables = self.of(server);
                if let Some(port) = port {
                    cables = vec![cables[port as usize % cables.len()]];
                }
                (cables, comes)
            })
            .collect();
        self.live.change(|cables| {
            for (of_server, comes) in moment {
                // A server may go while one of its ports is off already.
                let of_server = of_server
                    .into_iter()
                    .filter(|&c| cables.is_plugged(c) != comes);
                for cable in of_server.collect::<Vec<_>>() {
                    match comes {
                        true => {
                            cables.forget(&[cables.ca_of(cable)]);
                            cables.plug(cable);
                        }
                        false => cables.unplug(cable),
                    }
                }
            }
        })
    }

    /// The tables of all switches, which are those that Dmodc makes offline.
    fn read(&mut self) -> BTreeMap<Guid, Vec<u8>> {
        self.live.routed().rows
    }

    /// What the log lines of Dmodc since some byte of the log have in a field.
    fn field(&self, from: usize, name: &str) -> Vec<usize> {
        let values = self.live.watch.sm.files.swept(from, name).into_iter();
        values
            .map(|value| value.parse().expect("a number"))
            .collect()
    }
}

#[test]
fn servers_that_reboot_change_no_block() {
    let net = Net::pgft_with_lids(NODES_100);
    let mut servers = Servers::start("dmodc", &net, [5, 5]);
    let first = servers.read();
    let table = first.values().map(|row| row.len().div_ceil(64)).max();
    let moments: [&[(u32, Option<u32>, bool)]; 5] = [
        &[(7, None, false)],
        &[(8, None, false), (14, None, false)],
        &[(7, None, true), (1, None, false)],
        &[(14, None, true)],
        &[(8, None, true), (1, None, true)],
    ];
    let mut off = 0;
    for moment in moments {
        let from = servers.live.log_len();
        let reaction = servers.happens(moment);
        // Five leaves for each server, and that of OpenSM's own port.
        let touched = 5 * moment.len() + 1;
        let most = touched * table.unwrap_or(0) * (reaction.sweeps + reaction.errors);
        assert!(reaction.smps.blocks() <= most, "{reaction:?}");
        let changed = servers.field(from, "changed_blocks");
        assert!(!changed.is_empty() && changed.iter().all(|&blocks| blocks == 0));
        for &(_, _, comes) in moment {
            off = if comes { off - 1 } else { off + 1 };
        }
        assert_eq!(servers.field(from, "nodes").last(), Some(&(100 - 5 * off)));
        assert_eq!(servers.read(), first);
    }
}

#[test]
fn entries_of_servers_that_are_off_follow_the_fabric() {
    let net = Net::pgft_with_lids(NODES_100);
    let mut servers = Servers::start("dmodc", &net, [5, 5]);
    let first = servers.read();
    servers.happens(&[(7, None, false)]);
    let nodes = &net.netlist.nodes;
    let cables = &servers.live.cables;
    let spine = cables.of(|n| nodes[n as usize].description == "L3-4");
    let pull = |cables: &mut Cables| spine.iter().for_each(|&c| cables.unplug(c));
    servers.live.change(pull);
    assert_ne!(servers.read(), first);
    // Another host comes to the port of one that is off, with a LID of its own.
    let (off, other) = (servers.of(7)[2], servers.of(18)[0]);
    servers.live.change(|cables| cables.move_host(other, off));
    servers.read();
    servers.live.change(|cables| {
        cables.move_host(off, other);
        spine.iter().for_each(|&c| cables.plug(c));
    });
    servers.read();
    servers.happens(&[(7, None, true)]);
    assert_eq!(servers.read(), first);
}

/// The first `TRACE_MOMENTS` (100) moments of the trace under each engine of `TRACE_ENGINES`, as a table; all of them
/// as rows in the file `TRACE_ROWS`.
#[test]
#[ignore = "long: make trace"]
fn a_year_of_400_servers() {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(TRACE);
    let file = env::var_os("TRACE_FILE").map_or(file, Into::into);
    let Ok(text) = fs::read_to_string(&file) else {
        crate::skip::skipped(format_args!("{} is not here", file.display()));
        return;
    };
    let count = env::var("TRACE_MOMENTS").map_or(100, |n| n.parse().expect("a number"));
    let moments = moments(&text);
    let moments = &moments[..count.min(moments.len())];
    let names = env::var("TRACE_ENGINES").unwrap_or(ENGINES.join(","));
    let rows = env::var_os("TRACE_ROWS").map(|path| fs::File::create(path).expect("a file"));
    let mut rows: Box<dyn Write> = match rows {
        Some(file) => Box::new(file),
        None => Box::new(io::sink()),
    };
    writeln!(
        rows,
        "engine,day,hosts,blocks,sweeps,ms,rerouted,hurt,a2a,rp,sp"
    )
    .expect("room");
    let net = Net::pgft_with_lids(SHAPE);
    println!(
        "| engine | moments | blocks sent | median, most at once | pairs of others rerouted | most at once \
         | hurt meanwhile | A2A, RP, SP: median | worst | \"SUBNET UP\" after, ms: median, worst \
         | by another engine |\n|---|{}",
        "--:|".repeat(10)
    );
    for engine in ENGINES {
        if !names.split(',').any(|name| name == engine) {
            continue;
        }
        let mut servers = Servers::start(engine, &net, POD);
        let mut held = servers.live.truth().fabric_and_tables();
        let (mut found, mut figures) = (Vec::new(), Vec::new());
        for moment in moments {
            let reaction = servers.happens(&moment.events);
            let now = servers.live.truth().fabric_and_tables();
            let of_now = Figures::new(&held, &now, &servers.live.core);
            held = now;
            let [a2a, rp, sp] = of_now.risks;
            writeln!(
                rows,
                "{engine},{},{},{},{},{},{},{},{a2a},{rp},{sp}",
                moment.day,
                held.0.end_nodes().len(),
                reaction.smps.blocks(),
                reaction.sweeps,
                reaction.last.as_millis(),
                of_now.rerouted,
                of_now.hurt
            )
            .expect("room");
            found.push(reaction);
            figures.push(of_now);
        }
        let sorted = |of: &dyn Fn(usize) -> u64| -> Vec<u64> {
            let mut all: Vec<u64> = (0..found.len()).map(of).collect();
            all.sort_unstable();
            all
        };
        let blocks = sorted(&|i| found[i].smps.blocks() as u64);
        let rerouted = sorted(&|i| figures[i].rerouted);
        let hurt = sorted(&|i| figures[i].hurt);
        let risks = [0, 1, 2].map(|k| sorted(&|i| figures[i].risks[k].into()));
        let (median, last) = (found.len() / 2, found.len() - 1);
        let [a2a, rp, sp] = &risks;
        let (ms, worst) = median_and_worst(found.iter().map(|r| r.last).collect());
        println!(
            "| {engine} | {} | {} | {}, {} | {} | {} | {} | {}, {}, {} | {}, {}, {} | {ms}, {worst} | {} |",
            found.len(),
            blocks.iter().sum::<u64>(),
            blocks[median],
            blocks[last],
            rerouted.iter().sum::<u64>(),
            rerouted[last],
            hurt.iter().sum::<u64>(),
            a2a[median],
            rp[median],
            sp[median],
            a2a[last],
            rp[last],
            sp[last],
            found.iter().filter(|r| r.others > 0).count(),
        );
    }
}

impl Figures {
    fn new(before: &(Fabric, Tables), after: &(Fabric, Tables), engine: &Engine) -> Figures {
        let (held, now) = ((&before.0, &before.1), (&after.0, &after.1));
        let met = between(held, now, &blocks_as_sent(held, now));
        let plan = engine.plan(now.0, &Options::default()).expect("a tree");
        let traffic = Traffic::new(now.0, now.1, plan.order());
        let tick = |_| ();
        Figures {
            rerouted: rerouted(held, now),
            hurt: met.standing.hurt + met.cut.hurt,
            risks: [
                traffic.all_to_all(&tick).value,
                traffic.random_permutations(PERMUTATIONS, 1, &tick).value,
                traffic.shifts(&tick).value,
            ],
        }
    }
}

/// Ordered pairs of hosts that are at their places before and after, and whose route differs. The switches are the
/// same before and after.
fn rerouted(before: Routed, after: Routed) -> u64 {
    let ports = |fabric: &Fabric| -> BTreeMap<Lid, (u32, u8)> {
        let of = |n: &EndNode| (n.lid, (n.switch, n.port));
        fabric.end_nodes().iter().map(of).collect()
    };
    let (was, is) = (ports(before.0), ports(after.0));
    let stay: Vec<(Lid, (u32, u8))> = is
        .into_iter()
        .filter(|(l, at)| was.get(l) == Some(at))
        .collect();
    let mut hosts = vec![0u64; after.0.switches().len()];
    stay.iter()
        .for_each(|&(_, (leaf, _))| hosts[leaf as usize] += 1);
    let mut changed = 0;
    for &(lid, (leaf, _)) in &stay {
        for (from, hosts) in (0..).zip(&hosts).filter(|&(from, _)| from != leaf) {
            changed += hosts * u64::from(differs(before, after, from, lid));
        }
    }
    changed
}

/// Whether the routes from a switch to a LID differ.
fn differs(before: Routed, after: Routed, from: u32, lid: Lid) -> bool {
    let mut at = from;
    for _ in after.0.switches() {
        let (old, new) = (before.1.get(at, lid), after.1.get(at, lid));
        if old != new {
            return true;
        }
        match after.0.peer(at, new) {
            Peer::Switch { index, .. } => at = index,
            _ => return false,
        }
    }
    false
}

/// The moments of a trace: `day,server,event,class`, in the order of days. A cable is one port of its server.
fn moments(text: &str) -> Vec<Moment<'_>> {
    let lines = text.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let server: u32 = fields[1].parse().expect("a server");
        let port = (fields[3] == "Parameter Plane Cable").then_some(server);
        (fields[0], (server, port, fields[2] == "up"))
    });
    let lines: Vec<_> = lines.collect();
    let at_once = lines.chunk_by(|a, b| a.0 == b.0);
    at_once
        .map(|moment| Moment {
            day: moment[0].0,
            events: moment.iter().map(|&(_, what)| what).collect(),
        })
        .collect()
}
