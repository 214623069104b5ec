//! `dmodc diff`: the entries and blocks that OpenSM sends for a change of tables.

use super::reading::Reading;
use crate::failure::Outcome;
use crate::input::input;
use crate::output::{print, print_json};
use dmodc_fabric::Guid;
use dmodc_formats::lft::Diff;
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Instant;

/// Count the entries and the blocks of 64 LIDs that differ between two dumps of tables
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc diff before.lfts after.lfts
  dmodc diff before.lfts after.lfts --json | jq .changed_blocks

A switch of the second dump alone has all its entries changed; of one in the first dump alone
nothing is counted, since nothing is sent to it.")]
pub struct Args {
    /// Tables before
    #[arg(value_parser = input())]
    first: PathBuf,
    /// Tables after
    #[arg(value_parser = input())]
    second: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let [before, after] = [&args.first, &args.second].map(|path| args.reading.dump(path));
    let diff = dmodc_formats::lft::diff(&before?, &after?);
    if !args.json {
        return print(table(&diff));
    }
    let changed = diff.switches.iter().filter(|s| s.entries > 0);
    let by_switch = changed.map(|s| {
        let guid = s.guid.to_string();
        json!({ "guid": guid, "changed_entries": s.entries, "changed_blocks": s.blocks })
    });
    let guids = |guids: &[Guid]| guids.iter().map(Guid::to_string).collect::<Value>();
    print_json(&json!({
        "switches": diff.switches.len(),
        "changed_entries": diff.entries(),
        "changed_blocks": diff.blocks(),
        "by_switch": by_switch.collect::<Value>(),
        "added": guids(&diff.added),
        "removed": guids(&diff.removed),
        "seconds": start.elapsed().as_secs_f64(),
    }))
}

fn table(diff: &Diff) -> String {
    let row = |what: &dyn Display, entries: &dyn Display, blocks: &dyn Display| {
        format!("{what:<18}  {entries:>10}  {blocks:>10}\n")
    };
    let mut text = String::new();
    let changed = diff.switches.iter().filter(|s| s.entries > 0);
    if diff.entries() > 0 {
        text += &row(&"switch", &"entries", &"blocks");
    }
    for s in changed.clone() {
        text += &row(&s.guid.to_string(), &s.entries, &s.blocks);
    }
    for (guids, what) in [(&diff.added, "second"), (&diff.removed, "first")] {
        for guid in guids {
            text += &format!("{guid} is in the {what} dump only\n");
        }
    }
    // The last line, for programs too.
    let total = format!("total of {}", changed.count());
    text + &row(&total, &diff.entries(), &diff.blocks())
}
