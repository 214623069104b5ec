//! Netlists of ibnetdiscover and ibsim: a netlist that is read, oddities included, is written without
//! oddities and reads back equal.

#![no_main]

mod common;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| common::reads("", bytes));
