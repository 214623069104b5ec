//! Reads the counters of each tool.

use super::{CounterReason, Counts, Port, Reading};
use crate::input::{Fault, Lenient, Parsed, Warnings, lines, plain, quoted};
use crate::netlist::{Row, Section};
use crate::scan::{Scan, find, text};
use dmodc_fabric::{Guid, Lid};

impl Reading {
    /// Parses a reading; lines of counters that are not understood are warnings.
    ///
    /// # Errors
    /// If there is no port with counters, or a section does not end.
    pub fn parse_leniently(bytes: &[u8]) -> Parsed<Reading, CounterReason> {
        let (mut reading, mut warnings) = (Reading::default(), Warnings::default());
        let (mut seen, mut needs_summary) = (false, false);
        // The port of perfquery's lines, if it is one; the section of a `db_csv`; the columns of a `net_dump_ext`.
        let (mut of, mut section, mut columns) = (None, Section::default(), Vec::new());
        let mut last = 0;
        for (number, line) in lines(bytes) {
            last = number;
            let mut bad = || warnings.add(number, CounterReason::Bad(quoted(line)));
            let Some(line) = plain(line) else {
                bad();
                continue;
            };
            let line = line.trim_ascii();
            let is_head = line.starts_with(b"Ty : ");
            if line.starts_with(b"START_") || line.starts_with(b"END_") {
                columns.clear();
            } else if is_head {
                section = Section::default();
            }
            let dump = || Row {
                section: "",
                columns: &columns,
                cells: split(line),
                line,
            };
            let is_dump = !columns.is_empty() && !line.is_empty() && !is_head;
            if let Some(row) = section.row(line).or_else(|| is_dump.then(dump)) {
                match counts(&row) {
                    None => {}
                    Some(None) => bad(),
                    Some(Some((port, counts))) => {
                        seen = true;
                        reading.add(number, port, &counts);
                    }
                }
            } else if is_head {
                columns = split(line).into_iter().map(text).collect();
            } else if let Some(rest) = line.strip_prefix(b"GUID ") {
                let mut counts = Counts::default();
                let mut scan = Scan(rest);
                let guid = scan.c_number().filter(|_| scan.blanks().eat(b"port "));
                seen |= guid.is_some();
                needs_summary = true;
                match (guid, scan.0.starts_with(b"ALL"), scan.decimal()) {
                    (Some(_), true, _) => {}
                    (Some(guid), _, Some(port)) if scan.eat(b":") => {
                        while let Some(item) = scan.until(b"[").and_then(|_| scan.until(b"]")) {
                            if !bracket(item, &mut counts) {
                                bad();
                            }
                        }
                        if !scan.0.trim_ascii().is_empty() {
                            bad();
                        }
                        reading.add(number, Port::Guid(Guid(guid), port), &counts);
                    }
                    _ => bad(),
                }
            } else if line.starts_with(b"# Port ") && find(line, b"counters:").is_some() {
                of = None;
                let mut scan = Scan(line);
                scan.until(b"Lid ");
                let lid = scan.c_number().and_then(Lid::read);
                let has_port = scan.blanks().eat(b"port ");
                match (lid, scan.decimal().filter(|_| has_port)) {
                    (Some(lid), Some(port)) => {
                        (seen, of) = (true, Some(Port::Lid(lid, port)));
                        reading.add(number, Port::Lid(lid, port), &Counts::default());
                    }
                    _ => bad(),
                }
            } else if let (Some(port), Some(at)) = (of, find(line, b":.")) {
                let mut scan = Scan(line[at + 1..].trim_ascii_start());
                while scan.eat(b".") {}
                let mut counts = Counts::default();
                match (std::str::from_utf8(&line[..at]), scan.c_number()) {
                    (Ok(name), Some(value)) => {
                        counts.take(name, value);
                        reading.add(number, port, &counts);
                    }
                    _ => bad(),
                }
            } else if let Some(rest) = line.strip_prefix(b"## Summary: ") {
                // ibqueryerrors names ports with errors alone: there may be none.
                seen |= Scan(rest).decimal().is_some_and(|nodes| nodes > 0);
                needs_summary = false;
            } else if !line.is_empty() {
                of = None;
            }
        }
        if section.name.is_some() {
            return Err(Fault::in_line(last, CounterReason::Truncated));
        }
        if needs_summary {
            warnings.add(last, CounterReason::NoSummary);
        }
        match seen {
            true => Ok(Lenient::new(reading, warnings)),
            false => Err(Fault::whole(CounterReason::None)),
        }
    }
}

/// Takes an item such as `SymbolErrorCounter == 7` or `PortXmitData == 678168 (2.587MB)`; false if it is spoilt.
fn bracket(item: &[u8], counts: &mut Counts) -> bool {
    let mut scan = Scan(item);
    let name = scan.until(b" == ").map(std::str::from_utf8);
    let (Some(Ok(name)), Some(value)) = (name, scan.c_number()) else {
        return false;
    };
    counts.take(name.trim(), value);
    true
}

/// The cells of a row of a `net_dump_ext`.
fn split(line: &[u8]) -> Vec<&[u8]> {
    let (mut cells, mut scan) = (Vec::new(), Scan(line));
    while let Some(cell) = scan.until(b" : ") {
        cells.push(cell.trim_ascii());
    }
    cells.push(scan.0.trim_ascii());
    cells
}

/// The port and the counts of a row: `None` within if it is cut or spoilt, and `None` if its table has no counters of
/// ports.
fn counts(row: &Row) -> Option<Option<(Port, Counts)>> {
    let cell = |at: usize| row.cells.get(at).copied();
    let number = |at: usize| Scan(cell(at)?).whole();
    let port = ["PortNumber", "PortNum", "#IB"];
    let port = port.into_iter().find_map(|name| row.at(name))?;
    let mut counts = Counts::default();
    let mut has_any = false;
    for (at, name) in row.columns.iter().enumerate() {
        has_any |= counts.take(name, number(at).unwrap_or_default());
    }
    // Other sections have other things in fields of these numbers.
    let field = |n: usize| {
        let at = row.at(&format!("field{n}"));
        at.filter(|_| row.section == "PHY_DB16")
    };
    let mut ber = |name: &str, n: usize| {
        let parts = field(n).zip(field(n + 1));
        let place = row.at(name);
        has_any |= place.is_some() || parts.is_some();
        let written = match (place, parts) {
            (Some(at), _) => text(cell(at)?),
            (None, parts) => {
                // A mantissa, and the exponent of 1/10. Exponents of thousands stand for no value.
                let (mantissa, exponent) = parts?;
                let exponent = number(exponent).filter(|&exponent| exponent < 1000)?;
                format!("{}e-{exponent}", number(mantissa)?)
            }
        };
        written.parse().ok().filter(|ber: &f64| ber.is_finite())
    };
    counts.effective_ber = ber("Effective BER", 14);
    counts.symbol_ber = ber("Symbol BER", 16);
    // The GUID of a host's port is better than its node's, which has several ports.
    let guids = ["PortGUID", "NodeGUID", "GUID"].into_iter();
    let mut guids = guids.filter_map(|name| number(row.at(name)?));
    let guid = guids.find(|&guid| guid > 0);
    let guid = guid.filter(|_| row.cells.len() >= row.columns.len());
    let port = guid.zip(number(port));
    let found = port.map(|(guid, port)| (Port::Guid(Guid(guid), port), counts));
    has_any.then_some(found)
}
