//! Writes to OpenSM's log: passes lines to `osm_log_v2` as data (`"%.*s"`), never as a format.

use super::bindings::{LOG_ENTRY_SIZE_MAX, osm_log_t};
use super::symbols::{Missing, WriteLog, function};
use std::ffi::c_int;
use std::ptr::NonNull;

/// Maximum length of a line's text in bytes. OpenSM formats with `vsprintf` into a buffer on the
/// stack; half of the buffer is left for OpenSM's prefix.
const MAX_LENGTH: usize = LOG_ENTRY_SIZE_MAX as usize / 2;

/// OpenSM keeps levels per source file; no file of OpenSM has this number.
const FILE_ID: c_int = 255;

pub struct OpensmLog {
    log: NonNull<osm_log_t>,
    write: WriteLog,
}

// SAFETY: any thread may write to OpenSM's log, which has a lock of its own.
unsafe impl Send for OpensmLog {}
// SAFETY: as for `Send`; only OpenSM's own functions write through the pointer.
unsafe impl Sync for OpensmLog {}

impl OpensmLog {
    /// # Safety
    /// `log` is OpenSM's initialised log, and exists as long as the handle.
    pub unsafe fn new(log: NonNull<osm_log_t>) -> Result<Self, Missing> {
        // SAFETY: `WriteLog` is the type of `osm_log_v2` in OpenSM's headers.
        let write = unsafe { function(c"osm_log_v2") }?;
        Ok(OpensmLog { log, write })
    }

    /// Whether any of these levels is on.
    pub fn is_active(&self, levels: u32) -> bool {
        // SAFETY: the log exists. The level is one byte, which the console may change at any time;
        // OpenSM's own osm_log_is_active_v2 reads it likewise.
        let set = unsafe { (&raw const (*self.log.as_ptr()).level).read_volatile() };
        u32::from(set) & levels != 0
    }

    /// Writes a line; cuts a line that is too long.
    pub fn write(&self, level: u32, line: &str) {
        let line = bounded(line);
        // SAFETY: the log exists; "%.*s" takes an int and reads at most that many bytes, all of
        // them in `line`, and they fit into OpenSM's buffer.
        unsafe {
            (self.write)(
                self.log.as_ptr(),
                level as u8,
                FILE_ID,
                c"%.*s\n".as_ptr(),
                line.len() as c_int,
                line.as_ptr(),
            );
        }
    }
}

/// The longest beginning of a line that fits.
fn bounded(line: &str) -> &str {
    let mut end = line.len().min(MAX_LENGTH);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(bounded("routed"), "routed");
        let long = "é".repeat(MAX_LENGTH);
        for line in [&long, &format!("a{long}")] {
            let cut = bounded(line).len();
            assert!(cut <= MAX_LENGTH && cut > MAX_LENGTH - 2);
        }
    }
}
