//! Routes with a reference: the fabric as it was, or another one altogether.

use super::events::some_hosts;
use super::*;
use dmodc::random::Random;
use std::sync::Arc;

fn with_reference(netlist: &Netlist, reference: &Netlist) -> Routed {
    let (reference, _) = reference.to_fabric(None).expect("LIDs");
    let options = Options {
        reference: Some(Arc::new(reference)),
        ..Options::default()
    };
    Routed::asked(netlist, &options, 1)
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn what_goes_moves_only_what_went_over_it(
        tree in tree(), seed: u64, share in 0.0..0.3, switches in 0usize..=3, hosts in 0usize..=3,
    ) {
        let whole = shuffled(&tree, seed);
        let links = whole.links_between_switches().len() as f64 * share;
        let less = whole.without_nodes(&some_hosts(&whole, hosts, &mut Random::new(seed)));
        let less = less.without_links(links as usize, seed).expect("fewer than all").0;
        let less = match less.without_switches(switches, seed, false) {
            Ok((fewer, _)) => fewer,
            Err(_) => less,
        };
        let (before, after) = (Routed::new(&whole), with_reference(&less, &whole));
        let result = after.holds().and_then(|()| {
            prop_assert_eq!(before.changes(&after).needless.entries, 0);
            Ok(())
        });
        printed(&less, result)?;
    }

    #[test]
    fn another_fabric_does_no_harm(tree in tree(), other in tree(), seeds: [u64; 2], share in 0.0..0.3) {
        let whole = shuffled(&tree, seeds[0]);
        let links = whole.links_between_switches().len() as f64 * share;
        let less = whole.without_links(links as usize, seeds[0]).expect("fewer than all").0;
        printed(&less, with_reference(&less, &shuffled(&other, seeds[1])).holds())?;
    }
}
