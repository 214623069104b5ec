//! Remembers the ports of absent LIDs.
//!
//! A rebooting host has no LID for a while. Its entries stay as long as its port is empty, no other node has its LIDs,
//! and the host is at no other port. The core computes them with all others, toward that port. So neither the absence
//! nor the return of the host changes a block of any table. Behind a gone switch nothing can be delivered: the LIDs of
//! its hosts have no entries until the switch is back.
//!
//! Except for the file of `dmodc.reference=auto`, tables depend on no other memory of earlier sweeps. No route to
//! another LID depends on this one. It begins empty, and holds each LID once at most.

use dmodc_fabric::{BLOCK, EndNode, Fabric, Guid, Lid, Peer, lid_range};
use std::collections::BTreeSet;

/// The end nodes of the last sweep, and the end nodes gone since earlier sweeps, each with the GUID of its switch.
#[derive(Default)]
pub struct Absent {
    seen: Vec<(Guid, EndNode)>,
    gone: Vec<(Guid, EndNode)>,
}

impl Absent {
    /// Sets the absent end nodes of a fabric. Tables have `room` entries.
    pub fn look(&mut self, fabric: &mut Fabric, room: usize) {
        let mut gone = std::mem::take(&mut self.gone);
        gone.append(&mut self.seen);
        let mut at = (Guid(0), None);
        gone.retain(|(guid, node)| {
            if at.0 != *guid {
                at = (*guid, fabric.switch_by_guid(*guid));
            }
            // Its port is there, and empty.
            let peer = |s| fabric.peers_of(s).get(node.port.offset());
            at.1.is_none_or(|s| peer(s) == Some(&Peer::None))
        });
        forget_present(fabric, &mut gone);
        let switches = fabric.switches();
        let guid = |node: &EndNode| switches[node.switch].guid;
        (self.seen).extend(fabric.end_nodes().iter().map(|n| (guid(n), n.clone())));
        let last = (fabric.max_lid().index() | (BLOCK - 1)).min(room.saturating_sub(1));
        let absent = gone.iter().filter_map(|(guid, node)| {
            let switch = fabric.switch_by_guid(*guid)?;
            let fits = node.lid.index() + (1 << node.lmc) - 1 <= last;
            fits.then(|| EndNode {
                switch,
                ..node.clone()
            })
        });
        fabric.set_absent(absent.collect::<Vec<_>>());
        self.gone = gone;
    }
}

/// Forgets end nodes that are elsewhere now, and end nodes with a LID that another node has now.
fn forget_present(fabric: &Fabric, gone: &mut Vec<(Guid, EndNode)>) {
    if gone.is_empty() {
        return;
    }
    let guids: BTreeSet<Guid> = gone.iter().map(|(_, node)| node.guid).collect();
    let mut back: BTreeSet<Guid> = BTreeSet::new();
    let mut taken = vec![false; usize::from(u16::MAX) + 1];
    let mut take = |lid: Lid, lmc| {
        let lids = lid_range(lid, lmc).into_iter().flatten();
        lids.for_each(|lid| taken[usize::from(lid)] = true);
    };
    for switch in fabric.switches() {
        take(switch.lid, switch.lmc);
    }
    for node in fabric.end_nodes() {
        take(node.lid, node.lmc);
        back.extend(guids.get(&node.guid));
    }
    gone.retain(|(_, node)| {
        let mut lids = lid_range(node.lid, node.lmc).into_iter().flatten();
        !back.contains(&node.guid) && !lids.any(|lid| taken[usize::from(lid)])
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use dmodc_fabric::{Builder, NodeKind, PortNumber, SwitchId};

    /// Switches 1 to 3 in a row, with LIDs 1 to 3 and six ports; hosts as (GUID, LID, switch, port).
    fn fabric(switches: &[u64], hosts: &[(u64, u16, u64, u8)], lmc: u8) -> Fabric {
        let mut b = Builder::default();
        for &guid in switches {
            b.switch(Guid(guid), Lid(guid as u16), 0, 6);
        }
        for i in 1..switches.len() {
            let [before, after] = [i - 1, i].map(SwitchId::from);
            b.link((before, PortNumber(2)), (after, PortNumber(1)));
        }
        for &(guid, lid, switch, port) in hosts {
            let at = switches.iter().position(|&s| s == switch);
            b.end_node(EndNode {
                guid: Guid(guid),
                lid: Lid(lid),
                lmc,
                kind: NodeKind::Ca,
                switch: SwitchId::from(at.expect("a switch that is there")),
                port: PortNumber(port),
            });
        }
        let (fabric, placement) = b.finish();
        assert_eq!(placement.defects, []);
        fabric
    }

    const ALL: [u64; 3] = [1, 2, 3];
    const A: (u64, u16, u64, u8) = (10, 10, 1, 5);
    const B: (u64, u16, u64, u8) = (20, 20, 3, 5);
    const C: (u64, u16, u64, u8) = (30, 30, 3, 6);

    /// The absent end nodes in each of several successive fabrics, as (LID, switch, port).
    fn absent<const N: usize>(room: usize, fabrics: [Fabric; N]) -> [Vec<(u16, u32, u8)>; N] {
        let mut memory = Absent::default();
        let look = |mut fabric: Fabric| {
            memory.look(&mut fabric, room);
            let absent = fabric.absent().iter();
            let absent: Vec<_> = absent.map(|n| (n.lid.0, n.switch.0, n.port.0)).collect();
            assert!(absent.iter().all(|&(lid, ..)| usize::from(lid) < room));
            absent
        };
        fabrics.map(look)
    }

    #[test]
    fn a_host_that_goes_is_absent_until_it_is_back() {
        let [with, without] = [&[A, B, C][..], &[A, C]].map(|hosts| fabric(&ALL, hosts, 0));
        let found = absent(64, [with.clone(), without.clone(), without, with.clone()]);
        assert_eq!(found, [vec![], vec![(20, 2, 5)], vec![(20, 2, 5)], vec![]]);
        let elsewhere = fabric(&ALL, &[A, (20, 21, 1, 6), C], 0);
        assert_eq!(absent(64, [with, elsewhere]), [vec![], vec![]]);
    }

    #[test]
    fn a_lid_or_port_that_another_has_is_forgotten_for_good() {
        let (whole, less) = (fabric(&ALL, &[A, B, C], 0), fabric(&ALL, &[A, C], 0));
        for taken in [
            fabric(&ALL, &[A, (40, 20, 1, 6), C], 0),
            fabric(&ALL, &[A, (40, 19, 1, 6)], 1),
            fabric(&ALL, &[A, C, (40, 40, 3, 5)], 0),
            fabric(&[1, 2, 20], &[A, (30, 30, 20, 6)], 0),
        ] {
            let found = absent(64, [whole.clone(), less.clone(), taken, less.clone()]);
            assert!(!found[3].contains(&(20, 2, 5)), "{found:?}");
        }
    }

    #[test]
    fn behind_a_switch_that_is_gone_no_host_is_absent_until_it_is_back() {
        let whole = fabric(&ALL, &[A, B, C], 0);
        let (gone, back) = (fabric(&[1, 2], &[A], 0), fabric(&ALL, &[A, C], 0));
        let found = absent(64, [whole, gone.clone(), gone, back]);
        assert_eq!(found, [vec![], vec![], vec![], vec![(20, 2, 5)]]);
    }

    #[test]
    fn nothing_is_remembered_beyond_the_last_block_or_the_table() {
        let (high, beyond) = ((50, 63, 2, 5), (60, 64, 2, 6));
        let then = |hosts: &[_]| [fabric(&ALL, hosts, 0), fabric(&ALL, &[A], 0)];
        let found = absent(128, then(&[A, high, beyond]));
        assert_eq!(found[1], [(63, 1, 5)]);
        let found = absent(63, then(&[A, (50, 62, 2, 5), (60, 63, 2, 6)]));
        assert_eq!(found[1], [(62, 1, 5)]);
    }

    #[test]
    fn of_many_hosts_that_come_and_go_each_lid_is_kept_once() {
        let mut memory = Absent::default();
        for round in 0..1000u64 {
            let lid = 10 + (round * 7 % 50) as u16;
            let port = [1, 3, 4, 5, 6][(round % 5) as usize];
            let host = (100 + round, lid, 1, port);
            memory.look(&mut fabric(&[1], &[host], 0), 64);
            memory.look(&mut fabric(&[1], &[], 0), 64);
            assert!(memory.gone.len() + memory.seen.len() <= 6);
        }
    }
}
