//! Servers that go and come back under a running OpenSM, as they do all day long: the blocks of tables that it sends. A
//! server has a port on each leaf of its pod. In the long form ([`year`]) links and switches fail too.
//!
//! Under any engine, OpenSM sends the whole table of each switch that reports a port whose state has changed. Dmodc
//! adds no block to these.

mod year;

use crate::storm::NODES_100;
use crate::storm::live::Live;
use crate::storm::measured::Measured;
use crate::storm::measures::{self, Measure};
use crate::storm::watch::Reaction;
use crate::support::*;
use ::fabrics::node_at;

/// The equipment that may go and come.
#[derive(Clone, Copy)]
enum What {
    Server(u32),
    /// A server and its port.
    Port(u32, u32),
    /// A cable between switches, by its number.
    Cable(usize),
    /// A switch that is broken, by its node.
    Switch(u32),
    /// A switch that gets new firmware, by its node.
    Upgrade(u32),
}

/// Equipment that goes, or comes if `true`.
type Event = (What, bool);

/// Reasons for which a cable is unplugged.
const SERVER: u8 = 1;
const FAULT: u8 = 2;
/// Reasons of the switch at the cable's first end; twice the value for the switch at the other end.
const SWITCH: u8 = 4;
const UPGRADE: u8 = 16;

/// A fabric of servers under an engine.
struct Servers<'n> {
    pod: [u32; 2],
    fabric: Measured<'n>,
    /// By cable: why it is unplugged.
    off: Vec<u8>,
}

impl<'n> Servers<'n> {
    fn start(
        engine: &'static str,
        net: &'n Net,
        pod: [u32; 2],
        columns: &'static [Measure],
    ) -> Servers<'n> {
        let fabric = Measured::start(engine, net, |_| (), columns);
        Servers {
            pod,
            off: vec![0; fabric.live.cables.len()],
            fabric,
        }
    }

    /// The cables of a server; OpenSM's own is not among them.
    fn of_server(&self, server: u32) -> Vec<usize> {
        let [ports, leaves] = self.pod;
        let (pod, port) = (server / ports, server % ports);
        let Live {
            netlist, cables, ..
        } = &self.fabric.live;
        let of_leaf = |leaf: u32| {
            let name = format!("node-{}", (pod * leaves + leaf) * ports + port);
            cables.all_of(node_at(netlist, &name))
        };
        let all = (0..leaves).flat_map(of_leaf);
        all.map(|(cable, _)| cable).collect()
    }

    /// Makes equipment go and come, one event after the other. A port or switch that comes has forgotten everything.
    fn happens(&mut self, what: &str, events: &[Event]) -> Reaction {
        let of_each = events.iter().map(|event| self.cables_of(event.0));
        let of_each: Vec<Vec<(usize, u8)>> = of_each.collect();
        let off = &mut self.off;
        self.fabric.happens(what, |cables| {
            for (&(what, comes), of_it) in events.iter().zip(of_each) {
                match what {
                    What::Switch(node) | What::Upgrade(node) if comes => cables.forget(&[node]),
                    _ => {}
                }
                for (cable, reason) in of_it {
                    let was = off[cable];
                    off[cable] = if comes { was & !reason } else { was | reason };
                    if reason == SERVER && comes && was & SERVER != 0 {
                        cables.forget(&[cables.ca_of(cable)]);
                    }
                    match off[cable] == 0 {
                        plugged if plugged == cables.is_plugged(cable) => {}
                        true => cables.plug(&[cable]),
                        false => cables.unplug(&[cable]),
                    }
                }
            }
        })
    }

    /// The cables of some equipment, each with the reason for which it is unplugged.
    fn cables_of(&self, what: What) -> Vec<(usize, u8)> {
        let of_switch = |node, reason: u8| {
            let ends = self.fabric.live.cables.all_of(node).into_iter();
            ends.map(|(cable, end)| (cable, reason << end)).collect()
        };
        let of_server = |server| self.of_server(server).into_iter();
        match what {
            What::Server(server) => of_server(server).map(|c| (c, SERVER)).collect(),
            What::Port(server, port) => {
                let cables = self.of_server(server);
                vec![(cables[port as usize % cables.len()], SERVER)]
            }
            What::Cable(cable) => vec![(cable, FAULT)],
            What::Switch(node) => of_switch(node, SWITCH),
            What::Upgrade(node) => of_switch(node, UPGRADE),
        }
    }
}

#[test]
fn servers_that_reboot_change_no_block() {
    let net = Net::pgft_with_lids(NODES_100);
    let mut servers = Servers::start("dmodc", &net, [5, 5], &[measures::changed]);
    let first = servers.fabric.tables.clone();
    let table = first.values().map(|row| row.len().div_ceil(64)).max();
    let moments: [&[Event]; 5] = [
        &[(What::Server(7), false)],
        &[(What::Server(8), false), (What::Server(14), false)],
        &[(What::Server(7), true), (What::Server(1), false)],
        &[(What::Server(14), true)],
        &[(What::Server(8), true), (What::Server(1), true)],
    ];
    let mut off = 0;
    for moment in moments {
        let from = servers.fabric.live.log_len();
        let reaction = servers.happens("servers", moment);
        // Five leaves for each server, and the leaf of OpenSM's own port.
        let touched = 5 * moment.len() + 1;
        let most = touched * table.unwrap_or(0) * (reaction.sweeps + reaction.errors);
        assert!(reaction.smps.blocks <= most, "{reaction:?}");
        let files = &servers.fabric.live.watch.sm.files;
        let changed = files.numbers(from, "changed_blocks");
        assert!(!changed.is_empty() && changed.iter().all(|&blocks| blocks == 0));
        for event in moment {
            off = if event.1 { off - 1 } else { off + 1 };
        }
        assert_eq!(files.numbers(from, "nodes").last(), Some(&(100 - 5 * off)));
        assert_eq!(servers.fabric.tables, first);
    }
}

#[test]
fn entries_of_servers_that_are_off_follow_the_fabric() {
    let net = Net::pgft_with_lids(NODES_100);
    let mut servers = Servers::start("dmodc", &net, [5, 5], &[measures::changed]);
    let first = servers.fabric.tables.clone();
    servers.happens("a server goes", &[(What::Server(7), false)]);
    let nodes = &net.netlist.nodes;
    let cables = &servers.fabric.live.cables;
    let spine = cables.cables_of(|n| nodes[n as usize].description == "L3-4");
    let fabric = &mut servers.fabric;
    fabric.happens("a spine goes", |cables| cables.unplug(&spine));
    assert_ne!(servers.fabric.tables, first);
    // Another host comes to the port of a host that is off, with a LID of its own.
    let (off, other) = (servers.of_server(7)[2], servers.of_server(18)[0]);
    let fabric = &mut servers.fabric;
    fabric.happens("a host moves", |cables| cables.move_host(other, off));
    fabric.happens("both return", |cables| {
        cables.move_host(off, other);
        cables.plug(&spine);
    });
    servers.happens("the server returns", &[(What::Server(7), true)]);
    assert_eq!(servers.fabric.tables, first);
}
