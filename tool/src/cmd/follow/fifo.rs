//! A FIFO in the place of the file with the tables: OpenSM, which opens it to route, waits until a writer
//! comes, and so signals the very moment of routing.
//!
//! A FIFO is held by a handle of its own (`O_PATH`), so that it can still be opened, and its waiting reader
//! served, when another file has taken its place. Tables go into it in pieces of whole lines, each of which
//! Linux writes whole or not at all: a writer that dies cuts no line.

use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempPath;

/// Linux writes this much whole (`PIPE_BUF`).
const PIECE: usize = 4096;
/// Time for a reader to take any data.
const STUCK: Duration = Duration::from_secs(30);
/// How long to wait where a FIFO is full.
const REST: Duration = Duration::from_micros(100);
/// A text that OpenSM refuses as tables; it takes an empty file for tables without a route.
const NO_TABLES: &[u8] = b"Unicast lids: there are no tables\n";

/// A FIFO, whatever its present name.
pub struct Fifo(File);

impl Fifo {
    /// A new FIFO beside a path.
    pub fn beside(path: &Path) -> io::Result<(Fifo, TempPath)> {
        let mode = Mode::RUSR | Mode::WUSR;
        let path = made_beside(path, |path| {
            Ok(mknodat(CWD, path, FileType::Fifo, mode, 0)?)
        })?;
        Ok((Fifo::at(&path)?, path))
    }

    /// The FIFO at a path.
    pub fn at(path: &Path) -> io::Result<Fifo> {
        let held = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_PATH | libc::O_NOFOLLOW)
            .open(path)?;
        match held.metadata()?.file_type().is_fifo() {
            true => Ok(Fifo(held)),
            false => Err(io::Error::other("no FIFO")),
        }
    }

    /// Whether it is at a path.
    pub fn is_at(&self, path: &Path) -> bool {
        let number = |m: fs::Metadata| (m.dev(), m.ino());
        let (own, found) = (self.0.metadata(), fs::symlink_metadata(path));
        own.is_ok_and(|own| found.is_ok_and(|found| number(own) == number(found)))
    }

    /// Opens it once a reader has: a process that waits for one counts as a writer already, so a reader
    /// always finds one.
    pub fn wait(&self) -> io::Result<File> {
        File::options().write(true).open(handle(&self.0))
    }

    /// Opens it if there is a reader.
    pub fn reader(&self) -> Option<File> {
        at_once(&self.0).ok()
    }
}

/// Makes something under a new name beside a path.
fn made_beside(path: &Path, make: impl FnMut(&Path) -> io::Result<()>) -> io::Result<TempPath> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let made = tempfile::Builder::new()
        .prefix(".dmodc-")
        .suffix(".tmp")
        .rand_bytes(12)
        .make_in(folder.unwrap_or(Path::new(".")), make)?;
    Ok(made.into_temp_path())
}

/// The path of an open file.
fn handle(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn at_once(file: &File) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_NONBLOCK);
    options.open(handle(file))
}

/// Sends the tables in a file to a reader, or without tables the text that OpenSM refuses. Calls `alive`
/// again and again.
pub fn send_tables(file: &Path, reader: &File, alive: impl FnMut()) -> io::Result<()> {
    match File::open(file) {
        Ok(tables) => send(tables, reader, alive),
        Err(e) if e.kind() == ErrorKind::NotFound => send(NO_TABLES, reader, alive),
        Err(e) => send(NO_TABLES, reader, alive).and(Err(e)),
    }
}

fn send(from: impl Read, reader: &File, mut alive: impl FnMut()) -> io::Result<()> {
    // A reader that reads no more would keep a writer waiting for ever.
    let mut to = at_once(reader)?;
    let mut from = BufReader::with_capacity(1 << 16, from);
    let (mut piece, mut line) = (Vec::with_capacity(PIECE), Vec::new());
    let mut told = Instant::now();
    loop {
        line.clear();
        from.read_until(b'\n', &mut line)?;
        if piece.len() + line.len() > PIECE || line.is_empty() {
            write_piece(&mut to, &piece)?;
            piece.clear();
        }
        if line.is_empty() {
            return Ok(());
        }
        piece.extend_from_slice(&line);
        if told.elapsed() > Duration::from_millis(200) {
            alive();
            told = Instant::now();
        }
    }
}

/// Writes a piece, at once unless it is too long for that.
fn write_piece(to: &mut File, mut piece: &[u8]) -> io::Result<()> {
    let start = Instant::now();
    while !piece.is_empty() {
        match to.write(piece) {
            Ok(count) => piece = &piece[count..],
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock && start.elapsed() < STUCK => {
                thread::sleep(REST);
            }
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Moves the tables of a file to the place of a FIFO, or removes the FIFO without tables.
pub fn put_tables(file: &Path, place: &Path) -> io::Result<()> {
    match made_beside(place, |path| fs::hard_link(file, path)) {
        Ok(link) => Ok(link.persist(place)?),
        Err(e) if e.kind() == ErrorKind::NotFound => fs::remove_file(place),
        Err(e) => Err(e),
    }
}
