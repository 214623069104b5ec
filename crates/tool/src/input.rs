//! Reading inputs: a file, or standard input for `-`. The library reads files alone.

use crate::failure::Failure;
pub use crate::failure::{is_dash, shown};
use clap::builder::{PathBufValueParser, TypedValueParser};
use dmodc_formats::input::{self, Fault, InputError};
use std::error::Error;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of inputs on the command line that are standard input.
static DASHES: AtomicUsize = AtomicUsize::new(0);

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
        _ => Err(Failure::Usage("only one input can be standard input")),
    }
}

/// Reads and parses `path`; reports errors with the file's name.
pub fn read<T, R: Error + Send + Sync + 'static>(
    path: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, Fault<R>>,
) -> Result<T, InputError> {
    let bytes = match is_dash(path) {
        true => read_stdin(),
        false => input::read(path),
    }?;
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

fn read_stdin() -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    let read = read.and_then(|_| input::unpacked(bytes, u64::MAX));
    read.map_err(|reason| InputError::Unreadable {
        file: shown(Path::new("-")).display().to_string(),
        reason,
    })
}
