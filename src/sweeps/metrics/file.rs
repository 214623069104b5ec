//! Writes the file of `dmodc.metrics`.

use crate::files::replace;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The file, which one thread writes.
pub struct File {
    path: PathBuf,
    written: Option<Instant>,
    /// The last error, as text.
    error: String,
}

impl File {
    /// The file is written anew after this time, which shows that OpenSM lives.
    const REST: Duration = Duration::from_secs(15);

    /// A file that has not been written.
    pub fn new(path: PathBuf) -> Self {
        File {
            path,
            written: None,
            error: String::new(),
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
        let error = written.map_or_else(|e| e.to_string(), |()| String::new());
        if !error.is_empty() && error != self.error {
            log::error!(
                "metrics {}: cannot be written: {error}",
                self.path.display()
            );
        }
        self.error = error;
    }
}
