//! The plugin's interface to OpenSM: its log line, its options, its registration, its library, and OpenSM's version.

use crate::support::*;
use dmodc_core::PHASES;
use dmodc_lab::sim;
use std::fs;
use std::time::Duration;

/// A fabric of 192 switches: enough for more than one thread.
const SWITCHES_192: &str = "PGFT(3;1,8,8;1,8,8;1,1,1)";

/// The one line of a sweep in a log, without its times.
fn routed(files: &Files) -> String {
    let line = files.log_line("dmodc: routed ");
    let (_, line) = line.split_once("dmodc: ").expect("just found");
    let word = |word: &str| match word.split_once("_us=") {
        Some((phase, time)) => time.parse::<u64>().map(|_| format!("{phase}_us")),
        None => Ok(word.to_owned()),
    };
    let words: Result<Vec<String>, _> = line.split(' ').map(word).collect();
    words.expect("times are numbers").join(" ")
}

/// The line has the threads that worked, not the limit. 256 LIDs take five blocks, 28 take one.
#[test]
fn each_sweep_leaves_its_line() {
    for (shape, threads, line) in [
        (
            FIGURE_1,
            3,
            "routed switches=16 nodes=12 lids=28 ranks=3 unreachable=0 threads=1 total_us read_us rank_us cost_us \
             nid_us routes_us write_us faults=stable displaced=0 changed_blocks=16 turned=0 left_out=0 proof_us proof=passed",
        ),
        (
            SWITCHES_192,
            2,
            "routed switches=192 nodes=64 lids=256 ranks=3 unreachable=0 threads=2 total_us read_us rank_us cost_us \
             nid_us routes_us write_us faults=stable displaced=0 changed_blocks=960 turned=0 left_out=0 proof_us proof=passed",
        ),
    ] {
        let sim = Ibsim::start(&Net::pgft(shape).path);
        let config = Config::dmodc().options(&format!("dmodc.threads={threads}"));
        let files = opensm::route(&sim, &config);
        assert_eq!(routed(&files), line);
        let time = |name: &str| files.numbers(0, name)[0];
        let phases = PHASES.map(|phase| time(&format!("{phase}_us")));
        assert!(time("total_us") + 6 >= phases.iter().sum());
        let taken = files.log_lines("dmodc tables configured on all switches");
        assert!(!taken.is_empty());
        files.assert_errors(&[]);
    }
}

#[test]
fn wrong_options_are_named_and_the_default_holds() {
    let sim = Ibsim::start(&Net::pgft(SWITCHES_192).path);
    let options = "dmodc.threads=many dmodc.colour=blue faults=paper dmodc.on_unreachable=partial";
    let config = Config::dmodc().options(options);
    let files = opensm::route(&sim, &config);
    files.assert_errors(&["dmodc.threads", "dmodc.colour=blue"]);
    assert!(files.log_lines("dmodc: ERR")[0].contains("many"));
    files.log_line("Dmodc's own is 'dmodc.faults=paper'");
    assert_eq!(files.swept(0, "faults"), ["stable"]);
    let processors = std::thread::available_parallelism().expect("Linux knows");
    assert_eq!(files.numbers(0, "threads")[0] > 1, processors.get() > 1);
}

/// The first of two instances registers the engine and works on.
#[test]
fn a_plugin_named_twice_is_refused_once() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let config = Config::dmodc().line("event_plugin_name dmodc dmodc");
    let files = opensm::route(&sim, &config);
    files.assert_errors(&["OpenSM refused the routing engine dmodc (status 20)"]);
    files.assert_routed(&Options::default());
}

/// The relay can end OpenSM, so it is in the laboratory's plugin alone.
#[test]
fn the_plugin_has_no_relay() {
    let has_relay = |name: &str| {
        let library = fs::read(opensm::plugin_dir().join(name)).expect("the plugin");
        library.windows(11).any(|word| word == b"dmodc_relay")
    };
    assert!(!has_relay("libdmodc.so"));
    assert!(has_relay("libdmodc_lab.so"));
}

#[test]
fn another_opensm_version_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut library = fs::read(opensm::plugin_dir().join("libdmodc.so")).expect("the plugin");
    // The plugin as if built for another OpenSM: the first digit of the version is changed.
    let name = b"OpenSM 3.";
    let places = library.windows(name.len()).enumerate();
    let places = places.filter(|(_, w)| w == name).map(|(at, _)| at);
    let places: Vec<usize> = places.collect();
    assert!(!places.is_empty(), "the library names its OpenSM");
    places
        .iter()
        .for_each(|at| library[at + name.len() - 2] = b'9');
    fs::write(folder.path().join("libdmodc.so"), library).expect("a library can be written");

    let sim = Ibsim::start(&Net::two_levels().path);
    let config =
        Config::dmodc().with_plugin(&sim::Plugin::in_dir(folder.path()).expect("a plugin"));
    let (files, _) = opensm::once(&sim, &config, Duration::from_secs(2));
    let log = files.log();
    let refusal = files.log_line("version mismatch");
    has(&refusal, "OpenSM 9.");
    has(&refusal, "OpenSM 3.");
    assert!(files.log_lines("dmodc: routed").is_empty(), "{log}");
}
