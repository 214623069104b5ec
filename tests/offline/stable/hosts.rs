//! Hosts that go, come back, move and are replaced change their own entries and no others.
//!
//! Hosts that go are few beside the leaves, since these vote on what their usual ports are. Trees that are so small or so damaged that some
//! leaf passes for a switch further up do not count.

use super::events::{moved, replaced, some_hosts};
use super::*;
use crate::long;
use dmodc::dmodc::Rule;
use dmodc::netlist::Kind;
use dmodc::random::Random;

/// Whether all switches with end nodes are leaves.
fn plain(routed: &Routed) -> bool {
    routed.plan.ranking().rule() == Rule::EndNodes
}

fn go_and_come_back(whole: &Netlist, count: usize, seed: u64) -> TestCaseResult {
    let gone = some_hosts(whole, count, &mut Random::new(seed));
    let before = Routed::new(whole);
    let after = Routed::new(&whole.without_nodes(&gone));
    if !(plain(&before) && plain(&after)) {
        return Ok(());
    }
    only_their_own("they go", &before, &after)?;
    only_their_own("they come back", &after, &before)?;
    after.holds()
}

/// All hosts of a leaf go and come back.
fn a_rack_reboots(whole: &Netlist, seed: u64) -> TestCaseResult {
    let host = some_hosts(whole, 1, &mut Random::new(seed))[0];
    let leaf = whole.nodes[host as usize].ports[0].peer;
    let ports = whole.nodes[leaf as usize].ports.iter().map(|p| p.peer);
    let is_host = |&n: &u32| whole.nodes[n as usize].kind != Kind::Switch;
    let rack: Vec<u32> = ports.filter(is_host).collect();
    let before = Routed::new(whole);
    let after = Routed::new(&whole.without_nodes(&rack));
    only_their_own("a rack goes", &before, &after)?;
    only_their_own("it comes back", &after, &before)?;
    after.holds()
}

fn move_and_be_replaced(whole: &Netlist, seed: u64) -> TestCaseResult {
    let [goes, moves] = some_hosts(whole, 2, &mut Random::new(seed))[..] else {
        return Ok(());
    };
    let before = Routed::new(&whole.without_nodes(&[goes]));
    let after = Routed::new(&moved(whole, moves, goes));
    if !(plain(&before) && plain(&after)) {
        return Ok(());
    }
    only_their_own("one moves", &before, &after)?;
    after.holds()?;
    let before = Routed::new(whole);
    let after = Routed::new(&replaced(whole, goes));
    only_their_own("another machine", &before, &after)?;
    after.holds()
}

fn leaves(tree: &Rlft) -> usize {
    tree.nodes.div_ceil(tree.shape.children(1))
}

/// A tree without some of its links.
fn damaged(tree: &Rlft, seed: u64, share: f64) -> Netlist {
    let whole = shuffled(tree, seed);
    let links = whole.links_between_switches().len() as f64 * share;
    whole
        .without_links(links as usize, seed)
        .expect("fewer than all")
        .0
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn on_whole_trees(tree in tree(), seed: u64) {
        let whole = shuffled(&tree, seed);
        let count = leaves(&tree).div_ceil(4);
        printed(&whole, go_and_come_back(&whole, count, seed))?;
        printed(&whole, move_and_be_replaced(&whole, seed))?;
    }

    #[test]
    fn on_damaged_trees(tree in tree(), seed: u64, share in 0.0..0.3) {
        let less = damaged(&tree, seed, share);
        let count = leaves(&tree).div_ceil(4);
        printed(&less, go_and_come_back(&less, count, seed))?;
        printed(&less, move_and_be_replaced(&less, seed))?;
    }
}

proptest! {
    #![proptest_config(large(1))]

    #[test]
    fn on_648_nodes(seed: u64, links in 0usize..=20, count in 1usize..=9) {
        let (less, _) = named(SMALL, seed).without_links(links, seed).expect("links");
        prop_assert!(plain(&Routed::new(&less)));
        a_rack_reboots(&less, seed)?;
        go_and_come_back(&less, count, seed)?;
        move_and_be_replaced(&less, seed)?;
    }

    #[test]
    fn on_8640_nodes(seed: u64, links in 0usize..=100, count in 1usize..=90) {
        if !long::runs("8,640 nodes") {
            return Ok(());
        }
        let (less, _) = named(A, seed).without_links(links, seed).expect("links");
        a_rack_reboots(&less, seed)?;
        go_and_come_back(&less, count, seed)?;
    }

    #[test]
    fn on_production_fabrics(seed: u64) {
        for path in crate::support::production() {
            let text = std::fs::read(&path).expect("a file");
            let netlist = Netlist::parse(&text).expect("a netlist");
            // A ring is no tree.
            if path.to_string_lossy().contains("ring") {
                continue;
            }
            let result = go_and_come_back(&netlist, 1, seed);
            result.map_err(|e| TestCaseError::fail(format!("{}: {e}", path.display())))?;
        }
    }
}

/// Its leaves have 5 to 24 hosts, at all of their ports.
#[test]
fn each_of_an_irregular_fabric() {
    let text = std::fs::read(crate::support::data(
        "production/irregular-11sw.ibnetdiscover",
    ));
    let netlist = Netlist::parse(&text.expect("a file")).expect("a netlist");
    let before = Routed::new(&netlist);
    let is_host = |&n: &u32| netlist.nodes[n as usize].kind != Kind::Switch;
    for host in (0..netlist.nodes.len() as u32).filter(is_host) {
        let after = Routed::new(&netlist.without_nodes(&[host]));
        only_their_own("it goes", &before, &after).expect("no other entry changes");
    }
}

/// Leaves with some hosts, at any of their ports. Where these are voted on there is always some fabric in which
/// one host decides: one or two in a thousand of these.
#[test]
fn one_on_partly_populated_trees() {
    let mut moved = 0;
    for case in 0..60 {
        let seed = seed(case);
        let mut random = Random::new(seed);
        let leaves = 6 + random.below(19);
        let whole = named(&format!("PGFT(2;18,{leaves};1,9;1,1)"), seed);
        let hosts = 18 * leaves;
        let gone = some_hosts(&whole, hosts * random.below(80) / 100, &mut random);
        let less = whole.without_nodes(&gone);
        let one_less = less.without_nodes(&some_hosts(&less, 1, &mut random));
        let result = only_their_own("one goes", &Routed::new(&less), &Routed::new(&one_less));
        println!("{leaves} leaves, seed {seed}: {result:?}");
        moved += usize::from(result.is_err());
    }
    assert!(moved <= 2);
}
