//! A FIFO in the place of the file with the tables. OpenSM opens it to route and waits until a writer opens it,
//! too: so the follower learns the very moment of routing.
//!
//! A process holds a FIFO by a handle (`O_PATH`), so that it can still open the FIFO, and serve its waiting
//! reader, when another file has taken the FIFO's place.
//!
//! OpenSM takes a file without some switches, even an empty one, for tables without these switches' routes.
//! So everything that a reader gets before the last piece ends in the beginning of a header ([`BEGUN`]): if every
//! writer dies, OpenSM refuses that line, and with it the tables. `BEGUN` is in the FIFO before a reader can open
//! it, and ends each piece but the last. A piece has whole switches; Linux writes it at once, as it has the room.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::io::ioctl_fionread;
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, Instant};
use tempfile::TempPath;

/// The room in a FIFO while tables are sent: more than one switch's table takes, and as much as any user may have.
const ROOM: usize = 1 << 20;
/// Time for a reader to take a piece.
const STUCK: Duration = Duration::from_secs(30);
/// The wait between two looks at a FIFO that is not yet empty.
const REST: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000,
};
/// The beginning of a switch's header, which OpenSM refuses unless the rest of the line follows.
const BEGUN: &[u8] = b"Unicast lids";
/// Completes [`BEGUN`] to the header of a switch that does not exist.
const NONE: &[u8] = b" [0-0] of switch Lid 0 guid 0x0000000000000000 ('none'):\n";

/// A FIFO, held by a handle: its name may change.
pub struct Fifo(File);

impl Fifo {
    /// Makes a new FIFO beside a path, and a writer that keeps its content.
    pub fn beside(path: &Path) -> io::Result<(Fifo, File, TempPath)> {
        let mode = Mode::RUSR | Mode::WUSR;
        let path = made_beside(path, |path| {
            Ok(mknodat(CWD, path, FileType::Fifo, mode, 0)?)
        })?;
        // Linux opens a FIFO for both at once; to open it for writing alone would wait for a reader.
        let mut both = File::options().read(true).write(true).open(&path)?;
        both.write_all(BEGUN)?;
        let writer = File::options().write(true).open(&path)?;
        Ok((Fifo::at(&path)?, writer, path))
    }

    pub fn at(path: &Path) -> io::Result<Fifo> {
        Fifo::held(path, libc::O_NOFOLLOW)
    }

    /// The FIFO of another process, which passes on its [`Fifo::handle`].
    pub fn of(handle: &Path) -> io::Result<Fifo> {
        Fifo::held(handle, 0)
    }

    fn held(path: &Path, flags: i32) -> io::Result<Fifo> {
        let held = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_PATH | flags)
            .open(path)?;
        match held.metadata()?.file_type().is_fifo() {
            true => Ok(Fifo(held)),
            false => Err(io::Error::other("no FIFO")),
        }
    }

    /// A path by which any process can open the FIFO, as long as this process holds it.
    pub fn handle(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", process::id(), self.0.as_raw_fd()).into()
    }

    pub fn is_at(&self, path: &Path) -> bool {
        let number = |m: fs::Metadata| (m.dev(), m.ino());
        let (own, found) = (self.0.metadata(), fs::symlink_metadata(path));
        own.is_ok_and(|own| found.is_ok_and(|found| number(own) == number(found)))
    }

    /// Opens the FIFO for writing, once a reader opens it. A process that waits here counts as a writer already, so
    /// a reader always finds a writer.
    pub fn wait(&self) -> io::Result<File> {
        File::options().write(true).open(handle(&self.0))
    }

    pub fn reader(&self) -> Option<File> {
        at_once(&self.0).ok()
    }
}

/// Makes a file with a new name beside a path.
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

fn handle(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn at_once(file: &File) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_NONBLOCK);
    options.open(handle(file))
}

/// Sends the tables in a file to a reader, also after a part from another writer: the last header of a switch
/// counts. Without the file, the reader gets only a line that OpenSM refuses. Calls `alive` again and again.
pub fn send_tables(file: &Path, reader: &File, mut alive: impl FnMut()) -> io::Result<()> {
    // Without blocking: a reader that stops reading would keep a blocked writer waiting for ever.
    let mut to = at_once(reader)?;
    let mut put = |piece: &[u8]| {
        drained(&to, &mut alive)?;
        write_piece(&mut to, piece, &mut alive)
    };
    put(BEGUN)?;
    let tables = match File::open(file) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        tables => tables?,
    };
    // If Linux refuses, the room is smaller, and a piece has fewer switches.
    let _ = fcntl_setpipe_size(reader, ROOM);
    let room = fcntl_getpipe_size(reader)?;
    let mut from = BufReader::with_capacity(1 << 16, tables);
    let (mut piece, mut switch, mut line) = (NONE.to_vec(), Vec::new(), Vec::new());
    loop {
        line.clear();
        let is_end = from.read_until(b'\n', &mut line)? == 0;
        if is_end || line.starts_with(BEGUN) {
            if piece.len() + switch.len() + BEGUN.len() > room && piece.len() > NONE.len() {
                piece.extend_from_slice(BEGUN);
                put(&piece)?;
                piece.truncate(NONE.len());
            }
            piece.append(&mut switch);
        }
        if is_end {
            break;
        }
        switch.extend_from_slice(&line);
    }
    if piece.len() == NONE.len() {
        return Err(io::Error::other("the file with the tables is empty"));
    }
    put(&piece)?;
    drained(&to, &mut alive)
}

/// Waits until the reader has read all that was written.
fn drained(to: &File, alive: &mut dyn FnMut()) -> io::Result<()> {
    let (start, mut reported) = (Instant::now(), Instant::now());
    while ioctl_fionread(to)? > 0 {
        // An event comes only if the reader has gone.
        if poll(&mut [PollFd::new(to, PollFlags::empty())], Some(&REST))? > 0 {
            return Err(ErrorKind::BrokenPipe.into());
        }
        if start.elapsed() > STUCK {
            return Err(ErrorKind::TimedOut.into());
        }
        if reported.elapsed() > Duration::from_millis(200) {
            alive();
            reported = Instant::now();
        }
    }
    Ok(())
}

/// Writes a piece, at once if the FIFO has the room for it.
fn write_piece(to: &mut File, mut piece: &[u8], alive: &mut dyn FnMut()) -> io::Result<()> {
    while !piece.is_empty() {
        match to.write(piece) {
            Ok(count) => piece = &piece[count..],
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock => drained(to, alive)?,
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Puts the tables of a file, by a second name, in the place of a FIFO; without the file, removes the FIFO.
pub fn put_tables(file: &Path, place: &Path) -> io::Result<()> {
    match made_beside(place, |path| fs::hard_link(file, path)) {
        Ok(link) => Ok(link.persist(place)?),
        Err(e) if e.kind() == ErrorKind::NotFound => fs::remove_file(place),
        Err(e) => Err(e),
    }
}
