//! Netlists as ibdiagnet writes them, with labels.

#![no_main]

mod common;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| common::reads(
    "switchguid=0x100a1\nSwitch  4 \"S-00000000000100a1\"  # \"s\" base port 0 lid 1 lmc 0\n[1](1/1/1) \"S-00000000000100a1\"[2] # \"s\" lid 1 4xEDR\n",
    bytes
));
