//! Writes hop counts as OpenSM's `opensm-lid-matrix.dump` (`dump_lid_matrix` in `osm_dump.c`), which the engine
//! `file` loads with `-M`.
//!
//! Only the LIDs of switches have rows: OpenSM uses no others. Without such a file OpenSM counts the hops itself, which
//! takes a minute on large fabrics.

use dmodc_fabric::{Fabric, NO_PATH, SwitchId, lid_range};
use std::io::{self, Write};

/// Writes the hop counts of all switches. `row(from, to)` returns the hop counts from one switch to another: the least,
/// then by port; 255 for none.
pub fn write_lid_matrix(
    fabric: &Fabric,
    row: impl Fn(SwitchId, SwitchId) -> Vec<u8>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut to: Vec<_> = fabric.switches().iter_enumerated().collect();
    to.sort_by_key(|(_, switch)| switch.lid);
    for (from, switch) in fabric.switches().iter_enumerated() {
        let mut block = Vec::new();
        writeln!(block, "Switch: guid {}", switch.guid)?;
        for &(index, target) in &to {
            let hops = row(from, index);
            if !target.lid.is_unicast() || hops[0] == NO_PATH {
                continue;
            }
            for lid in lid_range(target.lid, target.lmc).into_iter().flatten() {
                write!(block, "0x{lid:04x}:")?;
                for hops in &hops {
                    write!(block, " {hops:02x}")?;
                }
                writeln!(block, " # portguid {}", target.guid)?;
            }
        }
        out.write_all(&block)?;
    }
    Ok(())
}
