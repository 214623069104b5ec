//! A thread that runs a function at intervals, and when it is woken.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The thread; it runs once more and ends when this is dropped.
pub struct Pulse {
    /// `None` once it is to end.
    waker: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Pulse {
    /// Runs `beat` at once, and then again and again. Its argument is whether it was woken.
    pub fn start(
        every: Duration,
        mut beat: impl FnMut(bool) + Send + 'static,
    ) -> io::Result<Pulse> {
        let (waker, wakes) = channel();
        let run = move || {
            beat(true);
            loop {
                let waited = wakes.recv_timeout(every);
                // Many wakes are one.
                while wakes.try_recv().is_ok() {}
                beat(waited != Err(RecvTimeoutError::Timeout));
                if waited == Err(RecvTimeoutError::Disconnected) {
                    return;
                }
            }
        };
        let thread = Builder::new().name("dmodc-metrics".into()).spawn(run)?;
        Ok(Pulse {
            waker: Some(waker),
            thread: Some(thread),
        })
    }

    /// Runs the function soon; waits for nothing.
    pub fn wake(&self) {
        if let Some(waker) = &self.waker {
            // The thread has ended only if the function panicked.
            let _ = waker.send(());
        }
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.waker = None;
        if let Some(thread) = self.thread.take() {
            // A panic has been logged.
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
        drop(pulse);
        assert_eq!(seen.iter().collect::<Vec<_>>(), [true]);
        let (beats, seen) = channel();
        let pulse = Pulse::start(Duration::from_millis(1), move |woken| {
            let _ = beats.send(woken);
        });
        assert!(seen.iter().any(|woken| !woken));
        drop(pulse);
    }
}
