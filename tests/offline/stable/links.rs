//! Lost links change what went over them and little else.

use super::events::some_hosts;
use super::*;
use crate::long;
use dmodc::random::Random;

/// What links and hosts that go at once change needlessly, in percent of what they force to change.
fn needless(whole: &Netlist, links: usize, hosts: usize, seed: u64) -> Result<f64, TestCaseError> {
    let gone = some_hosts(whole, hosts, &mut Random::new(seed));
    let less = whole.without_nodes(&gone);
    let (less, _) = less.without_links(links, seed).expect("fewer than all");
    let [before, after] = [whole, &less].map(Routed::new);
    after.holds()?;
    // Repaired, the tables return.
    let changes = before.changes(&after);
    let repaired = after.changes(&before).changed().entries;
    prop_assert_eq!(changes.changed().entries, repaired);
    let share = 100.0 * changes.needless.entries as f64 / changes.forced.entries.max(1) as f64;
    println!("{links} links, {hosts} hosts, seed {seed}: {changes:?}, {share:.2} % needless");
    Ok(share)
}

/// A further link goes, and then a host, where links are gone already: nothing changes but what must.
fn one_more(whole: &Netlist, links: usize, seed: u64) -> TestCaseResult {
    let [less, one_less] =
        [links, links + 1].map(|links| whole.without_links(links, seed).expect("fewer than all").0);
    let host = some_hosts(&one_less, 1, &mut Random::new(seed));
    let without_host = one_less.without_nodes(&host);
    let [first, second, third] = [&less, &one_less, &without_host].map(Routed::up_down);
    let by_link = first.changes(&second);
    println!("{links} links and one more, seed {seed}: {by_link:?}");
    prop_assert_eq!(by_link.needless.entries, 0, "{:?}", by_link);
    only_their_own("a host goes", &second, &third)
}

proptest! {
    #![proptest_config(large(2))]

    #[test]
    fn one_after_others_on_648_nodes(seed: u64, links in 0usize..=100) {
        one_more(&named(SMALL, seed), links, seed)?;
    }
}

proptest! {
    #![proptest_config(large(1))]

    #[test]
    fn one_after_others_on_8640_nodes(seed: u64, links in 0usize..=100) {
        if !long::runs("8,640 nodes") {
            return Ok(());
        }
        one_more(&named(A, seed), links, seed)?;
    }
}

proptest! {
    #![proptest_config(large(2))]

    #[test]
    fn on_648_nodes(seed: u64, links in 1usize..=100, hosts in 0usize..=20) {
        let whole = named(SMALL, seed);
        for (links, hosts) in [(1, 0), (links, 0), (links, hosts)] {
            prop_assert!(needless(&whole, links, hosts, seed)? <= 1.0);
        }
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn one_on_small_trees(tree in pgft(2), seed: u64) {
        let whole = shuffled(&tree, seed);
        let share = needless(&whole, 1, 0, seed);
        let result = share.and_then(|share| {
            prop_assert!(share <= 1.0);
            Ok(())
        });
        printed(&whole, result)?;
    }

    /// Where links and hosts are few, several that go may leave no sibling that knows of them: no limit.
    #[test]
    fn several_on_small_trees(tree in tree(), seed: u64, share in 0.0..0.3, hosts in 0usize..=3) {
        let whole = shuffled(&tree, seed);
        let links = whole.links_between_switches().len() as f64 * share;
        printed(&whole, needless(&whole, links as usize, hosts, seed).map(drop))?;
    }
}
