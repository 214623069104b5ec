//! A file that grows, read line by line as it does.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The end of a file as it was, and what has come since.
pub struct Tail {
    file: File,
    partial: Vec<u8>,
}

impl Tail {
    pub fn of(path: &Path) -> Tail {
        let mut file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        file.seek(SeekFrom::End(0)).expect("a file has an end");
        Tail {
            file,
            partial: Vec::new(),
        }
    }

    /// The lines that have been completed since the last call.
    pub fn lines(&mut self) -> Vec<String> {
        self.file
            .read_to_end(&mut self.partial)
            .expect("a file can be read");
        let complete = self.partial.iter().rposition(|&b| b == b'\n');
        let rest = self.partial.split_off(complete.map_or(0, |at| at + 1));
        let lines = std::mem::replace(&mut self.partial, rest);
        let text = String::from_utf8_lossy(&lines);
        text.lines().map(str::to_owned).collect()
    }
}
