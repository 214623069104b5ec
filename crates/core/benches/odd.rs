//! What a sweep of odd fabrics costs, each in a process of its own: plan, tables and proof.
//!
//! `odd`: all, a line each, and another one with a link drained; `odd NAME..`: these.

#[path = "support/proof.rs"]
mod proof;
mod support;

use dmodc_core::{Engine, Options};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Drained, Fabric, Tables};
use fabrics::Net;
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

/// A fabric of these links and hosts, by numbers of switches that all have as many ports: GUIDs at random, a port after the
/// other.
fn fabric(ports: u8, links: &[(usize, usize)], hosts: &[usize]) -> Fabric {
    let last = links.iter().map(|&(a, b)| a.max(b)).max();
    let mut guids: Vec<u32> = (0..=last.expect("a link") as u32).collect();
    Random::new(1).shuffle(&mut guids);
    let links: Vec<(u32, u32)> = links.iter().map(|&(a, b)| (guids[a], guids[b])).collect();
    let hosts: Vec<u32> = hosts.iter().map(|&s| guids[s]).collect();
    let net = Net::new(&links, &hosts).build();
    let same = fabrics::rebuilt(&net, |_, switch| switch.ports = ports);
    same.finish().0
}

/// 100 leaves and 54 spines, all with 254 ports, up to two of which lead to one spine.
fn uneven() -> Fabric {
    let mut random = Random::new(1);
    let (mut links, mut hosts) = (Vec::new(), Vec::new());
    for leaf in 0..100 {
        for spine in 100..154 {
            links.extend(vec![(leaf, spine); random.below(3)]);
        }
        hosts.extend(vec![leaf; random.below(60)]);
    }
    fabric(254, &links, &hosts)
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
    let pairs = (0..switches).flat_map(|a| (a + 1..switches).map(move |b| (a, b)));
    let links: Vec<_> = pairs.skip(usize::from(lacks_one)).collect();
    fabric(254, &links, &Vec::from_iter(0..switches))
}

/// Two leaves with two hosts each and a spine, again and again.
fn components() -> Fabric {
    let firsts = || (0..4800).step_by(3);
    let links: Vec<_> = firsts()
        .flat_map(|s| [(s, s + 2), (s + 1, s + 2)])
        .collect();
    let hosts: Vec<_> = firsts().flat_map(|s| [s, s, s + 1, s + 1]).collect();
    fabric(36, &links, &hosts)
}

/// Spines in a chain; each `step`th and the last have a leaf with two hosts.
fn chain(spines: usize, step: usize) -> Fabric {
    let below: BTreeSet<usize> = (0..spines).step_by(step).chain([spines - 1]).collect();
    let leaves: Vec<(usize, usize)> = (spines..).zip(below).collect();
    let hosts: Vec<usize> = leaves.iter().flat_map(|&(leaf, _)| [leaf; 2]).collect();
    let links = (1..spines).map(|s| (s - 1, s)).chain(leaves);
    fabric(36, &links.collect::<Vec<_>>(), &hosts)
}

/// Levels of switches, each linked to all of the next level; hosts at the bottom.
fn tower(levels: usize, wide: usize) -> Fabric {
    let next = |s: usize| s / wide * wide + wide;
    let low = 0..(levels - 1) * wide;
    let links: Vec<_> = low
        .flat_map(|a| (next(a)..next(a) + wide).map(move |b| (a, b)))
        .collect();
    let hosts: Vec<_> = (0..wide).flat_map(|leaf| [leaf; 8]).collect();
    fabric(36, &links, &hosts)
}

/// A tree without double ways; switches without one below have a host.
fn tree(switches: usize, is_random: bool) -> Fabric {
    let mut random = Random::new(1);
    let above = |s: usize| match is_random {
        true => random.below(s),
        false => (s - 1) / 2,
    };
    let above: Vec<usize> = (1..switches).map(above).collect();
    let links: Vec<_> = above.iter().copied().zip(1..).collect();
    let hosts: Vec<_> = (0..switches).filter(|s| !above.contains(s)).collect();
    fabric(254, &links, &hosts)
}

/// 800 leaves with four hosts and links to six of 400 spines each; a third of the spines have two hosts.
fn random_spines() -> Fabric {
    let mut random = Random::new(1);
    let mut spines: Vec<usize> = (800..1200).collect();
    let mut links = Vec::new();
    for leaf in 0..800 {
        random.shuffle(&mut spines);
        links.extend(spines[..6].iter().map(|&spine| (leaf, spine)));
    }
    let on_leaves = (0..800).flat_map(|leaf| [leaf; 4]);
    let on_spines = (800..1200).step_by(3).flat_map(|spine| [spine; 2]);
    fabric(254, &links, &on_leaves.chain(on_spines).collect::<Vec<_>>())
}
