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

/// 256 threads need 2 MiB of addresses each, more than the process may have.
#[test]
fn without_threads_the_next_engine_routes() {
    let net = Net::pgft(FIGURE_1);
    let config = Config::dmodc_or("minhop").options("dmodc.threads=256");
    let sim = Ibsim::start(&net.path);
    // The addresses left after the last stack of 2 MiB have to suffice for the threads that have started: with an even
    // number of MiB (these are 449) glibc itself gives up now and then.
    let sm = OpenSm::start(&sim, &config.inside("prlimit", &["--as=470810624"]));
    sm.files.assert_errors(&["cannot start the threads"]);
    let log = sm.files.log();
    let others = "minhop tables configured on all switches";
    assert!(log.contains(others), "{log}");
    assert!(sm.stop());
}
