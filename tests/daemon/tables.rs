//! The tables that a live OpenSM holds are those that the library computes from its subnet dump,
//! byte for byte: the same fabric by two sources, the same tables by two sinks.

use crate::support::fabrics::{FIGURE_1, NODES_648, Net, route_offline};
use crate::support::ibsim::Ibsim;
use crate::support::opensm::{self, Config};
use dmodc::dmodc::Options;

/// Routes a fabric with a live OpenSM and offline, and compares.
fn same_live_and_offline(net: &Net, config: &Config, options: &Options) {
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, config);
    let live = files.lfts();
    for threads in [1, 2] {
        let offline = route_offline(&files.subnet(), config.lmc, threads, options);
        assert_same(&live, &offline);
    }
}

/// Compares two dumps and shows the first line that differs, not megabytes.
fn assert_same(live: &[u8], offline: &[u8]) {
    if live == offline {
        return;
    }
    let (live, offline) = (
        String::from_utf8_lossy(live),
        String::from_utf8_lossy(offline),
    );
    let lines = live.lines().zip(offline.lines()).enumerate();
    let first = lines.into_iter().find(|(_, (a, b))| a != b);
    let counts = (live.lines().count(), offline.lines().count());
    panic!("live and offline tables differ, {counts:?} lines, first: {first:#?}");
}

#[test]
fn figure_1() {
    same_live_and_offline(&Net::pgft(FIGURE_1), &Config::dmodc(), &Options::default());
}

#[test]
fn figure_1_with_four_lids_a_port() {
    same_live_and_offline(
        &Net::pgft(FIGURE_1),
        &Config::dmodc().lmc(2),
        &Options::default(),
    );
}

#[test]
fn figure_1_with_roots_connected() {
    let options = Options {
        connect_roots: true,
        ..Options::default()
    };
    let config = Config::dmodc().line("connect_roots TRUE");
    same_live_and_offline(&Net::pgft(FIGURE_1), &config, &options);
}

#[test]
fn nodes_648() {
    same_live_and_offline(&Net::pgft(NODES_648), &Config::dmodc(), &Options::default());
}

#[test]
fn nodes_648_with_a_tenth_of_the_links_gone() {
    let net = Net::pgft(NODES_648).without_links(65, 1);
    same_live_and_offline(&net, &Config::dmodc(), &Options::default());
}

#[test]
fn production_fabrics() {
    for name in ["small-2sw.ibnetdiscover", "irregular-11sw.ibnetdiscover"] {
        if let Some(net) = Net::production(name) {
            same_live_and_offline(&net, &Config::dmodc(), &Options::default());
        }
    }
}
