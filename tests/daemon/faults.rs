//! A running OpenSM through changes of the fabric: the tables depend on the fabric alone.

use crate::support::*;

/// Asserts that OpenSM's tables are the offline ones of its last subnet dump, and deliver.
fn assert_tables_fit(sm: &OpenSm, config: &Config) {
    let offline = Offline::route(&sm.files.subnet(), config.lmc, 2, &Options::default());
    let live = sm.files.lfts();
    offline.assert_same(&live);
    offline.assert_clean(&live);
}

#[test]
fn a_link_goes_and_comes_back_with_four_lids_a_port() {
    let net = Net::pgft(FIGURE_1);
    let config = Config::dmodc().lmc(2);
    let mut sim = Ibsim::start(&net.path);
    let sm = OpenSm::start(&sim, &config);
    let first = sm.files.lfts();
    let (node, port) = net.switch_link();
    sim.unlink(node, port);
    sm.resweep();
    let without = sm.files.lfts();
    assert!(without != first, "the tables do not use the link");
    assert_tables_fit(&sm, &config);
    sim.relink(node, port);
    sm.resweep();
    assert!(sm.files.lfts() == first, "the tables did not return");
}

#[test]
fn a_daemon_routes_and_ends() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let config = Config::dmodc();
    let sm = OpenSm::daemon(&sim, &config);
    assert_tables_fit(&sm, &config);
    sm.resweep();
    assert_tables_fit(&sm, &config);
    assert!(sm.stop());
}
