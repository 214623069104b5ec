//! Writing results: to a file, or to standard output for `-`.

use crate::failure::{Failure, Outcome};
use crate::input::is_dash;
use dmodc_formats::files::{packed_by_name, replace_by};
use dmodc_watch::sweeps::line_of;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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

/// Whether a path stands for standard output, or names the file or pipe that standard output is: two writers to one
/// file would each begin at its start. A device such as `/dev/null` may be several outputs.
fn is_stdout(path: &Path) -> bool {
    let file = |path: &Path| {
        let found = fs::metadata(path).ok()?;
        (!found.file_type().is_char_device()).then(|| (found.dev(), found.ino()))
    };
    is_dash(path) || file(path).is_some_and(|own| file(Path::new("/dev/stdout")) == Some(own))
}

/// Whether one of these outputs is standard output.
///
/// # Errors
/// If several are, or one beside the JSON object.
pub fn stdout_among<P: AsRef<Path>>(
    outputs: impl IntoIterator<Item = P>,
    json: bool,
) -> Result<bool, Failure> {
    let outputs = outputs.into_iter();
    let count = outputs.filter(|path| is_stdout(path.as_ref())).count();
    match count + usize::from(json) > 1 {
        true => Err(Failure::other(
            "only one of the outputs can go to standard output",
        )),
        false => Ok(count > 0),
    }
}

/// Calls `write` with a writer to `path`, and reports any failure with the file's name. Replaces a file whole at
/// the end, following a link. Writes into a pipe, a device or an open file at once, cut to length. Packs by gzip if the
/// name ends in `.gz`.
pub fn write_to(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Outcome {
    let write = |out: &mut dyn Write| packed_by_name(path, out, write);
    let to_stdout = is_stdout(path);
    let result = if to_stdout {
        buffered(io::stdout().lock(), write)
    } else {
        match place(path) {
            Ok(Some(file)) => replace_by(&file, write),
            Ok(None) => {
                let to = File::options().write(true).truncate(true).open(path);
                to.and_then(|to| buffered(to, write))
            }
            Err(e) => Err(e),
        }
    };
    let name = match to_stdout {
        true => Path::new("<stdout>"),
        false => path,
    };
    let written = result.map_err(Failure::unwritable(name));
    written.map(|()| ExitCode::SUCCESS)
}

/// The file to replace; `None` for a pipe, a device, or a file that is open already, which can only be written to.
fn place(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::metadata(path) {
        Ok(found) if !(found.is_file() || found.is_dir()) || is_opened(path)? => Ok(None),
        Ok(_) => fs::canonicalize(path).map(Some),
        Err(_) => Ok(Some(path.to_owned())),
    }
}

/// Whether a path, which exists, leads to an open file's number below `/proc`, as `/dev/stdout` and `/dev/fd/3` do:
/// whoever opened the file goes on to write to it.
fn is_opened(path: &Path) -> io::Result<bool> {
    let mut at = path.to_owned();
    while let Some(name) = at.file_name() {
        let folder = at.parent().filter(|folder| *folder != Path::new(""));
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
        if folder.starts_with("/proc") {
            return Ok(true);
        }
        at = folder.join(name);
        match fs::read_link(&at) {
            Ok(to) => at = folder.join(to),
            Err(_) => break,
        }
    }
    Ok(false)
}

/// Writes a text to a file, as [`write_to`].
pub fn write_text(path: &Path, text: impl AsRef<[u8]>) -> Outcome {
    write_to(path, |out| out.write_all(text.as_ref()))
}

/// Writes text for people to standard output.
pub fn print(text: impl AsRef<[u8]>) -> Outcome {
    write_text(Path::new("-"), text)
}

/// Writes text for people: to standard output, or to standard error if standard output has data.
pub fn print_beside(stdout_is_taken: bool, text: &str) -> Outcome {
    match stdout_is_taken {
        true => complain(text),
        false => return print(text),
    }
    Ok(ExitCode::SUCCESS)
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
pub fn print_json(value: &Value) -> Outcome {
    print(format!("{value:#}\n"))
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
