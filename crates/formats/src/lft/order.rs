//! The node order file: OpenSM's `opensm-ftree-ca-order.dump` format.
//!
//! One line for each CA: its LID as `0x%04x`, a tab, its name. MPI ranks placed in this order make shifts that do not
//! collide. As in ftree's file, routers are left out, and aggregation nodes too: neither runs ranks. ftree pads leaves
//! that are not full with `0xFFFF` and `DUMMY`; the writer here adds no such lines, and the parser skips them.

use crate::input::{Fault, Lenient, Parsed, Warnings, lines, quoted};
use crate::scan::hex;
use dmodc_fabric::{Fabric, Lid, NodeId, NodeKind};
use std::fmt::Display;
use std::io::{self, Write};
use typed_index_collections::TiVec;

/// A warning about a line of an order file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum OrderReason {
    #[error("no LID at the start of the line: '{0}'")]
    NoLid(String),
    #[error("no end node has LID {0}")]
    UnknownLid(Lid),
    #[error("the end node with LID {lid} appears twice, first in line {first}")]
    Twice { lid: Lid, first: u32 },
}

/// Writes the CAs among some end nodes in the order given; `name` names an end node.
pub fn write_order<N: Display>(
    fabric: &Fabric,
    order: &[NodeId],
    name: impl Fn(NodeId) -> N,
    out: &mut dyn Write,
) -> io::Result<()> {
    for &index in order {
        let node = &fabric.end_nodes()[index];
        if node.kind == NodeKind::Ca {
            writeln!(out, "0x{:04x}\t{}", node.lid.0, name(index))?;
        }
    }
    Ok(())
}

/// Parses an order file without oddities into end nodes; nodes may be missing.
pub fn parse_order(fabric: &Fabric, bytes: &[u8]) -> Result<Vec<NodeId>, Fault<OrderReason>> {
    parse_order_leniently(fabric, bytes)?.strict()
}

/// Parses an order file; skips, with a warning, a line that names no end node or one named before. Refuses a file of
/// such lines alone.
pub fn parse_order_leniently(fabric: &Fabric, bytes: &[u8]) -> Parsed<Vec<NodeId>, OrderReason> {
    let mut by_lid: TiVec<Lid, _> = vec![None; fabric.max_lid().index() + 1].into();
    for (index, node) in fabric.end_nodes().iter_enumerated() {
        by_lid[node.lid] = Some(index);
    }
    let mut seen: TiVec<NodeId, _> = vec![0; fabric.end_nodes().len()].into();
    let (mut order, mut warnings) = (Vec::new(), Warnings::default());
    for (number, line) in lines(bytes) {
        let line = line.trim_ascii();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        let Some(lid) = lid(line) else {
            warnings.add(number, OrderReason::NoLid(quoted(line)));
            continue;
        };
        if lid == Lid(0xffff) {
            continue;
        }
        let Some(node) = by_lid.get(lid).copied().flatten() else {
            warnings.add(number, OrderReason::UnknownLid(lid));
            continue;
        };
        match &mut seen[node] {
            0 => {
                seen[node] = number;
                order.push(node);
            }
            &mut first => warnings.add(number, OrderReason::Twice { lid, first }),
        }
    }
    Lenient::new(order, warnings).unless(Vec::is_empty)
}

fn lid(line: &[u8]) -> Option<Lid> {
    let word = line.split(u8::is_ascii_whitespace).next()?;
    let digits = word.strip_prefix(b"0x").or(word.strip_prefix(b"0X"))?;
    u16::try_from(hex(digits)?).ok().map(Lid)
}
