//! The harness itself, on OpenSM's own engines: what fails here is no fault of ours.

use crate::support::fabrics::Net;
use crate::support::ibsim::Ibsim;
use crate::support::opensm::{self, Config, OpenSm};
use crate::support::tools;
use std::time::Duration;

#[test]
fn every_tool_accepts_a_stock_engine() {
    let sim = Ibsim::start(&Net::two_levels().path);
    let sm = OpenSm::start(&sim, &Config::engine("minhop").line(tools::OSMTEST));
    tools::osmtest(&sim, &sm.files);
    tools::ibdmchk(&sim, &sm.files);
    assert!(tools::smpquery(&sim, &sm.files, 1).contains("Channel Adapter"));
    assert!(sm.stop());
}

#[test]
fn a_link_goes_and_comes_back() {
    let net = Net::two_levels();
    let mut sim = Ibsim::start(&net.path);
    let sm = OpenSm::start(&sim, &Config::engine("minhop"));
    let first = sm.files.lfts();
    let (node, port) = net.switch_link();
    sim.unlink(node, port);
    sm.resweep();
    assert_ne!(sm.files.lfts(), first);
    sim.relink(node, port);
    sm.resweep();
    assert_eq!(sm.files.lfts(), first);
}

#[test]
fn a_daemon_ends_when_told() {
    let sim = Ibsim::start(&Net::two_levels().path);
    let sm = OpenSm::daemon(&sim, &Config::engine("minhop").lmc(2));
    sm.resweep();
    assert!(sm.stop());
}

#[test]
fn a_refused_fabric_stays_unrouted() {
    let sim = Ibsim::start(&Net::two_levels().path);
    // Stock ftree wants LMC 0, and sweeps again and again when it does not get it.
    let config = Config::engine("ftree").lmc(1);
    let (files, finished) = opensm::once(&sim, &config, Duration::from_secs(2));
    assert!(finished.status.is_none(), "{}", finished.output);
    assert!(!files.log().contains("SUBNET UP"), "{}", files.log());
}
