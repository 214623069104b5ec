//! The output of `iblinkinfo`, without `-l` and with it.

#![no_main]

mod common;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| common::reads("Switch: 0x00000000000100a1 s:\n", bytes));
