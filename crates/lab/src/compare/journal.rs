//! A CSV file to which runs append rows, one run after another. A new run drops an incomplete last line. A lock on the
//! file keeps a second run out.

use crate::LabError;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens a file, new or left by an earlier run of this version. `header` is its first line.
    pub fn open(path: &Path, header: &str) -> Result<Journal, LabError> {
        let failed = LabError::file;
        let refused = |why: &str| Err(LabError::Other(format!("{}{why}", path.display())));
        let header = format!("{header}\n");
        let mut options = OpenOptions::new();
        let options = options.read(true).create(true).append(true);
        let mut file = options.open(path).map_err(failed(path))?;
        // Other errors pass: some file systems of clusters have no locks.
        if flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            return refused(": another comparison writes it; let that end, or give another folder");
        }
        let mut left = Vec::new();
        file.read_to_end(&mut left).map_err(failed(path))?;
        let end = left.iter().rposition(|&b| b == b'\n');
        let whole = end.map_or(0, |at| at + 1);
        if whole > 0 && !left.starts_with(header.as_bytes()) {
            return refused(
                ":1: rows of another version, which this one does not continue; give another folder",
            );
        }
        file.set_len(whole as u64).map_err(failed(path))?;
        if whole == 0 {
            file.write_all(header.as_bytes()).map_err(failed(path))?;
        }
        Ok(Journal {
            path: path.to_owned(),
            file,
        })
    }

    pub fn append(&mut self, rows: impl IntoIterator<Item: Serialize>) -> Result<(), LabError> {
        let mut writer = csv::WriterBuilder::new();
        let mut writer = writer.has_headers(false).from_writer(Vec::new());
        for row in rows {
            writer.serialize(row).expect("memory can be written");
        }
        let bytes = writer.into_inner().expect("memory can be written");
        (self.file.write_all(&bytes)).map_err(LabError::file(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::throw_row::{header, parse_throws};
    use super::*;
    use std::fs;

    #[test]
    fn rows_are_read_as_they_were_written_and_a_cut_line_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("throws.csv");
        let routed = "x,1,2,links,2.5,1,1,3,0,ftree+roots,1,0,3,2,1,,2,5,6,10,dmodc 1; OpenSM 3,,2,61.25,1,5,0,1,\
                      2,0,0,3,2,77,abc,2.50,6.25,,1.50,,4.50,1f -\n";
        let refused = "x,1,2,links,2.5,1,2,3,0,mine=exec:a b,0,,,,,,,,,10,dmodc 1; OpenSM 3,\"no \"\"roots\"\", none\"\
                       ,2,,,,,,,,,,,77,abc,,,,,,,\n";
        let whole = header() + "\n" + routed + refused;
        let open = || Journal::open(&path, &header());
        let rows = parse_throws(whole.as_bytes()).unwrap();
        open().unwrap().append(&rows).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        let mut journal = open().unwrap();
        assert_eq!(parse_throws(&fs::read(&path).unwrap()).unwrap(), rows[..1]);
        journal.append(&rows[1..]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        // One writer at a time.
        let told = || open().err().map_or(String::new(), |e| e.to_string());
        assert!(told().contains("another comparison"));
        drop(journal);
        // A file of an earlier version, which has fewer columns, is refused.
        let (earlier, _) = whole.split_once(",ebb,").unwrap();
        fs::write(&path, earlier.to_owned() + "\n").unwrap();
        assert!(told().contains(":1: rows of another version"));
    }
}
