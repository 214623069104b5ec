//! ibdiagnet2's `.net_dump`.

#![no_main]

mod common;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| common::reads("\"s\", Mellanox, 0x00000000000100a1, LID 1\n", bytes));
