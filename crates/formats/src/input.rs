//! Reads files whole, and reports errors by file, line and reason.
//!
//! Every format is parsed from bytes in memory, so a parser never blocks, never sees half a file, and can be tested and
//! fuzzed without files. Gzipped files are unpacked first. Memory is bounded by a small multiple of the text. Parsers
//! return a [`Fault`]; their callers, which have the file's name, make an [`InputError`] of it.
//!
//! Captures are seldom perfect. An oddity with a sensible reading is a warning beside the value ([`Lenient`]);
//! [`Lenient::strict`] makes an error of it.

use crate::files;
use flate2::bufread::GzDecoder;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::mem::discriminant;
use std::path::Path;

/// An error in some text, and its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault<R> {
    /// Line number from 1 on; 0 if the fault is with the file as a whole.
    pub line: u32,
    /// The error.
    pub reason: R,
}

impl<R> Fault<R> {
    /// A fault in one line.
    pub fn in_line(line: u32, reason: R) -> Self {
        Fault { line, reason }
    }

    /// A fault of the whole file.
    pub fn whole(reason: R) -> Self {
        Fault { line: 0, reason }
    }
}

impl<R: std::error::Error + Send + Sync + 'static> Fault<R> {
    /// The fault with the name of the file it was found in.
    pub fn in_file(self, path: &Path) -> InputError {
        let file = path.display().to_string();
        let reason = Box::new(self.reason);
        match self.line {
            0 => InputError::Whole { file, reason },
            line => InputError::Line { file, line, reason },
        }
    }
}

/// The oddities in a text that was read all the same. Keeps the first few of each kind and counts all, so
/// that a large file takes no more memory for them than a small one. Remarks are about what the text describes, not
/// about the text: the same fabric, well written, has them too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warnings<R> {
    first: Vec<Fault<R>>,
    count: u64,
    remarks: Vec<Fault<R>>,
    remark_count: u64,
}

/// How many warnings of each kind are kept.
const KEPT: usize = 5;

impl<R> Default for Warnings<R> {
    fn default() -> Self {
        Warnings {
            first: Vec::new(),
            count: 0,
            remarks: Vec::new(),
            remark_count: 0,
        }
    }
}

impl<R> Warnings<R> {
    /// Adds a warning about a line.
    pub fn add(&mut self, line: u32, reason: R) {
        self.count += 1;
        keep(&mut self.first, Fault { line, reason });
    }

    /// Adds a remark about what a line describes.
    pub fn remark(&mut self, line: u32, reason: R) {
        self.remark_count += 1;
        keep(&mut self.remarks, Fault { line, reason });
    }

    /// The first few remarks of each kind, by line, and the number of all.
    pub fn remarks(&mut self) -> (Vec<Fault<R>>, u64) {
        self.remarks.sort_by_key(|fault| fault.line);
        (std::mem::take(&mut self.remarks), self.remark_count)
    }

    /// Number of warnings, without the remarks.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The first few of each kind, by line.
    pub fn first(mut self) -> Vec<Fault<R>> {
        self.first.sort_by_key(|fault| fault.line);
        self.first
    }

    /// The first one, by line.
    pub fn into_first(self) -> Option<Fault<R>> {
        self.first().into_iter().next()
    }
}

/// Keeps a fault if it is one of the first few of its kind.
fn keep<R>(first: &mut Vec<Fault<R>>, fault: Fault<R>) {
    let kind = discriminant(&fault.reason);
    let same = first.iter().filter(|f| discriminant(&f.reason) == kind);
    if same.count() < KEPT {
        first.push(fault);
    }
}

/// A value, and the oddities in its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lenient<T, R> {
    /// The value.
    pub value: T,
    /// The oddities.
    pub warnings: Warnings<R>,
}

/// The result of a parser that goes on after an oddity.
pub type Parsed<T, R> = Result<Lenient<T, R>, Fault<R>>;

impl<T, R> Lenient<T, R> {
    /// A value and the oddities in its text.
    pub fn new(value: T, warnings: Warnings<R>) -> Self {
        Lenient { value, warnings }
    }

    /// The value, if there are no oddities; else the first warning as an error.
    pub fn strict(self) -> Result<T, Fault<R>> {
        self.warnings.into_first().map_or(Ok(self.value), Err)
    }

    /// The value, unless it is empty and there are oddities.
    pub fn unless(self, is_empty: impl Fn(&T) -> bool) -> Parsed<T, R> {
        match is_empty(&self.value) && self.warnings.count() > 0 {
            true => Err(self.warnings.first().remove(0)),
            false => Ok(self),
        }
    }
}

/// Why an input was not read: with the file, and with the line if there is one.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum InputError {
    /// The file is unreadable, not plain or too long, or its gzip data is bad.
    #[error("{file}: {reason}")]
    Unreadable { file: String, reason: io::Error },
    #[error("{file}:{line}: {reason}")]
    Line {
        file: String,
        line: u32,
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file as a whole is wrong.
    #[error("{file}: {reason}")]
    Whole {
        file: String,
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl InputError {
    /// Whether its reason is of a type, and passes a test.
    pub fn is_about<R: std::error::Error + 'static>(&self, test: impl Fn(&R) -> bool) -> bool {
        match self {
            InputError::Unreadable { .. } => false,
            InputError::Line { reason, .. } | InputError::Whole { reason, .. } => {
                reason.downcast_ref().is_some_and(test)
            }
        }
    }
}

/// The most bytes of a text, if nobody says otherwise: the tables of 27,648 nodes are 6 GB of `opensm-lfts.dump`.
pub const MOST: u64 = 8 << 30;

/// Reads a file of at most [`MOST`] bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    read_at_most(MOST, path)
}

/// Reads a file whole, of any kind: a pipe as well, to its end.
///
/// # Errors
/// If there are more than `most` bytes, packed or unpacked (`io::ErrorKind::FileTooLarge`).
pub fn read_at_most(most: u64, path: &Path) -> Result<Vec<u8>, InputError> {
    let bytes = File::open(path).and_then(|file| files::at_most(most, file));
    unpacked_at(path, bytes, most)
}

/// Reads a plain file whole, and never waits: see [`files::read`].
pub fn read_plain(path: &Path) -> Result<Vec<u8>, InputError> {
    unpacked_at(path, files::read(path), files::MOST)
}

/// The text of a file that may be gzipped.
///
/// # Errors
/// If the packed data is cut or spoilt, or has more than `most` bytes when unpacked.
pub fn unpacked(bytes: Vec<u8>, most: u64) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(GZIP) {
        return Ok(bytes);
    }
    files::at_most(most, Members(GzDecoder::new(&bytes)))
        .map_err(|e| io::Error::new(e.kind(), format!("gzip: {e}")))
}

/// The first bytes of packed data.
const GZIP: &[u8] = b"\x1f\x8b";

/// Packed texts one behind the other. As `gzip` does, leaves out what is no packed text behind them.
struct Members<'a>(GzDecoder<&'a [u8]>);

impl Read for Members<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(to)?;
            let rest = *self.0.get_ref();
            if read > 0 || !rest.starts_with(GZIP) {
                return Ok(read);
            }
            self.0 = GzDecoder::new(rest);
        }
    }
}

fn unpacked_at(path: &Path, read: io::Result<Vec<u8>>, most: u64) -> Result<Vec<u8>, InputError> {
    let unpacked = read.and_then(|bytes| unpacked(bytes, most));
    unpacked.map_err(|reason| InputError::Unreadable {
        file: path.display().to_string(),
        reason,
    })
}

/// The lines of a text with their numbers from 1 on, without line ends (`\n` or `\r\n`) and byte order mark.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    let lines = body.split(|&b| b == b'\n').enumerate();
    lines.map(|(i, line)| (i as u32 + 1, line.strip_suffix(b"\r").unwrap_or(line)))
}

/// A line without control sequences of a terminal (escape sequences, backspaces, bells). `None` if it has a NUL byte.
pub fn plain(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let is_control = |b: &u8| b.is_ascii_control() && !matches!(b, b'\t' | b'\r' | 0x0c);
    if !line.iter().any(is_control) {
        return Some(line.into());
    }
    let mut text = Vec::with_capacity(line.len());
    let mut rest = line.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            0 => return None,
            0x1b => escape_sequence(&mut rest),
            0x08 => drop(text.pop()),
            b if is_control(&b) => {}
            b => text.push(b),
        }
    }
    Some(text.into())
}

/// Skips the rest of an escape sequence: `[` to a byte of 0x40 to 0x7e, `]` to a bell, or one byte.
fn escape_sequence(rest: &mut impl Iterator<Item = u8>) {
    match rest.next() {
        Some(b'[') => drop(rest.find(|b| (0x40..=0x7e).contains(b))),
        Some(b']') => drop(rest.find(|b| *b == 0x07)),
        _ => {}
    }
}

/// Text for a message: on one line, shortened, and harmless to a terminal.
pub fn quoted(text: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = text.trim_ascii();
    let begin = String::from_utf8_lossy(&text[..text.len().min(4 * LONGEST)]);
    let mut quoted: String = begin.chars().take(LONGEST).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted.replace(|c: char| c.is_control() && c != '\t', "?")
}
