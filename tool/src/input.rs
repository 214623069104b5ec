//! Reading inputs: a file, or standard input for `-`. The library reads files alone.

use dmodc::input::{self, Fault, InputError};
use std::error::Error;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a path stands for standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

pub fn shown(path: &Path) -> &Path {
    match is_dash(path) {
        true => Path::new("<stdin>"),
        false => path,
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

/// Refuses to read standard input twice: the second reader would find it empty.
fn read_stdin() -> Result<Vec<u8>, InputError> {
    static IS_READ: AtomicBool = AtomicBool::new(false);
    let mut bytes = Vec::new();
    let read = match IS_READ.swap(true, Ordering::Relaxed) {
        true => Err(io::Error::other("only one input can be standard input")),
        false => io::stdin().lock().read_to_end(&mut bytes),
    };
    let read = read.and_then(|_| input::unpacked(bytes, u64::MAX));
    read.map_err(|reason| InputError::Unreadable {
        file: shown(Path::new("-")).display().to_string(),
        reason,
    })
}
