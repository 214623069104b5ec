//! The fabric as it is meant to be: what routes owe to places, whatever the boxes at them are called.
//!
//! All of it goes through the library's public interface and knows nothing of how routes are made. Fabrics are
//! drawn by seeds that are the same in every run; `DMODC_CASES` multiplies the throws of each test and, from
//! 5 on, adds the largest fabrics. A test goes through all its throws and then names those that failed, so that one run says how
//! far the program is from what it should do.

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

use crate::forced::{Forced, forced};
use crate::long;
use crate::routed::{others, with_reference};
use dmodc::analysis::{Traffic, bound};
use dmodc::dmodc::{Faults, OnUnreachable, Options, RouteError};
use dmodc::fabric::{Fabric, Guid};
use dmodc::lft::Tables;
use dmodc::netlist::{Kind, Netlist};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

/// A fabric with its tables.
struct Routed {
    netlist: Netlist,
    routed: crate::routed::Routed,
}

impl Deref for Routed {
    type Target = crate::routed::Routed;

    fn deref(&self) -> &Self::Target {
        &self.routed
    }
}

impl Routed {
    /// As the defaults have it: `stable`, no reference.
    fn new(netlist: &Netlist) -> Routed {
        Routed::asked(netlist, &Options::default()).expect("a tree")
    }

    fn paper(netlist: &Netlist) -> Routed {
        let options = Options {
            faults: Faults::Paper,
            ..Options::default()
        };
        Routed::asked(netlist, &options).expect("a tree")
    }

    fn with_reference(netlist: &Netlist, reference: &Netlist) -> Routed {
        Routed::asked(netlist, &with_reference(reference)).expect("a tree")
    }

    /// No path where there is no up-down path, so that what turns hides nothing.
    fn up_down(netlist: &Netlist) -> Routed {
        Routed::asked(netlist, &Routed::partial()).expect("a tree")
    }

    fn partial() -> Options {
        Options {
            on_unreachable: OnUnreachable::Partial,
            ..Options::default()
        }
    }

    fn asked(netlist: &Netlist, options: &Options) -> Result<Routed, RouteError> {
        Ok(Routed {
            netlist: netlist.clone(),
            routed: crate::routed::Routed::new(netlist, options)?,
        })
    }

    /// What changes from these tables to others. Switches are the same if their places are: those of one
    /// description, whatever GUIDs they have.
    fn changes(&self, after: &Routed) -> Forced {
        let guids: HashMap<&str, Guid> = switch_guids(&after.netlist);
        let mut renamed = self.netlist.clone();
        for node in renamed.nodes.iter_mut().filter(|n| n.kind == Kind::Switch) {
            if let Some(&guid) = guids.get(&*node.description) {
                node.guid = guid;
            }
        }
        let (fabric, _) = renamed.to_fabric(None).expect("LIDs");
        let mut tables = Tables::for_fabric(&fabric);
        let pairs = self.netlist.switches().zip(renamed.switches());
        for (old, new) in pairs {
            let of = |fabric: &Fabric, guid| fabric.switch_by_guid(guid).expect("it is there");
            let (from, to) = (of(&self.fabric, old.guid), of(&fabric, new.guid));
            tables.row_mut(to).copy_from_slice(self.tables.row(from));
        }
        let ranking = after.plan.ranking();
        let is_up = |a, b| ranking.is_up(a, b);
        forced((&fabric, &tables), after.pair(), is_up)
    }

    /// The levels of all switches by their places.
    fn levels(&self) -> HashMap<&str, u32> {
        let ranking = self.plan.ranking();
        let switches = self.netlist.switches().map(|node| {
            let switch = self.fabric.switch_by_guid(node.guid).expect("it is there");
            (&*node.description, ranking.rank(switch))
        });
        switches.collect()
    }

    fn traffic(&self) -> Traffic {
        Traffic::new(&self.fabric, &self.tables, self.plan.order())
    }

    fn a2a(&self) -> u32 {
        self.traffic().all_to_all(&|_| ()).value
    }

    fn sp(&self) -> u32 {
        self.traffic().shifts(&|_| ()).value
    }

    /// How low A2A can be.
    fn bound(&self) -> u32 {
        let ranking = self.plan.ranking();
        bound(&self.fabric, |s| ranking.rank(s)).expect("links up")
    }

    /// What is wrong with the tables, if anything is: all that has a path is delivered, without a credit loop.
    fn defect(&self) -> Option<String> {
        let report = self.report();
        let sound = report.undelivered() == 0 && report.credit_loops.count == 0;
        (!sound).then(|| format!("{report:?}"))
    }
}

fn switch_guids(netlist: &Netlist) -> HashMap<&str, Guid> {
    let switches = netlist.switches();
    switches.map(|n| (&*n.description, n.guid)).collect()
}

/// What one test has found. All of it is printed.
#[derive(Default)]
struct Findings {
    failed: Vec<String>,
    all: usize,
}

impl Findings {
    /// One finding in words, with its figures, and whether it is as it should be.
    fn add(&mut self, holds: bool, what: impl std::fmt::Display) {
        println!("{} {what}", if holds { "  " } else { "NO" });
        self.all += 1;
        if !holds {
            self.failed.push(what.to_string());
        }
    }

    /// Routes a fabric as the defaults have it. That it is refused is a finding.
    fn route(&mut self, netlist: &Netlist, what: &str) -> Option<Routed> {
        self.routed(Routed::asked(netlist, &Options::default()), what)
    }

    /// The same, with no path where there is no up-down path.
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

    /// Only LIDs that came, went or moved change, and the tables are sound.
    fn only_own(&mut self, before: &Routed, after: &Routed, what: &str) {
        let changes = before.changes(after);
        self.judge(others(&changes) == 0, after, what, changes);
    }

    /// What still stands stays, and the tables are sound.
    fn only_forced(&mut self, before: &Routed, after: &Routed, what: &str) {
        let changes = before.changes(after);
        self.judge(changes.needless.entries == 0, after, what, changes);
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

/// The test ends, and fails if anything has failed.
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

/// At most a quarter above a figure, or one.
fn is_close(figure: u32, to: u32) -> bool {
    figure <= to + (to / 4).max(1)
}

/// The seeds of so many throws: the same in every run, a quarter of `DMODC_CASES` times as many.
fn throws(count: u64) -> impl Iterator<Item = u64> {
    1..=count * times()
}

/// Whether the largest fabrics are asked for as well.
fn is_long() -> bool {
    times() > 1
}

fn times() -> u64 {
    u64::from(long::times().div_ceil(4))
}
