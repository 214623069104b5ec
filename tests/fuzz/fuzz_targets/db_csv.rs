//! `ibdiagnet2.db_csv`.

#![no_main]

mod common;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| common::reads("START_NODES\n", bytes));
