//! [`Writer`]: writes files on a thread of its own, so that nobody waits for a disk.
//!
//! OpenSM calls the plugin with its lock held, and a disk may take seconds for an `fsync`: each query to OpenSM would
//! fail meanwhile. So the plugin hands its files over, each by its path. If a newer content of a file comes before the
//! older one is written, the older one is dropped. The thread starts with the first file, and ends when the writer is
//! dropped, once all files are written.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// What writes a file. It logs its own failures.
pub type Job = Box<dyn FnOnce() + Send>;

/// A queue of files and the thread that writes them.
#[derive(Default)]
pub struct Writer {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Queue {
    jobs: Mutex<Jobs>,
    come: Condvar,
}

#[derive(Default)]
struct Jobs {
    waiting: BTreeMap<PathBuf, Job>,
    is_last: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        // No code that may panic runs with the lock held.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; `None` at the end.
    fn next(&self) -> Option<Job> {
        let mut jobs = self.lock();
        loop {
            if let Some((_, job)) = jobs.waiting.pop_first() {
                return Some(job);
            }
            if jobs.is_last {
                return None;
            }
            jobs = self.come.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Writer {
    /// Has a file written soon; waits for nothing. `run` runs a job, and must not let a panic out.
    ///
    /// # Errors
    /// If the thread cannot be started. Then the file is not written.
    pub fn put(&mut self, path: &Path, job: Job, run: fn(Job)) -> io::Result<()> {
        if self.thread.is_none() {
            let queue = self.queue.clone();
            let work = move || {
                while let Some(job) = queue.next() {
                    run(job);
                }
            };
            self.thread = Some(Builder::new().name("dmodc-files".into()).spawn(work)?);
        }
        self.queue.lock().waiting.insert(path.into(), job);
        self.queue.come.notify_one();
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.lock().is_last = true;
        self.queue.come.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been logged.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn the_latest_content_wins_and_all_is_written_at_the_end() {
        let mut writer = Writer::default();
        let (started, has_started) = channel();
        let (go, may_go) = channel::<()>();
        let (said, written) = channel();
        let mut put = |path: &str, job: Job| {
            let put = writer.put(Path::new(path), job, |job| job());
            put.expect("a thread");
        };
        let slow = said.clone();
        put(
            "a",
            Box::new(move || {
                started.send(()).expect("heard");
                may_go.recv().expect("let go");
                slow.send("a1").expect("heard");
            }),
        );
        has_started.recv().expect("it starts");
        for (path, content) in [("a", "a2"), ("b", "b1"), ("a", "a3")] {
            let said = said.clone();
            put(path, Box::new(move || said.send(content).expect("heard")));
        }
        drop(said);
        go.send(()).expect("heard");
        drop(writer);
        assert_eq!(written.iter().collect::<Vec<_>>(), ["a1", "a3", "b1"]);
    }
}
