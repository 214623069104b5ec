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
use dmodc::fabric::Guid;
use std::collections::BTreeMap;
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

/// What servers do at one time: the server, and whether it comes.
type Moment = Vec<(u32, bool)>;

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

    /// Lets servers go and come; a server that was off has forgotten its LIDs.
    fn happens(&mut self, moment: &[(u32, bool)]) -> Reaction {
        let moment: Vec<(Vec<usize>, bool)> = moment
            .iter()
            .map(|&(server, comes)| (self.of(server), comes))
            .collect();
        self.live.change(|cables| {
            for (of_server, comes) in moment {
                for cable in of_server {
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
    let moments: [&[(u32, bool)]; 5] = [
        &[(7, false)],
        &[(8, false), (14, false)],
        &[(7, true), (1, false)],
        &[(14, true)],
        &[(8, true), (1, true)],
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
        for &(_, comes) in moment {
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
    servers.happens(&[(7, false)]);
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
    servers.happens(&[(7, true)]);
    assert_eq!(servers.read(), first);
}

/// The first `TRACE_MOMENTS` (100) moments of the trace under each engine of `TRACE_ENGINES`.
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
    let net = Net::pgft_with_lids(SHAPE);
    println!(
        "| engine | moments | blocks sent | median, most at once | \"SUBNET UP\" after, ms: median, worst \
         | by another engine |\n|---|{}",
        "--:|".repeat(5)
    );
    for engine in ENGINES {
        if !names.split(',').any(|name| name == engine) {
            continue;
        }
        let mut servers = Servers::start(engine, &net, POD);
        let found: Vec<Reaction> = moments.iter().map(|m| servers.happens(m)).collect();
        let mut blocks: Vec<usize> = found.iter().map(|r| r.smps.blocks()).collect();
        blocks.sort_unstable();
        let (median, worst) = median_and_worst(found.iter().map(|r| r.last).collect());
        println!(
            "| {engine} | {} | {} | {}, {} | {median}, {worst} | {} |",
            found.len(),
            blocks.iter().sum::<usize>(),
            blocks[blocks.len() / 2],
            blocks[blocks.len() - 1],
            found.iter().filter(|r| r.others > 0).count(),
        );
    }
}

/// The moments of a trace: `day,server,event,class`, in the order of days.
fn moments(text: &str) -> Vec<Moment> {
    let lines = text.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let server = fields[1].parse().expect("a server");
        (fields[0], (server, fields[2] == "up"))
    });
    let lines: Vec<_> = lines.collect();
    let at_once = lines.chunk_by(|a, b| a.0 == b.0);
    at_once
        .map(|moment| moment.iter().map(|&(_, what)| what).collect())
        .collect()
}
