//! Storms under the stock OpenSM with the engine `file` and a follower: after each round the switches' tables are
//! those of Dmodc.

use super::{Follower, config, hang_up};
use crate::long;
use crate::storm::cables::Cables;
use crate::storm::faults::Faults;
use crate::storm::live::{Live, Round};
use crate::storm::{NODES_100, NODES_648, Storm, assert_all_kinds};
use crate::support::*;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

/// The longest time after a round until the tables are right.
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn all_kinds_of_faults() {
    storm(NODES_100, 12);
}

/// `SOAK_ROUNDS` (100) rounds on 648 nodes. `make soak` also runs the plugin and OpenSM's engines under the same
/// faults.
#[test]
#[ignore = "long: make soak"]
fn soak() {
    storm(NODES_648, long::number("SOAK_ROUNDS", 100));
}

/// The arguments of the follower. ibsim has no timeouts: a discovery whose MADs are lost hangs, or finds a part. A
/// follower that looks without a pause would never let ibsim rest.
const PAUSES: [&str; 6] = ["--limit", "10", "--every", "1", "--max-loss", "0"];

/// Runs the rounds, then repairs everything: the tables are then those of the first whole fabric.
fn storm(shape: &'static str, rounds: usize) {
    let net = Net::pgft(shape);
    let mut faults = Faults::new(&net.netlist, 1);
    let mut place = PathBuf::new();
    let hold_back = |cables: &mut Cables| faults.hold_back(cables);
    let mut live = Live::start_without(&net, hold_back, |sim| {
        place = sim.dir().join("tables");
        let keeps = ["--lfts", path_of(&place), "--once"];
        Follower::start(sim, &[&keeps[..], &PAUSES].concat()).wait_for("ranks: ", 1);
        (
            OpenSm::launch(sim, &config(&place).log_flags("0x03")),
            "file",
        )
    });
    let notify = hang_up(&live.watch.sm);
    let keeps = ["--lfts", path_of(&place), "--notify", &notify];
    let follower = Follower::start(&live.sim, &[&keeps[..], &PAUSES].concat());
    let storm = Storm {
        shape,
        rounds,
        warm: rounds + 1,
        under_valgrind: false,
    };
    // The sweep that a fault causes still gets the tables of before; a later one gets those of the fabric.
    let settle = |live: &mut Live, round: &mut Round| {
        let options = Options::default();
        while live.truth().fault(&live.core, &options).is_some() {
            let (row, said) = (round.row(), follower.said());
            assert!(round.at.elapsed() < LIMIT, "{row:?}: {said}");
            sleep(Duration::from_millis(100));
            round.reaction.last = round.at.elapsed();
        }
    };
    let rounds = storm.play("follow", &mut live, &mut faults, true, settle);
    assert_all_kinds(&rounds);
    let log = live.watch.sm.files.log();
    assert!(
        !log.contains("PARSE ERROR") && !log.contains("ERR 6302"),
        "{}",
        live.watch.log_end()
    );
    assert!(live.watch.sm.stop(), "OpenSM ends in good order");
}
