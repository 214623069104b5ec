//! What hand-made tables pass and fail by. `random` holds all counts to the oracle.

use crate::analysis::check;
use crate::analysis::testing::{Net, node_lid, ranked, send, shortest, two_spines};
use crate::fabric::{Fabric, Lid};
use crate::lft::{NO_PATH, Tables};

/// As [`shortest`] on two spines, between which there is no up-down path.
fn without_turns(fabric: &Fabric) -> Tables {
    let mut tables = shortest(fabric);
    tables.row_mut(3)[fabric.switches()[4].lid.index()] = NO_PATH;
    tables.row_mut(4)[fabric.switches()[3].lid.index()] = NO_PATH;
    tables
}

#[test]
fn detours_and_turns() {
    let (fabric, ranks) = two_spines();
    let mut tables = shortest(&fabric);
    let lid = node_lid(&fabric, 0);
    send(&fabric, &mut tables, lid, &[1, 3, 2, 4, 0]);
    let report = check(&fabric, &tables, ranked(&ranks));
    // From leaf 1 and spine 3, down to leaf 2 and up again; leaf 2 itself goes straight.
    assert_eq!(
        (
            report.turns.routes,
            report.nonminimal.routes,
            report.undelivered()
        ),
        (2, 2, 0)
    );
    let named: Vec<u32> = report.turns.first.iter().map(|r| r.switch).collect();
    assert_eq!(named, [1, 3]);
    assert_eq!(
        report.credit_loops.count, 1,
        "with the turns between the spines"
    );
    assert!(!report.passed());
}

#[test]
fn a_turn_that_closes_no_circle_is_a_remark() {
    let (fabric, ranks) = two_spines();
    let mut tables = without_turns(&fabric);
    send(&fabric, &mut tables, node_lid(&fabric, 0), &[1, 3, 2, 4, 0]);
    let report = check(&fabric, &tables, ranked(&ranks));
    assert_eq!((report.turns.routes, report.nonminimal.routes), (2, 2));
    assert!(report.passed() && !report.is_minimal(), "{report:?}");
}

#[test]
fn who_is_left_out_is_left_out_by_all_that_tables_say() {
    // Leaf 0 below 2 and leaf 1 below 3; 4, a leaf with no nodes, joins 2 and 3. Two nodes on 0 and 1.
    let links = [(0, 2), (1, 3), (4, 2), (4, 3)];
    let fabric = Net::new(&links, &[0, 0, 1, 1]).build();
    let above = || ranked(&[0, 0, 1, 1, 0]);
    let clear = |tables: &mut Tables, from: u32, to: &[Lid]| {
        for lid in to {
            tables.row_mut(from)[lid.index()] = NO_PATH;
        }
    };
    let lid = node_lid(&fabric, 2);
    let all = [fabric.switches()[1].lid, lid, node_lid(&fabric, 3)];
    let mut tables = shortest(&fabric);
    clear(&mut tables, 0, &all);
    let report = check(&fabric, &tables, above());
    assert_eq!(report.left_out.routes, 3);
    assert!(report.passed(), "{report:?}");
    // One alone is a hole: the others show the way.
    let mut tables = shortest(&fabric);
    clear(&mut tables, 0, &[lid]);
    let report = check(&fabric, &tables, above());
    assert_eq!((report.no_entry.routes, report.left_out.routes), (1, 0));
    assert!(!report.passed());
    // Nor is a packet left out that is sent and then lost.
    let mut tables = shortest(&fabric);
    clear(&mut tables, 4, &all);
    let report = check(&fabric, &tables, above());
    assert!(report.no_entry.routes > 0 && !report.passed(), "{report:?}");
}

#[test]
fn who_is_on_no_link_is_left_out_whatever_the_entry() {
    let fabric = Net::new(&[(0, 1)], &[0, 2]).build();
    let mut tables = shortest(&fabric);
    tables.row_mut(0)[node_lid(&fabric, 1).index()] = 200;
    let report = check(&fabric, &tables, ranked(&[0, 1, 0]));
    assert!(report.passed() && report.left_out.routes > 0, "{report:?}");
    // But not a loop.
    send(&fabric, &mut tables, node_lid(&fabric, 1), &[0, 1, 0]);
    let report = check(&fabric, &tables, ranked(&[0, 1, 0]));
    assert!(report.looping.routes == 2 && !report.passed());
}
