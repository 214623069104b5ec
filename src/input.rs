//! Reading input: a file or standard input, whole, and what went wrong with it by file, line and
//! reason.
//!
//! Every format is parsed from bytes in memory, so a parser never blocks, never sees half a file,
//! and can be tested and fuzzed without one. Memory is bounded by a small multiple of the file.
//! Parsers report a [`Fault`]; whoever knows the file's name makes an [`InputError`] of it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What is wrong with some text, and in which line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault<R> {
    /// Line number from 1 on; 0 if the fault is with the file as a whole.
    pub line: u32,
    /// What is wrong.
    pub reason: R,
}

impl<R> Fault<R> {
    /// A fault in one line.
    pub fn at(line: u32, reason: R) -> Self {
        Fault { line, reason }
    }

    /// A fault of the file as a whole.
    pub fn whole(reason: R) -> Self {
        Fault { line: 0, reason }
    }
}

impl<R: std::error::Error + Send + Sync + 'static> Fault<R> {
    /// The fault with the name of the file it was found in.
    pub fn in_file(self, path: &Path) -> InputError {
        let file = display_name(path);
        let reason = Box::new(self.reason);
        match self.line {
            0 => InputError::Whole { file, reason },
            line => InputError::Line { file, line, reason },
        }
    }
}

/// Why an input was not read: always with the file, and with the line where there is one.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The operating system would not give it.
    #[error("{file}: {reason}")]
    Unreadable {
        /// File name, `<stdin>` for standard input.
        file: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// A line is wrong.
    #[error("{file}:{line}: {reason}")]
    Line {
        /// File name, `<stdin>` for standard input.
        file: String,
        /// Line number from 1 on.
        line: u32,
        /// What is wrong.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file as a whole is wrong.
    #[error("{file}: {reason}")]
    Whole {
        /// File name, `<stdin>` for standard input.
        file: String,
        /// What is wrong.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Reads a file whole; `-` is standard input.
pub fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    let result = if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    match result {
        Ok(_) => Ok(bytes),
        Err(reason) => Err(InputError::Unreadable {
            file: display_name(path),
            reason,
        }),
    }
}

fn display_name(path: &Path) -> String {
    if path == Path::new("-") {
        "<stdin>".into()
    } else {
        path.display().to_string()
    }
}

/// The lines of a text with their numbers from 1 on, without line ends (`\n` or `\r\n`).
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = body.split(|&b| b == b'\n').enumerate();
    lines.map(|(i, line)| (i as u32 + 1, line.strip_suffix(b"\r").unwrap_or(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lose_their_ends_and_keep_their_numbers() {
        let got: Vec<_> = lines(b"a\r\n\nb").collect();
        assert_eq!(got, [(1, &b"a"[..]), (2, b""), (3, b"b")]);
        assert_eq!(lines(b"a\n").count(), 1);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = read(Path::new("no/such/file")).unwrap_err().to_string();
        assert!(error.starts_with("no/such/file: "), "{error}");
    }
}
