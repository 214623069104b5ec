//! The `dmodc` tool: all parts of Dmodc that need no daemon.
//!
//! Each subcommand is a file of `cmd/` with its `Args` and `run`. Shared: `input.rs` reads files, `output.rs`
//! writes, `draw/` draws fabrics,
//! `failure.rs` has the exit codes, which are part of the contract: 0 done, 1 the check failed or the fabric is not
//! valid, 2 bad usage or unreadable input.

#![forbid(unsafe_code)]

mod cmd;
mod draw;
mod failure;
mod input;
mod output;

use crate::failure::{Failure, Outcome};
use clap::{Parser, Subcommand};
use std::io::ErrorKind;
use std::process::ExitCode;

/// Fast, deterministic, fault-resilient routing of InfiniBand fat-trees, without a daemon.
#[derive(Parser)]
#[command(
    name = "dmodc",
    version,
    after_help = "Examples:
  ibnetdiscover > fabric.net
  dmodc route fabric.net --lfts fabric.lfts
  dmodc check fabric.net fabric.lfts
  dmodc analyze fabric.net fabric.lfts
  dmodc degrade fabric.net --links 10 --seed 1 | dmodc route - --lfts degraded.lfts
  dmodc diff fabric.lfts degraded.lfts
  dmodc trace fabric.net fabric.lfts node001 node002
  dmodc whatif fabric.net --remove 'spine 3'
  dmodc wiring fabric.net --reference as-designed.net
  dmodc suspects fabric.net fabric.lfts --counters errors.txt

NET is a netlist of ibnetdiscover, ibdiagnet or ibsim, the output of ibnetdiscover -p or iblinkinfo, an
opensm-subnet.lst, or ibdiagnet's .lst, .db_csv or .net_dump, recognised by content. LFTS is
OpenSM's opensm-lfts.dump, the output of dump_fts, an .fdbs of OpenSM or ibdiagnet, or ibdiagnet2.far,
recognised likewise. '-' is standard input or output. Inputs may be packed by gzip. What is odd in
a file is a warning, and an error with --strict.

Exit codes: 0 done, 1 the check failed or the fabric is not valid, 2 bad usage or unreadable input."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// The most bytes of an input, unpacked: a number, or one of K, M, G or T
    #[arg(long, value_name = "SIZE", global = true, default_value = "8G", value_parser = input::size)]
    max_size: u64,
}

/// The subcommands, each with its module of `cmd`.
macro_rules! subcommands {
    ($($name:ident $module:ident,)+) => {
        #[derive(Subcommand)]
        enum Command {
            $($name(Box<cmd::$module::Args>),)+
        }

        impl Command {
            fn run(self) -> Outcome {
                match self {
                    $(Command::$name(args) => cmd::$module::run(*args),)+
                }
            }
        }
    };
}

subcommands! {
    Generate generate, Degrade degrade, Route route, Check check, Analyze analyze, Diff diff, Trace trace,
    Whatif whatif, Wiring wiring, Suspects suspects, Follow follow, Forget forget, Setup setup, Status status,
    Events events, Export export, Draw draw, Compare compare, Report report, Completions completions, Man man,
}

fn main() -> ExitCode {
    let Cli { command, max_size } = Cli::parse();
    input::set_most(max_size);
    output::start_log(matches!(command, Command::Follow(_)));
    let result = input::one_stdin().and_then(|()| command.run());
    match result {
        Ok(code) => code,
        // The reader of our output ended first: `dmodc … | head`.
        Err(Failure::Unwritable { reason, .. }) if reason.kind() == ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            output::complain(&format!("dmodc: {failure}\n"));
            failure.exit_code()
        }
    }
}
