//! Leaves 0 and 1 below spines 2 and 3, an end node on each leaf, and what happens to them.

use crate::analysis::testing::shortest;
use crate::analysis::{Count, Forced, forced};
use crate::netlist::Netlist;
use crate::netlist::generate::{Order, Pgft, build};

fn whole() -> Netlist {
    let shape: Pgft = "PGFT(2;1,2;1,2;1,1)".parse().unwrap();
    build(&shape.into(), Order::default())
}

/// The same without the link between leaf 0 and spine 2.
fn less() -> Netlist {
    let mut less = whole();
    less.nodes[0].ports.retain(|port| port.peer != 2);
    less.nodes[2].ports.retain(|port| port.peer != 0);
    less
}

/// The changes of tables that take the lowest port of all shortest ways, down-up ones too.
fn changes(before: &Netlist, after: &Netlist) -> Forced {
    let [old, new] = [before, after].map(|netlist| netlist.to_fabric(None).unwrap().0);
    let (old_tables, new_tables) = (shortest(&old), shortest(&new));
    forced((&old, &old_tables), (&new, &new_tables), |a, b| a < b)
}

fn count(entries: usize, blocks: usize) -> Count {
    Count { entries, blocks }
}

#[test]
fn what_went_over_a_lost_link_must_change() {
    let found = changes(&whole(), &less());
    // Leaf 0: the other leaf, its node, spine 2. Leaf 1: leaf 0 and its node. Spine 2: all but leaf 1
    // and its node. Spine 3: spine 2, which no up-down path leads to.
    let expected = Forced {
        forced: count(3 + 2 + 3 + 1, 4),
        ..Forced::default()
    };
    assert_eq!(found, expected);
    assert_eq!(found.changed(), count(9, 4));
}

#[test]
fn what_returns_to_a_link_that_is_back_did_not_have_to() {
    let found = changes(&less(), &whole());
    let expected = Forced {
        forced: count(1 + 3 + 1, 3),
        needless: count(2 + 2, 1),
        own: count(0, 0),
    };
    assert_eq!(found, expected);
}

#[test]
fn entries_of_a_node_that_goes_or_comes_are_its_own() {
    let without = whole().without_nodes(&[4]);
    for (before, after) in [(whole(), without.clone()), (without, whole())] {
        let found = changes(&before, &after);
        let expected = Forced {
            own: count(4, 4),
            ..Forced::default()
        };
        assert_eq!(found, expected);
    }
}

#[test]
fn a_switch_that_is_gone_is_sent_nothing() {
    let found = changes(&whole(), &whole().without_nodes(&[2]));
    // The LID of spine 2 is gone everywhere, and leaves sent over it to each other.
    assert_eq!(found.own, count(3, 3));
    assert_eq!(found.forced, count(2 + 2, 0));
    assert_eq!(found.needless, count(0, 0));
}
