//! Tests with C structures that contradict themselves, as no OpenSM should have them. The plugin reads and routes them
//! as if they were live.
//!
//! The structures are laid out as in OpenSM's headers, in memory of exactly the size that they claim, so that valgrind
//! and AddressSanitizer detect any access beyond. The tests also check the tables that are written: every entry is a
//! port of its switch, and nothing around a table changes.
//!
//! Absence: pointers are NULL or point to a live object of the right type. No reader of C structures can distinguish
//! other pointers from good ones.

mod cases;
mod lines;
mod mutations;
mod world;
