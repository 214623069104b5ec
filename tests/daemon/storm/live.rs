//! A running OpenSM whose fabric changes under it.

use super::cables::{Batch, Cables};
use super::faults::{Faults, Kind};
use super::truth::Truth;
use super::watch::{Reaction, Watch};
use crate::support::*;
use dmodc::dmodc::Engine;
use dmodc::netlist::Netlist;
use std::fmt::{self, Display, Formatter};
use std::time::Instant;

/// A fabric, the ibsim that simulates it, and OpenSM under watch.
pub struct Live<'n> {
    pub netlist: &'n Netlist,
    pub sim: Ibsim,
    pub cables: Cables<'n>,
    pub watch: Watch,
    /// Dmodc offline, for the tables that the switches have to hold.
    pub core: Engine,
}

/// A round of a storm.
pub struct Round {
    pub kind: Kind,
    /// The number of links that went or came.
    pub changes: usize,
    /// The time at which these had changed.
    pub at: Instant,
    /// OpenSM's reaction.
    pub reaction: Reaction,
    /// OpenSM's resident memory afterwards, in KiB.
    pub resident: usize,
}

impl Display for Round {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Round {
            kind,
            changes,
            reaction: r,
            ..
        } = self;
        write!(
            f,
            "{kind:?}, {changes} changes, first {} ms, last {} ms, {} sweeps, {} errors, asked {}, {} KiB",
            r.first.as_millis(),
            r.last.as_millis(),
            r.sweeps,
            r.errors,
            r.asked,
            self.resident
        )
    }
}

/// Runs the new commands of the cables.
fn batch(sim: &mut Ibsim, cables: &mut Cables) -> Batch {
    let batch = cables.take();
    if !batch.commands.is_empty() {
        sim.batch(&batch.commands);
    }
    batch
}

impl<'n> Live<'n> {
    /// Starts OpenSM and waits for its first sweep. `start` also returns its engine's log name.
    pub fn start(net: &'n Net, start: impl FnOnce(&Ibsim) -> (OpenSm, &'static str)) -> Live<'n> {
        Live::start_without(net, |_| (), start)
    }

    /// As [`Live::start`], on a fabric in which some cables are not plugged in yet.
    pub fn start_without(
        net: &'n Net,
        unplug: impl FnOnce(&mut Cables),
        start: impl FnOnce(&Ibsim) -> (OpenSm, &'static str),
    ) -> Live<'n> {
        let mut sim = Ibsim::start(&net.path);
        let mut cables = Cables::new(&net.netlist);
        unplug(&mut cables);
        batch(&mut sim, &mut cables);
        let (sm, name) = start(&sim);
        let (watch, _) = Watch::first_sweep(sm, &sim, name);
        Live {
            netlist: &net.netlist,
            sim,
            cables,
            watch,
            core: Engine::new(0).expect("threads"),
        }
    }

    /// Changes cables, and waits for OpenSM's reaction.
    pub fn change(&mut self, change: impl FnOnce(&mut Cables)) -> Reaction {
        change(&mut self.cables);
        let batch = batch(&mut self.sim, &mut self.cables);
        self.watch.reaction(&self.sim, !batch.unseen)
    }

    /// A round of a storm: the next fault, or the repair of all.
    pub fn round(&mut self, faults: &mut Faults, repairs: bool) -> Round {
        let kind = match repairs {
            true => faults.repair_all(&mut self.cables),
            false => faults.next(&mut self.cables),
        };
        let done = batch(&mut self.sim, &mut self.cables);
        if kind == Kind::Loss {
            // This sweep loses MADs; the next, which counts, does not.
            self.watch.sweep(&self.sim);
            faults.stop_losing(&mut self.cables);
            batch(&mut self.sim, &mut self.cables);
        }
        let at = Instant::now();
        let traps = kind.sends_traps() && !done.unseen;
        Round {
            kind,
            changes: done.changes,
            at,
            reaction: self.watch.reaction(&self.sim, traps),
            resident: self.watch.sm.resident(),
        }
    }

    /// The links, LIDs and tables that the nodes hold.
    pub fn truth(&mut self) -> Truth {
        Truth::read(&mut self.sim, self.netlist, self.cables.home())
    }

    /// As [`Live::truth`]; asserts that the tables are those that Dmodc makes offline.
    pub fn routed(&mut self) -> Truth {
        let truth = self.truth();
        truth.assert_routed(&self.core, &Options::default());
        truth
    }

    /// The present length of OpenSM's log.
    pub fn log_len(&self) -> u64 {
        self.watch.sm.files.log_len()
    }
}
