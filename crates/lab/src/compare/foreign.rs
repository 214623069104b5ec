//! Tables that OpenSM does not make: a program makes them, or they are in files, as `dmodc compare --keep` writes them.
//!
//! A program is a command of the shell. It gets two arguments, a netlist with LIDs and the name of the file that it has
//! to write, in the format of `opensm-lfts.dump`. Its time is the time of the whole program, its file access included.

use super::copied::Outcome;
use super::engine_spec::{EngineSpec, Foreign};
use crate::LabError;
use crate::sim::{Guard, NoTables, PrivateDir, Program, last_line, text_of};
use dmodc_fabric::{Fabric, Tables};
use dmodc_formats::files::{packed_by_name, replace_by};
use dmodc_formats::input::InputError;
use dmodc_formats::lft::{Dump, write_dump};
use dmodc_formats::netlist::Netlist;
use std::env;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The shell, as leader of a process group, which ends with it.
const SHELL: Program = Program {
    name: "setsid",
    package: "util-linux",
};

/// Tables, and the time to make them, if a program made them.
pub type Found = (Tables, Option<Duration>);

/// The tables of a fabric, or the reason why there are none. In a folder, file names begin with `stem`, then `name`.
pub fn tables(
    source: &Foreign,
    (netlist, fabric): (&Netlist, &Fabric),
    (stem, name): (&str, &str),
    limit: Duration,
) -> Result<Result<Found, NoTables>, LabError> {
    match source {
        Foreign::Exec(command) => made(command, netlist, fabric, limit),
        Foreign::Lfts(dir) => Ok(match file(dir, stem, name) {
            Ok(path) => read(&path, fabric).map(|tables| (tables, None)),
            Err(reason) => Err(NoTables::Refused(reason)),
        }),
    }
}

/// The existing files that tables depend on: all files that a command names, its program included, except the targets
/// of `>`; or the file with the tables.
fn sources(source: &Foreign, stem: &str, name: &str) -> Vec<PathBuf> {
    let command = match source {
        Foreign::Exec(command) => command,
        Foreign::Lfts(dir) => return file(dir, stem, name).into_iter().collect(),
    };
    let is_between = |c: char| c.is_whitespace() || "\"'`;&|<(){}=".contains(c);
    let words = command.split('>').enumerate().flat_map(|(i, part)| {
        let words = part.split(is_between).filter(|word| !word.is_empty());
        words.skip(usize::from(i > 0))
    });
    let path = env::var_os("PATH").unwrap_or_default();
    // A word that begins with a slash stays as it is.
    let mut dirs = vec![PathBuf::new()];
    dirs.extend(env::split_paths(&path));
    let file = |word| {
        let mut files = dirs.iter().map(|dir| dir.join(word));
        files.find(|file| file.is_file())
    };
    words.filter_map(file).collect()
}

/// The hash of the files that the tables of an engine depend on; `-` for none. An unreadable file counts as empty: the
/// code that uses the file reports the error.
pub fn source_hash(spec: &EngineSpec, stem: &str) -> String {
    let foreign = spec.foreign.iter();
    let files = foreign.flat_map(|from| sources(from, stem, &spec.to_string()));
    let read = |file| [b"file ".to_vec(), fs::read(file).unwrap_or_default()].concat();
    content_hash(&files.flat_map(read).collect::<Vec<u8>>())
}

/// FNV-1a, which no release of Rust changes; `-` of nothing.
pub fn content_hash(bytes: &[u8]) -> String {
    let mix = |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    match bytes {
        [] => "-".into(),
        _ => format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)),
    }
}

/// The file of an engine in a folder. Options may contain paths, whose slashes become `_`.
fn engine_file(dir: &Path, stem: &str, name: &impl Display, ending: &str) -> PathBuf {
    let name = name.to_string().replace('/', "_");
    dir.join(format!("{stem}-{name}.{ending}"))
}

/// The file in a folder that has the tables, plain or packed.
fn file(dir: &Path, stem: &str, name: &str) -> Result<PathBuf, String> {
    let [plain, packed] = ["lfts", "lfts.gz"].map(|ending| engine_file(dir, stem, &name, ending));
    let none = format!("there is no {}", plain.display());
    let mut files = [plain, packed].into_iter();
    files.find(|path| path.exists()).ok_or(none)
}

fn made(
    command: &str,
    netlist: &Netlist,
    fabric: &Fabric,
    limit: Duration,
) -> Result<Result<Found, NoTables>, LabError> {
    let dir = PrivateDir::new()?;
    let path = |name| dir.path().join(name);
    let (net, lfts, output) = (path("fabric.net"), path("fabric.lfts"), path("output"));
    let text = netlist.with_lids(fabric).to_text();
    fs::write(&net, text).map_err(LabError::file(&net))?;
    let here = env::current_dir().map_err(LabError::file(Path::new(".")))?;
    let script = match command.contains('$') {
        true => command.to_owned(),
        false => format!("{command} \"$@\""),
    };
    let mut shell = SHELL.command(&here)?;
    shell.args(["sh", "-c", &script, "sh"]).arg(&net).arg(&lfts);
    let start = Instant::now();
    let mut running = Guard::start(shell, &output)?;
    let Some(status) = running.wait(limit) else {
        return Ok(Err(NoTables::TimedOut(limit)));
    };
    let took = start.elapsed();
    if !status.success() {
        let printed = text_of(&output);
        let last = last_line(&printed).unwrap_or("it said nothing");
        return Ok(Err(NoTables::Refused(format!("{status}: {last}"))));
    }
    Ok(read(&lfts, fabric).map(|tables| (tables, Some(took))))
}

fn read(path: &Path, fabric: &Fabric) -> Result<Tables, NoTables> {
    let tables = |dump: Dump| dump.tables(fabric).map_err(|fault| fault.in_file(path));
    let refused = |error| match error {
        InputError::Line { line, reason, .. } => format!("its tables, line {line}: {reason}"),
        InputError::Whole { reason, .. } => format!("its tables: {reason}"),
        InputError::Unreadable { reason, .. } => format!("no tables: {reason}"),
    };
    let read = Dump::read(path).and_then(tables);
    read.map_err(|error| NoTables::Refused(refused(error)))
}

/// Writes the netlist with its LIDs, and the tables of each engine that made tables.
pub fn keep<'a>(
    dir: &Path,
    stem: &str,
    netlist: &Netlist,
    outcomes: impl Iterator<Item = (&'a EngineSpec, &'a Outcome)>,
) -> Result<(), LabError> {
    let (fabric, names) = netlist.to_fabric(None)?;
    let net = dir.join(format!("{stem}.net.gz"));
    write(&net, |mut out| netlist.with_lids(&fabric).write(&mut out))?;
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
