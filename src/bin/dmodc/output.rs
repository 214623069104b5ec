//! Writing results: to a file, or to standard output for `-`.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Whether a path stands for standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// Opens `path`, lets `write` write to it, and reports any failure with the file's name.
pub fn write_to(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let result = if is_dash(path) {
        buffered(io::stdout().lock(), write)
    } else {
        File::create(path).and_then(|file| buffered(file, write))
    };
    let file = if is_dash(path) {
        "<stdout>".into()
    } else {
        path.display().to_string()
    };
    result.map_err(|reason| Failure::Unwritable { file, reason })
}

/// Writes text for people: to standard output, or to standard error if standard output has data.
pub fn say(text: &str, stdout_is_taken: bool) -> Result<(), Failure> {
    if stdout_is_taken {
        complain(text);
        return Ok(());
    }
    write_to(Path::new("-"), |out| out.write_all(text.as_bytes()))
}

/// Writes to standard error, and ignores a failure.
pub fn complain(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes one JSON object and a line end to standard output.
pub fn say_json(value: &serde_json::Value) -> Result<(), Failure> {
    say(&format!("{value:#}\n"), false)
}

fn buffered<W: Write>(
    out: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(&mut out)?;
    out.flush()
}
