//! Plain files, in folders that others may write to: reads them without waiting and refuses other kinds of
//! files; writes them so that no reader sees half a file.

use dmodc_fabric::Guid;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::ffi::OsStr;
use std::fs::{self, File, FileType, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The maximum length of a file in bytes: more than any subnet's file has. Longer ones would take OpenSM's memory.
pub const MOST: u64 = 256 << 20;

/// The start of the random name of an unfinished file.
const PREFIX: &str = ".dmodc-";
const SUFFIX: &str = ".tmp";

/// When a file was written, and its length: another stamp means other content.
pub type Stamp = (SystemTime, u64);

/// The stamp of a file, if the file exists and its file system records times.
pub fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// In the name of a file, the place of the port GUID of the subnet manager: two subnets of one host share no file.
const PORT: &str = "%g";

/// The file of this name for the subnet manager at a port.
pub fn of_port(name: &Path, port: Guid) -> PathBuf {
    match name.to_str() {
        Some(text) => text.replace(PORT, &port.to_string()).into(),
        None => name.to_owned(),
    }
}

/// Whether the file of this name is another one for each port.
pub fn is_by_port(name: &Path) -> bool {
    name.to_str().is_some_and(|text| text.contains(PORT))
}

/// The files of this name that are there, for whatever port, sorted; the name itself if it is of no port.
pub fn of_ports(name: &Path) -> Vec<PathBuf> {
    let file = name.file_name().and_then(OsStr::to_str);
    let Some((start, end)) = file.and_then(|file| file.split_once(PORT)) else {
        return vec![name.to_owned()];
    };
    let is_one = |file: &str| {
        let rest = file.strip_prefix(start);
        let port = rest.and_then(|rest| rest.strip_suffix(end));
        port.is_some_and(|port| port.parse::<Guid>().is_ok())
    };
    let mut found = Vec::new();
    let entries = fs::read_dir(folder_of(name)).into_iter().flatten();
    for entry in entries.flatten() {
        let file = entry.file_name();
        if file.to_str().is_some_and(is_one) {
            found.push(name.with_file_name(file));
        }
    }
    found.sort();
    found
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != OsStr::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Opens a plain file, or a link to a plain file, as configurations have. Never waits.
///
/// # Errors
/// If it is anything else: a FIFO or a device could keep the caller waiting for ever.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening some devices starts them.
    plain(fs::metadata(path)?.file_type())?;
    // Without O_NONBLOCK, opening a FIFO that has just replaced the file would wait.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    plain(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a plain file of at most [`MOST`] bytes, whole. Follows links, and never waits.
///
/// # Errors
/// If it is longer, or anything but a plain file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    // A sparse file may be long and take no room.
    match file.metadata()?.len() > MOST {
        true => Err(too_long(MOST)),
        false => at_most(MOST, file),
    }
}

/// Reads to the end.
///
/// # Errors
/// If there are more than `most` bytes.
pub fn at_most(most: u64, from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_long(most)),
        false => Ok(bytes),
    }
}

fn too_long(most: u64) -> io::Error {
    let text = format!("over {most} bytes are more than any fabric needs");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

/// Replaces a plain file by a text: see [`replace_by`].
///
/// # Errors
/// As [`replace_by`].
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    replace_by(path, |out| out.write_all(text))
}

/// Replaces or makes a plain file by the output of `write`: a reader finds the old file or the new one, also when this
/// process or the machine dies in between. Until it is complete the new file has a random name `.dmodc-….tmp` in the
/// same folder; a later call removes it if its process died.
///
/// # Errors
/// If the path is no plain file (but a link, a device, a FIFO, a socket, a folder), which is left alone, or if writing
/// fails. The old file is left as it is.
pub fn replace_by(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let old = match fs::symlink_metadata(path) {
        Ok(old) => {
            plain(old.file_type())?;
            Some(old)
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    let folder = folder_of(path);
    remove_unfinished(folder);
    // The new file is removed unless it takes the old one's place.
    let new = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .rand_bytes(12)
        .make_in(folder, |path| {
            // Nobody else reads it before it has the mode of the old file.
            let mode = if old.is_some() { 0o600 } else { 0o666 };
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).mode(mode).open(path)
        })?;
    if let Some(old) = old {
        keep_mode(&old, new.as_file(), folder)?;
    }
    let mut out = BufWriter::with_capacity(1 << 16, new.as_file());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    new.as_file().sync_all()?;
    new.persist(path)?;
    Ok(())
}

/// Calls `write` with a writer that compresses by gzip if the file's name ends in `.gz`.
pub fn packed_by_name(
    path: &Path,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if path.extension().is_none_or(|end| end != "gz") {
        return write(out);
    }
    // Tables have long runs of equal text: a higher level of compression gains little.
    let mut packed = GzEncoder::new(out, Compression::fast());
    write(&mut packed)?;
    packed.finish()?;
    Ok(())
}

/// Removes unfinished files of dead processes: files that no process has written to for a minute. Ignores a failure to
/// remove a file, since such a file does not prevent the next write.
fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if name.starts_with(PREFIX)
            && name.ends_with(SUFFIX)
            && age().is_some_and(|age| age > Duration::from_secs(60))
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Gives a new file owner, group and mode of the old one. If it may not have them, or if anybody could have put the old
/// file there, the file stays ours, and others may read it if all could read the old one.
fn keep_mode(old: &Metadata, file: &File, folder: &Path) -> io::Result<()> {
    let (uid, gid) = (old.uid(), old.gid());
    let is_of_anybody = || fs::metadata(folder).is_ok_and(|folder| folder.mode() & 0o002 != 0);
    let may_keep = uid == file.metadata()?.uid() || !is_of_anybody();
    let is_kept = may_keep && fchown(file, Some(uid), Some(gid)).is_ok();
    let mode = match (is_kept, old.mode() & 0o004) {
        (true, _) => old.mode() & 0o777,
        (false, 0) => 0o600,
        (false, _) => 0o644,
    };
    file.set_permissions(Permissions::from_mode(mode))
}

/// An error that names the kind of a file that is not plain.
fn plain(kind: FileType) -> io::Result<()> {
    let kinds = [
        (kind.is_dir(), "a folder"),
        (kind.is_symlink(), "a link"),
        (kind.is_fifo(), "a FIFO"),
        (kind.is_socket(), "a socket"),
        (!kind.is_file(), "a device"),
    ];
    match kinds.into_iter().find(|(is, _)| *is) {
        Some((_, what)) => Err(io::Error::other(format!("not a plain file but {what}"))),
        None => Ok(()),
    }
}
