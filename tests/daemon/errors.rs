//! Error paths of the plugin that only a live OpenSM can provoke, each with its log line.

use crate::support::*;

/// The first of two instances registers the engine and works on.
#[test]
fn a_plugin_named_twice_is_refused_once() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let config = Config::dmodc().line("event_plugin_name dmodc dmodc");
    let files = opensm::route(&sim, &config);
    files.assert_errors(&["OpenSM refused the routing engine dmodc (status 20)"]);
    files.assert_routed(&Options::default());
}

/// 256 threads need more addresses than the process may have. Their stacks are so large that what the last thread leaves
/// suffices for OpenSM: with stacks of 2 MiB, OpenSM itself ran out of addresses now and then, and hung.
#[test]
fn without_threads_the_next_engine_routes() {
    let config = Config::dmodc_or("minhop").options("dmodc.threads=256");
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let limits = ["--as=8589934592", "env", "RUST_MIN_STACK=268435456"];
    let sm = OpenSm::start(&sim, &config.inside(process::program("prlimit"), &limits));
    sm.files.assert_errors(&["cannot start the threads"]);
    let log = sm.files.log();
    let others = "minhop tables configured on all switches";
    assert!(log.contains(others), "{log}");
    assert!(sm.stop());
}
