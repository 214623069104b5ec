//! OpenSM's hop tables, filled for its dumps.
//!
//! The hop count from each port of a switch to each switch LID. OpenSM reads them in its own
//! multicast (Dmodc brings its own) and in the dumps that `-D 0x40` asks for: `opensm.fdbs`,
//! which prints "HOPS UNKNOWN" without them, and `opensm-lid-matrix.dump`. So they are filled only
//! when such a dump is coming, after routing, and cost a normal sweep nothing.
//!
//! A port has a hop count if the path that starts through it is up-down: any neighbour above with
//! a finite cost, any neighbour below that reaches the destination going down only.

use super::ffi::Subnet;
use super::planned::Planned;
use crate::dmodc::Plan;
use crate::fabric::{Fabric, Lid, Peer};
use crate::lft::NO_PATH;

/// Fills the tables of all switches that are there and in the plan.
pub fn fill(subnet: &Subnet<'_>, planned: &Planned) {
    let Planned { fabric, plan, .. } = planned;
    let live = planned.all_live(subnet);
    let mut refused = 0;
    for (to, destination) in (0u32..).zip(fabric.switches()) {
        if destination.lid == Lid(0) {
            continue;
        }
        for (from, switch) in (0u32..).zip(&live) {
            let Some(switch) = switch else { continue };
            let row = row(fabric, plan, from, to);
            if !subnet.set_hops(*switch, destination.lid, &row) {
                refused += 1;
            }
        }
    }
    if refused > 0 {
        log::error!("OpenSM has no room for {refused} rows of its hop tables; dumps lack them");
    }
}

/// The row of one switch for one destination: the least of all at 0, then port by port.
fn row(fabric: &Fabric, plan: &Plan, from: u32, to: u32) -> Vec<u8> {
    let hops = |peer: &Peer| match *peer {
        Peer::Switch { index, .. } if plan.ranking().is_up(from, index) => plan.hops(index, to),
        Peer::Switch { index, .. } => plan.hops_down(index, to),
        _ => None,
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
    use crate::dmodc::{Engine, Options};
    use crate::fabric::{Builder, Guid};

    /// Leaves 0 and 1, spines 2 and 3; leaf 1 has lost its link to spine 3.
    fn fabric() -> Fabric {
        let mut b = Builder::default();
        for guid in 1..=4 {
            b.switch(Guid(guid), Lid(guid as u16), 0, 3);
        }
        b.link((0, 1), (2, 1));
        b.link((0, 2), (3, 1));
        b.link((1, 1), (2, 2));
        b.finish().0
    }

    #[test]
    fn only_up_down_paths_have_hops() {
        let fabric = fabric();
        let options = Options {
            root_guids: vec![Guid(3), Guid(4)],
            ..Options::default()
        };
        let engine = Engine::new(1).expect("a thread");
        let plan = engine.plan(&fabric, &options).expect("a tree");
        let row_of = |from| row(&fabric, &plan, from, 1);
        assert_eq!(row_of(0), [2, 2, NO_PATH, NO_PATH]);
        assert_eq!(row_of(2), [1, NO_PATH, 1, NO_PATH]);
        assert_eq!(row_of(3), [NO_PATH; 4]);
        assert_eq!(row_of(1), [0, 2, NO_PATH, NO_PATH]);
    }
}
