//! The SMPs that OpenSM sends, by kind: each goes through `osm_req.c`, which logs it.

use crate::support::*;
use std::fs;

/// The kinds that are counted, by the names that OpenSM has for them; all others are one more.
pub const KINDS: [&str; 7] = [
    "NodeInfo",
    "SwitchInfo",
    "PortInfo",
    "NodeDescription",
    "LinearForwardingTable",
    "MulticastForwardingTable",
    "P_KeyTable",
];

/// How many were sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Smps {
    /// Gets, by kind, and all others.
    pub gets: [usize; KINDS.len() + 1],
    /// Sets.
    pub sets: [usize; KINDS.len() + 1],
}

impl Smps {
    /// Lets OpenSM log every SMP from its next sweep on, beside what it logs anyway.
    pub fn logged(sm: &OpenSm) {
        // Errors, information, debugging, of that file alone.
        let file = sm.files.path("modules.conf");
        fs::write(file, "osm_req.c 0x0b\n").expect("a file for the levels");
    }

    /// Counts what a line of the log tells, if it tells of an SMP.
    pub fn add(&mut self, line: &str) -> bool {
        let (counts, rest) = if let Some((_, rest)) = line.split_once(": Getting ") {
            (&mut self.gets, rest)
        } else if let Some((_, rest)) = line.split_once(": Setting ") {
            (&mut self.sets, rest)
        } else {
            return false;
        };
        let Some((name, _)) = rest.split_once(" (0x") else {
            return false;
        };
        let kind = KINDS.iter().position(|kind| *kind == name);
        counts[kind.unwrap_or(KINDS.len())] += 1;
        true
    }

    /// The blocks of tables.
    pub fn blocks(&self) -> usize {
        self.sets[4]
    }
}
