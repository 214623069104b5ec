//! Hop counts, which OpenSM keeps for its own multicast and for its dumps.
//!
//! A port has a hop count if an up-down path leads through it: to a neighbour above with a finite cost or one
//! below that reaches the destination going down only. Without such a path, the ports of the detour have one.

use super::Plan;
use dmodc_fabric::{Fabric, NO_PATH, Peer, SwitchId};

/// The hop counts from one switch to the LIDs of another: the least at index 0, then by port; 255 where no
/// path starts.
pub fn hop_row(fabric: &Fabric, plan: &Plan, from: SwitchId, to: SwitchId) -> Vec<u8> {
    let turned = plan.turned(from, to);
    // From a neighbour on, if the path through it is up-down, or the detour.
    let hops = |peer: &Peer| {
        let Peer::Switch { index, .. } = *peer else {
            return None;
        };
        match turned {
            Some((next, hops)) if next == index => Some(hops - 1),
            _ if plan.ranking().is_up(from, index) => plan.hops(index, to),
            _ => plan.hops_down(index, to),
        }
    };
    let ports = fabric.peers_of(from).iter();
    let mut row = vec![NO_PATH];
    row.extend(ports.map(|peer| hops(peer).map_or(NO_PATH, |hops| hops + 1)));
    row[0] = match from == to {
        true => 0,
        false => row.iter().copied().min().unwrap_or(NO_PATH),
    };
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{degraded, route, shapes, text};
    use crate::{OnUnreachable, Options};
    use dmodc_fabric::Guid;
    use fabrics::{Net, cases, way};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(cases(100))]

        /// The port of an entry has the hops of the route from there on, also of a detour.
        #[test]
        fn entries_have_the_hops_of_their_routes(shape in shapes(), seed: u64, links in 0.0..0.4) {
            let netlist = degraded(shape, seed, links, 0.0);
            let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
            let (plan, tables) = route(&fabric, &Options::default(), 1);
            for (to, switch) in fabric.switches().iter_enumerated() {
                let entry = |s: SwitchId| tables.get(s, switch.lid);
                for from in fabric.switches().keys().filter(|&s| entry(s) != NO_PATH) {
                    let hops = way(&fabric, &tables, from, switch.lid).count() - 1;
                    let row = hop_row(&fabric, &plan, from, to);
                    let known = usize::from(row[usize::from(entry(from))]);
                    prop_assert_eq!(known, hops, "{:?} to {:?}: {}", from, to, text(&netlist));
                }
            }
        }
    }

    /// Leaves 0 and 1, spines 2 and 3; leaf 1 has lost its link to spine 3.
    #[test]
    fn the_ports_that_lead_there_have_hops() {
        let fabric = Net::new(&[(0, 2), (0, 3), (1, 2)], &[]).build();
        let rows = |on_unreachable| {
            let options = Options {
                root_guids: vec![Guid(3), Guid(4)],
                on_unreachable,
                connect_roots: true,
                ..Options::default()
            };
            let (plan, _) = route(&fabric, &options, 1);
            [0, 1, 2, 3].map(|from| hop_row(&fabric, &plan, SwitchId(from), SwitchId(1)))
        };
        let partial = rows(OnUnreachable::Partial);
        assert_eq!(partial[0], [2, 2, NO_PATH, NO_PATH]);
        assert_eq!(partial[1], [0, 2, NO_PATH]);
        assert_eq!(partial[2], [1, NO_PATH, 1, NO_PATH]);
        assert_eq!(partial[3], [NO_PATH; 3]);
        // The detour of spine 3 goes down to leaf 0 and up again.
        let connect = rows(OnUnreachable::Connect);
        assert_eq!(connect[..3], partial[..3]);
        assert_eq!(connect[3], [3, 3, NO_PATH]);
    }
}
