//! The file of tables that a follower keeps current, without LIDs that would harm OpenSM.

use super::follower::{Follower, Look};
use super::routed::Routed;
use crate::failure::Failure;
use crate::output::write_to;
use dmodc_fabric::Lid;
use dmodc_formats::files::open;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub struct Target {
    pub file: PathBuf,
    pub lid_matrix: Option<PathBuf>,
    pub notify: Option<String>,
    /// The highest LID in the file, if known.
    pub highest: Option<Lid>,
    /// Whether OpenSM still has to sweep to read the file's content.
    pub owed: bool,
}

impl Target {
    /// Looks once, writes new tables, and makes OpenSM sweep where necessary. Logs a failure.
    pub fn turn(&mut self, follower: &mut Follower) -> Result<(), Failure> {
        let is_current = self.look(follower)?;
        self.tell(follower);
        match (is_current, self.owed) {
            (false, _) => {}
            (true, true) => follower.wait_for_sweep(),
            (true, false) => follower.succeed(),
        }
        Ok(())
    }

    /// Looks once, and writes new tables to the file. Returns whether the tables are current: `false` if another
    /// host manages the subnet.
    fn look(&mut self, follower: &mut Follower) -> Result<bool, Failure> {
        if !self.file.exists() {
            // The next look routes, even if nothing has changed.
            follower.basis = None;
        }
        let looked = follower.look(|highest| self.strip(highest));
        let done = looked.and_then(|look| match look {
            Look::Same => Ok(true),
            Look::NotMaster => Ok(false),
            Look::New(routed, basis) => {
                let is_new = self.write(&routed)?;
                // Without `--notify`, OpenSM sweeps on its own, unknown to this process.
                self.owed |= is_new && self.notify.is_some();
                self.highest = Some(routed.highest);
                follower.settle(routed, basis);
                Ok(true)
            }
        });
        match &done {
            Ok(true) => {}
            Ok(false) => follower.stand_by(),
            Err(failure) => follower.fail(&failure.to_string()),
        }
        done
    }

    /// Writes tables to the file; returns whether they are new.
    fn write(&self, routed: &Routed) -> Result<bool, Failure> {
        let start = Instant::now();
        let mut is_new = false;
        if let Some(file) = &self.lid_matrix {
            is_new |= put(file, |out| routed.write_lid_matrix(out))?;
        }
        is_new |= put(&self.file, |out| routed.write(out))?;
        if is_new {
            let (file, time) = (self.file.display(), start.elapsed().as_millis());
            log::info!("tables written to {file} in {time} ms");
        }
        Ok(is_new)
    }

    /// Takes LIDs above the fabric's highest out of the file: for these, an OpenSM that starts now would write
    /// beyond its own tables.
    fn strip(&mut self, highest: Lid) {
        if self.highest.is_some_and(|h| h <= highest) {
            return;
        }
        match strip(&self.file, highest) {
            Ok(()) => self.highest = Some(highest),
            Err(Failure::Unwritable { reason, .. }) if reason.kind() == ErrorKind::NotFound => {}
            Err(e) => log::error!("LIDs above the subnet's highest stay: {e}"),
        }
    }

    /// Makes OpenSM sweep, if a sweep is owed and there is a command. If that fails, the next look tries again.
    fn tell(&mut self, follower: &Follower) {
        if let Some(command) = self.notify.as_ref().filter(|_| self.owed) {
            match follower.commands.notify(command) {
                Ok(()) => self.owed = false,
                Err(reason) => log::error!("OpenSM was not notified of new tables: {reason}"),
            }
        }
    }
}

/// Writes the output of `write` to a file unless the file has it already; returns whether it was written.
fn put(file: &Path, write: impl Fn(&mut dyn Write) -> io::Result<()>) -> Result<bool, Failure> {
    if has(file, &write) {
        return Ok(false);
    }
    write_to(file, &write)?;
    Ok(true)
}

/// Whether a plain file has exactly the output of `write`.
fn has(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> bool {
    let Ok(file) = open(path) else { return false };
    let mut same = Same(BufReader::with_capacity(1 << 16, file));
    write(&mut same).is_ok() && same.0.fill_buf().is_ok_and(<[u8]>::is_empty)
}

/// A writer that accepts only the content of a reader.
struct Same<R>(R);

impl<R: BufRead> Write for Same<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let old = self.0.fill_buf()?;
        let count = old.len().min(bytes.len());
        if count == 0 || old[..count] != bytes[..count] {
            return Err(io::Error::other("something else"));
        }
        self.0.consume(count);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes the entries of LIDs above `highest` out of a file with tables, if it has any.
fn strip(file: &Path, highest: Lid) -> Result<(), Failure> {
    let is_above = |line: &[u8]| lid_of(line).is_some_and(|lid| lid > highest);
    let mut any = false;
    let read = each_line(file, |line| {
        any |= is_above(line);
        Ok(())
    });
    read.map_err(Failure::unwritable(file))?;
    if !any {
        return Ok(());
    }
    let written = write_to(file, |out| {
        each_line(file, |line| match is_above(line) {
            true => Ok(()),
            false => out.write_all(line),
        })
    });
    written.map(drop)
}

/// The LID of a line that is an entry.
fn lid_of(line: &[u8]) -> Option<Lid> {
    let text = str::from_utf8(line.get(..6)?).ok()?;
    text.parse().ok().filter(|_| text.starts_with("0x"))
}

fn each_line(file: &Path, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(1 << 16, File::open(file)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        each(&line)?;
        line.clear();
    }
    Ok(())
}
