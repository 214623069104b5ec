//! `ibdiagnet2.db_csv`: sections of rows between `START_…` and `END_…`, the first with the names of the columns.
//!
//! Taken are NODES, SWITCHES (the kind of port 0), PORTS (LID, LMC, width, speed), PORT_HIERARCHY_INFO (labels) and
//! LINKS; all others are skipped. Columns are found by name. LIDs are those of a switch's port 0 and of hosts' ports.
//! The speed has LinkSpeedActive in its lowest byte, the extended one in the second, FDR10 in the third and the second
//! extended one (XDR) in the fourth. Each link has one row.

use super::claims::PortLine;
use super::draft::{Draft, new_node, peer_port};
use super::error::{PortOf, Reason};
use super::model::{Kind, Netlist, Node, Port, PortZero};
use crate::input::{Fault, Parsed, quoted};
use crate::scan::{Scan, text};
use dmodc_fabric::{Guid, PortNumber, Speed};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn begins(line: &[u8]) -> bool {
    let name = line.strip_prefix(b"START_").unwrap_or_default();
    let fits = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    !name.is_empty() && name.iter().all(fits)
}

/// The rows so far. Sections may come in any order, so the netlist is made at the end.
#[derive(Default)]
struct Rows {
    nodes: Vec<(u32, Node)>,
    zero: HashMap<Guid, PortZero>,
    /// The rows of PORTS, without the other ends.
    ports: HashMap<(Guid, u64), Port>,
    labels: HashMap<(Guid, u64), Arc<str>>,
    links: Vec<(u32, [(Guid, u64); 2])>,
}

pub(super) fn parse(bytes: &[u8]) -> Parsed<Netlist, Reason> {
    let (mut rows, mut section) = (Rows::default(), Section::default());
    let mut draft = Draft::read(bytes, |draft, line| match section.row(line) {
        Some(row) => rows.take(&row, draft),
        None => Ok(()),
    })?;
    if section.name.is_some() {
        return Err(Fault::in_line(draft.line, Reason::Truncated));
    }
    let fed = rows.feed(&mut draft);
    fed.map_err(|reason| Fault::in_line(draft.line, reason))?;
    draft.finish()
}

/// The cells of a row; one in quotation marks may hold commas and such marks.
pub(crate) fn cells(line: &[u8]) -> Vec<&[u8]> {
    let (mut cells, mut scan) = (Vec::new(), Scan(line));
    loop {
        let is_quoted = scan.blanks().eat(b"\"");
        let close = is_quoted.then(|| closing(scan.0)).flatten();
        let end = close.or_else(|| scan.0.iter().position(|&b| b == b','));
        let (cell, behind) = scan.0.split_at(end.unwrap_or(scan.0.len()));
        cells.push(cell.trim_ascii());
        scan.0 = behind;
        if scan.until(b",").is_none() {
            return cells;
        }
    }
}

/// The mark that closes a cell. Tables double those within; ibdiagnet does not: there it is the first before a comma or
/// the line's end.
fn closing(rest: &[u8]) -> Option<usize> {
    let is_end = |at: &usize| {
        let behind = rest[at + 1..].trim_ascii_start();
        rest[*at] == b'"' && matches!(behind.first(), None | Some(b','))
    };
    let next = |from: usize| (from..rest.len()).find(|&at| rest[at] == b'"');
    let mut close = next(0);
    while let Some(at) = close
        && rest[at + 1..].starts_with(b"\"")
    {
        close = next(at + 2);
    }
    let close = close.filter(is_end);
    close.or_else(|| (0..rest.len()).find(is_end))
}

/// The text of a cell. Two quotation marks in it are one.
pub(super) fn cell_text(cell: &[u8]) -> String {
    text(cell).replace("\"\"", "\"")
}

/// The section in which a line is.
#[derive(Default)]
pub(crate) struct Section {
    pub name: Option<String>,
    /// Empty until the line that has them.
    columns: Vec<String>,
}

pub(crate) struct Row<'s, 'l> {
    pub section: &'s str,
    pub columns: &'s [String],
    pub cells: Vec<&'l [u8]>,
    pub line: &'l [u8],
}

impl Section {
    /// Takes the next line, and returns the row that it is.
    pub fn row<'l>(&mut self, line: &'l [u8]) -> Option<Row<'_, 'l>> {
        if let Some(name) = line.strip_prefix(b"START_") {
            let is_name = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
            (self.name, self.columns) = (is_name.then(|| text(name)), Vec::new());
            return None;
        }
        if line.starts_with(b"END_") {
            self.name = None;
        }
        let section = self.name.as_deref().filter(|_| !line.is_empty())?;
        let cells = cells(line);
        if self.columns.is_empty() {
            self.columns.extend(cells.into_iter().map(text));
            return None;
        }
        Some(Row {
            section,
            columns: &self.columns,
            cells,
            line,
        })
    }
}

impl<'l> Row<'_, 'l> {
    pub fn at(&self, column: &str) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|name| name.eq_ignore_ascii_case(column))
    }

    /// A cell, if it has a value.
    fn cell(&self, column: &str) -> Option<&'l [u8]> {
        let cell = self.cells.get(self.at(column)?).copied();
        cell.filter(|cell| !cell.is_empty() && *cell != b"N/A")
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        Scan(self.cell(name)?).whole()
    }

    /// A number; 0 if the row does not have it, or a greater one than fits.
    fn small<N: TryFrom<u64> + Default>(&self, name: &str) -> N {
        let number = self.number(name).and_then(|number| number.try_into().ok());
        number.unwrap_or_default()
    }

    /// A number that the row must have.
    fn must(&self, name: &str, what: &'static str) -> Result<u64, Reason> {
        (self.number(name)).ok_or_else(|| Reason::BadLine(what, quoted(self.line)))
    }

    fn guid(&self, name: &str) -> Result<Guid, Reason> {
        self.must(name, "no node GUID").map(Guid)
    }

    /// Node and number of the port that the row is about.
    fn port(&self) -> Result<(Guid, u64), Reason> {
        Ok((
            self.guid("NodeGUID")?,
            self.must("PortNum", "no port number")?,
        ))
    }
}

impl Rows {
    fn take(&mut self, row: &Row, draft: &mut Draft) -> Result<(), Reason> {
        match row.section {
            "NODES" => self.nodes.push((draft.line, node(row)?)),
            "SWITCHES" => {
                let zero = match row.number("ENP0") {
                    Some(0) => PortZero::Base,
                    Some(_) => PortZero::Enhanced,
                    None => return Ok(()),
                };
                self.zero.insert(row.guid("NodeGUID")?, zero);
            }
            "PORTS" => {
                let mut port = unknown_port();
                let (lid, lmc) = (row.number("LID"), row.number("LMC"));
                (port.lid, port.lmc) = draft.lid(lid.unwrap_or(0), lmc.unwrap_or(0));
                port.guid = row.number("PortGUID").filter(|guid| *guid > 0).map(Guid);
                port.link = draft.link(speed(row).as_bytes());
                self.ports.insert(row.port()?, port);
            }
            "PORT_HIERARCHY_INFO" => {
                if let Some(label) = row.cell("Label") {
                    self.labels.insert(row.port()?, cell_text(label).into());
                }
            }
            "LINKS" => {
                let end = |n: u8| {
                    let guid = row.guid(&format!("NodeGuid{n}"))?;
                    let number = row.must(&format!("PortNum{n}"), "no port number")?;
                    Ok::<_, Reason>((guid, number))
                };
                self.links.push((draft.line, [end(1)?, end(2)?]));
            }
            _ => {}
        }
        Ok(())
    }

    fn feed(mut self, draft: &mut Draft) -> Result<(), Reason> {
        let mut ids: HashMap<Guid, u32> = HashMap::new();
        for (line, mut node) in std::mem::take(&mut self.nodes) {
            draft.line = line;
            if node.kind == Kind::Switch {
                node.port_zero = self.zero.get(&node.guid).copied();
                match self.ports.get(&(node.guid, 0)) {
                    Some(zero) => (node.lid, node.lmc) = (zero.lid, zero.lmc),
                    None => draft.warn(no_row(0, &node.id)),
                }
            }
            let id = draft.id(node.id.as_bytes());
            ids.insert(node.guid, id);
            draft.add_node(id, node)?;
        }
        for (line, ends) in &self.links {
            draft.line = *line;
            let missing = ends.iter().find(|(guid, _)| !ids.contains_key(guid));
            if let Some((guid, _)) = missing {
                let what = "START_NODES: left out";
                draft.warn(Reason::NoRow(format!("node {guid}"), what));
                continue;
            }
            for [(guid, number), (far, far_number)] in [[ends[0], ends[1]], [ends[1], ends[0]]] {
                let bad = |what| Reason::BadLine(what, format!("{far} port {far_number}"));
                let peer_port = peer_port(far_number).map_err(bad)?;
                let known = self.ports.get(&(guid, number)).cloned();
                let label = self.labels.get(&(guid, number)).cloned();
                let Some(node) = draft.node(ids[&guid]) else {
                    continue;
                };
                if known.is_none() {
                    draft.warn(no_row(number, draft.id_of(node)));
                }
                let port = Port {
                    peer: ids[&far],
                    peer_port,
                    label,
                    ..known.unwrap_or_else(unknown_port)
                };
                let port_line = PortLine {
                    line: *line,
                    ..PortLine::default()
                };
                draft.add_port(node, number, port, port_line)?;
            }
        }
        Ok(())
    }
}

fn node(row: &Row) -> Result<Node, Reason> {
    let kind = match row.must("NodeType", "no kind of node")? {
        2 => Kind::Switch,
        3 => Kind::Router,
        _ => Kind::Ca,
    };
    let guid = row.guid("NodeGUID")?;
    let count = row.must("NumPorts", "no number of ports")?;
    let description = cell_text(row.cell("NodeDesc").unwrap_or_default());
    let node = new_node(kind, kind.id(guid), guid, count, description.as_bytes())?;
    Ok(Node {
        system_guid: row.number("SystemImageGUID").map(Guid),
        vendor: row.small("VendorID"),
        device: row.small("DeviceID"),
        ..node
    })
}

fn no_row(number: u64, node: &str) -> Reason {
    let port = PortOf(PortNumber(number.try_into().unwrap_or(0)), node.to_owned());
    Reason::NoRow(
        port.to_string(),
        "START_PORTS: its speed and LID are unknown",
    )
}

fn unknown_port() -> Port {
    Port::new(PortNumber::ZERO, 0, PortNumber::ZERO, "")
}

/// The speed of a row of PORTS; empty if it is unknown.
fn speed(row: &Row) -> String {
    let (width, speed): (u8, u32) = (row.small("LinkWidthActv"), row.small("LinkSpeedActv"));
    let [plain, extended, fdr10, extended_2] = speed.to_le_bytes();
    Speed::of_port_info(width, plain, fdr10 & 1 > 0, extended, extended_2).to_string()
}
