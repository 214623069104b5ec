//! Whole PGFTs whose GUIDs are in the order of places have the paper's tables, and all tables depend on the fabric
//! alone. Those with GUIDs at random are held to the same tables by place in `design::papers`.

use super::events::listed_otherwise;
use super::*;
use crate::design::names::in_order;
use crate::long;
use dmodc::random::Random;

/// `stable` and `paper` are the same for end nodes. The paper has no LIDs of switches.
fn is_the_papers(whole: &Netlist) -> TestCaseResult {
    let stable = Routed::new(whole);
    let paper = Routed::with(whole, Faults::Paper, 1);
    for s in 0..stable.fabric.switches().len() as u32 {
        for node in stable.fabric.end_nodes() {
            let entry = stable.tables.get(s, node.lid);
            prop_assert_eq!(
                entry,
                paper.tables.get(s, node.lid),
                "switch {}, {}",
                s,
                node.lid
            );
        }
    }
    Ok(())
}

/// Neither the number of threads nor the order of discovery makes any difference.
fn depends_on_the_fabric_alone(netlist: &Netlist, seed: u64) -> TestCaseResult {
    let one = Routed::new(netlist);
    let three = Routed::with(netlist, Faults::Stable, 3);
    prop_assert!(one.tables == three.tables, "on three threads");
    let mut text = Vec::new();
    let other = listed_otherwise(netlist, &mut Random::new(seed));
    other.write(&mut text).expect("writing to memory");
    let other = Routed::new(&Netlist::parse(&text).expect("what is written can be read"));
    prop_assert!(one.fabric == other.fabric, "the same fabric");
    prop_assert!(one.tables == other.tables, "in another order of discovery");
    Ok(())
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn are_the_papers(tree in pgft(1), seed: u64) {
        let whole = in_order(&shuffled(&tree, seed));
        printed(&whole, is_the_papers(&whole))?;
    }

    #[test]
    fn depend_on_the_fabric_alone(tree in tree(), seed: u64, share in 0.0..0.5) {
        let whole = shuffled(&tree, seed);
        let links = whole.links_between_switches().len() as f64 * share;
        let (less, _) = whole.without_links(links as usize, seed).expect("fewer than all");
        printed(&less, depends_on_the_fabric_alone(&less, seed))?;
    }
}

proptest! {
    #![proptest_config(large(1))]

    #[test]
    fn are_the_papers_on_648_nodes(seed: u64) {
        is_the_papers(&in_order(&named(SMALL, seed)))?;
    }

    #[test]
    fn are_the_papers_on_8640_nodes(seed: u64) {
        if !long::runs("8,640 nodes") {
            return Ok(());
        }
        let whole = named(A, seed);
        is_the_papers(&in_order(&whole))?;
        let (less, _) = whole.without_links(10, seed).expect("links");
        depends_on_the_fabric_alone(&less, seed)?;
    }
}
