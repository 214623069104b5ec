//! The reference: the places that the fabric should have (`dmodc.reference`).
//!
//! `FILE` is an ibnetdiscover output or `opensm-subnet.lst`, read in the first sweep and again when it
//! changes. With `auto` the plugin keeps such a file itself, beside OpenSM's `guid2lid`: all places
//! that it has seen, written when a sweep has seen new ones. What contradicts the present fabric gives
//! way.
//!
//! The file has one name, as `guid2lid` has: each subnet wants a cache folder of its own
//! (`OSM_CACHE_DIR`). OpenSMs of two subnets on one folder write over each other's places.
//!
//! Whatever is wrong with the file is one error line, and the fabric is routed without it.

use super::files::{Stamp, replace, stamp};
use crate::dmodc::Faults;
use crate::fabric::{Fabric, Merged};
use crate::input;
use crate::netlist::Netlist;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The option `dmodc.reference`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// This file.
    File(PathBuf),
    /// The places seen so far.
    Auto,
}

const NAME: &str = "opensm-dmodc-reference.net";

/// Where OpenSM keeps what outlives it (OSM_DEFAULT_CACHE_DIR), unless OSM_CACHE_DIR says otherwise.
const CACHE_DIR: &str = "/var/cache/opensm";

/// No subnet has as many LIDs that a file of it is larger, in bytes. Anything else would take OpenSM's memory.
const MOST: u64 = 256 << 20;

/// The reference, over all sweeps.
pub struct Reference {
    path: PathBuf,
    grows: bool,
    /// What was read or written last: when, and how long it was.
    stamp: Option<Stamp>,
    known: Option<Arc<Fabric>>,
    /// What `known` grows to with the fabric that was asked for last.
    grown: Option<Arc<Fabric>>,
    /// The last line about it.
    said: String,
}

impl Reference {
    /// The reference of these options, if they have one. The paper's rule takes none.
    pub fn new(source: Option<&Source>, faults: Faults) -> Option<Self> {
        let (path, grows) = match source? {
            Source::File(path) => (path.clone(), false),
            Source::Auto => {
                let dir = env::var_os("OSM_CACHE_DIR").filter(|dir| !dir.is_empty());
                let dir = dir.map_or(PathBuf::from(CACHE_DIR), PathBuf::from);
                (dir.join(NAME), true)
            }
        };
        if faults == Faults::Paper {
            log::error!("dmodc.reference has no meaning with dmodc.faults=paper and is ignored");
            return None;
        }
        Some(Reference {
            path,
            grows,
            stamp: None,
            known: None,
            grown: None,
            said: String::new(),
        })
    }

    /// The places to route a fabric with, if there are any.
    pub fn of(&mut self, fabric: &Fabric) -> Option<Arc<Fabric>> {
        self.grown = None;
        match fs::metadata(&self.path) {
            Ok(metadata) => {
                let stamp = stamp(&metadata);
                if stamp.is_none() || stamp != self.stamp {
                    self.stamp = stamp;
                    self.read();
                }
            }
            Err(e) => {
                (self.known, self.stamp) = (None, None);
                // Nothing has been seen yet, or an administrator wants it forgotten.
                if !(self.grows && e.kind() == ErrorKind::NotFound) {
                    self.say(&e.to_string());
                }
            }
        }
        let known = self.known.as_ref()?;
        if known.is_of_another_fabric(fabric) {
            self.say("of another fabric: most switches are not in it");
            return None;
        }
        if !self.grows {
            return Some(known.clone());
        }
        // With what is about to be kept, so that the next sweep, which will know of it, moves nothing.
        self.grown = Some(Arc::new(Merged::new(fabric, known).nominal));
        self.grown.clone()
    }

    fn read(&mut self) {
        let read = read(&self.path);
        self.known = match read {
            Ok(fabric) => {
                log::info!(
                    "reference {}: {} switches, {} end nodes",
                    self.path.display(),
                    fabric.switches().len(),
                    fabric.end_nodes().len()
                );
                self.said.clear();
                Some(Arc::new(fabric))
            }
            Err(reason) => {
                self.say(&reason);
                None
            }
        };
    }

    /// Keeps the places of the fabric that was asked for last, which has been routed, where that is
    /// asked for and there are new ones.
    pub fn keep(&mut self, fabric: &Fabric) {
        if !self.grows {
            return;
        }
        let known = self.known.take();
        let grown = self.grown.take();
        let grown = grown.unwrap_or_else(|| Arc::new(fabric.clone()));
        if known.is_some_and(|known| known.has_places_of(&grown)) {
            self.known = Some(grown);
            return;
        }
        let mut text = Vec::new();
        let written = Netlist::from_fabric(&grown).write(&mut text);
        match written.and_then(|()| replace(&self.path, &text)) {
            Ok(()) => {
                self.stamp = fs::metadata(&self.path).ok().and_then(|m| stamp(&m));
                self.known = Some(grown);
            }
            Err(e) => {
                // What only this process knows would make another OpenSM's tables differ.
                (self.known, self.stamp) = (None, None);
                self.say(&format!("cannot be written: {e}"));
            }
        }
    }

    /// An error line, once.
    fn say(&mut self, what: &str) {
        if self.said != what {
            log::error!(
                "reference {}: {what}; going on without it",
                self.path.display()
            );
            what.clone_into(&mut self.said);
        }
    }
}

fn read(path: &Path) -> Result<Fabric, String> {
    // A pipe would keep OpenSM waiting, with its lock held.
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err("not a file".into()),
        Ok(metadata) if metadata.len() > MOST => {
            return Err(format!(
                "{} bytes are more than any fabric needs",
                metadata.len()
            ));
        }
        Ok(_) => {}
        Err(e) => return Err(e.to_string()),
    }
    let bytes = input::read(path).map_err(|e| e.to_string())?;
    let read = Netlist::parse_leniently(&bytes).map_err(|fault| fault.in_file(path).to_string())?;
    let count = read.warnings.count();
    if let Some(first) = read.warnings.first().into_iter().next() {
        log::warn!(
            "{}; {count} odd places in the reference",
            first.in_file(path)
        );
    }
    let (fabric, _) = read.value.to_fabric(None).map_err(|e| e.to_string())?;
    Ok(fabric)
}
