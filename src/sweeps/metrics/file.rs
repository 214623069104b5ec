//! The file of `dmodc.metrics`.

use crate::files::replace;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The file, which one thread writes.
pub struct File {
    path: PathBuf,
    written: Option<Instant>,
    /// The last error line.
    said: String,
}

impl File {
    /// The file is written anew after this time, which shows that OpenSM lives.
    const REST: Duration = Duration::from_secs(15);

    /// A file that has not been written.
    pub fn new(path: PathBuf) -> Self {
        File {
            path,
            written: None,
            said: String::new(),
        }
    }

    /// Whether it was not written for a while.
    pub fn is_due(&self) -> bool {
        self.written.is_none_or(|at| at.elapsed() >= File::REST)
    }

    /// Writes it. A failure is an error line, once for each reason.
    pub fn write(&mut self, text: &str) {
        self.written = Some(Instant::now());
        let written = replace(&self.path, text.as_bytes());
        let said = written.map_or_else(|e| e.to_string(), |()| String::new());
        if !said.is_empty() && said != self.said {
            log::error!("metrics {}: cannot be written: {said}", self.path.display());
        }
        self.said = said;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_due_once_in_a_while_and_a_failure_is_said_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = File::new(folder.path().join("dmodc.prom"));
        assert!(file.is_due());
        file.write("text");
        assert!(!file.is_due());
        assert_eq!(fs::read_to_string(&file.path).expect("written"), "text");
        drop(folder);
        file.write("text");
        assert!(file.said.contains("No such file"), "{}", file.said);
    }
}
