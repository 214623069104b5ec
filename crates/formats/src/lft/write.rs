//! Writes tables as OpenSM's `opensm-lfts.dump` (`dump_ucast_lfts` in `osm_dump.c`).
//!
//! The text is OpenSM's own, to the byte: one block per switch, and in it one line per entry that is a port of the
//! switch. Each line names the owner of the LID. `opensm -R file -U` loads such a file. If the port GUID in a line
//! has another LID by then, the loader moves the entry to that LID. So a GUID that means another port under ibsim
//! ([`Names::ambiguous`]) is left out; the loader then uses the LID.
//!
//! Except for the port, a line is the same in every block. So its text is made once per LID, and a block is little
//! more than a copy. 8,640 nodes make 5 million lines and 400 MB.

use crate::netlist::Names;
use dmodc_fabric::{Fabric, NO_PATH, NodeKind, SwitchId, Tables, lid_range};
use std::io::{self, Write};

/// Writes the tables of all switches in OpenSM's order; with `plain` without the comments, most of the file. OpenSM
/// sorts by GUIDs in network byte order, so on a little-endian machine the lowest byte counts most. Each block is one
/// write: no buffered writer is necessary.
pub fn write_dump(
    fabric: &Fabric,
    names: &Names,
    tables: &Tables,
    plain: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ends = match plain {
        true => vec![b"\n".to_vec(); tables.width()],
        false => line_ends(fabric, names, tables.width()),
    };
    let max_lid = tables.width() - 1;
    let starts = (0..tables.width()).map(|lid| format!("0x{lid:04x} ").into_bytes());
    let lines: Vec<_> = starts.zip(ends).collect();
    let mut block = Vec::new();
    let mut order: Vec<_> = fabric.switches().iter_enumerated().collect();
    order.sort_by_key(|(_, switch)| switch.guid.0.swap_bytes());
    for (index, switch) in order {
        block.clear();
        let (lid, guid, name) = (switch.lid, switch.guid, &names.switches[index]);
        let lids = format!("Unicast lids [0-{max_lid}] of switch");
        writeln!(block, "{lids} Lid {lid} guid {guid} ('{name}'):")?;
        for (&port, (start, end)) in tables.row(index).iter().zip(&lines) {
            if port <= switch.ports {
                let digits = [port / 100, port / 10 % 10, port % 10].map(|d| b'0' + d);
                block.extend_from_slice(start);
                block.extend_from_slice(&digits);
                block.extend_from_slice(end);
            }
        }
        writeln!(block, "{max_lid} lids dumped")?;
        out.write_all(&block)?;
    }
    Ok(())
}

/// For each LID, the part of its line after the port.
fn line_ends(fabric: &Fabric, names: &Names, width: usize) -> Vec<Vec<u8>> {
    let mut ends = vec![b" # unknown node and type\n".to_vec(); width];
    let mut set = |lid: u16, lmc: u8, end: String| {
        let from = usize::from(lid).min(width);
        let to = (from + (1 << lmc)).min(width);
        ends[from..to].fill(end.into_bytes());
    };
    for (switch, name) in fabric.switches().iter().zip(&names.switches) {
        if switch.lid.is_unicast() {
            let end = format!(" # Switch portguid {}: '{name}'\n", switch.guid);
            set(switch.lid.0, switch.lmc, end);
        }
    }
    for (index, node) in fabric.end_nodes().iter_enumerated() {
        let kind = match node.kind {
            NodeKind::Router => "Router",
            NodeKind::Ca | NodeKind::Aggregation => "Channel Adapter",
        };
        let name = &names.end_nodes[index];
        let end = match names.ambiguous[index] {
            true => format!(" # {kind}: '{name}'\n"),
            false => format!(" # {kind} portguid {}: '{name}'\n", node.guid),
        };
        set(node.lid.0, node.lmc, end);
    }
    ends
}

/// Writes hop counts as `opensm-lid-matrix.dump` (`dump_lid_matrix`), which the engine `file` loads with `-M`. Only the
/// LIDs of switches have rows: OpenSM uses no others. Without such a file OpenSM counts the hops itself, which takes a
/// minute on large fabrics. `row(from, to)` returns the hop counts from one switch to another: the least,
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
