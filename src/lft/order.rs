//! The node order file: OpenSM's `opensm-ftree-ca-order.dump` format.
//!
//! One line for each node, `0x%04x` and its LID, a tab, its description; `0xFFFF` and `DUMMY` pad
//! leaves that are not full, and count for nothing here. MPI ranks in this order make shifts that
//! do not collide.

use crate::fabric::{Fabric, Lid};
use crate::input::{self, Fault, InputError, lines};
use crate::netlist::Names;
use std::io::{self, Write};
use std::path::Path;

/// Why an order file was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OrderReason {
    /// No LID at the start of a line.
    #[error("no LID at the start of the line")]
    NoLid,
    /// A LID at which there is no end node.
    #[error("no end node has LID {0}")]
    UnknownLid(Lid),
    /// An end node that appears twice.
    #[error("the end node with LID {0} appears twice")]
    Twice(Lid),
}

/// Writes end nodes (by index) in the order given.
pub fn write_order<W: Write>(
    fabric: &Fabric,
    names: &Names,
    order: &[u32],
    out: &mut W,
) -> io::Result<()> {
    for &node in order {
        let lid = fabric.end_nodes()[node as usize].lid;
        writeln!(out, "0x{:04x}\t{}", lid.0, names.end_nodes[node as usize])?;
    }
    Ok(())
}

/// Reads an order file; `-` is standard input.
pub fn read_order(fabric: &Fabric, path: &Path) -> Result<Vec<u32>, InputError> {
    let bytes = input::read(path)?;
    parse_order(fabric, &bytes).map_err(|fault| fault.in_file(path))
}

/// Parses an order file into indices of end nodes. Nodes that it leaves out are left out.
pub fn parse_order(fabric: &Fabric, bytes: &[u8]) -> Result<Vec<u32>, Fault<OrderReason>> {
    let mut by_lid: Vec<Option<u32>> = vec![None; fabric.max_lid().index() + 1];
    for (index, node) in (0..).zip(fabric.end_nodes()) {
        by_lid[node.lid.index()] = Some(index);
    }
    let mut seen = vec![false; fabric.end_nodes().len()];
    let mut order = Vec::new();
    for (number, line) in lines(bytes) {
        let line = line.trim_ascii();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        let word = line
            .split(u8::is_ascii_whitespace)
            .next()
            .unwrap_or_default();
        let digits = word
            .strip_prefix(b"0x")
            .or_else(|| word.strip_prefix(b"0X"));
        let digits = digits.and_then(|d| std::str::from_utf8(d).ok());
        let lid = digits
            .and_then(|d| u16::from_str_radix(d, 16).ok())
            .map(Lid);
        let lid = lid.ok_or(Fault::at(number, OrderReason::NoLid))?;
        if lid == Lid(0xffff) {
            continue;
        }
        let node = by_lid.get(lid.index()).copied().flatten();
        let node = node.ok_or(Fault::at(number, OrderReason::UnknownLid(lid)))?;
        if std::mem::replace(&mut seen[node as usize], true) {
            return Err(Fault::at(number, OrderReason::Twice(lid)));
        }
        order.push(node);
    }
    Ok(order)
}
