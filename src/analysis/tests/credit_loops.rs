//! Credit loops of rings.

use crate::analysis::testing::{Net, lids, ranked, send, shortest};
use crate::analysis::{Channels, check};

#[test]
fn a_ring_routed_clockwise_has_one_credit_loop() {
    let fabric = Net::new(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[0, 1, 2, 3]).build();
    let mut tables = shortest(&fabric);
    for (lid, target, _) in lids(&fabric) {
        let path: Vec<u32> = (1..=4).map(|i| (target + i) % 4).collect();
        send(&fabric, &mut tables, lid, &path);
    }
    let report = check(&fabric, &tables, ranked(&[0; 4]));
    assert_eq!(report.undelivered(), 0);
    assert_eq!(
        (report.credit_loops.count, report.credit_loops.channels),
        (1, 4)
    );
    assert_eq!(report.host_credit_loops, report.credit_loops);
    let channels = Channels::new(&fabric);
    let cycle: Vec<u32> = report
        .credit_loops
        .example
        .iter()
        .map(|&c| channels.get(c).from)
        .collect();
    assert_eq!(cycle, [0, 1, 2, 3]);
    assert!(report.turns.routes > 0);
}

#[test]
fn a_switch_s_own_routes_can_make_a_credit_loop() {
    // The clockwise ring again, but with end nodes on one switch only: routes from end nodes do not
    // close the circle, those to and from switches do.
    let fabric = Net::new(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[0]).build();
    let mut tables = shortest(&fabric);
    for (lid, target, _) in lids(&fabric) {
        let path: Vec<u32> = (1..=4).map(|i| (target + i) % 4).collect();
        send(&fabric, &mut tables, lid, &path);
    }
    let report = check(&fabric, &tables, ranked(&[0; 4]));
    assert_eq!(report.credit_loops.count, 1);
    assert_eq!(report.host_credit_loops.count, 0);
}

#[test]
fn aggregation_nodes_are_no_hosts() {
    let ring = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let net = Net {
        aggregation: vec![1, 2, 3],
        ..Net::new(&ring, &[0, 1, 2, 3])
    };
    let fabric = net.build();
    let mut tables = shortest(&fabric);
    for (lid, target, _) in lids(&fabric) {
        let path: Vec<u32> = (1..=4).map(|i| (target + i) % 4).collect();
        send(&fabric, &mut tables, lid, &path);
    }
    let report = check(&fabric, &tables, ranked(&[0; 4]));
    let loops = (report.credit_loops.count, report.host_credit_loops.count);
    assert_eq!(loops, (1, 0));
}
