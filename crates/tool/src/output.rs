//! Writing results: to a file, or to standard output for `-`.

use crate::failure::Failure;
use crate::input::is_dash;
use dmodc_formats::files::{packed_by_name, replace_by};
use dmodc_watch::sweeps::line_of;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes the library's log lines to standard error: for a subcommand that serves an OpenSM from the level of
/// information on, with the plugin's prefix; else warnings and errors alone.
pub fn start_log(serves: bool) {
    let level = if serves { "info" } else { "warn" };
    let mut log =
        env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(level));
    log.format_timestamp(None);
    if serves {
        log.format(|out, record| {
            let line = line_of(record.level(), &record.args().to_string());
            writeln!(out, "{line}")
        });
    }
    log.init();
}

/// Calls `write` with a writer to `path`, and reports any failure with the file's name. Replaces a file whole at
/// the end, following a link. Writes into a pipe or a device at once. Packs by gzip if the name ends in `.gz`.
pub fn write_to(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let write = |out: &mut dyn Write| packed_by_name(path, out, write);
    let result = if is_dash(path) {
        buffered(io::stdout().lock(), write)
    } else {
        match place(path) {
            Ok(Some(file)) => replace_by(&file, write),
            Ok(None) => (File::options().write(true).open(path)).and_then(|to| buffered(to, write)),
            Err(e) => Err(e),
        }
    };
    let name = if is_dash(path) {
        Path::new("<stdout>")
    } else {
        path
    };
    result.map_err(Failure::unwritable(name))
}

/// The file to replace; `None` for a pipe or device, which can only be written to.
fn place(path: &Path) -> io::Result<Option<PathBuf>> {
    let opened_by_the_shell = ["/dev", "/proc"].iter().any(|of| path.starts_with(of));
    match fs::metadata(path) {
        Ok(found) if opened_by_the_shell || !(found.is_file() || found.is_dir()) => Ok(None),
        Ok(_) => fs::canonicalize(path).map(Some),
        Err(_) => Ok(Some(path.to_owned())),
    }
}

/// Writes text for people: to standard output, or to standard error if standard output has data.
pub fn print_text(text: &str, stdout_is_taken: bool) -> Result<(), Failure> {
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

/// Adds a member to a JSON object, if there is a value.
pub fn add<T: Into<Value>>(object: &mut Value, key: &str, value: Option<T>) {
    if let Some(value) = value {
        object[key] = value.into();
    }
}

/// Writes one JSON object and a line end to standard output.
pub fn print_json(value: &Value) -> Result<(), Failure> {
    print_text(&format!("{value:#}\n"), false)
}

pub fn progress(work: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(work);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

fn buffered<W: Write>(
    out: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(&mut out)?;
    out.flush()
}
