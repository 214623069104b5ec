//! Writes the lines of the `log` crate to OpenSM's log.
//!
//! The core logs through that crate and does not depend on OpenSM. This module adds the prefix to a line, replaces its
//! control characters, and passes it to [`OpensmLog`].
//!
//! Levels: error is `OSM_LOG_ERROR`; warn and info are `OSM_LOG_INFO`, since OpenSM has no warnings and its ERROR lines
//! alarm people; debug is `OSM_LOG_VERBOSE`; trace is `OSM_LOG_DEBUG`. As in OpenSM's own lines, errors carry `ERR`.
//!
//! libdmodc.so has a `log` crate of its own, so no other code uses its global logger.

use super::ffi::OpensmLog;
use super::ffi::bindings::{OSM_LOG_DEBUG, OSM_LOG_ERROR, OSM_LOG_INFO, OSM_LOG_VERBOSE};
use dmodc_watch::sweeps::line_of;
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::{PoisonError, RwLock};

struct Logger;

static LOGGER: Logger = Logger;
static TARGET: RwLock<Option<OpensmLog>> = RwLock::new(None);

/// Sends Dmodc's lines to this log from now on.
pub fn attach(log: OpensmLog) {
    *TARGET.write().unwrap_or_else(PoisonError::into_inner) = Some(log);
    // For a second plugin instance this logger is set already.
    let _ = log::set_logger(&LOGGER);
    log::set_max_level(LevelFilter::Trace);
}

/// Stops writing, since OpenSM may destroy its log.
pub fn detach() {
    *TARGET.write().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Whether any of these levels of OpenSM's log is on.
pub fn is_active(levels: u32) -> bool {
    let target = TARGET.read().unwrap_or_else(PoisonError::into_inner);
    target.as_ref().is_some_and(|log| log.is_active(levels))
}

fn level_of(level: Level) -> u32 {
    match level {
        Level::Error => OSM_LOG_ERROR,
        Level::Warn | Level::Info => OSM_LOG_INFO,
        Level::Debug => OSM_LOG_VERBOSE,
        Level::Trace => OSM_LOG_DEBUG,
    }
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("dmodc") && is_active(level_of(metadata.level()))
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = line_of(record.level(), &record.args().to_string());
        let target = TARGET.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(log) = target.as_ref() {
            log.write(level_of(record.level()), &line);
        }
    }

    fn flush(&self) {
        let target = TARGET.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(log) = target.as_ref() {
            log.flush();
        }
    }
}
