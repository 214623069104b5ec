//! The `dmodc` tool: everything about Dmodc that needs no daemon.
//!
//! Each subcommand is a file of `cmd/` with its `Args` and `run`; what they share is in `cmd/mod.rs`
//! (reading fabrics and tables) and `output.rs` (writing). Exit codes are part of the contract:
//! 0 done, 1 the check failed or the fabric is not valid, 2 bad usage or unreadable input.

mod cmd;
mod output;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Fast, deterministic, fault-resilient routing of InfiniBand fat-trees, without a daemon.
#[derive(Parser)]
#[command(
    version,
    after_help = "Examples:
  ibnetdiscover > fabric.net
  dmodc route fabric.net --lfts fabric.lfts
  dmodc check fabric.net fabric.lfts
  dmodc analyze fabric.net fabric.lfts
  dmodc degrade fabric.net --links 10 --seed 1 | dmodc route - --lfts degraded.lfts
  dmodc diff fabric.lfts degraded.lfts

NET is a netlist of ibnetdiscover or ibsim, or an opensm-subnet.lst, recognised by content. LFTS is
OpenSM's opensm-lfts.dump. '-' is standard input or output.

Exit codes: 0 done, 1 the check failed or the fabric is not valid, 2 bad usage or unreadable input."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Generate(cmd::generate::Args),
    Degrade(cmd::degrade::Args),
    Route(cmd::route::Args),
    Check(cmd::check::Args),
    Analyze(cmd::analyze::Args),
    Diff(cmd::diff::Args),
    Compare(cmd::compare::Args),
    Report(cmd::report::Args),
    Completions(cmd::completions::Args),
    Man(cmd::man::Args),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn"))
        .format_timestamp(None)
        .init();
    let result = match Cli::parse().command {
        Command::Generate(args) => cmd::generate::run(args),
        Command::Degrade(args) => cmd::degrade::run(args),
        Command::Route(args) => cmd::route::run(args),
        Command::Check(args) => cmd::check::run(args),
        Command::Analyze(args) => cmd::analyze::run(args),
        Command::Diff(args) => cmd::diff::run(args),
        Command::Compare(args) => cmd::compare::run(args),
        Command::Report(args) => cmd::report::run(args),
        Command::Completions(args) => cmd::completions::run(args),
        Command::Man(args) => cmd::man::run(args),
    };
    match result {
        Ok(code) => code,
        // Whoever read our output has had enough of it: `dmodc .. | head`.
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&format!("dmodc: {failure}\n"));
            failure.exit_code()
        }
    }
}
