//! The `dmodc` tool.
fn main() {}
