//! `dmodc generate`: a fat-tree as a netlist.

use crate::failure::{Outcome, refused};
use crate::output::write_to;
use dmodc_fabric::{NoSpeed, Rate, Speed};
use dmodc_formats::netlist::generate::{Order, Pgft, Rlft, build_with_speeds};
use std::path::PathBuf;

/// Generate a fat-tree as a netlist that ibsim loads
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc generate 'PGFT(3;24,15,24;1,6,15;1,1,1)' -o 8640.net
  dmodc generate 'PGFT(3;2,2,3;1,2,2;1,2,1)' --seed 1 | dmodc route -
  dmodc generate rlft --nodes 1000 --radix 36 -o 1000.net
  dmodc generate 'PGFT(2;16,8;1,8;1,1)' --speeds 2xHDR,HDR -o 128.net

A real-life fat-tree (rlft) has the fewest levels of switches with RADIX ports that carry NODES
nodes, half of each switch's ports up, and parallel links to a top level no larger than needed.")]
pub struct Args {
    /// PGFT(h; m1,..,mh; w1,..,wh; p1,..,ph), h from 1 to 6, or rlft
    shape: String,
    /// Number of end nodes of a real-life fat-tree
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Ports of every switch of a real-life fat-tree
    #[arg(long, value_name = "R")]
    radix: Option<usize>,
    /// Shuffle node GUIDs and the order of LIDs; the same seed gives the same fabric for ever
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Speeds of the links of each level, the end nodes' first: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or
    /// XDR, with a width (2xHDR) if it is not 4x. The last one is for all levels above
    #[arg(long, value_name = "SPEED,..", value_delimiter = ',', default_value = "EDR", value_parser = speed)]
    speeds: Vec<Speed>,
    /// Give no LIDs: OpenSM will
    #[arg(long)]
    no_lids: bool,
    /// Write the netlist here
    #[arg(short, long, value_name = "NET", default_value = "-")]
    output: PathBuf,
}

pub fn run(args: Args) -> Outcome {
    let is_rlft = args.shape.eq_ignore_ascii_case("rlft");
    let tree = match (is_rlft, args.nodes, args.radix) {
        (true, Some(nodes), Some(radix)) => Rlft::new(nodes, radix)?,
        (true, _, _) => return refused("generate rlft needs --nodes and --radix"),
        (false, None, None) => args.shape.parse::<Pgft>()?.into(),
        (false, _, _) => return refused("--nodes and --radix go with rlft only"),
    };
    let order = Order {
        seed: args.seed,
        lids: !args.no_lids,
    };
    let netlist = build_with_speeds(&tree, order, &args.speeds);
    write_to(&args.output, |mut out| netlist.write(&mut out))
}

fn speed(text: &str) -> Result<Speed, NoSpeed> {
    let wide = text.parse::<Rate>().map(|rate| Speed::new(4, rate));
    wide.or_else(|_| text.parse())
}
