//! `make bench`: times Dmodc's plan and routes, from a snapshot in memory to finished tables. `dmodc compare` times the
//! engines inside OpenSM.
//!
//! Environment: `BENCH_REPEATS`, how often each fabric is timed (15).

mod core;
#[path = "../../../core/benches/support/mod.rs"]
mod support;

use std::env;
use std::error::Error;
use support::{A, B, C, SMALL};

const SHAPES: [(&str, &str); 4] = [("648", SMALL), ("A", A), ("B", B), ("C", C)];

fn main() -> Result<(), Box<dyn Error>> {
    let repeats = match env::var("BENCH_REPEATS") {
        Ok(value) => value
            .parse()
            .map_err(|e| format!("BENCH_REPEATS={value}: {e}"))?,
        Err(_) => 15,
    };
    let mut fabrics = Vec::new();
    for (name, shape) in SHAPES {
        eprintln!("bench: {shape}");
        let whole = support::complete(shape);
        let less = support::degraded(&whole);
        fabrics.push(core::measure(name, false, &whole, repeats));
        fabrics.push(core::measure(name, true, &less, repeats));
    }
    print!("{}", core::table(&fabrics));
    Ok(())
}
