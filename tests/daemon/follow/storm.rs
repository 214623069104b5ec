//! Storms under the stock OpenSM with the engine `file` and a follower: after each round the switches' tables are
//! those of Dmodc.

use super::{Follower, config, hang_up, path_of};
use crate::storm::cables::Cables;
use crate::storm::faults::{Faults, Kind};
use crate::storm::truth::Truth;
use crate::storm::watch::Watch;
use crate::storm::{NODES_100, NODES_648, median_and_worst};
use crate::support::fabrics::Net;
use crate::support::ibsim::Ibsim;
use crate::support::opensm::OpenSm;
use dmodc::dmodc::Engine;
use std::collections::BTreeMap;
use std::env;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time until the tables are right after a round.
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

/// `SOAK_ROUNDS` (100) of them on 648 nodes in both modes. `make soak` has the times of the plugin and of OpenSM's
/// engines with the same faults.
#[test]
#[ignore = "long: make soak"]
fn soak() {
    let rounds = env::var("SOAK_ROUNDS")
        .ok()
        .map(|n| n.parse().expect("a number"));
    for mode in [Mode::File, Mode::Fifo] {
        storm(mode, NODES_648, rounds.unwrap_or(100));
    }
}

/// Runs so many rounds, then repairs everything: the tables are those of the beginning.
fn storm(mode: Mode, shape: &str, rounds: usize) {
    let net = Net::pgft(shape);
    let mut sim = Ibsim::start(&net.path);
    let mut cables = Cables::new(&net.netlist);
    let mut faults = Faults::new(&net.netlist, 1);
    faults.hold_back(&mut cables);
    sim.batch(&cables.take().commands);
    let place = sim.dir().join("tables");
    let path = path_of(&place).to_owned();
    // ibsim has no timeouts: a discovery whose MADs are lost hangs, or finds a part. Nothing is at rest while
    // a follower looks without a pause.
    let keeps = match mode {
        Mode::File => &[
            "--lfts",
            &path,
            "--limit",
            "3",
            "--every",
            "1",
            "--max-loss",
            "0",
        ][..],
        Mode::Fifo => &["--fifo", &path, "--limit", "3"],
    };
    let first = match mode {
        Mode::File => Follower::start(&sim, &[keeps, &["--once"]].concat()),
        Mode::Fifo => Follower::start(&sim, keeps),
    };
    first.wait_for("ranks: ", 1);
    let sm = OpenSm::launch(&sim, &config(&place).log_flags("0x03"));
    let (mut watch, _) = Watch::first_sweep(sm, &sim, "file");
    let notify = hang_up(&watch.sm);
    let follower = match mode {
        Mode::File => Follower::start(&sim, &[keeps, &["--notify", &notify]].concat()),
        Mode::Fifo => first,
    };
    let engine = Engine::new(0).expect("threads");
    let (mut whole, mut last) = (None, None);
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for number in 1..=rounds + 1 {
        let kind = match number > rounds {
            true => faults.repair_all(&mut cables),
            false => faults.next(&mut cables),
        };
        let batch = cables.take();
        sim.batch(&batch.commands);
        if kind == Kind::Loss {
            watch.sweep(&sim);
            faults.stop_losing(&mut cables);
            sim.batch(&cables.take().commands);
        }
        let start = Instant::now();
        let reaction = watch.reaction(&sim, kind.sends_traps() && !batch.unseen);
        // With a FIFO the sweeps that a fault causes have the tables of the fabric; with a file one of the next.
        let truth = |sim: &mut Ibsim| Truth::read(sim, &net.netlist, cables.home());
        while mode == Mode::File && !truth(&mut sim).is_routed(&engine) {
            assert!(
                start.elapsed() < LIMIT,
                "round {number}, {kind:?}: {}",
                follower.said()
            );
            sleep(Duration::from_millis(100));
        }
        let took = match mode {
            Mode::File => start.elapsed(),
            Mode::Fifo => reaction.last,
        };
        println!(
            "{mode:?} round {number}: {kind:?}, {} changes, {took:?}",
            batch.changes
        );
        times.entry(format!("{kind:?}")).or_default().push(took);
        let truth = truth(&mut sim);
        truth.assert_routed(&engine);
        last = Some(truth.rows);
        if faults.is_whole() && whole.is_none() {
            whole = last.clone();
        }
    }
    assert!(
        whole.is_some() && whole == last,
        "the tables did not return"
    );
    let log = watch.sm.files.log();
    assert!(
        !log.contains("PARSE ERROR") && !log.contains("ERR 6302"),
        "{}",
        watch.log_end()
    );
    assert!(times.len() == Kind::ALL.len(), "the seed leaves out some");
    println!(
        "\n{mode:?}, {} nodes | rounds | until the tables are right, median ms | worst ms",
        net.netlist.nodes.len()
    );
    for (kind, times) in times {
        let rounds = times.len();
        let (median, worst) = median_and_worst(times);
        println!("| {kind} | {rounds} | {median} | {worst} |");
    }
    assert!(watch.sm.stop(), "OpenSM ends in good order");
}
