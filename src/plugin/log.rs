//! Our log lines on OpenSM's log.
//!
//! The core logs through the `log` crate and knows nothing of OpenSM. Here a line is formatted in
//! Rust and handed to `osm_log_v2` as data (`"%.*s"`), never as a format. OpenSM formats with
//! `vsprintf` into 4096 bytes on the stack, so the length is bounded here.
//!
//! Levels: error is `OSM_LOG_ERROR`; warn and info are `OSM_LOG_INFO`, for OpenSM has no warnings
//! and its ERROR lines alarm people; debug is `OSM_LOG_VERBOSE`; trace is `OSM_LOG_DEBUG`. As in
//! OpenSM's own lines, errors carry `ERR`.
//!
//! The `log` crate's global logger inside libdmodc.so is ours alone.

use super::bindings::{
    LOG_ENTRY_SIZE_MAX, OSM_LOG_DEBUG, OSM_LOG_ERROR, OSM_LOG_INFO, OSM_LOG_ROUTING,
    OSM_LOG_VERBOSE, osm_log_t,
};
use super::symbols::{LogV2, Missing};
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::ffi::c_int;
use std::ptr::NonNull;
use std::sync::RwLock;

/// Longest text of a line in bytes; half of OpenSM's buffer is left for its own prefix.
const MAX_LENGTH: usize = LOG_ENTRY_SIZE_MAX as usize / 2;

/// OpenSM keeps levels per source file; this is none of its files.
const FILE_ID: c_int = 255;

struct Target {
    log: NonNull<osm_log_t>,
    write: LogV2,
}

// SAFETY: OpenSM's log is made to be written from any thread (it has a lock of its own), and the
// pointer stays valid until `detach`.
unsafe impl Send for Target {}
// SAFETY: as above; nothing is written through the pointer but by OpenSM's own functions.
unsafe impl Sync for Target {}

struct OpensmLog;

static LOGGER: OpensmLog = OpensmLog;
static TARGET: RwLock<Option<Target>> = RwLock::new(None);

/// Sends our lines to this log from now on.
///
/// # Safety
/// `log` points to OpenSM's initialised log and stays valid until [`detach`].
pub unsafe fn attach(log: NonNull<osm_log_t>) -> Result<(), Missing> {
    let write = LogV2::load()?;
    *TARGET.write().unwrap_or_else(|e| e.into_inner()) = Some(Target { log, write });
    // A second plugin instance finds the logger set already, to the same thing.
    let _ = log::set_logger(&LOGGER);
    log::set_max_level(LevelFilter::Trace);
    Ok(())
}

/// Writes no more.
pub fn detach() {
    *TARGET.write().unwrap_or_else(|e| e.into_inner()) = None;
}

/// Whether OpenSM is asked to dump its routing (`-D 0x40`).
pub fn routing_dumps_wanted() -> bool {
    active(OSM_LOG_ROUTING)
}

fn active(level: u32) -> bool {
    let target = TARGET.read().unwrap_or_else(|e| e.into_inner());
    target.as_ref().is_some_and(|t| {
        // SAFETY: the log is valid by the contract of `attach`. The level is one byte, which the
        // console may change at any time, as it may for OpenSM's own osm_log_is_active_v2.
        let set = unsafe { (&raw const (*t.log.as_ptr()).level).read_volatile() };
        u32::from(set) & level != 0
    })
}

fn level_of(level: Level) -> u32 {
    match level {
        Level::Error => OSM_LOG_ERROR,
        Level::Warn | Level::Info => OSM_LOG_INFO,
        Level::Debug => OSM_LOG_VERBOSE,
        Level::Trace => OSM_LOG_DEBUG,
    }
}

/// One line of at most [`MAX_LENGTH`] bytes, without control characters.
fn line_of(level: Level, text: &str) -> String {
    let mark = if level == Level::Error { "ERR: " } else { "" };
    let mut line: String = format!("dmodc: {mark}{}", text.trim_end())
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    while line.len() > MAX_LENGTH {
        line.pop();
    }
    line
}

impl Log for OpensmLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("dmodc") && active(level_of(metadata.level()))
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = line_of(record.level(), &record.args().to_string());
        let target = TARGET.read().unwrap_or_else(|e| e.into_inner());
        if let Some(t) = target.as_ref() {
            let level = level_of(record.level()) as u8;
            // SAFETY: the log is valid by the contract of `attach`; "%.*s" takes an int and reads
            // that many bytes at most, all of them ours.
            unsafe {
                (t.write.0)(
                    t.log.as_ptr(),
                    level,
                    FILE_ID,
                    c"%.*s\n".as_ptr(),
                    line.len() as c_int,
                    line.as_ptr(),
                );
            }
        }
    }

    fn flush(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_bounded_line() {
        assert_eq!(line_of(Level::Info, "routed\n"), "dmodc: routed");
        assert_eq!(line_of(Level::Error, "a\nb\0c"), "dmodc: ERR: a b c");
        assert_eq!(line_of(Level::Warn, "100%s"), "dmodc: 100%s");
        let long = line_of(Level::Info, &"é".repeat(5000));
        assert!(long.len() <= MAX_LENGTH && long.len() > MAX_LENGTH - 4);
    }

    #[test]
    fn levels_match() {
        let all = [
            Level::Error,
            Level::Warn,
            Level::Info,
            Level::Debug,
            Level::Trace,
        ];
        assert_eq!(all.map(level_of), [1, 2, 2, 4, 8]);
    }
}
