//! A running OpenSM whose fabric changes under it.

use super::cables::{Batch, Cables};
use super::faults::{Faults, Kind};
use super::measured::Row;
use super::truth::Truth;
use super::watch::{Reaction, Watch};
use crate::support::*;
use dmodc_core::Engine;
use dmodc_formats::netlist::Netlist;
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

pub struct Round {
    pub kind: Kind,
    /// The number of links that went or came.
    pub changes: usize,
    /// The time at which these had changed.
    pub at: Instant,
    pub reaction: Reaction,
    /// OpenSM's resident memory afterwards, in KiB.
    pub resident: usize,
}

impl Round {
    pub fn row(&self) -> Row {
        let reaction = &self.reaction;
        let figures = [
            ("changes", self.changes as u128),
            ("first ms", reaction.first.as_millis()),
            ("ms", reaction.last.as_millis()),
            ("sweeps", reaction.sweeps as u128),
            ("errors", reaction.errors as u128),
            ("asked", reaction.asked.into()),
            ("others", reaction.others as u128),
            ("KiB", self.resident as u128),
        ];
        Row {
            what: format!("{:?}", self.kind),
            figures: figures.map(|(name, f)| (name.to_owned(), f as f64)).into(),
        }
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
    /// Starts OpenSM on a fabric in which some cables are not plugged in yet, and waits for its first sweep. `start` also
    /// returns its engine's log name.
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

    /// As [`Live::truth`]; asserts that the tables are those that Dmodc makes offline without a reference.
    pub fn routed(&mut self) -> Truth {
        let truth = self.truth();
        let options = Options {
            forgets: true,
            ..Options::default()
        };
        truth.assert_routed(&self.core, &options);
        truth
    }

    pub fn log_len(&self) -> u64 {
        self.watch.sm.files.log_len()
    }
}
