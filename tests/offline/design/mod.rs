//! The design: routes depend on places, not on the GUIDs of the boxes at these places.
//!
//! All tests use the library's public interface and do not depend on how Dmodc makes routes. Seeds draw the fabrics,
//! the same in every run; `DMODC_CASES` multiplies the throws of each test and, from 5 on, adds the largest fabrics. A
//! test makes all its throws and then lists those that failed, so that one run shows how far the program is from its
//! goal.

mod boxes;
mod detours;
mod events;
pub mod fabrics;
mod faults;
mod growth;
mod levels;
pub mod names;
mod papers;
mod production;
mod quality;
mod reference;
mod roles;
mod sparse;
mod types;

use crate::forced::Forced;
use crate::long;
use crate::routed::{Routed, others, with_reference};
use dmodc::analysis::Traffic;
use dmodc::dmodc::{Faults, OnUnreachable, Options, RouteError};
use dmodc::fabric::Guid;
use dmodc::netlist::{Kind, Netlist};

/// The findings of one test. All of them are printed.
#[derive(Default)]
struct Findings {
    failed: Vec<String>,
    all: usize,
}

impl Findings {
    /// Adds a finding: whether it holds, and a text with its figures.
    fn add(&mut self, holds: bool, what: impl std::fmt::Display) {
        println!("{} {what}", if holds { "  " } else { "NO" });
        self.all += 1;
        if !holds {
            self.failed.push(what.to_string());
        }
    }

    /// Routes a fabric with the default options. A refusal is a failed finding.
    fn route(&mut self, netlist: &Netlist, what: &str) -> Option<Routed> {
        self.routed(Routed::asked(netlist, &Options::default()), what)
    }

    /// As [`Findings::route`], without detours.
    fn route_up_down(&mut self, netlist: &Netlist, what: &str) -> Option<Routed> {
        self.routed(Routed::asked(netlist, &Routed::partial()), what)
    }

    fn routed(&mut self, routed: Result<Routed, RouteError>, what: &str) -> Option<Routed> {
        match routed {
            Ok(routed) => Some(routed),
            Err(refusal) => {
                self.add(false, format!("{what}: {refusal}"));
                None
            }
        }
    }

    /// Only entries of LIDs that came, went or moved change, and the tables have no defect.
    fn only_own(&mut self, before: &Routed, after: &Routed, what: &str) {
        let changes = before.changes(after);
        self.judge(others(&changes) == 0, after, what, changes);
    }

    /// No entry changes whose port still leads nearer, and the tables have no defect.
    fn only_forced(&mut self, before: &Routed, after: &Routed, what: &str) {
        let changes = before.changes(after);
        self.judge(changes.needless.entries == 0, after, what, changes);
    }

    /// As [`Findings::only_forced`], when these nodes die.
    fn die(&mut self, before: &Routed, gone: &[u32], what: &str) {
        let after = Routed::up_down(&events::without(&before.netlist, gone));
        self.only_forced(before, &after, &format!("{what} dead"));
    }

    fn judge(&mut self, holds: bool, after: &Routed, what: &str, changes: Forced) {
        let entries = after.tables.len() * after.fabric.lid_count();
        let (own, forced, needless) = (changes.own, changes.forced, changes.needless);
        let figures = format!(
            "own {}, forced {}, needless {} of {entries}",
            own.entries, forced.entries, needless.entries
        );
        match after.defect() {
            Some(defect) => self.add(false, format!("{what}: {figures}; {defect}")),
            None => self.add(holds, format!("{what}: {figures}")),
        }
    }
}

/// A test fails at its end if a finding has failed.
impl Drop for Findings {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let (failed, all) = (self.failed.len(), self.all);
        assert!(all > 0, "nothing was tried");
        let list = self.failed.join("\n");
        assert!(failed == 0, "{failed} of {all} do not hold:\n{list}");
    }
}

/// Whether a figure is at most a quarter, or one, above another.
fn is_close(figure: u32, to: u32) -> bool {
    figure <= to + (to / 4).max(1)
}

/// The seeds of `count` throws, times a quarter of `DMODC_CASES`: the same in every run.
fn throws(count: u64) -> impl Iterator<Item = u64> {
    1..=count * times()
}

/// Whether to test the largest fabrics too.
fn is_long() -> bool {
    times() > 1
}

fn times() -> u64 {
    u64::from(long::times().div_ceil(4))
}
