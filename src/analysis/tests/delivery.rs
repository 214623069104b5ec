//! Tables that deliver all and fail by their circle. `random` holds all counts, and all else that makes tables pass
//! or fail, to the oracle.

use crate::analysis::check;
use crate::analysis::testing::{node_lid, ranked, send, shortest, two_spines};

#[test]
fn a_circle_fails_though_all_is_delivered() {
    let (fabric, ranks) = two_spines();
    let mut tables = shortest(&fabric);
    // From leaf 1 and spine 3, down to leaf 2 and up again; with the turns between the spines it closes a circle.
    send(&fabric, &mut tables, node_lid(&fabric, 0), &[1, 3, 2, 4, 0]);
    let report = check(&fabric, &tables, ranked(&ranks));
    assert_eq!((report.undelivered(), report.credit_loops.count), (0, 1));
    assert!(!report.passed());
}
