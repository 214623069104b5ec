//! Generates the OpenSM bindings when the `plugin` feature is on.
fn main() {}
