//! What the stock diagnostics say of Dmodc's tables.

use crate::support::*;

#[test]
fn osmtest_passes() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let sm = OpenSm::start(&sim, &Config::dmodc().line(tools::OSMTEST));
    tools::osmtest(&sim, &sm.files);
}

#[test]
fn every_lid_is_reached_and_traced() {
    let net = Net::pgft(FIGURE_1);
    let sim = Ibsim::start(&net.path);
    let sm = OpenSm::start(&sim, &Config::dmodc().lmc(1));
    let lids = sm.files.end_node_lids(1);
    assert_eq!(lids.len(), sim.hosts().len() * 2);
    for &lid in &lids {
        assert!(tools::smpquery(&sim, &sm.files, lid).contains("Channel Adapter"));
    }
    for pair in lids.windows(2).filter(|pair| pair[0] / 2 != pair[1] / 2) {
        let route = tools::ibtracert(&sim, &sm.files, pair[0], pair[1]);
        assert!(route.contains("To ca"), "{route}");
    }
}
