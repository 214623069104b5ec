//! `dmodc report`: a comparison as a page to read.

use crate::failure::Outcome;
use crate::output::{print, write_text};
use dmodc_lab::report::report;
use std::path::PathBuf;

/// Make a page with figures of the rows of 'dmodc compare --degrade'
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc compare fabric.net --degrade links --throws 100 --max-exponent 8 -o results
  dmodc report results
  dmodc report part-1 part-2 part-3

Reads DIR/throws-*.csv, also files of other versions; writes DIR/report.html, with all in it that it
needs.")]
pub struct Args {
    /// Folder of the comparison, or several of its parts; the page comes into the first
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
}

pub fn run(args: Args) -> Outcome {
    let (html, figures) = report(&args.dirs)?;
    let page = args.dirs[0].join("report.html");
    write_text(&page, html)?;
    print(format!("{}: {figures} figures\n", page.display()))
}
