//! Writes to OpenSM's log: passes lines to `osm_log_v2` as data (`"%.*s"`), never as a format.
//!
//! Unless `force_log_flush` is set, OpenSM keeps lines in memory until a few kilobytes have come together or an error
//! is logged: on a quiet fabric, for hours. So Dmodc flushes the log after the lines of a sweep, as `osm_log_v2` does:
//! under the lock of the log, since OpenSM may open another file at any time.

use super::bindings::{LOG_ENTRY_SIZE_MAX, osm_log_t};
use super::symbols::{LockLog, Missing, WriteLog, function};
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
    acquire: LockLog,
    release: LockLog,
}

// SAFETY: any thread may write to OpenSM's log, which has a lock of its own.
unsafe impl Send for OpensmLog {}
// SAFETY: as for `Send`; only OpenSM's own functions write through the pointer.
unsafe impl Sync for OpensmLog {}

impl OpensmLog {
    /// # Safety
    /// `log` is OpenSM's initialised log, and exists as long as the handle.
    pub unsafe fn new(log: NonNull<osm_log_t>) -> Result<Self, Missing> {
        // SAFETY: these are the types of the functions in OpenSM's headers.
        unsafe {
            Ok(OpensmLog {
                log,
                write: function(c"osm_log_v2")?,
                acquire: function(c"cl_spinlock_acquire")?,
                release: function(c"cl_spinlock_release")?,
            })
        }
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

    /// Hands the lines so far to the kernel.
    pub fn flush(&self) {
        // SAFETY: the log exists. Its lock is held while its file is used; OpenSM opens another one only under this
        // lock.
        unsafe {
            let lock = &raw mut (*self.log.as_ptr()).lock;
            (self.acquire)(lock);
            let file = (*self.log.as_ptr()).out_port;
            if !file.is_null() {
                libc::fflush(file.cast());
            }
            (self.release)(lock);
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
