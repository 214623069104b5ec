//! A follower's FIFOs: one after the other, each for one reader, watched by a guard.

use super::fifo::{Fifo, put_tables, send_tables};
use super::guard::Guard;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Instant;

/// The FIFO, and the state needed to serve its reader.
pub struct Door {
    place: PathBuf,
    last: PathBuf,
    guard: Option<Guard>,
    /// How many FIFOs this process has opened.
    opened: u64,
    guard_args: Vec<String>,
}

/// A reader that has come.
pub struct Visit {
    /// The number of the FIFO.
    number: u64,
    /// The other end of the FIFO.
    reader: File,
}

/// The file with the last good tables of a FIFO.
pub fn last_of(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".last");
    name.into()
}

impl Door {
    /// A closed door at a path. `guard_args` make the tool its guard.
    pub fn new(place: &Path, guard_args: Vec<String>) -> Door {
        Door {
            place: place.to_owned(),
            last: last_of(place),
            guard: None,
            opened: 0,
            guard_args,
        }
    }

    /// Its path.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Makes a new FIFO at the path and sends a visit when a reader comes. A reader that waits at an earlier
    /// follower's FIFO gets the last tables.
    pub fn open<T: From<Visit> + Send + 'static>(&mut self, visits: Sender<T>) -> io::Result<()> {
        let foreign = Fifo::at(&self.place).ok().filter(|_| self.opened == 0);
        let (fifo, path) = Fifo::beside(&self.place)?;
        self.opened += 1;
        let number = self.opened;
        if let Err(e) = self.guarded(number, &path) {
            log::error!("no guard: {e}; if this process is killed, OpenSM waits");
            self.guard = None;
        }
        path.persist(&self.place)?;
        if let Some(reader) = foreign.as_ref().and_then(Fifo::reader) {
            self.send(&reader);
        }
        thread::spawn(move || {
            // Nobody comes any more once something else has its place; then it waits until the process ends.
            if let Ok(reader) = fifo.wait() {
                let _ = visits.send(Visit { number, reader }.into());
            }
        });
        Ok(())
    }

    /// Has the guard watch a FIFO; starts a new guard if there is none, or none that answers.
    fn guarded(&mut self, number: u64, fifo: &Path) -> io::Result<()> {
        if let Some(guard) = &mut self.guard
            && guard.watch(number, fifo).is_ok()
        {
            return Ok(());
        }
        let args: Vec<&str> = self.guard_args.iter().map(String::as_str).collect();
        let mut guard = Guard::start(&args)?;
        guard.watch(number, fifo)?;
        self.guard = Some(guard);
        Ok(())
    }

    /// Closes it behind the reader: the last good tables take the FIFO's place.
    pub fn shut(&self) -> io::Result<()> {
        put_tables(&self.last, &self.place)
    }

    /// Signals to the guard that this process works for a reader.
    pub fn alive(&mut self) {
        if let Some(guard) = &mut self.guard {
            guard.alive();
        }
    }

    /// Writes the last good tables to the reader.
    pub fn serve(&mut self, visit: Visit) {
        self.send(&visit.reader);
        drop(visit.reader);
        if let Some(guard) = &mut self.guard {
            guard.served(visit.number);
        }
    }

    fn send(&mut self, reader: &File) {
        let start = Instant::now();
        let guard = &mut self.guard;
        let alive = || {
            if let Some(guard) = guard {
                guard.alive();
            }
        };
        match send_tables(&self.last, reader, alive) {
            Ok(()) => log::info!(
                "tables handed to OpenSM in {} ms",
                start.elapsed().as_millis()
            ),
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                log::error!("the reader of the FIFO has gone before it had all tables");
            }
            Err(e) => log::error!("the tables could not be handed to OpenSM: {e}"),
        }
    }
}
