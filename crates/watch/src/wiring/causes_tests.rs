//! Tests of the causes of differences.

use super::causes::causes;
use super::{Difference, End, Kind};
use dmodc_fabric::{Guid, PortNumber};

fn end(guid: u64, port: u8) -> End {
    End {
        name: format!("s{guid}"),
        guid: Guid(guid),
        port: (port > 0).then_some(PortNumber(port)),
        label: None,
    }
}

fn link(kind: Kind, ends: [(u64, u8); 2], found: &[(u64, u8)]) -> Difference {
    let all = |ends: &[(u64, u8)]| ends.iter().map(|&(guid, port)| end(guid, port)).collect();
    Difference::link(kind, all(&ends), all(found), String::new())
}

fn node(guid: u64, is_host: bool, beside: &[u64]) -> Difference {
    Difference {
        beside: beside.iter().map(|&guid| Guid(guid)).collect(),
        is_host,
        ..Difference::link(Kind::Missing, vec![end(guid, 0)], vec![], String::new())
    }
}

fn sizes(found: Vec<Difference>) -> Vec<usize> {
    let causes = causes(found).into_iter();
    causes.map(|cause| cause.differences.len()).collect()
}

#[test]
fn only_cables_that_have_each_others_ends_are_swapped() {
    let one = link(Kind::Moved, [(1, 5), (10, 0)], &[(1, 5), (11, 2)]);
    let other = link(Kind::Moved, [(2, 6), (11, 0)], &[(2, 6), (10, 3)]);
    assert_eq!(sizes(vec![one.clone(), other]), [2]);
    let elsewhere = link(Kind::Moved, [(2, 6), (11, 0)], &[(2, 6), (12, 3)]);
    assert_eq!(sizes(vec![one.clone(), elsewhere]), [1, 1]);
    // With known ports, the right switch at the wrong port is no swap.
    let port = link(Kind::WrongPort, [(2, 6), (11, 7)], &[(2, 6), (10, 3)]);
    assert_eq!(sizes(vec![one, port]), [1, 1]);
}

#[test]
fn a_switch_takes_its_hosts_and_linked_switches_but_no_host_that_has_another_leaf() {
    let gone = [
        node(1, false, &[2, 30, 31]),
        node(2, false, &[1]),
        node(30, true, &[1]),
        node(31, true, &[1, 7]),
        node(8, false, &[9]),
    ];
    assert_eq!(sizes(gone.into()), [3, 1, 1]);
}
