//! The harness itself, on OpenSM's own engines: what fails here is no fault of ours.

use crate::support::fabrics;
use crate::support::ibsim::Ibsim;
use crate::support::opensm::{self, Config, OpenSm};
use crate::support::tools;
use std::time::Duration;

#[test]
fn every_tool_accepts_a_stock_engine() {
    let sim = Ibsim::start(&fabrics::two_levels());
    let sm = OpenSm::start(&sim, &Config::engine("minhop").line("single_thread TRUE"));
    for flow in ["c", "v", "m", "e"] {
        tools::osmtest(&sim, &sm.files, flow);
    }
    tools::ibdmchk(&sim, &sm.files);
    assert!(tools::smpquery(&sim, &sm.files, 1).contains("NodeType"));
    assert!(sm.stop());
}

#[test]
fn a_link_goes_and_comes_back() {
    let mut sim = Ibsim::start(&fabrics::two_levels());
    let sm = OpenSm::start(&sim, &Config::engine("minhop"));
    let first = sm.files.lfts();
    sim.unlink("S-0000000000000001", 3);
    sm.resweep();
    assert_ne!(sm.files.lfts(), first);
    sim.relink("S-0000000000000001", 3);
    sm.resweep();
    assert_eq!(sm.files.lfts(), first);
}

#[test]
fn a_daemon_ends_when_told() {
    let sim = Ibsim::start(&fabrics::two_levels());
    let sm = OpenSm::daemon(&sim, &Config::engine("minhop").lmc(2));
    sm.resweep();
    assert!(sm.stop());
}

#[test]
fn an_unknown_engine_leaves_the_fabric_unrouted() {
    let sim = Ibsim::start(&fabrics::two_levels());
    let config = Config::engine("nosuchengine");
    let (files, finished) = opensm::once(&sim, &config, Duration::from_secs(3));
    assert!(finished.status.is_none() || !files.log().contains("SUBNET UP"), "{}", files.log());
}
