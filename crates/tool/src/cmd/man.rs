//! `dmodc man`: the manual, one page for the tool and one for each subcommand.
//!
//! All text comes from `--help`. After the options `--help` has a block of indented examples, then text. Here
//! the examples become a section with unchanged lines, the text a section of filled paragraphs.

use crate::failure::{Failure, Outcome};
use crate::output::write_to;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write the manual
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc man | man -l -
  dmodc man -o /usr/local/share/man/man1

Without -o, the page of the tool itself goes to standard output. With -o, that folder takes
dmodc.1 and a page for each subcommand, such as dmodc-route.1; it is made if need be.")]
pub struct Args {
    /// Write all pages into this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub fn run(args: Args) -> Outcome {
    let mut tool = crate::Cli::command().disable_help_subcommand(true);
    tool.build();
    let Some(dir) = args.output.filter(|dir| dir != Path::new("-")) else {
        return write_to(Path::new("-"), |out| page(&tool, out));
    };
    std::fs::create_dir_all(&dir).map_err(Failure::unwritable(&dir))?;
    for command in std::iter::once(&tool).chain(tool.get_subcommands()) {
        let file = dir.join(format!("{}.1", page_name(command)));
        write_to(&file, |out| page(command, out))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `dmodc` or `dmodc-route`.
fn page_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

fn page(command: &Command, mut out: &mut dyn Write) -> io::Result<()> {
    let man = Man::new(command.clone())
        .title(page_name(command))
        .source(concat!("dmodc ", env!("CARGO_PKG_VERSION")))
        .manual("Dmodc");
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    let mut more = Roff::new();
    if let Some(help) = command.get_after_help() {
        after_help(&help.to_string(), &mut more);
    }
    if command.get_name() != "dmodc" {
        more.control("SH", ["SEE ALSO"]);
        more.text([bold("dmodc"), roman("(1), "), bold("opensm"), roman("(8)")]);
    }
    more.to_writer(&mut out)
}

/// The text of `--help` after the options.
fn after_help(help: &str, roff: &mut Roff) {
    let mut section = ("SH", vec!["NOTES"]);
    for block in help.split("\n\n") {
        if let Some(lines) = block.strip_prefix("Examples:\n") {
            roff.control("SH", ["EXAMPLES"]);
            roff.control("nf", []);
            for line in lines.lines() {
                roff.text([roman(line.trim_start())]);
            }
            roff.control("fi", []);
            continue;
        }
        let (control, title) = std::mem::replace(&mut section, ("PP", vec![]));
        roff.control(control, title);
        roff.text([roman(block.replace('\n', " "))]);
    }
}
