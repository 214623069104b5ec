//! Netlist and tables of a throw, kept in files.

use super::engine_spec::EngineSpec;
use super::foreign::engine_file;
use super::multi_engine_run::Outcome;
use crate::LabError;
use dmodc_formats::files::{packed_by_name, replace_by};
use dmodc_formats::lft::write_dump;
use dmodc_formats::netlist::Netlist;
use std::io::{self, Write};
use std::path::Path;

/// Writes the netlist with its LIDs, and the tables of each engine that made tables.
pub fn keep<'a>(
    dir: &Path,
    stem: &str,
    netlist: &Netlist,
    outcomes: impl Iterator<Item = (&'a EngineSpec, &'a Outcome)>,
) -> Result<(), LabError> {
    let (fabric, names) = netlist.to_fabric(None)?;
    let mut with_lids = netlist.clone();
    with_lids.take_lids(&fabric);
    let net = dir.join(format!("{stem}.net.gz"));
    write(&net, |mut out| with_lids.write(&mut out))?;
    for (spec, outcome) in outcomes {
        if let Outcome::Routed(copied, ..) = outcome {
            let tables = copied.tables(&fabric);
            let path = engine_file(dir, stem, spec, "lfts.gz");
            write(&path, |out| write_dump(&fabric, &names, &tables, true, out))?;
        }
    }
    Ok(())
}

fn write(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), LabError> {
    replace_by(path, |out| packed_by_name(path, out, write)).map_err(LabError::file(path))
}
