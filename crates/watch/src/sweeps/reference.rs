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
//! The file of the plugin has the port GUID of the subnet manager in its name ([`ReferenceFile::of_port`]).
//!
//! Any error in the file gives one error line, and Dmodc routes without the file. With `auto` it then begins a new file
//! and keeps the old one as `FILE.bad`; it leaves a file of a later version as it is.

use super::planned::Planned;
use super::writer::Job;
use crate::wiring::{Designed, Far, Witness, slow_links};
use dmodc_core::Faults;
use dmodc_fabric::{Fabric, Guid, Merged, PortNumber, Speed, SwitchId, replaced};
use dmodc_formats::files::{self, MOST, Stamp, replace, stamp};
use dmodc_formats::input::unpacked;
use dmodc_formats::reference::{Dark, NoReference, Reference, auto_paths, day_of, today};
use jiff::civil::Date;
use log::Level;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The option `dmodc.reference`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Source {
    /// The equipment seen so far, in a file that Dmodc keeps.
    #[default]
    Auto,
    /// No memory.
    None,
    /// This file.
    File(PathBuf),
}

impl From<&Path> for Source {
    fn from(value: &Path) -> Self {
        match value.to_str() {
            Some("auto") => Source::Auto,
            Some("none") => Source::None,
            _ => Source::File(value.to_owned()),
        }
    }
}

/// The file of the reference, over all sweeps.
#[derive(Default)]
pub struct ReferenceFile {
    /// The file.
    pub path: PathBuf,
    /// Whether the plugin keeps the file itself, with all equipment seen so far.
    pub grows: bool,
    /// The file without a port in its name, which is taken over while `path` is not there.
    old: Option<PathBuf>,
    /// What is known is of the old file.
    is_old: bool,
    /// Time and length of the file when it was last read or written.
    stamp: Option<Stamp>,
    known: Option<Known>,
    /// The file is of a later version.
    is_newer: bool,
    /// The file is of another fabric.
    is_foreign: bool,
    /// The day of the last sweep, or of the last change of the file.
    last: Option<Date>,
    /// The error lines since the file was last read without one.
    logged: Vec<String>,
    /// Whether the last writing failed, which the log has once.
    has_failed: Arc<AtomicBool>,
    /// The writing of the file that has been handed over, if its outcome has not been looked at.
    writing: Option<Arc<Mutex<Writing>>>,
}

/// The writing of the file, by another thread. Until it has ended, that is while contents that have been handed over
/// share this, this process goes by what it has handed over.
struct Writing {
    /// The stamp that the file has unless another process has changed it.
    expected: Option<Stamp>,
    /// The last failure.
    failure: Option<Unwritten>,
}

/// Why the file is not written.
enum Unwritten {
    /// Another process has changed it since: the next sweep reads it.
    Changed,
    /// The log has the reason.
    Failed,
}

struct Known {
    reference: Reference,
    fabric: Arc<Fabric>,
}

impl ReferenceFile {
    /// The reference of these options, if they have one. It has no meaning with the paper's rule.
    pub fn new(source: &Source, faults: Faults) -> Option<Self> {
        let (path, grows) = match (source, faults) {
            (Source::None, _) | (Source::Auto, Faults::Paper) => return None,
            (Source::File(_), Faults::Paper) => {
                log::error!(
                    "dmodc.reference has no meaning with dmodc.faults=paper and is ignored"
                );
                return None;
            }
            (Source::File(path), _) => (path.clone(), false),
            (Source::Auto, _) => {
                let [_, of_no_port] = auto_paths();
                (of_no_port, true)
            }
        };
        Some(ReferenceFile {
            path,
            grows,
            ..ReferenceFile::default()
        })
    }

    /// Makes the file that the plugin keeps that of the subnet manager at this port.
    pub fn of_port(&mut self, port: Guid) {
        if self.grows && self.old.is_none() {
            let [by_port, _] = auto_paths();
            let old = std::mem::replace(&mut self.path, files::of_port(&by_port, port));
            self.old = Some(old);
        }
    }

    /// The reference with which to route a fabric, if there is one.
    pub fn fabric_for(&mut self, fabric: &Fabric) -> Option<Arc<Fabric>> {
        self.end_writing();
        let stamp = stamp(&self.path);
        if self.writing.is_some() {
            // The file is about to have what is known.
        } else if self.grows && matches!(self.path.try_exists(), Ok(false)) {
            // No sweep has written the file, or an administrator has removed it to forget all equipment.
            (self.known, self.stamp, self.is_newer) = (None, None, false);
            self.take_over();
        } else if stamp.is_none() || stamp != self.stamp {
            (self.stamp, self.is_old) = (stamp, false);
            self.last = stamp.map(|(written, _)| day_of(written)).or(self.last);
            self.read(&self.path.clone());
        }
        let known = self.known.as_ref()?.fabric.clone();
        if known.is_of_another_fabric(fabric) {
            let level = match self.grows {
                true => Level::Warn,
                false => Level::Error,
            };
            let path = self.old.as_ref().filter(|_| self.is_old);
            let path = path.unwrap_or(&self.path);
            let reason = "of another fabric: most switches are not in it";
            log_once(&mut self.logged, path, reason, level);
            self.is_foreign = true;
            return None;
        }
        self.is_foreign = false;
        Some(known)
    }

    /// Looks at the outcome of a writing that has ended.
    fn end_writing(&mut self) {
        let ended = (self.writing).take_if(|writing| Arc::get_mut(writing).is_some());
        let Some(ended) = ended else { return };
        let ended = lock(&ended);
        match ended.failure {
            None => self.stamp = ended.expected,
            Some(Unwritten::Changed) => self.stamp = None,
            // Equipment known to this process alone would make its tables differ from another OpenSM's.
            Some(Unwritten::Failed) => (self.known, self.stamp) = (None, None),
        }
    }

    /// Reads the old file, if it is there. The first writing of the file itself ends its use.
    fn take_over(&mut self) {
        let there = self.old.clone().filter(|old| stamp(old).is_some());
        if let Some(old) = there {
            self.last = stamp(&old).map(|(written, _)| day_of(written));
            self.read(&old);
            self.is_old = self.known.is_some();
        }
    }

    fn read(&mut self, path: &Path) {
        self.is_newer = false;
        self.known = match self.read_file(path) {
            Ok(known) => {
                let (path, fabric) = (path.display(), &known.fabric);
                let (switches, nodes) = (fabric.switches().len(), fabric.end_nodes().len());
                log::info!("reference {path}: {switches} switches, {nodes} end nodes");
                self.logged.clear();
                Some(known)
            }
            Err(reason) => {
                log_once(&mut self.logged, path, &reason, Level::Error);
                None
            }
        };
    }

    /// The content of the file, or the reason why the file is not used.
    fn read_file(&mut self, path: &Path) -> Result<Known, String> {
        // Any file but a plain one would keep OpenSM waiting, with its lock held.
        let bytes = files::read(path).and_then(|bytes| unpacked(bytes, MOST));
        let read = Reference::parse_leniently(&bytes.map_err(|e| e.to_string())?);
        let read = read.map_err(|fault| {
            self.is_newer = matches!(fault.reason, NoReference::Newer(_));
            fault.in_file(path).to_string()
        })?;
        let count = read.warnings.count();
        if let Some(first) = read.warnings.into_first() {
            let first = first.in_file(path);
            log::warn!("{first}; {count} odd places in the reference");
        }
        Known::new(read.value)
    }

    /// The dark equipment, with the day when each part was last seen.
    pub fn dark(&self) -> Option<&BTreeMap<Dark, Date>> {
        self.known.as_ref().map(|known| &known.reference.dark)
    }

    /// The names of the reference, by the GUIDs of switches and of the ports of hosts.
    pub fn names(&self) -> HashMap<Guid, &str> {
        let mut names = HashMap::new();
        let known = self.known.iter();
        for node in known.flat_map(|known| &known.reference.netlist.nodes) {
            let ports = node.ports.iter().map(|port| node.port_guid(port));
            let guids = ports.chain([node.guid]);
            names.extend(guids.map(|guid| (guid, &*node.description)));
        }
        names
    }

    /// With `auto`, adds the equipment of a planned fabric and writes the file, if the fabric adds or changes any.
    /// `names` are the names of switches and end nodes, by GUID; `write` runs a job that writes the file, now or later.
    pub fn keep(
        &mut self,
        planned: &Planned,
        names: impl FnOnce() -> HashMap<Guid, String>,
        write: impl FnOnce(&Path, Job),
    ) {
        self.end_writing();
        if !self.grows || self.is_newer {
            return;
        }
        let today = today();
        let last = self.last.replace(today).unwrap_or(today);
        let known = self.known.as_ref().filter(|_| !self.is_foreign);
        let is_refused = known.is_none() && self.stamp.is_some();
        let slow = || slow_ports(planned, known.map(|known| &*known.fabric));
        let mut grown = match (planned.known(), known) {
            (Some(merged), Some(known)) => {
                if !self.is_old && !known.reference.grows(&known.fabric, &merged) {
                    let mut faster = known.fabric.faster_in(&planned.fabric);
                    if !faster.is_empty() {
                        let slow = slow();
                        faster.retain(|port| !slow.contains(port));
                    }
                    if faster.is_empty() {
                        return;
                    }
                }
                known.reference.grown(&merged, &names(), last)
            }
            // The engine has planned without the reference: together with it the fabric is no tree.
            (None, Some(_)) => return,
            (_, None) => {
                let alone = Merged::alone(&planned.fabric);
                Reference::default().grown(&alone, &names(), last)
            }
        };
        let guid = |(s, port): (SwitchId, PortNumber)| (planned.fabric.guid(s), port);
        let slower = known.map(|known| slower_boxes(planned, known));
        for (speed, ports) in slower.unwrap_or_default() {
            grown.set_speed(&ports.into_iter().map(guid).collect(), speed);
        }
        let slow = slow().into_iter().map(guid).collect();
        grown.set_speed(&slow, Speed::UNKNOWN);
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = grown.write(&mut text);
        self.known = Known::new(grown).ok();
        let writing = self.writing.get_or_insert_with(|| {
            Arc::new(Mutex::new(Writing {
                expected: self.stamp,
                failure: None,
            }))
        });
        let path = self.path.clone();
        let is_old = std::mem::take(&mut self.is_old) && !self.is_foreign;
        let handed = Handed {
            writing: writing.clone(),
            has_failed: self.has_failed.clone(),
            is_refused,
            taken_over: self.old.clone().filter(|_| is_old),
        };
        write(&self.path, Box::new(move || handed.write(&path, &text)));
        self.end_writing();
    }
}

fn log_once(logged: &mut Vec<String>, path: &Path, what: &str, level: Level) {
    if !logged.iter().any(|line| line == what) {
        let path = path.display();
        log::log!(level, "reference {path}: {what}; going on without it");
        logged.push(what.to_owned());
    }
}

/// A content of the file that has been handed over. When it is dropped, it is written or never will be.
struct Handed {
    writing: Arc<Mutex<Writing>>,
    has_failed: Arc<AtomicBool>,
    /// The file that is there was refused: it is kept beside the new one.
    is_refused: bool,
    /// The old file, whose content is in this one.
    taken_over: Option<PathBuf>,
}

impl Handed {
    fn write(self, path: &Path, text: &[u8]) {
        let expected = lock(&self.writing).expected;
        let kept = || match self.is_refused {
            true => keep_refused(path),
            false => Ok(()),
        };
        let outcome = match stamp(path) == expected {
            false => Err(Unwritten::Changed),
            true => kept().and_then(|()| replace(path, text)).map_err(|e| {
                if !self.has_failed.swap(true, Ordering::Relaxed) {
                    let path = path.display();
                    log::error!(
                        "reference {path}: cannot be written: {e}; changes are not remembered"
                    );
                }
                Unwritten::Failed
            }),
        };
        if outcome.is_ok() {
            self.has_failed.store(false, Ordering::Relaxed);
            self.taken_over.iter().for_each(|old| put_aside(old, path));
        }
        let mut writing = lock(&self.writing);
        match outcome {
            Ok(()) => (writing.expected, writing.failure) = (stamp(path), None),
            Err(failure) => writing.failure = Some(failure),
        }
    }
}

/// Copies a refused file to `FILE.bad`, in place of an earlier one. A copy, so that the file itself is always there.
fn keep_refused(path: &Path) -> io::Result<()> {
    let mut bad = path.as_os_str().to_owned();
    bad.push(".bad");
    replace(Path::new(&bad), &files::read(path)?)?;
    let (path, bad) = (path.display(), Path::new(&bad).display());
    log::warn!("reference {path}: kept as {bad}; a new one begins");
    Ok(())
}

/// Renames an old file whose content has been taken over, so that no other OpenSM takes it over, too: it would bring
/// back what an administrator has forgotten meanwhile.
fn put_aside(old: &Path, path: &Path) {
    let mut aside = old.as_os_str().to_owned();
    aside.push(".old");
    let (from, to, path) = (old.display(), Path::new(&aside).display(), path.display());
    match std::fs::rename(old, &aside) {
        Ok(()) => log::info!("reference {path}: has what {from} had, which is {to} now"),
        Err(e) => log::error!("cannot write {to}: {e}"),
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The ports of links whose siblings alone show that they are slow.
fn slow_ports(planned: &Planned, known: Option<&Fabric>) -> BTreeSet<(SwitchId, PortNumber)> {
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

/// By expected speed, the ports of boxes in the places of faster ones: their places keep the speed.
fn slower_boxes(planned: &Planned, known: &Known) -> BTreeMap<Speed, Vec<(SwitchId, PortNumber)>> {
    let fabric = &planned.fabric;
    let designed = Designed::new(fabric, Some(&known.fabric));
    let mut slower: BTreeMap<Speed, Vec<_>> = BTreeMap::new();
    for (s, _) in replaced(fabric, &known.fabric) {
        for (port, _) in fabric.ports_of(s) {
            let expected = designed.speed(s, port);
            if let Some(speed) = expected.filter(|speed| *speed > fabric.link_speed(s, port)) {
                slower.entry(speed).or_default().push((s, port));
            }
        }
    }
    slower
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
