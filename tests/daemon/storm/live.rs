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

/// A fabric, ibsim that plays it, and OpenSM under watch.
pub struct Live<'n> {
    pub netlist: &'n Netlist,
    pub sim: Ibsim,
    pub cables: Cables<'n>,
    pub watch: Watch,
    /// Dmodc offline, which the tables in the switches are held against.
    pub core: Engine,
}

/// A round of a storm.
pub struct Round {
    pub kind: Kind,
    /// How many links went or came.
    pub changes: usize,
    /// When they had.
    pub at: Instant,
    /// What OpenSM did about it.
    pub reaction: Reaction,
    /// Its resident memory afterwards, in KiB.
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

/// Does what is to be done to the cables.
fn batch(sim: &mut Ibsim, cables: &mut Cables) -> Batch {
    let batch = cables.take();
    if !batch.commands.is_empty() {
        sim.batch(&batch.commands);
    }
    batch
}

impl<'n> Live<'n> {
    /// Starts OpenSM, whose log names the engine so, and waits for its first sweep.
    pub fn start(net: &'n Net, start: impl FnOnce(&Ibsim) -> (OpenSm, &'static str)) -> Live<'n> {
        Live::start_without(net, |_| (), start)
    }

    /// The same on a fabric in which some cables are not plugged yet.
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

    /// Changes something, and waits for what OpenSM does about it.
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

    /// What the switches hold.
    pub fn truth(&mut self) -> Truth {
        Truth::read(&mut self.sim, self.netlist, self.cables.home())
    }

    /// The tables of all switches, which must be those that Dmodc makes offline.
    pub fn routed(&mut self) -> Truth {
        let truth = self.truth();
        truth.assert_routed(&self.core, &Options::default());
        truth
    }

    /// How long OpenSM's log is now.
    pub fn log_len(&self) -> usize {
        self.watch.sm.files.log().len()
    }
}
