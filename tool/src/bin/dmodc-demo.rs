//! `make demo`: see [`HELP`].

use dmodc::analysis::check;
use dmodc::dmodc::{Options, Ranking};
use dmodc::netlist::Netlist;
use dmodc::netlist::generate::{Order, Pgft, build};
use dmodc_lab::sim::{self, Config, Files, Ibsim, Plugin, Run, between};
use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

const SHAPE: &str = "PGFT(3;24,15,24;1,6,15;1,1,1)";
type Outcome<T> = Result<T, Box<dyn Error>>;

const HELP: &str = "\
Routes a fabric with the stock OpenSM and libdmodc.so on this machine, and shows what happened.
It takes no arguments. It reads from its environment:

  NET=FILE          this netlist instead of a generated fabric of 8,640 nodes
  DEMO_COMPARE=1    then the same fabric with OpenSM's ftree, for its time
  DEMO_LIMIT=SEC    this long for each OpenSM, in seconds [default: 600]

It needs opensm and ibsim ('make setup' installs them). Nothing stays behind.

Exit codes: 0 OpenSM took Dmodc's tables and the check of them passed, 1 something failed,
2 bad usage.
";

fn main() -> ExitCode {
    if let Some(word) = env::args_os().nth(1) {
        if word == "--help" || word == "-h" {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        eprintln!("demo: no arguments, please; --help says what it reads");
        return ExitCode::from(2);
    }
    match demo() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("demo: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn demo() -> Outcome<()> {
    let limit = env::var("DEMO_LIMIT").unwrap_or("600".into()).parse();
    let limit = Duration::from_secs(limit.map_err(|_| "DEMO_LIMIT is no number of seconds")?);
    let netlist = match env::var_os("NET").filter(|net| !net.is_empty()) {
        Some(net) => {
            println!("== The fabric: {}", net.display());
            Netlist::read(Path::new(&net))?
        }
        None => {
            println!("== The fabric: {SHAPE}");
            let shape: Pgft = SHAPE.parse()?;
            let order = Order {
                seed: Some(1),
                lids: false,
            };
            build(&shape.into(), order)
        }
    };
    let switches = netlist.switches().count();
    let others = netlist.nodes.len() - switches;
    println!("{switches} switches, {others} CAs and routers");
    println!("\n== Starting ibsim, which plays the fabric");
    let ibsim = Ibsim::start(&netlist)?;

    println!("\n== Routing with the stock OpenSM, -R dmodc,no_fallback");
    let config = Config::engines("dmodc").with(&Plugin::find());
    let run = route(&ibsim, &config, "dmodc", limit)?;
    if let Err(reason) = &run.outcome {
        let (printed, log) = (run.files.printed(), run.files.log());
        return Err(format!("{printed}{log}\nOpenSM did not take Dmodc's tables: {reason}").into());
    }
    let ours = show_times(&run.files.log())?;
    println!("\n== Checking the tables that OpenSM holds");
    check_tables(&run.files)?;

    if env::var_os("DEMO_COMPARE").is_some_and(|word| !word.is_empty()) {
        println!("\n== The same fabric with ftree");
        let run = route(&ibsim, &Config::engines("ftree"), "ftree", limit)?;
        let took = between(&run.files.log(), "with 'ftree'", "FatTree routing is done");
        match (&run.outcome, took) {
            (Err(reason), _) => println!("ftree does not route this fabric: {reason}"),
            (_, None) => println!("OpenSM's log does not say how long ftree took"),
            (_, Some(theirs)) => println!(
                "callbacks, by the log's times: dmodc {:.3} ms, ftree {:.3} ms: {:.1} times as long",
                millis(ours),
                millis(theirs),
                theirs.as_secs_f64() / ours.as_secs_f64()
            ),
        }
    }
    println!("\n== Done");
    Ok(())
}

fn route(ibsim: &Ibsim, config: &Config, engine: &str, limit: Duration) -> Outcome<Run> {
    let files = Files::new(ibsim)?;
    // 0x47: errors, information, the stages of the sweep, and the dumps of the routing.
    let config = config.clone().log_flags("0x47");
    Ok(sim::run_engine(ibsim, files, &config, engine, limit)?)
}

/// Prints the time of each phase of Dmodc and of the sweep. Returns the time of Dmodc's callbacks, by the
/// stamps of the log.
fn show_times(log: &str) -> Outcome<Duration> {
    let mut lines = log.lines();
    let line = lines.find_map(|line| Some(line.split_once("dmodc: routed ")?.1));
    let line = line.ok_or("no line of Dmodc's in OpenSM's log")?;
    let sweep = between(log, "Entering DISCOVERING", "SET LINKS TO ACTIVE STATE");
    let sweep = sweep.ok_or("OpenSM's log does not say how long the sweep took")?;
    println!(
        "dmodc: routed {line}\n\n{:<26} {:>12} {:>9}",
        "", "ms", "of sweep"
    );
    for (phase, micros) in line
        .split_whitespace()
        .filter_map(|word| word.split_once("_us="))
    {
        let took = Duration::from_micros(micros.parse()?);
        let share = 100.0 * took.as_secs_f64() / sweep.as_secs_f64();
        println!("{phase:<26} {:>12.3} {share:>8.3}%", millis(took));
    }
    println!("{:<26} {:>12.3}", "sweep, dumps left out", millis(sweep));
    let ours = between(log, "with 'dmodc'", "dmodc: routed ");
    Ok(ours.ok_or("OpenSM's log does not say how long Dmodc took")?)
}

fn check_tables(files: &Files) -> Outcome<()> {
    let (fabric, tables) = files.dumped()?;
    let ranking = Ranking::new(&fabric, &Options::default());
    let report = check(&fabric, &tables, |a, b| ranking.is_up(a, b));
    println!("{:<26} {:>12}", "pairs checked", report.checked.pairs);
    println!(
        "{:<26} {:>12}",
        "unreachable pairs", report.unreachable_pairs
    );
    for (what, count) in report.counts() {
        println!("{what:<26} {count:>12}");
    }
    match report.is_minimal() {
        true => Ok(()),
        false => Err("the check of the tables failed".into()),
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
