//! Collects the log lines of each thread, in place of OpenSM's log.

use log::{LevelFilter, Log, Metadata, Record};
use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    /// The lines logged on this thread.
    static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A logger in place of OpenSM's log.
struct Lines;

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let line = format!("{}: {}", record.level(), record.args());
        LINES.with_borrow_mut(|lines| lines.push(line));
    }

    fn flush(&self) {}
}

/// The lines of this thread since the last call.
pub fn logged() -> Vec<String> {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        log::set_logger(&Lines).expect("no other test sets a logger");
        log::set_max_level(LevelFilter::Trace);
    });
    LINES.take()
}

/// The error lines of this thread since the last call.
pub fn errors() -> Vec<String> {
    let mut lines = logged();
    lines.retain(|line| line.starts_with("ERROR: "));
    lines
}
