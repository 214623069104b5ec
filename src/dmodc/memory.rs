//! Memory for routes that is kept from sweep to sweep.

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

    /// The scratch of a thread.
    pub fn of(&self, thread: usize) -> MutexGuard<'_, Scratch> {
        lock(&self.scratch[thread])
    }
}

/// A panic while it was held leaves nothing behind that is read again.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
