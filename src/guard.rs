//! The one panic boundary: every function that OpenSM calls runs inside [`guard`].
//!
//! A panic that unwinds into C aborts the subnet manager. [`guard`] turns it into an ERROR line in OpenSM's log and
//! into the value that means "failed", so that OpenSM takes the next engine of its list. The hook of [`log_panics`]
//! logs the panic's source line; it runs on the thread that panics, such as a worker of the pool.

use std::panic::{self, AssertUnwindSafe};

/// Runs `body`; if it panics, logs the panic and returns `fallback`. `function` is OpenSM's name for the callback.
pub fn guard<T>(function: &str, fallback: T, body: impl FnOnce() -> T) -> T {
    // AssertUnwindSafe: callbacks share state only behind a mutex, and the code that locks it handles the poison.
    match panic::catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(payload) => {
            let text = message(&*payload);
            log::error!("{function} was given up: internal error: {text}");
            // The payload is nearly always a string. A payload of another type may panic when dropped.
            if let Err(another) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
                std::mem::forget(another);
            }
            fallback
        }
    }
}

/// Sends panic messages to the log instead of standard error. The hook is this library's own:
/// libdmodc.so carries its own copy of the standard library.
pub fn log_panics() {
    panic::set_hook(Box::new(|info| match info.location() {
        Some(at) => log::error!("panic at {at}: {}", message(info.payload())),
        None => log::error!("panic: {}", message(info.payload())),
    }));
}

fn message(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_that_panics_when_dropped_is_held_back() {
        struct Strange;
        impl Drop for Strange {
            fn drop(&mut self) {
                panic::panic_any(());
            }
        }
        let caught = guard("callback", -1, || panic::panic_any(Strange));
        assert_eq!(caught, -1);
    }
}
