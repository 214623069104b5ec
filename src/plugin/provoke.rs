//! Panics that a test provokes with `dmodc.provoke_panic`. A release build does not know the option and never
//! panics here.

use std::sync::{Mutex, PoisonError};

/// The point at which the first sweep panics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(debug_assertions), allow(dead_code))]
pub enum PanicAt {
    /// Before anything is computed.
    Plan,
    /// After OpenSM's tables are written, before they are vouched for.
    Fill,
}

/// A provoked panic that has not happened yet.
pub struct Provoked(Mutex<Option<PanicAt>>);

impl Provoked {
    /// Provokes this panic, if any.
    pub fn new(asked: Option<PanicAt>) -> Self {
        Provoked(Mutex::new(asked))
    }

    /// Panics at this point: once, so that a test sees the next sweep.
    pub fn panic_if_due(&self, place: PanicAt) {
        let mut due = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = due.take_if(|due| *due == place).is_some();
        drop(due);
        assert!(!is_due, "provoked by dmodc.provoke_panic");
    }
}
