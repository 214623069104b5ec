//! Storms under the stock OpenSM with the engine `file` and a follower: after each round the switches' tables are
//! those of Dmodc.

use super::{Follower, config, hang_up, path_of};
use crate::storm::cables::Cables;
use crate::storm::faults::Faults;
use crate::storm::live::{Live, Round};
use crate::storm::{Memory, NODES_100, NODES_648, Storm, assert_all_kinds, number_of};
use crate::support::*;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

/// The longest time after a round until the tables are right.
const LIMIT: Duration = Duration::from_secs(60);

/// Where OpenSM takes the tables from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    File,
    Fifo,
}

#[test]
fn all_kinds_of_faults_by_a_file() {
    storm(Mode::File, NODES_100, 12);
}

#[test]
fn all_kinds_of_faults_by_a_fifo() {
    storm(Mode::Fifo, NODES_100, 12);
}

/// `SOAK_ROUNDS` (100) rounds on 648 nodes in both modes. `make soak` also runs the plugin and OpenSM's engines under
/// the same faults.
#[test]
#[ignore = "long: make soak"]
fn soak() {
    for mode in [Mode::File, Mode::Fifo] {
        storm(mode, NODES_648, number_of("SOAK_ROUNDS", 100));
    }
}

/// The arguments of the follower. ibsim has no timeouts: a discovery whose MADs are lost hangs, or finds a part. A
/// follower that looks without a pause would never let ibsim rest.
fn keeps(mode: Mode, path: &str) -> Vec<&str> {
    match mode {
        Mode::File => {
            let pause = ["--limit", "10", "--every", "1", "--max-loss", "0"];
            [&["--lfts", path][..], &pause].concat()
        }
        Mode::Fifo => vec!["--fifo", path, "--limit", "10"],
    }
}

/// Runs the rounds, then repairs everything: the tables are then those of the first whole fabric.
fn storm(mode: Mode, shape: &'static str, rounds: usize) {
    let net = Net::pgft(shape);
    let mut faults = Faults::new(&net.netlist, 1);
    let (mut place, mut first) = (PathBuf::new(), None);
    let hold_back = |cables: &mut Cables| faults.hold_back(cables);
    let mut live = Live::start_without(&net, hold_back, |sim| {
        place = sim.dir().join("tables");
        let mut args = keeps(mode, path_of(&place));
        if mode == Mode::File {
            args.push("--once");
        }
        let follower = Follower::start(sim, &args);
        follower.wait_for("ranks: ", 1);
        first = Some(follower);
        (
            OpenSm::launch(sim, &config(&place).log_flags("0x03")),
            "file",
        )
    });
    let follower = match mode {
        Mode::File => {
            let notify = hang_up(&live.watch.sm);
            let keeps = keeps(mode, path_of(&place));
            Follower::start(&live.sim, &[&keeps[..], &["--notify", &notify]].concat())
        }
        Mode::Fifo => first.take().expect("it runs"),
    };
    let storm = Storm {
        name: shape,
        shape,
        rounds,
        warm: rounds + 1,
        memory: Memory::Default,
    };
    // With a FIFO, the sweeps that a fault causes get the tables of the fabric; with a file, a later sweep does.
    let settle = |live: &mut Live, round: &mut Round| {
        let options = Options::default();
        while mode == Mode::File && live.truth().fault(&live.core, &options).is_some() {
            assert!(round.at.elapsed() < LIMIT, "{round}: {}", follower.said());
            sleep(Duration::from_millis(100));
            round.reaction.last = round.at.elapsed();
        }
    };
    let name = format!("{mode:?}");
    let rounds = storm.play(&name, &mut live, &mut faults, true, settle);
    assert_all_kinds(&rounds);
    if mode == Mode::Fifo {
        // Each sweep got tables, each by a FIFO of its own.
        let sweeps = live.watch.sm.files.log_lines("file tables configured");
        let handed = follower.said().matches("tables handed").count();
        assert_eq!(handed, sweeps.len());
    }
    let log = live.watch.sm.files.log();
    assert!(
        !log.contains("PARSE ERROR") && !log.contains("ERR 6302"),
        "{}",
        live.watch.log_end()
    );
    assert!(live.watch.sm.stop(), "OpenSM ends in good order");
}
