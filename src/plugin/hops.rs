//! OpenSM's hop tables, filled for its dumps.
//!
//! They have the hop count from each port of a switch to each switch LID. OpenSM reads them in its own
//! multicast (Dmodc brings its own) and for the dumps of `-D 0x40`: `opensm.fdbs`, which prints "HOPS
//! UNKNOWN" without them, and `opensm-lid-matrix.dump`. So they are filled only before such a dump, after
//! routing, and cost a normal sweep nothing.

use super::ffi::Subnet;
use crate::dmodc::hop_row;
use crate::fabric::Lid;
use crate::sweeps::Planned;

/// Fills the tables of all present switches that are in the plan.
pub fn fill(subnet: &Subnet<'_>, planned: &Planned) {
    let Planned { fabric, plan, .. } = planned;
    let switches = fabric.switches().iter();
    let live: Vec<_> = switches.map(|s| subnet.switch(s.guid)).collect();
    let mut refused = 0;
    for (to, destination) in (0u32..).zip(fabric.switches()) {
        if destination.lid == Lid(0) {
            continue;
        }
        for (from, switch) in (0u32..).zip(&live) {
            let Some(switch) = switch else { continue };
            let row = hop_row(fabric, plan, from, to);
            if !subnet.set_hops(*switch, destination.lid, &row) {
                refused += 1;
            }
        }
    }
    if refused > 0 {
        log::error!("OpenSM has no room for {refused} rows of its hop tables; dumps lack them");
    }
}
