//! The SMPs that OpenSM sends: each goes through `osm_req.c`, which logs it.

use crate::support::*;
use std::fs;

/// The numbers of SMPs sent.
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
