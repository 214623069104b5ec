//! An upgrade of the plugin under a fabric in use, with a standby: first the standby, which then takes over, then the
//! former master. How many entries change, and which pairs of hosts lose packets.

use super::stage::Manager;
use super::{cells, changed, end, lost};
use crate::skip::skipped;
use crate::storm::NODES_648;
use crate::storm::cables::Cables;
use crate::storm::measured::Measured;
use crate::storm::measures;
use crate::storm::watch::Reaction;
use crate::support::opensm::plugin_dir;
use crate::support::*;
use dmodc_fabric::random::Random;
use std::fs;
use std::path::Path;

/// Upgrades from the plugin in `old`, with these numbers of links and switches above the leaves gone.
fn upgrade(old: &Path, links: usize, switches: usize) {
    let net = Net::pgft_with_lids(NODES_648);
    let mut upper = net.netlist.removable_switches(false);
    Random::new(1).shuffle(&mut upper);
    let damage = |cables: &mut Cables| {
        let gone = &upper[..switches];
        let of_gone = cables.cables_of(|node| gone.contains(&node));
        let mut others = cables.cables_of(|node| upper.contains(&node));
        others.retain(|cable| !of_gone.contains(cable));
        Random::new(1).shuffle(&mut others);
        cables.unplug(&others[..links]);
        cables.unplug(&of_gone);
    };
    let mut fabric = Measured::start("updn", &net, damage, &[changed, measures::lost]);
    let sim = &fabric.live.sim;
    fs::write(sim.dir().join("drain"), "").expect("written");
    let new_plugin = plugin_dir();
    let [first, second] =
        [0, 5].map(|host| [old, &new_plugin].map(|plugin| Manager::new(&net, sim, host, plugin)));
    fabric.taken_over("the old version takes over from updn", |live| {
        end(live);
        OpenSm::launch(&live.sim, &first[0].config(9, 700))
    });
    assert!(second[0].stand_by(&fabric.live.sim, 3, 700).stop());
    let standby = second[1].stand_by(&fabric.live.sim, 3, 700);
    fabric.step("the standby is upgraded", |_| Reaction::default());
    let places = &second[1].places;
    fabric.managed_by("the master ends, the standby takes over", places, |live| {
        end(live);
        standby
    });
    let places = &first[1].places;
    fabric.managed_by("the former master, upgraded, takes over", places, |live| {
        OpenSm::launch(&live.sim, &first[1].config(9, 700))
    });
    println!("\n{links} links and {switches} switches gone\n");
    println!("| step | entries (least) | pairs that lose packets |\n|---|--:|--:|");
    for row in &fabric.rows {
        println!("| {} | {} |", row.what, cells(row));
        assert_eq!(lost(row), 0.0, "{}", row.what);
    }
}

/// From the plugin in the folder `OLD_PLUGIN`.
#[test]
#[ignore = "long: make rehearsal"]
fn an_upgrade_with_a_standby() {
    let Some(old) = std::env::var_os("OLD_PLUGIN") else {
        return skipped("no OLD_PLUGIN, a folder with the plugin of an older version");
    };
    for (links, switches) in [(0, 0), (10, 0), (10, 2)] {
        upgrade(Path::new(&old), links, switches);
    }
}
