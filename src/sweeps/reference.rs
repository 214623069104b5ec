//! The reference: the equipment that the fabric should have (`dmodc.reference`).
//!
//! `FILE` is an ibnetdiscover output or `opensm-subnet.lst`; Dmodc reads it in the first sweep and again when it
//! changes. With `auto` the plugin keeps such a file itself, beside OpenSM's `guid2lid`: it has all equipment ever
//! seen. The plugin writes it when a sweep finds new equipment, or when some has gone dark or come back. The present
//! fabric wins over the file. To forget a part, take it out of the file: the plugin reads the file again before it
//! writes it.
//!
//! The file also has the highest speed of each link, except of links that look slow beside their siblings: their speed
//! is not as designed.
//!
//! Any error in the file gives one error line, and Dmodc routes without the file. It leaves a file of a later version
//! as it is.

use super::planned::Planned;
use crate::dmodc::Faults;
use crate::fabric::{Fabric, Guid, Merged};
use crate::files::{self, MOST, Stamp, replace_by, stamp};
use crate::input::unpacked;
use crate::reference::{Dark, Day, NoReference, Reference, auto_path};
use crate::wiring::{Far, Witness, slow_links};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The option `dmodc.reference`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// This file.
    File(PathBuf),
    /// The equipment seen so far, in a file that Dmodc keeps.
    Auto,
}

/// The file of the reference, over all sweeps.
#[derive(Default)]
pub struct ReferenceFile {
    path: PathBuf,
    grows: bool,
    /// Time and length of the file when it was last read or written.
    stamp: Option<Stamp>,
    known: Option<Known>,
    /// The file is of a later version.
    is_newer: bool,
    /// The file is of another fabric.
    is_foreign: bool,
    /// The day of the last sweep, or of the last change of the file.
    last: Option<Day>,
    /// The error lines since the file was last read without one.
    logged: Vec<String>,
}

struct Known {
    reference: Reference,
    fabric: Arc<Fabric>,
}

impl ReferenceFile {
    /// The reference of these options, if they have one. It has no meaning with the paper's rule.
    pub fn new(source: Option<&Source>, faults: Faults) -> Option<Self> {
        let (path, grows) = match source? {
            Source::File(path) => (path.clone(), false),
            Source::Auto => (auto_path(), true),
        };
        if faults == Faults::Paper {
            log::error!("dmodc.reference has no meaning with dmodc.faults=paper and is ignored");
            return None;
        }
        Some(ReferenceFile {
            path,
            grows,
            ..ReferenceFile::default()
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reference with which to route a fabric, if there is one.
    pub fn of(&mut self, fabric: &Fabric) -> Option<Arc<Fabric>> {
        let stamp = stamp(&self.path);
        if self.grows && matches!(self.path.try_exists(), Ok(false)) {
            // No sweep has written the file, or an administrator has removed it to forget all equipment.
            (self.known, self.stamp, self.is_newer) = (None, None, false);
        } else if stamp.is_none() || stamp != self.stamp {
            self.stamp = stamp;
            self.last = stamp.map(|(written, _)| Day::of(written)).or(self.last);
            self.read();
        }
        let known = self.known.as_ref()?.fabric.clone();
        if known.is_of_another_fabric(fabric) {
            self.log_once("of another fabric: most switches are not in it");
            self.is_foreign = true;
            return None;
        }
        self.is_foreign = false;
        Some(known)
    }

    fn read(&mut self) {
        self.is_newer = false;
        self.known = match self.read_file() {
            Ok(known) => {
                log::info!(
                    "reference {}: {} switches, {} end nodes",
                    self.path.display(),
                    known.fabric.switches().len(),
                    known.fabric.end_nodes().len()
                );
                self.logged.clear();
                Some(known)
            }
            Err(reason) => {
                self.log_once(&reason);
                None
            }
        };
    }

    /// The content of the file, or the reason why the file is not used.
    fn read_file(&mut self) -> Result<Known, String> {
        // Any file but a plain one would keep OpenSM waiting, with its lock held.
        let bytes = files::read(&self.path).and_then(|bytes| unpacked(bytes, MOST));
        let read = Reference::parse_leniently(&bytes.map_err(|e| e.to_string())?);
        let read = read.map_err(|fault| {
            self.is_newer = matches!(fault.reason, NoReference::Newer(_));
            fault.in_file(&self.path).to_string()
        })?;
        let count = read.warnings.count();
        if let Some(first) = read.warnings.first().into_iter().next() {
            log::warn!(
                "{}; {count} odd places in the reference",
                first.in_file(&self.path)
            );
        }
        Known::new(read.value)
    }

    /// The dark equipment, with the day when each part was last seen.
    pub fn dark(&self) -> Option<&BTreeMap<Dark, Day>> {
        self.known.as_ref().map(|known| &known.reference.dark)
    }

    /// With `auto`, adds the equipment of a planned fabric and writes the file, if the fabric adds or changes any.
    /// `names` are the names of switches and end nodes, by GUID.
    pub fn keep(&mut self, planned: &Planned, names: impl FnOnce() -> HashMap<Guid, String>) {
        if !self.grows || self.is_newer {
            return;
        }
        let today = Day::today();
        let last = self.last.replace(today).unwrap_or(today);
        let known = self.known.as_ref().filter(|_| !self.is_foreign);
        let slow = || slow_ports(planned, known.map(|known| &*known.fabric));
        let mut grown = match (planned.plan.known(), known) {
            (Some((merged, _)), Some(known)) => {
                if !known.reference.grows(&known.fabric, merged) {
                    let mut faster = known.fabric.faster_in(&planned.fabric);
                    if !faster.is_empty() {
                        let slow = slow();
                        faster.retain(|port| !slow.contains(port));
                    }
                    if faster.is_empty() {
                        return;
                    }
                }
                known.reference.grown(merged, &names(), last)
            }
            // The engine has planned without the reference: together with it the fabric is no tree.
            (None, Some(_)) => return,
            (_, None) => {
                let alone = Merged::alone(&planned.fabric);
                Reference::default().grown(&alone, &names(), last)
            }
        };
        let guid = |(s, port): (u32, u8)| (planned.fabric.guid(s), port);
        grown.forget_speeds(&slow().into_iter().map(guid).collect());
        if stamp(&self.path) != self.stamp {
            // Another process has changed the file since: the next sweep reads it.
            return;
        }
        match replace_by(&self.path, |out| grown.write(out)) {
            Ok(()) => {
                self.stamp = stamp(&self.path);
                self.known = Known::new(grown).ok();
            }
            Err(e) => {
                // Equipment known to this process alone would make its tables differ from another OpenSM's.
                (self.known, self.stamp) = (None, None);
                self.log_once(&format!("cannot be written: {e}"));
            }
        }
    }

    /// Logs an error line, once.
    fn log_once(&mut self, what: &str) {
        if !self.logged.iter().any(|line| line == what) {
            log::error!(
                "reference {}: {what}; going on without it",
                self.path.display()
            );
            self.logged.push(what.to_owned());
        }
    }
}

/// The ports of links whose siblings alone show that they are slow.
fn slow_ports(planned: &Planned, known: Option<&Fabric>) -> BTreeSet<(u32, u8)> {
    let rank = |switch| planned.plan.ranking().rank(switch);
    let mut ports = BTreeSet::new();
    for slow in slow_links(&planned.fabric, rank, known) {
        if slow.slowness.witness == Witness::Siblings {
            ports.insert(slow.near);
            if let Far::Switch(switch, port) = slow.far {
                ports.insert((switch, port));
            }
        }
    }
    ports
}

impl Known {
    fn new(reference: Reference) -> Result<Known, String> {
        let fabric = reference.fabric().map_err(|e| e.to_string())?;
        Ok(Known {
            reference,
            fabric: Arc::new(fabric),
        })
    }
}
