//! Reading inputs: a file, or standard input for `-`. The library reads files alone.

use crate::failure::{Failure, refused};
pub use crate::failure::{is_dash, shown};
use clap::builder::{PathBufValueParser, TypedValueParser};
use dmodc_formats::files;
use dmodc_formats::input::{self, Fault, InputError};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The number of inputs on the command line that are standard input.
static DASHES: AtomicUsize = AtomicUsize::new(0);

/// The most bytes of an input: `--max-size`.
static MOST: AtomicU64 = AtomicU64::new(input::MOST);

pub fn set_most(bytes: u64) {
    MOST.store(bytes, Ordering::Relaxed);
}

/// Parses a number of bytes: `300`, `64K`, `256M`, `8G`.
pub fn size(text: &str) -> Result<u64, String> {
    let units = [("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let mut with = units.into_iter();
    let with = with.find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)));
    let (number, shift) = with.unwrap_or((text, 0));
    let number = number.parse::<u64>().ok();
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "a size is a number of bytes, or of K, M, G or T".to_owned())
}

/// Parses the name of an input, and counts it if it is standard input.
pub fn input() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| {
        count(is_dash(&path));
        path
    })
}

pub fn count(is_dash: bool) {
    DASHES.fetch_add(usize::from(is_dash), Ordering::Relaxed);
}

/// Refuses several inputs that are standard input: the second reader would find it empty.
pub fn one_stdin() -> Result<(), Failure> {
    match DASHES.load(Ordering::Relaxed) {
        0 | 1 => Ok(()),
        _ => refused("only one input can be standard input"),
    }
}

/// Reads and parses `path`; reports errors with the file's name.
pub fn read<T, R: Error + Send + Sync + 'static>(
    path: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, Fault<R>>,
) -> Result<T, InputError> {
    let most = MOST.load(Ordering::Relaxed);
    let bytes = match is_dash(path) {
        true => read_stdin(most),
        false => input::read_at_most(most, path),
    }
    .map_err(|error| how_to_read_more(error, most))?;
    parse(&bytes).map_err(|fault| fault.in_file(shown(path)))
}

/// Calls `take` with each line of a file without its comment, which begins with `#`. Skips empty lines.
pub fn each_line<R: Error + Send + Sync + 'static>(
    path: &Path,
    mut take: impl FnMut(&str) -> Result<(), R>,
) -> Result<(), InputError> {
    read(path, |text| {
        for (number, line) in input::lines(text) {
            let line = line.split(|&b| b == b'#').next().unwrap_or_default();
            let line = String::from_utf8_lossy(line.trim_ascii());
            if !line.is_empty() {
                take(&line).map_err(|reason| Fault::in_line(number, reason))?;
            }
        }
        Ok(())
    })
}

fn read_stdin(most: u64) -> Result<Vec<u8>, InputError> {
    let read = files::at_most(most, io::stdin().lock());
    let read = read.and_then(|bytes| input::unpacked(bytes, most));
    read.map_err(|reason| InputError::Unreadable {
        file: shown(Path::new("-")).display().to_string(),
        reason,
    })
}

/// Names the option that lets longer inputs pass.
fn how_to_read_more(error: InputError, most: u64) -> InputError {
    match error {
        InputError::Unreadable { file, reason } if reason.kind() == ErrorKind::FileTooLarge => {
            let reason = io::Error::other(format!("over {most} bytes; --max-size takes more"));
            InputError::Unreadable { file, reason }
        }
        other => other,
    }
}
