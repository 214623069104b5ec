//! Memory for routes that is kept from sweep to sweep, and the threads that work in it.

use super::choice::{Choice, Choices};
use super::survey::Survey;
use std::sync::{Mutex, MutexGuard};

/// What a thread keeps from row to row, and from sweep to sweep.
#[derive(Default)]
pub struct Scratch {
    /// A row by place.
    pub places: Vec<u8>,
    /// A row by LID that several switches share.
    pub shared: Vec<u8>,
    /// What the switch of a row sees.
    pub survey: Survey,
    /// The choices that it has made.
    pub choices: Choices,
    /// Candidates by hand: detours.
    pub detour: Choice,
}

/// Memory for routes that is kept from sweep to sweep: to touch it first costs more than routing.
pub struct RouteMemory {
    /// One for each thread.
    scratch: Vec<Mutex<Scratch>>,
}

impl RouteMemory {
    /// Memory for so many threads.
    pub fn new(threads: usize) -> Self {
        RouteMemory {
            scratch: std::iter::repeat_with(Mutex::default)
                .take(threads)
                .collect(),
        }
    }

    /// For how many threads it is.
    pub fn threads(&self) -> usize {
        self.scratch.len()
    }

    /// Does jobs on the threads of the pool that this runs on, each with its own scratch. A thread
    /// that other work keeps away is not waited for.
    pub fn share_out<T: Send>(
        &self,
        jobs: impl Iterator<Item = T> + Send,
        work: impl Fn(T, &mut Scratch) + Sync,
    ) {
        let jobs = Mutex::new(jobs);
        let take_part = || {
            let thread = rayon::current_thread_index().expect("this runs on the pool");
            let mut scratch = lock(&self.scratch[thread]);
            loop {
                let next = lock(&jobs).next();
                let Some(job) = next else { break };
                work(job, &mut scratch);
            }
        };
        rayon::scope(|scope| {
            for _ in 1..self.scratch.len() {
                scope.spawn(|_| take_part());
            }
            take_part();
        });
    }
}

/// A panic while it was held leaves nothing behind that is read again.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
