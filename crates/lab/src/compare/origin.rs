//! Hashes of the files that a row depends on: other files may have the names that are in the row.

use super::engine_spec::{EngineSpec, Foreign};
use super::foreign::sources;
use dmodc_formats::netlist::Netlist;
use std::collections::HashMap;
use std::fs;

/// Hashes of the contents of a series' files.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    fabric: String,
    programs: HashMap<EngineSpec, String>,
}

impl Origin {
    /// Hashes a fabric, and the programs among the engines.
    pub fn new(netlist: &Netlist, specs: &[EngineSpec]) -> Origin {
        let are_programs = |spec: &&EngineSpec| matches!(spec.foreign, Some(Foreign::Exec(_)));
        let programs = specs.iter().filter(are_programs);
        let programs = programs.map(|spec| (spec.clone(), of_engine(spec, "")));
        Origin {
            fabric: hash(&netlist.to_text()),
            programs: programs.collect(),
        }
    }

    /// The hashes for a row of an engine: the fabric, and the files that its tables depend on; `-` for
    /// none. `stem` names the throw.
    pub fn hashes(&self, spec: &EngineSpec, stem: &str) -> String {
        let program = self.programs.get(spec).cloned();
        let source = program.unwrap_or_else(|| of_engine(spec, stem));
        format!("{} {source}", self.fabric)
    }
}

/// An unreadable file counts as empty: the code that uses the file reports the error.
fn of_engine(spec: &EngineSpec, stem: &str) -> String {
    let foreign = spec.foreign.iter();
    let files = foreign.flat_map(|from| sources(from, stem, &spec.to_string()));
    let read = |file| [b"file ".to_vec(), fs::read(file).unwrap_or_default()].concat();
    hash(&files.flat_map(read).collect::<Vec<u8>>())
}

/// FNV-1a, which no release of Rust changes; `-` of nothing.
fn hash(bytes: &[u8]) -> String {
    let mix = |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    match bytes {
        [] => "-".into(),
        _ => format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)),
    }
}
