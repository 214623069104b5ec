//! A short storm of faults under one OpenSM: links break and are repaired in bursts, and after each
//! burst the tables are those of the fabric as it then is, and deliver.

use crate::support::fabrics::Net;
use crate::support::ibsim::Ibsim;
use crate::support::judge::Offline;
use crate::support::opensm::{Config, OpenSm};
use dmodc::dmodc::Options;
use dmodc::random::Random;

/// 100 nodes, 20 leaves of 5, three levels.
const NODES_100: &str = "PGFT(3;5,5,4;1,3,3;1,1,1)";
const ROUNDS: usize = 20;
/// Rounds after which OpenSM has allocated what it keeps.
const WARM: usize = 5;
/// Most links that change at once.
const BURST: usize = 8;

#[test]
fn bursts_of_broken_and_repaired_links() {
    let net = Net::pgft(NODES_100);
    let mut sim = Ibsim::start(&net.path);
    let sm = OpenSm::start(&sim, &Config::dmodc());
    let first = sm.files.lfts();
    let mut random = Random::new(1);
    // All links but the one of the host that OpenSM runs on.
    let hosts = sim.hosts()[1..].to_vec();
    let mut whole: Vec<(&str, u8)> = net.switch_links().collect();
    whole.extend(hosts.iter().map(|host| (host.as_str(), 1)));
    let mut broken: Vec<(&str, u8)> = Vec::new();
    let mut resident = 0;
    for round in 1..=ROUNDS {
        for _ in 0..=random.below(BURST) {
            // As likely to break as to repair once a tenth of the links is broken.
            if broken.len() < 20 || random.below(2) == 0 {
                let link = whole.swap_remove(random.below(whole.len()));
                sim.unlink(link.0, link.1);
                broken.push(link);
            } else {
                let link = broken.swap_remove(random.below(broken.len()));
                sim.relink(link.0, link.1);
                whole.push(link);
            }
        }
        assert_swept(&sm, round);
        if round == WARM {
            resident = sm.resident();
        }
    }
    for (node, port) in broken {
        sim.relink(node, port);
    }
    assert_swept(&sm, ROUNDS + 1);
    assert!(sm.files.lfts() == first, "the tables did not return");
    let grown = sm.resident();
    println!("OpenSM: {resident} KiB after {WARM} rounds, {grown} after all");
    assert!(
        grown * 100 <= resident * 105,
        "OpenSM grew from {resident} to {grown} KiB"
    );
    assert!(sm.stop());
}

/// Sweeps, and wants Dmodc to have routed what OpenSM now sees.
fn assert_swept(sm: &OpenSm, round: usize) {
    let routed = || sm.files.log_lines("dmodc tables configured").len();
    let before = routed();
    sm.resweep();
    assert!(routed() > before, "round {round}:\n{}", sm.files.log());
    let offline = Offline::route(&sm.files.subnet(), 0, 1, &Options::default());
    let live = sm.files.lfts();
    // Not the dump byte for byte: its headers count LIDs that OpenSM has given out and not seen
    // since.
    offline.assert_same_entries(&live);
    offline.assert_clean(&live);
}
