//! The design: routes depend on places, not on the GUIDs of the boxes at these places.
//!
//! All tests use the library's public interface and do not depend on how Dmodc makes routes. Seeds draw the fabrics,
//! the same in every run; `DMODC_CASES` multiplies the throws of each test and, from 5 on, adds the largest fabrics. A
//! test makes all its throws and then lists those that failed, so that one run shows how far the program is from its
//! goal.

mod events;
pub mod fabrics;
pub mod names;
mod papers;
pub mod production;
mod quality;
mod sparse;
mod stability;
mod table;
mod trees;
mod types;
mod whole;

use crate::forced::Forced;
use crate::long;
use crate::routed::{Routed, others, partial, with_reference};
use dmodc_analysis::Traffic;
use dmodc_core::{Faults, Options, RouteError};
use dmodc_fabric::{Guid, NodeId, PortNumber};
use dmodc_formats::netlist::{Kind, Netlist};

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

    fn routed(&mut self, routed: Result<Routed, RouteError>, what: &str) -> Option<Routed> {
        match routed {
            Ok(routed) => Some(routed),
            Err(refusal) => {
                self.add(false, format!("{what}: {refusal}"));
                None
            }
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

fn is_long() -> bool {
    times() > 1
}

fn times() -> u64 {
    u64::from(long::times().div_ceil(4))
}
