//! Memory for routes that is kept from sweep to sweep: to touch it first costs more than routing.

use super::candidates::{WaysDown, WaysUp};
use super::displaced::Displaced;
use super::port_choice::Choices;
use super::shares::Shares;
use std::sync::{Mutex, MutexGuard};

/// What a thread works with.
#[derive(Default)]
pub struct Scratch {
    /// A row by place.
    pub places: Vec<u8>,
    /// A row by LID that several switches share.
    pub shared: Vec<u8>,
    /// The candidates above a switch.
    pub ways_up: WaysUp,
    /// The candidates below it.
    pub ways_down: WaysDown,
    /// The choices that it has made.
    pub choices: Choices,
    /// The candidates above and below as they are, where they differ from what should be.
    pub up_now: WaysUp,
    /// Likewise below it.
    pub down_now: WaysDown,
    /// Where what goes that has lost its port with a switch.
    pub shares: Shares,
    /// What cannot stay where it should be.
    pub displaced: Displaced,
}

/// The scratch of all threads.
#[derive(Default)]
pub struct RouteMemory {
    free: Mutex<Vec<Scratch>>,
}

impl RouteMemory {
    /// Does some work with a scratch that nobody else has.
    pub fn with_scratch(&self, work: impl FnOnce(&mut Scratch)) {
        let mut scratch = lock(&self.free).pop().unwrap_or_default();
        work(&mut scratch);
        lock(&self.free).push(scratch);
    }
}

/// A panic while it was held leaves nothing behind that is read again.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
