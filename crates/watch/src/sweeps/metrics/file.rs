//! Writes the file of `dmodc.metrics`.

use crate::sweeps::Logged;
use dmodc_formats::files::replace;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The file of metrics, which one thread writes.
pub struct File {
    path: PathBuf,
    written: Option<Instant>,
    errors: Logged,
}

impl File {
    /// The file is written again after this time, as a sign that OpenSM lives.
    const REST: Duration = Duration::from_secs(15);

    /// A file that has not yet been written.
    pub fn new(path: PathBuf) -> Self {
        File {
            path,
            written: None,
            errors: Logged::default(),
        }
    }

    /// Whether the last write is long ago.
    pub fn is_due(&self) -> bool {
        self.written.is_none_or(|at| at.elapsed() >= File::REST)
    }

    /// Writes the file. A failure gives an error line, once for each reason.
    pub fn write(&mut self, text: &str) {
        self.written = Some(Instant::now());
        let error = replace(&self.path, text.as_bytes()).err();
        let file = self.path.display();
        let error = error.map(|e| format!("metrics {file}: cannot be written: {e}"));
        let news = self.errors.news(error);
        news.iter().for_each(|line| log::error!("{line}"));
    }
}
