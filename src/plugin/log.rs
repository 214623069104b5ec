//! Writes the lines of the `log` crate to OpenSM's log.
//!
//! The core logs through that crate and knows nothing of OpenSM. Here a line gets its prefix, loses its control
//! characters, and goes to [`OpensmLog`].
//!
//! Levels: error is `OSM_LOG_ERROR`; warn and info are `OSM_LOG_INFO`, for OpenSM has no warnings and its ERROR lines
//! alarm people; debug is `OSM_LOG_VERBOSE`; trace is `OSM_LOG_DEBUG`. As in OpenSM's own lines, errors carry `ERR`.
//!
//! The `log` crate's global logger inside libdmodc.so is ours alone.

use super::ffi::OpensmLog;
use super::ffi::bindings::{
    OSM_LOG_DEBUG, OSM_LOG_ERROR, OSM_LOG_INFO, OSM_LOG_ROUTING, OSM_LOG_VERBOSE,
};
use crate::sweeps::line_of;
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::{PoisonError, RwLock};

struct Logger;

static LOGGER: Logger = Logger;
static TARGET: RwLock<Option<OpensmLog>> = RwLock::new(None);

/// Sends our lines to this log from now on.
pub fn attach(log: OpensmLog) {
    *TARGET.write().unwrap_or_else(PoisonError::into_inner) = Some(log);
    // A second plugin instance finds the logger set already, to the same thing.
    let _ = log::set_logger(&LOGGER);
    log::set_max_level(LevelFilter::Trace);
}

/// Stops writing: OpenSM's log may go.
pub fn detach() {
    *TARGET.write().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Whether OpenSM dumps its routing (`-D 0x40`).
pub fn routing_dumps_wanted() -> bool {
    is_active(OSM_LOG_ROUTING)
}

fn is_active(levels: u32) -> bool {
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

    fn flush(&self) {}
}
