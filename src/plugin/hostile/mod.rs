//! Subnets as no OpenSM should have them: C structures that contradict themselves, read and routed
//! as if they were live.
//!
//! The structures are laid out as OpenSM's headers have them, in memory of exactly the size that
//! they claim, so that valgrind and AddressSanitizer see whatever goes beyond. The tests also check the tables
//! that are written: every entry is a port of its switch, and nothing around a table changes.
//!
//! Absence: pointers are NULL or lead to a live object of the right type. No reader of C structures
//! can tell other pointers from good ones.

mod cases;
mod lines;
mod mutations;
mod world;
