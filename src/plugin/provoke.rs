//! Panics that a test asks for with `dmodc.provoke_panic`. A release build does not know the
//! option, so there the answer is always no.

use std::sync::{Mutex, PoisonError};

/// Where the first sweep is to panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(debug_assertions), allow(dead_code))]
pub enum PanicAt {
    /// Before anything is computed.
    Plan,
    /// When OpenSM's tables are written, and not yet vouched for.
    Fill,
}

/// A panic that was asked for and has not happened yet.
pub struct Provoked(Mutex<Option<PanicAt>>);

impl Provoked {
    /// What is asked for.
    pub fn new(asked: Option<PanicAt>) -> Self {
        Provoked(Mutex::new(asked))
    }

    /// Panics if this is the place: once, so that a test sees what comes after.
    pub fn panic_if_due(&self, place: PanicAt) {
        let mut due = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = due.take_if(|due| *due == place).is_some();
        drop(due);
        assert!(!is_due, "provoked by dmodc.provoke_panic");
    }
}
