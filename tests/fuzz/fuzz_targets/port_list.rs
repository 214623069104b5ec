//! The output of `ibnetdiscover -p`.

#![no_main]

mod common;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| common::reads("SW     1  1 0x00000000000100a1 4x EDR 's'\\n", bytes));
