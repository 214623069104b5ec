//! The CSV file of a series, to which a run appends.
//!
//! A new run continues an interrupted one: the rows say which throws are done, for which engines. It drops
//! an incomplete last line.

use super::CompareError;
use super::throw_row::{HEADER, ThrowRow, read_throws};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file that rows are appended to.
pub struct Journal {
    path: PathBuf,
    file: File,
    rows: Vec<ThrowRow>,
}

impl Journal {
    /// Opens a file, new or left by an earlier run of this version.
    pub fn open(path: &Path) -> Result<Journal, CompareError> {
        let failed = CompareError::file;
        let left = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(failed(path)(e)),
        };
        let whole = left
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .append(true)
            .open(path)
            .map_err(failed(path))?;
        file.set_len(whole as u64).map_err(failed(path))?;
        if whole == 0 {
            let header = HEADER.join(",") + "\n";
            file.write_all(header.as_bytes()).map_err(failed(path))?;
        } else if !left.starts_with(HEADER.join(",").as_bytes()) {
            return Err(CompareError::Row {
                path: path.to_owned(),
                line: 1,
                reason: "rows of another version, which this one does not continue; \
                         give another folder"
                    .into(),
            });
        }
        Ok(Journal {
            path: path.to_owned(),
            file,
            rows: read_throws(path)?,
        })
    }

    /// The rows that an earlier run left.
    pub fn rows(&self) -> &[ThrowRow] {
        &self.rows
    }

    /// Appends rows.
    pub fn append(&mut self, rows: &[ThrowRow]) -> Result<(), CompareError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in rows {
            writer
                .write_record(row.record())
                .expect("memory can be written");
        }
        let bytes = writer.into_inner().expect("memory can be written");
        self.file
            .write_all(&bytes)
            .map_err(CompareError::file(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::throw_row::tests::{ROUTED, row};
    use super::super::throw_row::{FIRST, parse_throws};
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written_and_a_cut_line_is_dropped() {
        let dir = std::env::temp_dir().join(format!("dmodc-journal-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("throws.csv");
        let rows = [row(1, Ok(ROUTED)), row(2, Err("no \"roots\", none".into()))];
        Journal::open(&path).unwrap().append(&rows).unwrap();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.rows(), &rows[..1]);
        journal.append(&rows[1..]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert_eq!(read_throws(&path).unwrap(), rows);
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn of_rows_without_it_the_loops_from_host_to_host_are_unknown() {
        let of_hosts = HEADER.iter().position(|&n| n == "host_credit_loops");
        let before = of_hosts.unwrap();
        let text = HEADER[..before].join(",")
            + "\nx,1,2,links,1,1,1,1,0,sssp,1,0,3,2,1,,,7,5,6,10,dmodc 0.1.0; OpenSM 3.3.23,,3,9,1,4\n";
        let rows = parse_throws(text.as_bytes()).unwrap();
        let risks = rows[0].outcome.as_ref().unwrap().risks;
        assert_eq!(
            (risks.credit_loops, risks.host_credit_loops),
            (Some(1), None)
        );
        let wrong = text.replacen("credit_loops", "loops", 1);
        assert_eq!(parse_throws(wrong.as_bytes()).unwrap_err().0, 1);
        let longer = text.replacen("changed_entries", "changed_entries,host_credit_loops,x", 1);
        assert_eq!(parse_throws(longer.as_bytes()).unwrap_err().0, 1);
    }

    #[test]
    fn files_of_the_first_version_are_read_but_not_continued() {
        let text = HEADER[..FIRST].join(",")
            + "\nx,1,2,links,1,1,1,1,0,dmodc,1,0,3,2,1,,,7,5,6,10,dmodc 0.1.0; OpenSM 3.3.23,\n";
        let rows = parse_throws(text.as_bytes()).unwrap();
        let routed = rows[0].outcome.as_ref().unwrap();
        assert_eq!(
            (
                routed.changed_blocks,
                routed.changed_entries,
                routed.risks.ebb
            ),
            (Some(7), None, None)
        );
        assert_eq!((rows[0].a2a_bound, routed.risks.credit_loops), (None, None));
        let path = std::env::temp_dir().join(format!("dmodc-first-{}", std::process::id()));
        fs::write(&path, text).unwrap();
        assert!(Journal::open(&path).is_err());
        fs::remove_file(&path).unwrap();
    }
}
