//! A thread that runs a function at intervals, and when it is woken.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The thread, until it has ended. Whoever shares this may end it.
pub struct Pulse(Mutex<Option<Running>>);

struct Running {
    waker: Sender<()>,
    thread: JoinHandle<()>,
}

impl Pulse {
    /// Runs `beat(true)` at once, at each wake and at the end; `beat(false)` after an idle `every`.
    pub fn start(
        every: Duration,
        mut beat: impl FnMut(bool) + Send + 'static,
    ) -> io::Result<Pulse> {
        let (waker, wakes) = channel();
        let run = move || {
            beat(true);
            loop {
                let waited = wakes.recv_timeout(every);
                // Several wakes cause one run.
                while wakes.try_recv().is_ok() {}
                beat(waited != Err(RecvTimeoutError::Timeout));
                if waited == Err(RecvTimeoutError::Disconnected) {
                    return;
                }
            }
        };
        let thread = Builder::new().name("dmodc-metrics".into()).spawn(run)?;
        Ok(Pulse(Mutex::new(Some(Running { waker, thread }))))
    }

    /// Makes the thread run the function soon; waits for nothing.
    pub fn wake(&self) {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Running { waker, .. }) = &*running {
            // Sending fails only if the function has panicked and the thread has ended.
            let _ = waker.send(());
        }
    }

    /// Makes the thread run the function once more, and waits until it has ended.
    pub fn end(&self) {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Running { waker, thread }) = running {
            drop(waker);
            // A panic of the thread has been logged.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_beats_at_once_when_woken_and_at_the_end() {
        let (beats, seen) = channel();
        let hour = Duration::from_secs(3600);
        let pulse =
            Pulse::start(hour, move |woken| beats.send(woken).expect("heard")).expect("a thread");
        assert_eq!(seen.recv(), Ok(true));
        pulse.wake();
        assert_eq!(seen.recv(), Ok(true));
        pulse.end();
        assert_eq!(seen.iter().collect::<Vec<_>>(), [true]);
        let (beats, seen) = channel();
        let pulse = Pulse::start(Duration::from_millis(1), move |woken| {
            let _ = beats.send(woken);
        });
        let pulse = pulse.expect("a thread");
        assert!(seen.iter().any(|woken| !woken));
        pulse.end();
    }
}
