//! Reads the counters of each tool.

use super::{CounterReason, Counts, Port, Reading};
use crate::input::{Fault, Lenient, Parsed, Warnings, lines, plain, quoted};
use crate::netlist::cells;
use crate::scan::{Scan, find, text};
use dmodc_fabric::{Guid, Lid};

/// A table: a section of a `db_csv`, or a `net_dump_ext`.
struct Table {
    section: Option<String>,
    /// The columns, once they are read; `None` within if the table has no counters of ports.
    columns: Option<Option<Columns>>,
}

/// Where a table has a rate of errors: as a number, or as a mantissa and the exponent of 1/10.
enum Ber {
    Number(usize),
    Parts(usize, usize),
}

/// The places of what is taken of a table.
struct Columns {
    port: usize,
    guids: Vec<usize>,
    counters: Vec<(usize, String)>,
    bers: [Option<Ber>; 2],
    count: usize,
}

impl Reading {
    /// Parses a reading; lines of counters that are not understood are warnings.
    ///
    /// # Errors
    /// If there is no port with counters, or a section does not end.
    pub fn parse_leniently(bytes: &[u8]) -> Parsed<Reading, CounterReason> {
        let (mut reading, mut warnings) = (Reading::default(), Warnings::default());
        let mut seen = false;
        // The port of perfquery's lines, if it is one; the table in which the line is.
        let (mut of, mut table): (Option<Port>, Option<Table>) = (None, None);
        let mut last = 0;
        for (number, line) in lines(bytes) {
            last = number;
            let mut bad = || warnings.add(number, CounterReason::Bad(quoted(line)));
            let Some(line) = plain(line) else {
                bad();
                continue;
            };
            let line = line.trim_ascii();
            if let Some(name) = line.strip_prefix(b"START_") {
                let is_name = !name.is_empty() && name.iter().all(|b| !b.is_ascii_whitespace());
                table = is_name.then(|| Table {
                    section: Some(text(name)),
                    columns: None,
                });
            } else if line.starts_with(b"END_") {
                table = None;
            } else if line.starts_with(b"Ty : ") {
                table = Some(Table {
                    section: None,
                    columns: Some(Columns::new(&split(line, false), None)),
                });
            } else if let Some(table) = table.as_mut().filter(|_| !line.is_empty()) {
                let by_commas = table.section.is_some();
                match &table.columns {
                    None => {
                        let heads = split(line, by_commas);
                        table.columns = Some(Columns::new(&heads, table.section.as_deref()));
                    }
                    Some(None) => {}
                    Some(Some(columns)) => match columns.row(&split(line, by_commas)) {
                        None => bad(),
                        Some((port, counts)) => {
                            seen = true;
                            reading.add(number, port, &counts);
                        }
                    },
                }
            } else if let Some(rest) = line.strip_prefix(b"GUID ") {
                let mut counts = Counts::default();
                let mut scan = Scan(rest);
                let guid = scan.c_number().filter(|_| scan.blanks().eat(b"port "));
                seen |= guid.is_some();
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
            } else if !line.is_empty() {
                of = None;
            }
        }
        if table.is_some_and(|table| table.section.is_some()) {
            return Err(Fault::in_line(last, CounterReason::Truncated));
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

/// The cells of a row with commas, or with ` : ` between them.
fn split(line: &[u8], by_commas: bool) -> Vec<&[u8]> {
    if by_commas {
        return cells(line);
    }
    let (mut cells, mut scan) = (Vec::new(), Scan(line));
    while let Some(cell) = scan.until(b" : ") {
        cells.push(cell.trim_ascii());
    }
    cells.push(scan.0.trim_ascii());
    cells
}

impl Columns {
    /// The columns that count of a table with these heads; `None` if it has no counters of ports.
    fn new(heads: &[&[u8]], section: Option<&str>) -> Option<Columns> {
        let names: Vec<String> = heads.iter().map(|head| text(head)).collect();
        let at = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
        // Other sections have other things in fields of these numbers.
        let field = |n: usize| at(&format!("field{n}")).filter(|_| section == Some("PHY_DB16"));
        let ber = |name: &str, n: usize| match (at(name), field(n), field(n + 1)) {
            (Some(at), ..) => Some(Ber::Number(at)),
            (_, Some(mantissa), Some(exponent)) => Some(Ber::Parts(mantissa, exponent)),
            _ => None,
        };
        let counters = names.iter().cloned().enumerate();
        let counters = counters.filter(|(_, name)| Counts::default().take(name, 0));
        // The GUID of a host's port is better than its node's, which has several ports.
        let guids = ["PortGUID", "NodeGUID", "GUID"];
        let columns = Columns {
            port: ["PortNumber", "PortNum", "#IB"].into_iter().find_map(at)?,
            guids: guids.into_iter().filter_map(at).collect(),
            counters: counters.collect(),
            bers: [ber("Effective BER", 14), ber("Symbol BER", 16)],
            count: heads.len(),
        };
        let has_ber = columns.bers.iter().any(Option::is_some);
        (has_ber || !columns.counters.is_empty()).then_some(columns)
    }

    /// The port and the counts of a row; `None` if it is cut or spoilt.
    fn row(&self, cells: &[&[u8]]) -> Option<(Port, Counts)> {
        let number = |at: usize| Scan(cells.get(at)?).whole();
        let mut guids = self.guids.iter().filter_map(|&at| number(at));
        let guid = guids.find(|&guid| guid > 0);
        let guid = guid.filter(|_| cells.len() >= self.count)?;
        let mut counts = Counts::default();
        for (at, name) in &self.counters {
            if let Some(value) = number(*at) {
                counts.take(name, value);
            }
        }
        let ber = |ber: &Option<Ber>| {
            let written = match *ber.as_ref()? {
                Ber::Number(at) => text(cells.get(at)?),
                // Exponents of thousands stand for no value.
                Ber::Parts(mantissa, exponent) => {
                    let exponent = number(exponent).filter(|&exponent| exponent < 1000)?;
                    format!("{}e-{exponent}", number(mantissa)?)
                }
            };
            written.parse().ok().filter(|ber: &f64| ber.is_finite())
        };
        [counts.effective_ber, counts.symbol_ber] = self.bers.each_ref().map(ber);
        Some((Port::Guid(Guid(guid), number(self.port)?), counts))
    }
}
