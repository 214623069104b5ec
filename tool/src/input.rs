//! Reading inputs: a file, or standard input for `-`. The library reads files alone.

use crate::failure::Failure;
use dmodc::input::{self, Fault, InputError};
use std::error::Error;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Whether a path stands for standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of an input in messages.
pub fn shown(path: &Path) -> &Path {
    match is_dash(path) {
        true => Path::new("<stdin>"),
        false => path,
    }
}

/// Refuses to read standard input more than once: the second reader would find it empty.
pub fn one_stdin<'a>(inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    match inputs.into_iter().filter(|path| is_dash(path)).count() {
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

/// Calls `take` with each line of a file, without its comment, which begins with `#`, unless nothing is left.
pub fn each_line<R: Error + Send + Sync + 'static>(
    path: &Path,
    mut take: impl FnMut(&str) -> Result<(), R>,
) -> Result<(), InputError> {
    read(path, |text| {
        for (number, line) in input::lines(text) {
            let line = line.split(|&b| b == b'#').next().unwrap_or_default();
            let line = String::from_utf8_lossy(line.trim_ascii());
            if !line.is_empty() {
                take(&line).map_err(|reason| Fault::at(number, reason))?;
            }
        }
        Ok(())
    })
}

fn read_stdin() -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    match read.and_then(|_| input::unpacked(bytes, u64::MAX)) {
        Ok(bytes) => Ok(bytes),
        Err(reason) => Err(InputError::Unreadable {
            file: shown(Path::new("-")).display().to_string(),
            reason,
        }),
    }
}
