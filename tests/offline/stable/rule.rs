//! The tables against a naive reading of the rule, on small fabrics.

use super::events::some_hosts;
use super::naive::Naive;
use super::*;
use dmodc::dmodc::Rule;
use dmodc::random::Random;

fn is_the_rule(netlist: &Netlist) -> TestCaseResult {
    let routed = Routed::up_down(netlist);
    if routed.plan.ranking().rule() != Rule::EndNodes {
        return Ok(());
    }
    let naive = Naive::new(&routed.fabric);
    let switches = || 0..routed.fabric.switches().len() as u32;
    for s in switches().filter(|&s| naive.is_connected(s)) {
        let row = naive.row(s);
        let nodes = routed.fabric.end_nodes().iter().map(|n| n.lid);
        let to = switches().filter(|&t| naive.is_connected(t));
        let ports_zero = to.map(|t| routed.fabric.switches()[t as usize].lid);
        for lid in nodes.chain(ports_zero) {
            let (entry, guid) = (
                routed.tables.get(s, lid),
                routed.fabric.switches()[s as usize].guid,
            );
            prop_assert_eq!(entry, row[lid.index()], "switch {}, LID {}", guid, lid);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn on_damaged_trees(tree in tree(), seed: u64, share in 0.0..0.4, hosts in 0usize..10) {
        let whole = shuffled(&tree, seed);
        let less = whole.without_nodes(&some_hosts(&whole, hosts, &mut Random::new(seed)));
        let links = less.links_between_switches().len() as f64 * share;
        let (less, _) = less.without_links(links as usize, seed).expect("fewer than all");
        printed(&less, is_the_rule(&less))?;
    }

    /// Wide enough that ports carry many entries.
    #[test]
    fn on_wide_trees(m in 20usize..=50, leaves in 4usize..=8, w in 2usize..=6, seed: u64, links in 1usize..=6) {
        let shape = Pgft::new(vec![m, leaves], vec![1, w], vec![1, 1]).expect("a shape");
        let (less, _) = shuffled(&shape.into(), seed).without_links(links, seed).expect("links");
        printed(&less, is_the_rule(&less))?;
    }
}
