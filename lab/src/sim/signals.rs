//! Cleans up when a signal ends this process.

use crate::LabError;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::fs;
use std::io;
use std::sync::{Mutex, OnceLock};
use std::thread;

type LastWords = Box<dyn FnOnce() + Send>;

static LAST_WORDS: Mutex<Option<LastWords>> = Mutex::new(None);

/// When a signal ends this process, it calls this after it has cleaned up: the latest that it was given.
pub fn when_stopped(say: impl FnOnce() + Send + 'static) {
    if let Ok(mut words) = LAST_WORDS.lock() {
        *words = Some(Box::new(say));
    }
}

/// From now on INT, TERM and HUP call `clean_up` and then end this process as by default. Its result is
/// kept until then. A signal that this process ignores from its start, as under `nohup`, stays ignored.
pub(super) fn before_end<T: 'static>(clean_up: fn() -> T) -> Result<(), LabError> {
    static DONE: OnceLock<Result<(), io::ErrorKind>> = OnceLock::new();
    let done = DONE.get_or_init(|| install(clean_up).map_err(|reason| reason.kind()));
    done.map_err(|kind| {
        let reason = io::Error::from(kind);
        LabError::Other(format!("cannot take signals: {reason}"))
    })
}

fn install<T: 'static>(clean_up: fn() -> T) -> io::Result<()> {
    let ignored = ignored(&fs::read_to_string("/proc/self/status")?);
    let heeded = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(heeded)?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _kept = clean_up();
            if let Some(say) = LAST_WORDS.lock().ok().and_then(|mut words| words.take()) {
                say();
            }
            // Fails only for other signals.
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// The set of ignored signals, one bit each.
fn ignored(status: &str) -> u64 {
    let set = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_tells_what_is_ignored() {
        assert_eq!(ignored("Name:\tx\nSigIgn:\t0000000000001001\n"), 0x1001);
        let status = fs::read_to_string("/proc/self/status").unwrap();
        // Rust's runtime ignores SIGPIPE.
        assert_eq!(
            ignored(&status) >> (signal_hook::consts::SIGPIPE - 1) & 1,
            1
        );
    }
}
