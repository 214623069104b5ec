//! Buffers for routes, kept from sweep to sweep: the first touch of fresh memory costs more than routing.

use super::candidates::{CandidatesDown, CandidatesUp};
use super::displaced::Displaced;
use super::port_choice::Choices;
use super::shares::Shares;
use std::sync::{Mutex, MutexGuard};

/// The buffers of one thread.
#[derive(Default)]
pub struct Scratch {
    /// A row by position.
    pub row: Vec<u8>,
    /// A row by LID that several switches share.
    pub shared: Vec<u8>,
    /// The candidates above a switch.
    pub candidates_up: CandidatesUp,
    /// The candidates below a switch.
    pub candidates_down: CandidatesDown,
    /// The choices of a switch.
    pub choices: Choices,
    /// The candidates above a switch over the present links, or without dead switches.
    pub up_now: CandidatesUp,
    /// The candidates below a switch over the present links.
    pub down_now: CandidatesDown,
    /// New ports of entries displaced by dead switches.
    pub shares: Shares,
    /// The displaced entries.
    pub displaced: Displaced,
}

/// The buffers of all threads.
#[derive(Default)]
pub struct RouteMemory {
    free: Mutex<Vec<Scratch>>,
}

impl RouteMemory {
    /// Calls `work` with buffers that no other thread uses.
    pub fn with_scratch(&self, work: impl FnOnce(&mut Scratch)) {
        let mut scratch = lock(&self.free).pop().unwrap_or_default();
        work(&mut scratch);
        lock(&self.free).push(scratch);
    }
}

/// Locks, also after a panic: a thread that panics does not return its half-written buffers.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
