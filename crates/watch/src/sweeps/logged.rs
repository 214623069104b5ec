//! [`Logged`]: remembers log lines, so that each is written once.

use std::collections::BTreeSet;

/// The lines of the last call.
#[derive(Default)]
pub struct Logged(BTreeSet<String>);

impl Logged {
    /// Remembers these lines; returns those that the last call did not have.
    pub fn news(&mut self, lines: impl IntoIterator<Item = String>) -> Vec<String> {
        let lines: Vec<String> = lines.into_iter().collect();
        let is_new = |line: &&String| !self.0.contains(*line);
        let news = lines.iter().filter(is_new).cloned().collect();
        self.0 = lines.into_iter().collect();
        news
    }
}
