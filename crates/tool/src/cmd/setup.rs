//! `dmodc setup`: switches Dmodc on and off in OpenSM's configuration.
//!
//! OpenSM has no folder for parts of its configuration, and of several lines with one option the last one holds. So the
//! lines are a block at the end, between two marks: written again it is the same, and taken out it leaves the file as
//! it was. Other plugins and engines of the file stay in use behind Dmodc.

use crate::failure::{Failure, Outcome};
use crate::input::shown;
use crate::output::print;
use dmodc_formats::files::{self, replace};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The marks, by their first words.
const BEGIN: &str = "# dmodc setup: begin";
const END: &str = "# dmodc setup: end";

/// The first mark where the line before it had no end.
const JOINED: &str = "# dmodc setup: begin, with the end of the line before";

/// The places of OpenSM's configuration, by distribution.
const PLACES: [&str; 2] = ["/etc/opensm/opensm.conf", "/etc/rdma/opensm.conf"];

/// The engines behind Dmodc where the file names none.
const NEXT: [&str; 2] = ["ftree", "updn"];

/// Switch Dmodc on in OpenSM's configuration, or off again
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc setup
  dmodc setup --conf /etc/rdma/opensm.conf
  dmodc setup --remove

Adds a marked block at the end of the file: the plugin and, before the engines that the file names, the
engine. A file that names both already is left as it is. --remove takes the block out: then the file is as
it was. Both take effect when OpenSM is restarted. Other lines are never changed.")]
pub struct Args {
    /// OpenSM's configuration [default: /etc/opensm/opensm.conf, or /etc/rdma/opensm.conf if only that exists]
    #[arg(long, value_name = "F")]
    conf: Option<PathBuf>,
    /// Take the block out
    #[arg(long)]
    remove: bool,
}

pub fn run(args: Args) -> Outcome {
    let path = args.conf.unwrap_or_else(default_conf);
    let unwritable = || Failure::unwritable(shown(&path));
    let (old, is_there) = match files::read(&path) {
        Ok(bytes) => (bytes, true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => (Vec::new(), false),
        Err(e) => return Err(unwritable()(e)),
    };
    let rest = without_block(&old).ok_or_else(|| {
        let reason = format!("'{BEGIN}' without '{END}': take these lines out by hand");
        unwritable()(io::Error::other(reason))
    })?;
    let new = match args.remove {
        true => rest,
        false => with_block(rest),
    };
    let file = path.display();
    if new == old && (is_there || args.remove) {
        return print(format!("{file}: nothing to do\n"));
    }
    if let Some(folder) = path.parent().filter(|_| !is_there) {
        fs::create_dir_all(folder).map_err(unwritable())?;
    }
    replace(&path, &new).map_err(unwritable())?;
    let engines = last(&String::from_utf8_lossy(&new), "routing_engine")
        .unwrap_or_else(|| "of OpenSM's choice".into());
    print(format!(
        "{file}: routing_engine {engines}; restart OpenSM\n"
    ))
}

/// The configuration that OpenSM reads.
pub fn default_conf() -> PathBuf {
    let found = PLACES.iter().find(|place| Path::new(place).exists());
    PathBuf::from(found.unwrap_or(&PLACES[0]))
}

/// The value of an option, as OpenSM takes it: the last one, without a comment and quotes, if it is not empty.
pub fn last(text: &str, option: &str) -> Option<String> {
    let value = |line: &str| {
        let (line, _) = line.split_once('#').unwrap_or((line, ""));
        let (name, value) = line.trim().split_once(char::is_whitespace)?;
        let value = value.trim();
        let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
        let inner = inner('"').or_else(|| inner('\''));
        (name == option).then(|| inner.unwrap_or(value).to_owned())
    };
    let value = text.lines().filter_map(value).next_back()?;
    (!value.is_empty() && value != "(null)").then_some(value)
}

/// A text without the block; `None` if the block has no end. Other bytes stay, whatever their encoding.
fn without_block(text: &[u8]) -> Option<Vec<u8>> {
    let (mut rest, mut is_inside, mut joined_at) = (Vec::new(), false, None);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match is_inside {
            false if line.starts_with(BEGIN.as_bytes()) => {
                is_inside = true;
                joined_at = line.starts_with(JOINED.as_bytes()).then_some(rest.len());
            }
            true if line.starts_with(END.as_bytes()) => is_inside = false,
            true => {}
            false => rest.extend(line),
        }
    }
    // A line after the block needs the end.
    if joined_at == Some(rest.len()) {
        rest.pop();
    }
    (!is_inside).then_some(rest)
}

/// A text without a block, with one; the text itself if it needs none.
fn with_block(mut bytes: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8_lossy(&bytes);
    let is_between = |c: char| c.is_whitespace() || c == ',';
    let words = |option: &str| -> Vec<String> {
        let value = last(&text, option).unwrap_or_default();
        let words = value.split(is_between).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (mut plugins, mut engines) = (words("event_plugin_name"), words("routing_engine"));
    let has = |words: &[String]| words.iter().any(|word| word == "dmodc");
    if has(&plugins) && has(&engines) {
        return bytes;
    }
    if !has(&plugins) {
        plugins.push("dmodc".to_owned());
    }
    if engines.is_empty() {
        engines = NEXT.map(str::to_owned).to_vec();
    }
    if !has(&engines) {
        engines.insert(0, "dmodc".to_owned());
    }
    let (plugins, engines) = (plugins.join(" "), engines.join(","));
    let (newline, begin) = match text.is_empty() || text.ends_with('\n') {
        true => ("", BEGIN),
        false => ("\n", JOINED),
    };
    let block = format!(
        "{newline}{begin}; these lines hold, as the last ones; 'dmodc setup --remove' takes them out\n\
         event_plugin_name {plugins}\nrouting_engine {engines}\n{END}\n"
    );
    bytes.extend(block.into_bytes());
    bytes
}
