//! Storms: a running OpenSM whose fabric breaks, is repaired and changes under it, round by round.
//!
//! After each round OpenSM is alive, Dmodc has routed, and every switch of the simulator holds the
//! table that Dmodc makes for the fabric as it then is, which delivers. When all is repaired, the
//! tables are those of the beginning to the byte, and OpenSM has not grown.
//!
//! Part of every run is a short storm; `make soak` runs the long ones, which are ignored otherwise.

pub mod cables;
pub mod engines;
pub mod faults;
pub mod live;
pub mod smps;
pub mod truth;
pub mod watch;
mod week;

use crate::support::*;
use cables::Cables;
use faults::{Faults, Kind};
use live::Live;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use std::{env, fs};
use watch::Reaction;

/// 100 nodes, 20 leaves of 5, three levels.
pub const NODES_100: &str = "PGFT(3;5,5,4;1,3,3;1,1,1)";
/// 648 nodes in 9 pods, 144 switches.
pub const NODES_648: &str = "PGFT(3;12,6,9;1,6,6;1,1,1)";
/// 8,640 nodes in 24 pods, 594 switches.
const NODES_8640: &str = "PGFT(3;24,15,24;1,6,15;1,1,1)";

/// The size of a storm.
pub struct Storm {
    pub name: &'static str,
    pub shape: &'static str,
    pub rounds: usize,
    /// The round after which OpenSM has allocated what it keeps; it repairs everything.
    pub warm: usize,
    /// What OpenSM's memory is.
    pub memory: Memory,
}

/// How OpenSM's memory is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// In one arena of malloc's, so that it shows what is kept: it may grow by 5 %.
    OneArena,
    /// As glibc does it, with an arena for each thread. What one of them has free is no use to
    /// another, so OpenSM's grows for long, under updn too, and is printed only.
    Default,
    /// Under valgrind, which takes memory of its own.
    Valgrind,
}

/// One round: what was done, how many links went or came, what OpenSM did about it, and its
/// resident memory afterwards, in KiB.
pub struct Round {
    kind: Kind,
    changes: usize,
    reaction: Reaction,
    resident: usize,
}

#[test]
fn all_kinds_of_faults() {
    let storm = Storm {
        name: "100",
        shape: NODES_100,
        rounds: 24,
        warm: 8,
        memory: Memory::OneArena,
    };
    let (rounds, _) = storm.run("dmodc");
    let met = |kind: &Kind| rounds.iter().any(|round| round.kind == *kind);
    let missed: Vec<_> = Kind::ALL.into_iter().filter(|kind| !met(kind)).collect();
    assert!(missed.is_empty(), "the seed leaves out {missed:?}");
}

#[test]
#[ignore = "long: make soak"]
fn soak_648() {
    soak("648", NODES_648, 500);
}

#[test]
#[ignore = "long: make soak"]
fn soak_8640() {
    soak("8640", NODES_8640, 50);
}

/// The same storm of `SOAK_ROUNDS` under each engine of `SOAK_ENGINES`; with glibc's arenas as they
/// are by default if `SOAK_DEFAULT_ARENAS` is set.
fn soak(name: &'static str, shape: &'static str, rounds: usize) {
    let number = |name: &str| env::var(name).ok().map(|v| v.parse().expect("a number"));
    let rounds = number("SOAK_ROUNDS").unwrap_or(rounds);
    let memory = match env::var_os("SOAK_DEFAULT_ARENAS") {
        Some(_) => Memory::Default,
        None => Memory::OneArena,
    };
    let storm = Storm {
        name,
        shape,
        rounds,
        warm: rounds.min(20),
        memory,
    };
    let engines = env::var("SOAK_ENGINES").unwrap_or("dmodc,ftree,updn".into());
    for engine in engines.split(',') {
        let engine = ["dmodc", "ftree", "updn"]
            .into_iter()
            .find(|e| *e == engine);
        storm.run(engine.expect("SOAK_ENGINES names dmodc, ftree or updn"));
    }
}

impl Storm {
    /// Runs all rounds, then repairs everything. Returns the rounds, and what valgrind has found.
    pub fn run(&self, name: &'static str) -> (Vec<Round>, Option<Vec<u8>>) {
        let net = Net::pgft(self.shape);
        let mut faults = Faults::new(&net.netlist, 1);
        let ours = name == "dmodc";
        let config = match ours {
            true => Config::dmodc(),
            // What it refuses, minhop routes.
            false => Config::engine(&format!("{name},minhop")),
        };
        let config = config.log_flags("0x03");
        let config = match self.memory {
            Memory::OneArena => config.one_arena(),
            Memory::Default => config,
            Memory::Valgrind => config.under_valgrind(),
        };
        // Some switches join later.
        let hold_back = |cables: &mut Cables| faults.hold_back(cables);
        let start = |sim: &Ibsim| (OpenSm::launch(sim, &config), name);
        let mut live = Live::start_without(&net, hold_back, start);
        if ours {
            live.routed();
        }

        let mut rounds: Vec<Round> = Vec::new();
        let (mut first, mut last) = (None, None);
        for number in 1..=self.rounds + 1 {
            // All is whole when memory is looked at: a fabric with less in it takes less.
            let repairs = number == self.warm || number > self.rounds;
            let round = live.round(&mut faults, repairs);
            let (kind, reaction) = (round.kind, round.reaction);
            let resident = live.watch.sm.resident();
            let round = Round {
                kind,
                changes: round.changes,
                reaction,
                resident,
            };
            println!("{} {name}: {}", self.name, round.line(number));
            rounds.push(round);
            if ours {
                let routed = reaction.ours > 0 && reaction.others == 0;
                assert!(routed, "{}", live.watch.log_end());
                last = Some(live.routed().rows);
                if faults.is_whole() && first.is_none() {
                    first = last.clone();
                }
            }
        }
        self.report(name, &rounds);
        let (warm, grown) = (rounds[self.warm - 1].resident, live.watch.sm.resident());
        if ours {
            assert!(
                first.is_some() && first == last,
                "the tables did not return"
            );
            assert!(
                grown * 100 <= warm * 105 || self.memory != Memory::OneArena,
                "OpenSM grew from {warm} to {grown} KiB"
            );
        }
        let files = live.watch.sm.stop_for_files();
        let files = files.expect("OpenSM ends in good order");
        let found = (self.memory == Memory::Valgrind).then(|| files.read("findings.xml"));
        (rounds, found)
    }

    /// Prints what the rounds were, and keeps every one as a line of a table.
    fn report(&self, engine: &str, rounds: &[Round]) {
        let mut text =
            "kind,changes,first_ms,last_ms,sweeps,errors,ours,others,asked,rss_kib\n".to_owned();
        for round in rounds {
            let r = &round.reaction;
            let _ = writeln!(
                text,
                "{:?},{},{},{},{},{},{},{},{},{}",
                round.kind,
                round.changes,
                r.first.as_millis(),
                r.last.as_millis(),
                r.sweeps,
                r.errors,
                r.ours,
                r.others,
                r.asked,
                round.resident
            );
        }
        let dir = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("target/soak");
        fs::create_dir_all(&dir).expect("a folder for the rounds");
        let path = dir.join(format!("{}-{engine}.csv", self.name));
        fs::write(&path, text).expect("the rounds can be written");

        println!("\n{} nodes, {engine}, {} rounds", self.name, rounds.len());
        println!(
            "| kind | rounds | changes, most | first sweep, median ms | worst ms | at rest, median ms | worst ms |"
        );
        println!("|---|--:|--:|--:|--:|--:|--:|");
        let kinds = Kind::ALL.into_iter().map(Some).chain([None]);
        for kind in kinds {
            let of_kind: Vec<&Round> = rounds
                .iter()
                .filter(|r| kind.is_none_or(|kind| r.kind == kind))
                .collect();
            let Some(most) = of_kind.iter().map(|r| r.changes).max() else {
                continue;
            };
            let name = kind.map_or("all".into(), |kind| format!("{kind:?}"));
            let [first, last] = [|r: &Reaction| r.first, |r: &Reaction| r.last]
                .map(|part| median_and_worst(of_kind.iter().map(|r| part(&r.reaction)).collect()));
            let count = of_kind.len();
            println!(
                "| {name} | {count} | {most} | {} | {} | {} | {} |",
                first.0, first.1, last.0, last.1
            );
        }
        let refused = rounds.iter().filter(|r| r.reaction.others > 0).count();
        let resident: Vec<usize> = rounds.iter().map(|r| r.resident).collect();
        println!(
            "rounds that another engine routed: {refused}; resident KiB after round {}: {}, after all: {}\n",
            self.warm,
            resident.get(self.warm - 1).unwrap_or(&0),
            resident.last().unwrap_or(&0)
        );
    }
}

impl Round {
    fn line(&self, number: usize) -> String {
        let Round {
            kind,
            changes,
            reaction: r,
            resident,
        } = self;
        format!(
            "round {number}: {kind:?}, {changes} changes, first {} ms, last {} ms, {} sweeps, {} errors, \
             asked {}, {resident} KiB",
            r.first.as_millis(),
            r.last.as_millis(),
            r.sweeps,
            r.errors,
            r.asked
        )
    }
}

/// In milliseconds.
pub fn median_and_worst(mut times: Vec<Duration>) -> (u128, u128) {
    times.sort_unstable();
    let worst = times.last().expect("at least one round").as_millis();
    (times[times.len() / 2].as_millis(), worst)
}
