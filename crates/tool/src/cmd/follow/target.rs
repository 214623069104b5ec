//! The file of tables that a follower keeps current, without LIDs that would harm OpenSM.

use super::follower::{Follower, Look, Routed};
use crate::failure::Failure;
use crate::output::write_text;
use dmodc_core::hop_row;
use dmodc_fabric::Lid;
use dmodc_formats::files::{self, Stamp, stamp};
use dmodc_formats::lft::{write_dump, write_lid_matrix};
use dmodc_watch::sweeps::{Logged, Planned, report};
use std::io::{self, ErrorKind, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub struct Target {
    pub file: PathBuf,
    pub lid_matrix: Option<PathBuf>,
    pub notify: Option<String>,
    /// The highest LID in the file, if known.
    pub highest: Option<Lid>,
    /// The stamps of the files when they were last written.
    pub written: Vec<Option<Stamp>>,
    /// Whether OpenSM still has to sweep to read the file's content.
    pub owed: bool,
    pub errors: Logged,
}

impl Target {
    /// Looks once, writes new tables, and makes OpenSM sweep where necessary. Logs a failure.
    pub fn turn(&mut self, follower: &mut Follower) -> Result<(), Failure> {
        if self.look(follower)? {
            match self.tell(follower) {
                Ok(()) => follower.succeed(),
                Err(reason) => {
                    follower.lag(&format!("OpenSM was not notified of new tables: {reason}"));
                }
            }
        }
        Ok(())
    }

    /// Looks once, and writes new tables to the file. Returns whether the tables are current: `false` if another
    /// host manages the subnet.
    fn look(&mut self, follower: &mut Follower) -> Result<bool, Failure> {
        if self.stamps() != self.written {
            // The next look routes, even if nothing has changed.
            follower.basis = None;
        }
        let looked = follower.look(|highest| self.strip(highest));
        let done = looked.and_then(|look| match look {
            Look::Same => Ok(true),
            Look::NotMaster => Ok(false),
            Look::New(routed, basis) => {
                let is_new = self.write(&routed)?;
                self.written = self.stamps();
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

    fn stamps(&self) -> Vec<Option<Stamp>> {
        let files = iter::once(&self.file).chain(&self.lid_matrix);
        files.map(|file| stamp(file)).collect()
    }

    /// Writes tables to the file, and logs them; returns whether they are new.
    fn write(&self, routed: &Routed) -> Result<bool, Failure> {
        let start = Instant::now();
        let mut is_new = false;
        let Planned { fabric, plan, .. } = &routed.planned;
        if let Some(file) = &self.lid_matrix {
            let hops = |from, to| hop_row(fabric, plan, from, to);
            is_new |= put(file, |out| write_lid_matrix(fabric, hops, out))?;
        }
        // Without LIDs above the subnet's highest.
        let is_higher = routed.tables.width() - 1 > routed.highest.index();
        let cut = is_higher.then(|| routed.tables.up_to(routed.highest));
        let tables = cut.as_ref().unwrap_or(&routed.tables);
        is_new |= put(&self.file, |out| {
            write_dump(fabric, &routed.names, tables, true, out)
        })?;
        let time = start.elapsed().as_millis();
        report::unreachable(&routed.names, &routed.planned);
        report::routed(&routed.sweep);
        if is_new {
            let file = self.file.display();
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
        let error = match strip(&self.file, highest) {
            Ok(()) => {
                self.highest = Some(highest);
                None
            }
            Err(Failure::Unwritable { reason, .. }) if reason.kind() == ErrorKind::NotFound => None,
            Err(e) => Some(format!("LIDs above the subnet's highest stay: {e}")),
        };
        let news = self.errors.news(error);
        news.iter().for_each(|line| log::error!("{line}"));
    }

    /// Makes OpenSM sweep, if a sweep is owed and there is a command. If that fails, the next look tries again.
    fn tell(&mut self, follower: &Follower) -> Result<(), String> {
        if let Some(command) = self.notify.as_ref().filter(|_| self.owed) {
            follower.commands.notify(command)?;
            self.owed = false;
        }
        Ok(())
    }
}

/// Writes the output of `write` to a file unless the file has it already; returns whether it was written.
fn put(file: &Path, write: impl Fn(&mut dyn Write) -> io::Result<()>) -> Result<bool, Failure> {
    let mut text = Vec::new();
    write(&mut text).map_err(Failure::unwritable(file))?;
    let old = match files::read(file) {
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        old => Some(old.map_err(Failure::unwritable(file))?),
    };
    let is_new = old.is_none_or(|old| old != text);
    if is_new {
        write_text(file, text)?;
    }
    Ok(is_new)
}

/// Takes the entries of LIDs above `highest` out of a file with tables, if it has any.
fn strip(file: &Path, highest: Lid) -> Result<(), Failure> {
    let text = files::read(file).map_err(Failure::unwritable(file))?;
    let is_above = |line: &&[u8]| lid_of(line).is_some_and(|lid| lid > highest);
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let kept: Vec<&[u8]> = lines.filter(|line| !is_above(line)).collect();
    let kept = kept.concat();
    if kept.len() < text.len() {
        write_text(file, kept)?;
    }
    Ok(())
}

/// The LID of a line that is an entry.
fn lid_of(line: &[u8]) -> Option<Lid> {
    let text = str::from_utf8(line.get(..6)?).ok()?;
    text.parse().ok().filter(|_| text.starts_with("0x"))
}
