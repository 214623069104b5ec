//! Storms: a running OpenSM whose fabric breaks, is repaired and changes under it, round by round.
//!
//! After each round OpenSM is alive, Dmodc has routed, and every switch of the simulator holds the table that Dmodc
//! makes for the present fabric, which delivers. When all is repaired, the tables are to the byte those of the first
//! time that the fabric was whole, and OpenSM has not grown.
//!
//! Every test run has a short storm; `make soak` runs the long ones.

pub mod cables;
pub mod faults;
pub mod live;
pub mod measured;
pub mod measures;
pub mod truth;
pub mod watch;
mod week;

use crate::long;
use crate::support::*;
use cables::Cables;
use faults::{Faults, Kind};
use live::{Live, Round};
use measured::{Row, print};
use std::env;

/// 100 nodes, 20 leaves of 5, three levels.
pub const NODES_100: &str = "PGFT(3;5,5,4;1,3,3;1,1,1)";
/// 648 nodes in 9 pods, 144 switches.
pub const NODES_648: &str = "PGFT(3;12,6,9;1,6,6;1,1,1)";
/// 8,640 nodes in 24 pods, 594 switches.
pub const NODES_8640: &str = "PGFT(3;24,15,24;1,6,15;1,1,1)";

/// The size of a storm.
pub struct Storm {
    pub shape: &'static str,
    pub rounds: usize,
    /// The round after which OpenSM has allocated all that it keeps. It repairs everything.
    pub warm: usize,
    /// Else OpenSM allocates in one arena of malloc, so that resident memory is memory that it keeps: it may grow by 5 %.
    /// With an arena for each thread, no thread can use the free memory of another.
    pub under_valgrind: bool,
}

#[test]
fn all_kinds_of_faults() {
    let storm = Storm {
        shape: NODES_100,
        rounds: 24,
        warm: 8,
        under_valgrind: false,
    };
    let (rounds, _) = storm.run("dmodc");
    assert_all_kinds(&rounds);
}

pub fn assert_all_kinds(rounds: &[Round]) {
    let met = |kind: &Kind| rounds.iter().any(|round| round.kind == *kind);
    let all = [Kind::Join, Kind::Repair].into_iter().chain(Kind::DRAWN);
    let missed: Vec<_> = all.filter(|kind| !met(kind)).collect();
    assert!(missed.is_empty(), "the seed leaves out {missed:?}");
}

#[test]
#[ignore = "long: make soak"]
fn soak_648() {
    soak(NODES_648, 500);
}

#[test]
#[ignore = "long: make soak"]
fn soak_8640() {
    soak(NODES_8640, 50);
}

/// The same storm of `SOAK_ROUNDS` under each engine of `SOAK_ENGINES`.
fn soak(shape: &'static str, rounds: usize) {
    let rounds = long::number("SOAK_ROUNDS", rounds);
    let storm = Storm {
        shape,
        rounds,
        warm: rounds.min(20),
        under_valgrind: false,
    };
    for engine in asked("SOAK_ENGINES", &["dmodc", "ftree", "updn"]) {
        storm.run(engine);
    }
}

/// The names in a variable of the environment, which must be among `all`; without the variable, all.
pub fn asked(variable: &str, all: &[&'static str]) -> Vec<&'static str> {
    let Ok(asked) = env::var(variable) else {
        return all.to_vec();
    };
    let find = |name| all.iter().copied().find(|known| *known == name);
    let names = asked.split(',').map(|name| {
        find(name).unwrap_or_else(|| panic!("{variable} has {name}, which is none of {all:?}"))
    });
    names.collect()
}

impl Storm {
    /// Runs all rounds, then repairs everything. Returns the rounds, and valgrind's findings.
    pub fn run(&self, name: &'static str) -> (Vec<Round>, Option<Vec<u8>>) {
        let net = Net::pgft(self.shape);
        let mut faults = Faults::new(&net.netlist, 1);
        let ours = name == "dmodc";
        let config = match ours {
            true => Config::dmodc().options("dmodc.reference=none"),
            // minhop routes the fabrics that it refuses.
            false => Config::engines(&format!("{name},minhop")),
        };
        let config = config.log_flags("0x03");
        let config = match self.under_valgrind {
            true => config.under_valgrind(),
            false => config.env("MALLOC_ARENA_MAX", "1"),
        };
        // Some switches join later.
        let hold_back = |cables: &mut Cables| faults.hold_back(cables);
        let start = |sim: &Ibsim| (OpenSm::launch(sim, &config), name);
        let mut live = Live::start_without(&net, hold_back, start);
        if ours {
            live.routed();
        }

        let rounds = self.play(name, &mut live, &mut faults, ours, |_, _| ());
        let (warm, grown) = (rounds[self.warm - 1].resident, live.watch.sm.resident());
        assert!(
            !ours || grown * 100 <= warm * 105 || self.under_valgrind,
            "OpenSM grew from {warm} to {grown} KiB"
        );
        let files = live.watch.sm.stop_for_files();
        let files = files.expect("OpenSM ends in good order");
        let found = self.under_valgrind.then(|| files.read("findings.xml"));
        (rounds, found)
    }

    /// Plays all rounds, then repairs everything. With `are_ours`, asserts that the tables are Dmodc's after each
    /// round, and return at the end. `settle` waits for the follower, for which OpenSM does not wait.
    pub fn play(
        &self,
        name: &str,
        live: &mut Live,
        faults: &mut Faults,
        are_ours: bool,
        mut settle: impl FnMut(&mut Live, &mut Round),
    ) -> Vec<Round> {
        let (mut rounds, mut first, mut last) = (Vec::new(), None, None);
        for number in 1..=self.rounds + 1 {
            // Memory is compared on whole fabrics: a smaller fabric takes less.
            let repairs = number == self.warm || number > self.rounds;
            let mut round = live.round(faults, repairs);
            settle(live, &mut round);
            println!("{} {name}: round {number}: {:?}", self.shape, round.row());
            if are_ours {
                let routed = round.reaction.ours > 0 && round.reaction.others == 0;
                assert!(routed, "{}", live.watch.log_end());
                last = Some(live.routed().rows);
                if faults.is_whole() && first.is_none() {
                    first = last.clone();
                }
            }
            rounds.push(round);
        }
        let rows: Vec<Row> = rounds.iter().map(Round::row).collect();
        print(&format!("{}, {name}", self.shape), &rows);
        let returned = !are_ours || (first.is_some() && first == last);
        assert!(returned, "the tables did not return");
        rounds
    }
}
