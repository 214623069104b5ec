//! What a sweep of odd fabrics costs, each in a process of its own: plan, tables and proof.
//!
//! `odd`: all, a line each, and another one with a link drained; `odd NAME..`: these.

#[path = "support/proof.rs"]
mod proof;
mod support;

use dmodc_core::{Engine, Options};
use dmodc_fabric::random::Random;
use dmodc_fabric::{
    Builder, Drained, EndNode, Fabric, Guid, Lid, NodeKind, PortNumber, SwitchId, Tables,
};
use proof::prove_all;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use support::{A, complete, snapshot};

/// A name, and what makes the fabric.
type Odd = (&'static str, fn() -> Fabric);

const FABRICS: [Odd; 14] = [
    ("8,640 hosts, whole", || snapshot(&complete(A))),
    ("154 uneven switches of 254 ports", uneven),
    ("8,640 hosts, 30 % slow", || slow(A)),
    ("31,104 hosts, 30 % slow", || {
        slow("PGFT(3;24,24,54;1,24,24;1,1,1)")
    }),
    ("200 switches, full mesh", || mesh(200, false)),
    ("200 switches, mesh less a link", || mesh(200, true)),
    ("1,600 components of 3", components),
    ("1,100 hostless spines in a chain", || chain(1100, 1100)),
    ("804 switches in a tower of 2", || tower(402, 2)),
    ("804 switches in a tower of 4", || tower(201, 4)),
    ("800 switches, a binary tree", || tree(800, false)),
    ("800 switches, a random tree", || tree(800, true)),
    ("200 spines in a chain, a leaf each", || chain(200, 1)),
    ("1,200 switches at random, hosts on spines", random_spines),
];

/// The end of the name of a fabric with a drained link.
const DRAINED: &str = ", a link drained";

fn main() {
    // Cargo adds --bench to the arguments.
    let args = std::env::args().skip(1).filter(|a| a != "--bench");
    let args: BTreeSet<String> = args.collect();
    if let Some(name) = args.iter().next().filter(|_| args.len() == 1) {
        return measure(name);
    }
    println!("{:<46} CPU, s  peak, MB", "");
    let drained = |name: &str| [name.into(), format!("{name}{DRAINED}")];
    for name in FABRICS.iter().flat_map(|(name, _)| drained(name)) {
        if args.is_empty() || args.contains(&name) {
            let program = std::env::current_exe().expect("this program");
            let status = Command::new(program).arg(&name).status();
            assert!(status.expect("it runs").success(), "{name}");
        }
    }
}

/// Sweeps once with as many threads as the plugin, and prints the figures.
fn measure(name: &str) {
    let of_list = name.strip_suffix(DRAINED);
    let found = FABRICS
        .iter()
        .find(|(known, _)| *known == of_list.unwrap_or(name));
    let fabric = found.expect("a name of the list").1();
    let drain = of_list.and_then(|_| {
        let links = |s| fabric.links_of(s).map(move |(port, ..)| (s, port));
        let (s, port) = fabric.switches().keys().flat_map(links).next()?;
        Some(Drained {
            switch: fabric.guid(s),
            port: Some(port),
        })
    });
    let options = Options {
        drain: drain.into_iter().collect(),
        ..Options::default()
    };
    let engine = Engine::new(0).expect("the system gives threads");
    // The peak begins anew.
    fs::write("/proc/self/clear_refs", "5").expect("Linux");
    let before = cpu();
    let said = match engine.plan(&fabric, &options) {
        Err(refused) => format!("refused: {refused}").chars().take(60).collect(),
        Ok(plan) => {
            let mut tables = Tables::for_fabric(&fabric);
            let mut rows = tables.rows_mut();
            engine.fill(&fabric, &plan, &mut rows).expect("tables fit");
            match prove_all(&fabric, &plan, &rows) {
                Ok(proven) => format!("{} entries left out", proven.left_out),
                Err(refuted) => format!("not proven: {refuted}"),
            }
        }
    };
    println!("{name:<46} {:>6.2}  {:>8}  {said}", cpu() - before, peak());
}

/// The CPU seconds of all threads so far.
fn cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = stat.rsplit(')').next().expect("a line").split_whitespace();
    let ticks = fields.skip(11).take(2);
    ticks
        .map(|t| t.parse::<f64>().expect("a number") / 100.0)
        .sum()
}

/// The peak of resident memory, in MB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    kib.expect("a line").parse::<u64>().expect("a number") * 1024 / 1_000_000
}

/// Builds fabrics: GUIDs at random, LIDs in order, a port after the other.
struct Net {
    random: Random,
    builder: Builder,
    used: Vec<u8>,
    guids: Vec<u64>,
    lid: u16,
}

impl Net {
    fn new(switches: usize, ports: u8) -> Net {
        let mut net = Net {
            random: Random::new(1),
            builder: Builder::default(),
            used: vec![0; switches],
            guids: (1..=switches as u64).collect(),
            lid: 0,
        };
        net.random.shuffle(&mut net.guids);
        for &guid in &net.guids {
            net.lid += 1;
            net.builder.switch(Guid(guid), Lid(net.lid), 0, ports);
        }
        net
    }

    fn port(&mut self, switch: usize) -> (SwitchId, PortNumber) {
        self.used[switch] += 1;
        (SwitchId::from(switch), PortNumber(self.used[switch]))
    }

    fn link(&mut self, a: usize, b: usize) {
        let ends = (self.port(a), self.port(b));
        self.builder.link(ends.0, ends.1);
    }

    fn host(&mut self, switch: usize) {
        let (switch, port) = self.port(switch);
        self.lid += 1;
        self.builder.end_node(EndNode {
            guid: Guid(1 << 32 | u64::from(self.lid)),
            lid: Lid(self.lid),
            lmc: 0,
            kind: NodeKind::Ca,
            switch,
            port,
        });
    }

    fn finish(self) -> Fabric {
        let (fabric, placement) = self.builder.finish();
        assert_eq!(placement.defects, []);
        fabric
    }
}

/// 100 leaves and 54 spines, all with 254 ports, of which random ones are in use, several to one spine.
fn uneven() -> Fabric {
    let mut net = Net::new(154, 254);
    for leaf in 0..100 {
        for spine in 100..154 {
            for _ in 0..net.random.below(3) {
                // A gap here and there.
                net.used[leaf] += net.random.below(2) as u8;
                net.used[spine] += net.random.below(2) as u8;
                net.link(leaf, spine);
            }
        }
        for _ in 0..net.random.below(60) {
            net.host(leaf);
        }
    }
    net.finish()
}

/// 30 % of the links between switches have one of five lower speeds.
fn slow(shape: &str) -> Fabric {
    let fabric = snapshot(&complete(shape));
    let mut random = Random::new(1);
    let mut slow = std::collections::BTreeMap::new();
    for s in fabric.switches().keys() {
        for (port, to, to_port) in fabric.links_of(s).filter(|link| s < link.1) {
            if random.below(10) < 3 {
                let speed = ["4xFDR", "4xQDR", "1xEDR", "1xFDR", "1xQDR"][random.below(5)];
                slow.insert((s, port), speed);
                slow.insert((to, to_port), speed);
            }
        }
    }
    fabrics::with_speeds(fabric, |s, port| {
        slow.get(&(s, port)).copied().unwrap_or("4xEDR")
    })
}

/// Each switch is linked to each other one, and has a host; or one link is missing.
fn mesh(switches: usize, lacks_one: bool) -> Fabric {
    let mut net = Net::new(switches, 254);
    for a in 0..switches {
        for b in a + 1..switches {
            if !lacks_one || (a, b) != (0, 1) {
                net.link(a, b);
            }
        }
        net.host(a);
    }
    net.finish()
}

/// Two leaves with two hosts each and a spine, again and again.
fn components() -> Fabric {
    let mut net = Net::new(4800, 36);
    for first in (0..4800).step_by(3) {
        for leaf in [first, first + 1] {
            net.link(leaf, first + 2);
            net.host(leaf);
            net.host(leaf);
        }
    }
    net.finish()
}

/// Spines in a chain; each `step`th and the last have a leaf with two hosts.
fn chain(spines: usize, step: usize) -> Fabric {
    let leaves: BTreeSet<usize> = (0..spines).step_by(step).chain([spines - 1]).collect();
    let mut net = Net::new(spines + leaves.len(), 36);
    for spine in 1..spines {
        net.link(spine - 1, spine);
    }
    for (leaf, spine) in (spines..).zip(leaves) {
        net.link(leaf, spine);
        net.host(leaf);
        net.host(leaf);
    }
    net.finish()
}

/// Levels of switches, each linked to all of the next level; hosts at the bottom.
fn tower(levels: usize, wide: usize) -> Fabric {
    let mut net = Net::new(levels * wide, 36);
    for a in 0..(levels - 1) * wide {
        let next = a / wide * wide + wide;
        (next..next + wide).for_each(|b| net.link(a, b));
    }
    for leaf in 0..wide {
        (0..8).for_each(|_| net.host(leaf));
    }
    net.finish()
}

/// A tree without double ways; switches without one below have a host.
fn tree(switches: usize, is_random: bool) -> Fabric {
    let mut net = Net::new(switches, 254);
    let mut has_child = vec![false; switches];
    for s in 1..switches {
        let above = if is_random {
            net.random.below(s)
        } else {
            (s - 1) / 2
        };
        has_child[above] = true;
        net.link(above, s);
    }
    for s in (0..switches).filter(|&s| !has_child[s]) {
        net.host(s);
    }
    net.finish()
}

/// 800 leaves with four hosts and links to six of 400 spines each; a third of the spines have two hosts.
fn random_spines() -> Fabric {
    let mut net = Net::new(1200, 254);
    let mut spines: Vec<usize> = (800..1200).collect();
    for leaf in 0..800 {
        net.random.shuffle(&mut spines);
        spines[..6].iter().for_each(|&spine| net.link(leaf, spine));
        (0..4).for_each(|_| net.host(leaf));
    }
    for spine in (800..1200).step_by(3) {
        (0..2).for_each(|_| net.host(spine));
    }
    net.finish()
}
