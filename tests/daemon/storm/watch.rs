//! OpenSM's reaction to a change: from the change to the last "SUBNET UP" that follows.

use crate::support::*;
use std::fs;
use std::time::{Duration, Instant};

/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(2);
/// How long OpenSM and ibsim have to do nothing before they count as being at rest.
const REST: Duration = Duration::from_millis(300);
/// Processor time in [`REST`] that counts as nothing.
const NOTHING: Duration = Duration::from_millis(2);
/// The longest time from a trap to OpenSM's first work.
const TRAP: Duration = Duration::from_millis(200);
/// Time for one reaction on the largest fabric, on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);

/// OpenSM's reaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reaction {
    /// From the change to the end of the first sweep after it.
    pub first: Duration,
    /// From the change to the end of the last sweep that it caused.
    pub last: Duration,
    /// Sweeps that ended well.
    pub sweeps: usize,
    /// Sweeps that ended with "Errors during initialization".
    pub errors: usize,
    /// Sweeps routed by the engine under test.
    pub ours: usize,
    /// Sweeps routed by another engine, in its place.
    pub others: usize,
    /// Whether a HUP had to trigger a sweep, since no trap did.
    pub asked: bool,
    /// The SMPs that it sent, if its log has them ([`Smps::logged`]).
    pub smps: Smps,
}

/// The numbers of SMPs that OpenSM sends: each goes through `osm_req.c`, which logs it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Smps {
    pub gets: usize,
    /// Blocks of tables.
    pub blocks: usize,
    /// Sets of anything else.
    pub other_sets: usize,
}

impl Smps {
    /// Lets OpenSM log every SMP from its next sweep on, beside its other lines.
    pub fn logged(sm: &OpenSm) {
        // Errors, information, debugging, of that file alone.
        let file = sm.files.path("modules.conf");
        fs::write(file, "osm_req.c 0x0b\n").expect("a file for the levels");
    }

    /// Counts the SMP of a line of the log; returns whether the line has one.
    pub fn add(&mut self, line: &str) -> bool {
        let sent = |word| Some(line.split_once(word)?.1.split_once(" (0x")?.0);
        let count = match (sent(": Getting "), sent(": Setting ")) {
            (Some(_), _) => &mut self.gets,
            (_, Some("LinearForwardingTable")) => &mut self.blocks,
            (_, Some(_)) => &mut self.other_sets,
            _ => return false,
        };
        *count += 1;
        true
    }
}

/// A running OpenSM under watch.
pub struct Watch {
    pub sm: OpenSm,
    engine: &'static str,
    /// The bytes of the log that have been read.
    read: u64,
}

impl Watch {
    /// Watches an OpenSM that was launched a moment ago, and waits for its first sweep.
    pub fn first_sweep(sm: OpenSm, sim: &Ibsim, engine: &'static str) -> (Watch, Reaction) {
        let start = Instant::now();
        while !sm.files.log_path().exists() {
            assert!(start.elapsed() < LIMIT, "{}", sm.files.printed());
            std::thread::sleep(LOOK);
        }
        let mut watch = Watch {
            sm,
            engine,
            read: 0,
        };
        let reaction = watch.settle(sim, start, false, true);
        (watch, reaction)
    }

    /// Waits for OpenSM's reaction to a change that was made just now. If no trap makes it work, a HUP triggers a
    /// sweep.
    pub fn reaction(&mut self, sim: &Ibsim, traps: bool) -> Reaction {
        let start = Instant::now();
        let work = self.work(sim);
        while traps && start.elapsed() < TRAP {
            if self.work(sim) > work + NOTHING {
                return self.settle(sim, start, false, true);
            }
            std::thread::sleep(LOOK);
        }
        self.sm.hang_up();
        self.settle(sim, Instant::now(), true, true)
    }

    /// Triggers a sweep, and waits until it has ended, well or not.
    pub fn sweep(&mut self, sim: &Ibsim) {
        self.sm.hang_up();
        self.settle(sim, Instant::now(), true, false);
    }

    /// Waits until a sweep has ended, without errors if `well`, and OpenSM and ibsim are at rest.
    fn settle(&mut self, sim: &Ibsim, start: Instant, asked: bool, well: bool) -> Reaction {
        let mut reaction = Reaction {
            asked,
            ..Reaction::default()
        };
        let mut rest = (self.work(sim), Instant::now());
        loop {
            std::thread::sleep(LOOK);
            let lines = self.sm.files.log_after(self.read);
            self.read += lines.len() as u64;
            for line in lines.lines() {
                if reaction.smps.add(line) {
                } else if line.contains("SUBNET UP") {
                    reaction.sweeps += 1;
                    reaction.last = start.elapsed();
                    if reaction.sweeps == 1 {
                        reaction.first = reaction.last;
                    }
                } else if line.contains("Errors during initialization") {
                    reaction.errors += 1;
                } else if let Some((_, rest)) = line.split_once("ucast_mgr_process: ")
                    && let Some((engine, _)) = rest.split_once(" tables configured")
                {
                    match engine == self.engine {
                        true => reaction.ours += 1,
                        false => reaction.others += 1,
                    }
                }
            }
            let work = self.work(sim);
            if work > rest.0 + NOTHING {
                rest = (work, Instant::now());
            }
            if rest.1.elapsed() >= REST {
                if reaction.sweeps > 0 || (reaction.errors > 0 && !well) {
                    return reaction;
                }
                // OpenSM does not repeat a sweep that ends in errors by itself.
                reaction.asked = true;
                self.sm.hang_up();
                rest.1 = Instant::now();
            }
            assert!(start.elapsed() < LIMIT, "{reaction:?}\n{}", self.log_end());
        }
    }

    /// The last lines of OpenSM's log.
    pub fn log_end(&self) -> String {
        let log = self.sm.files.log();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(60)..].join("\n")
    }

    /// Time that OpenSM and ibsim have spent on a processor or waiting for one.
    fn work(&self, sim: &Ibsim) -> Duration {
        let of = |pid: u32| -> u64 {
            let tasks = fs::read_dir(format!("/proc/{pid}/task"));
            let tasks = tasks.unwrap_or_else(|e| panic!("process {pid} has died: {e}"));
            // A thread may end meanwhile.
            let stats = tasks.flatten().filter_map(|task| {
                let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
                let words = text.split_whitespace().take(2);
                Some(words.filter_map(|w| w.parse::<u64>().ok()).sum::<u64>())
            });
            stats.sum()
        };
        Duration::from_nanos(of(self.sm.pid()) + of(sim.id()))
    }
}
