//! `-` in the place of a file: standard input or output.

use std::path::Path;

/// Whether a path stands for standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// The name of an input in messages.
pub fn shown(path: &Path) -> &Path {
    match is_dash(path) {
        true => Path::new("<stdin>"),
        false => path,
    }
}
