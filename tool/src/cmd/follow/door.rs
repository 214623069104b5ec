//! A follower's FIFOs: one after the other, each for one reader, watched by a guard.

use super::Wake;
use super::fifo::{Fifo, put_tables, send_tables};
use super::guard::Guard;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Instant;

/// The FIFO, and the state needed to serve its reader.
pub struct Door {
    place: PathBuf,
    last: PathBuf,
    guard: Guard,
    /// The number of FIFOs that this process has opened.
    opened: u64,
}

pub struct Visit {
    number: u64,
    reader: File,
}

/// The file with the last good tables of a FIFO.
pub fn last_of(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".last");
    name.into()
}

impl Door {
    /// A closed door at a path. `guard_args` are the arguments that start the tool as its guard.
    pub fn new(place: &Path, guard_args: Vec<String>) -> Door {
        Door {
            place: place.to_owned(),
            last: last_of(place),
            guard: Guard::new(guard_args),
            opened: 0,
        }
    }

    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Makes a new FIFO at the path and sends a visit when a reader opens it. A reader that waits at an earlier
    /// follower's FIFO gets the last tables. Returns whether there was such a FIFO.
    pub fn open(&mut self, visits: Sender<Wake>) -> io::Result<bool> {
        let foreign = Fifo::at(&self.place).ok().filter(|_| self.opened == 0);
        let (fifo, writer, path) = Fifo::beside(&self.place)?;
        let fifo = Arc::new(fifo);
        self.opened += 1;
        let number = self.opened;
        self.guard.watch(number, fifo.clone());
        path.persist(&self.place)?;
        if let Some(reader) = foreign.as_ref().and_then(Fifo::reader) {
            self.send(&reader);
        }
        thread::spawn(move || {
            // No reader comes any more once another file has the FIFO's place: then this waits until the process ends.
            if let Ok(reader) = fifo.wait() {
                let _ = visits.send(Wake::Visited(Visit { number, reader }));
            }
            drop(writer);
        });
        Ok(foreign.is_some())
    }

    /// Closes the door behind the reader: the last good tables take the FIFO's place.
    pub fn shut(&self) -> io::Result<()> {
        put_tables(&self.last, &self.place)
    }

    /// Signals to the guard that this process works for a reader.
    pub fn alive(&self) {
        self.guard.alive();
    }

    /// Writes the last good tables to the reader; returns whether the reader has got all of them.
    pub fn serve(&self, visit: Visit) -> bool {
        let has_all = self.send(&visit.reader);
        drop(visit.reader);
        self.guard.served(visit.number);
        has_all
    }

    fn send(&self, reader: &File) -> bool {
        let start = Instant::now();
        let sent = send_tables(&self.last, reader, || self.alive());
        match &sent {
            Ok(()) => {
                let time = start.elapsed().as_millis();
                log::info!("tables handed to OpenSM in {time} ms");
            }
            Err(e) if e.kind() == ErrorKind::BrokenPipe => {
                log::error!("the reader of the FIFO has gone before it had all tables");
            }
            Err(e) => log::error!("the tables could not be handed to OpenSM: {e}"),
        }
        sent.is_ok()
    }
}
