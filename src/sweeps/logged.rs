//! [`Logged`]: the memory of log lines that are written once.

use std::collections::BTreeSet;

/// The lines of the last look.
#[derive(Default)]
pub struct Logged(BTreeSet<String>);

impl Logged {
    /// Takes the lines of this look; returns the lines that the last one did not have.
    pub fn news(&mut self, lines: impl IntoIterator<Item = String>) -> Vec<String> {
        let lines: Vec<String> = lines.into_iter().collect();
        let is_new = |line: &&String| !self.0.contains(*line);
        let news = lines.iter().filter(is_new).cloned().collect();
        self.0 = lines.into_iter().collect();
        news
    }
}
