//! Cleans up when a signal ends this process.

use crate::LabError;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::fs;
use std::io;
use std::sync::{Mutex, OnceLock};
use std::thread;

type AtEnd = Box<dyn FnOnce() + Send>;

static AT_END: Mutex<Option<AtEnd>> = Mutex::new(None);

/// Sets the function that a signal that ends this process calls after the clean-up. It replaces an earlier one.
pub fn when_stopped(at_end: impl FnOnce() + Send + 'static) {
    if let Ok(mut held) = AT_END.lock() {
        *held = Some(Box::new(at_end));
    }
}

/// From now on INT, TERM and HUP call `clean_up`, keep its result, and end this process as by default. Only
/// the first call counts. A signal that this process ignores from its start, as under `nohup`, stays ignored.
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
    let mut heeded = vec![SIGINT, SIGTERM, SIGHUP];
    heeded.retain(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(heeded)?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let _kept = clean_up();
            if let Some(at_end) = AT_END.lock().ok().and_then(|mut held| held.take()) {
                at_end();
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
    fn ignored_signals_are_read_from_linux() {
        assert_eq!(ignored("Name:\tx\nSigIgn:\t0000000000001001\n"), 0x1001);
        let status = fs::read_to_string("/proc/self/status").unwrap();
        // Rust's runtime ignores SIGPIPE.
        let sigpipe = signal_hook::consts::SIGPIPE - 1;
        assert_eq!(ignored(&status) >> sigpipe & 1, 1);
    }
}
