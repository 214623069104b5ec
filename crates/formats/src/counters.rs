//! Error counters of ports, as tools print them: `ibqueryerrors`, `perfquery` (any number of ports one after the other),
//! and ibdiagnet 2.x: every section of a `db_csv` with a node, a port and a known counter (PM_INFO, PHY_DB16 and
//! others), and the `net_dump_ext`.
//!
//! A file is one reading; its formats may be mixed. Of several values of one counter the greatest counts, since the
//! extended counter goes on where the plain one stops. Lines of all ports together (`port ALL`, port 255) and of
//! port 0 are left out.

use crate::input::{Fault, Lenient, Parsed, Warnings, lines, plain, quoted};
use crate::netlist::{Names, cells};
use crate::scan::{Scan, text};
use dmodc_fabric::{Fabric, Guid, Lid, NodeId, PortNumber, SwitchId};
use std::collections::{BTreeMap, HashMap};

/// The counters that are taken, by their names in current tools and in old ones. Others do not speak of the port's own
/// link: PortRcvRemotePhysicalErrors counts packets that another link spoilt, PortXmitDiscards and PortXmitWait count
/// congestion.
pub const COUNTERS: [(&str, &str); 5] = [
    ("LinkDownedCounter", "LinkDowned"),
    ("LinkErrorRecoveryCounter", "LinkRecovers"),
    ("LocalLinkIntegrityErrors", "LinkIntegrityErrors"),
    ("PortRcvErrors", "RcvErrors"),
    ("SymbolErrorCounter", "SymbolErrors"),
];

/// What a port counted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts {
    /// In the order of [`COUNTERS`].
    pub counters: [u64; COUNTERS.len()],
    /// Part of the bits that are wrong after forward error correction: the effective BER.
    pub effective_ber: Option<f64>,
    /// Part of the symbols that stay wrong: the symbol BER, the one that counts from HDR on.
    pub symbol_ber: Option<f64>,
}

impl Counts {
    /// Takes a counter by its name in any tool; whether it is one of those taken.
    fn take(&mut self, name: &str, value: u64) -> bool {
        let name = name.trim_end_matches("ended").trim_end_matches("Ext");
        let is_it =
            |(new, old): &(&str, &str)| [new, old].iter().any(|n| name.eq_ignore_ascii_case(n));
        let at = COUNTERS.iter().position(is_it);
        if let Some(at) = at {
            self.counters[at] = self.counters[at].max(value);
        }
        at.is_some()
    }

    fn join(&mut self, other: &Counts) {
        for (own, other) in self.counters.iter_mut().zip(other.counters) {
            *own = (*own).max(other);
        }
        self.effective_ber = other.effective_ber.or(self.effective_ber);
        self.symbol_ber = other.symbol_ber.or(self.symbol_ber);
    }
}

/// A port as a tool names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Port {
    /// By the GUID of its node, or its own, and its number.
    Guid(Guid, u64),
    /// By the LID of a switch or of the port, and its number.
    Lid(Lid, u64),
}

/// A port of a fabric.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum CountedPort {
    Switch(SwitchId, PortNumber),
    Host(NodeId),
}

/// The counts of ports at one time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reading(BTreeMap<Port, (u32, Counts)>);

/// Why a text was refused, or a warning about a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum CounterReason {
    #[error(
        "no counters: not the output of ibqueryerrors or perfquery, nor ibdiagnet's db_csv with PM_INFO"
    )]
    None,
    #[error("a line of counters that is cut or spoilt, left out: '{0}'")]
    Bad(String),
    #[error("ends within a section: the file is cut")]
    Truncated,
    #[error("port {1} of {0} is not in this fabric: left out")]
    NoPort(String, u64),
}

/// A table: a section of a `db_csv`, or a `net_dump_ext`.
#[derive(Default)]
struct Table {
    section: Option<String>,
    /// The columns, once they are read.
    names: Vec<String>,
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
                    names: Vec::new(),
                });
            } else if line.starts_with(b"END_") {
                table = None;
            } else if line.starts_with(b"Ty : ") {
                let names = columns(line, false).into_iter().map(text).collect();
                table = Some(Table {
                    section: None,
                    names,
                });
            } else if let Some(table) = table.as_mut().filter(|_| !line.is_empty()) {
                let cells = columns(line, table.section.is_some());
                if table.names.is_empty() {
                    table.names = cells.into_iter().map(text).collect();
                    continue;
                }
                match table.row(&cells) {
                    Row::Other => {}
                    Row::Bad => bad(),
                    Row::Port(port, counts) => {
                        seen = true;
                        reading.add(number, port, &counts);
                    }
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
            } else if line.starts_with(b"# Port ")
                && crate::scan::find(line, b"counters:").is_some()
            {
                of = None;
                let mut scan = Scan(line);
                scan.until(b"Lid ");
                let lid = scan.c_number().and_then(Lid::read);
                let port = scan
                    .blanks()
                    .eat(b"port ")
                    .then(|| scan.decimal())
                    .flatten();
                match (lid, port) {
                    (Some(lid), Some(port)) => {
                        (seen, of) = (true, Some(Port::Lid(lid, port)));
                        reading.add(number, Port::Lid(lid, port), &Counts::default());
                    }
                    _ => bad(),
                }
            } else if let (Some(port), Some(at)) = (of, crate::scan::find(line, b":.")) {
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
        match (seen, table) {
            (
                _,
                Some(Table {
                    section: Some(_), ..
                }),
            ) => Err(Fault::in_line(last, CounterReason::Truncated)),
            (false, _) => Err(Fault::whole(CounterReason::None)),
            _ => Ok(Lenient::new(reading, warnings)),
        }
    }

    fn add(&mut self, line: u32, port: Port, counts: &Counts) {
        if !matches!(port, Port::Guid(_, 0 | 255) | Port::Lid(_, 0 | 255)) {
            self.0
                .entry(port)
                .or_insert((line, Counts::default()))
                .1
                .join(counts);
        }
    }

    /// The counts by ports of a fabric. A port that is not there is a warning.
    pub fn ports(
        self,
        fabric: &Fabric,
        names: &Names,
    ) -> Lenient<BTreeMap<CountedPort, Counts>, CounterReason> {
        let (mut guids, mut lids) = (HashMap::new(), HashMap::new());
        for (index, node) in fabric.end_nodes().iter_enumerated() {
            let of_node: &mut Vec<NodeId> = guids.entry(names.node_guids[index]).or_default();
            of_node.push(index);
            lids.insert(node.lid, CountedPort::Host(index));
        }
        let ports = fabric.end_nodes().iter_enumerated();
        let ports: HashMap<Guid, NodeId> = ports.map(|(index, node)| (node.guid, index)).collect();
        let at = |s: SwitchId, port: u64| {
            let port = PortNumber(u8::try_from(port).ok()?);
            let there = fabric.switches()[s].port_numbers().any(|own| own == port);
            there.then_some(CountedPort::Switch(s, port))
        };
        let find = |port: &Port| match *port {
            Port::Guid(guid, number) => match fabric.switch_by_guid(guid) {
                Some(s) => at(s, number),
                None => {
                    // The GUID of a port; or of a node, of which the port is the only one, or has the usual GUID.
                    let of_node = guids.get(&guid).map(Vec::as_slice);
                    let usual = Guid(guid.0.wrapping_add(number));
                    let host = match (ports.get(&guid), of_node) {
                        (Some(&one), None) => Some(one),
                        (_, Some(&[one])) => Some(one),
                        (_, Some(several)) => several
                            .iter()
                            .copied()
                            .find(|&n| fabric.end_nodes()[n].guid == usual),
                        _ => None,
                    };
                    host.map(CountedPort::Host)
                }
            },
            Port::Lid(lid, number) => {
                let mut switches = fabric.switches().iter_enumerated();
                match switches.find(|(_, switch)| switch.lid == lid) {
                    Some((s, _)) => at(s, number),
                    None => lids.get(&lid).copied(),
                }
            }
        };
        let (mut found, mut warnings) = (BTreeMap::<_, Counts>::new(), Warnings::default());
        for (port, (line, counts)) in &self.0 {
            match find(port) {
                Some(port) => found.entry(port).or_default().join(counts),
                None => {
                    let (owner, number) = match port {
                        Port::Guid(guid, number) => (guid.to_string(), *number),
                        Port::Lid(lid, number) => (format!("LID {lid}"), *number),
                    };
                    warnings.add(*line, CounterReason::NoPort(owner, number));
                }
            }
        }
        Lenient::new(found, warnings)
    }
}

/// What ports counted from the first of several readings to the last. A counter that went down was cleared, and counts
/// from there. One reading is what was counted since the counters were cleared. Of bit error rates the last one counts.
pub fn counted(readings: &[BTreeMap<CountedPort, Counts>]) -> BTreeMap<CountedPort, Counts> {
    if let [one] = readings {
        return one.clone();
    }
    let mut all: BTreeMap<CountedPort, Counts> = BTreeMap::new();
    for two in readings.windows(2) {
        for (port, now) in &two[1] {
            let before = two[0].get(port).copied().unwrap_or_default();
            let sum = all.entry(*port).or_default();
            for ((sum, now), before) in sum
                .counters
                .iter_mut()
                .zip(now.counters)
                .zip(before.counters)
            {
                *sum += now.checked_sub(before).unwrap_or(now);
            }
            sum.effective_ber = now.effective_ber.or(sum.effective_ber);
            sum.symbol_ber = now.symbol_ber.or(sum.symbol_ber);
        }
    }
    all
}

/// Takes an item such as `SymbolErrorCounter == 7` or `PortXmitData == 678168 (2.587MB)`; false if it is spoilt.
fn bracket(item: &[u8], counts: &mut Counts) -> bool {
    let mut scan = Scan(item);
    let name = scan
        .until(b" == ")
        .and_then(|name| std::str::from_utf8(name).ok());
    match (name, scan.c_number()) {
        (Some(name), Some(value)) => {
            counts.take(name.trim(), value);
            true
        }
        _ => false,
    }
}

/// The cells of a row with commas, or with ` : ` between them.
fn columns(line: &[u8], by_commas: bool) -> Vec<&[u8]> {
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

/// A row of a table.
enum Row {
    /// Of a table without counters.
    Other,
    /// Cut or spoilt.
    Bad,
    Port(Port, Counts),
}

impl Table {
    fn row(&self, cells: &[&[u8]]) -> Row {
        let names = &self.names;
        let at = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
        let first = |all: &[&str]| all.iter().find_map(|name| at(name));
        let number = first(&["PortNumber", "PortNum", "#IB"]);
        // The GUID of a host's port is better than its node's, which has several ports.
        let guids = ["PortGUID", "NodeGUID", "GUID"].map(at);
        // Other sections have other things in fields of these numbers.
        let is_phy = self.section.as_deref() == Some("PHY_DB16");
        let field = |n: usize| at(&format!("field{n}")).filter(|_| is_phy);
        let mantissa = |n: usize| field(n).zip(field(n + 1));
        let bers = [
            (at("Effective BER"), mantissa(14)),
            (at("Symbol BER"), mantissa(16)),
        ];
        let is_counter = |name: &&String| Counts::default().take(name, 0);
        let has_ber = bers
            .iter()
            .any(|(one, two)| one.or(two.map(|two| two.0)).is_some());
        let (Some(number), true) = (number, names.iter().any(|n| is_counter(&n)) || has_ber) else {
            return Row::Other;
        };
        let cell = |at: usize| {
            cells
                .get(at)
                .filter(|cell| !cell.is_empty() && **cell != b"N/A")
        };
        let whole = |at: usize| {
            let mut scan = Scan(cell(at)?);
            scan.c_number().filter(|_| scan.0.is_empty())
        };
        let real = |at: usize| -> Option<f64> { std::str::from_utf8(cell(at)?).ok()?.parse().ok() };
        let mut guids = guids.into_iter().flatten().filter_map(whole);
        let guid = guids.find(|&guid| guid > 0);
        let (Some(guid), Some(port), true) = (guid, whole(number), cells.len() >= names.len())
        else {
            return Row::Bad;
        };
        let mut counts = Counts::default();
        for (at, name) in names.iter().enumerate() {
            if let Some(value) = whole(at) {
                counts.take(name, value);
            }
        }
        // A mantissa and the exponent of 1/10. Exponents of thousands stand for no value.
        let ber = |(one, two): (Option<usize>, Option<(usize, usize)>)| match (one, two) {
            (Some(at), _) => real(at),
            (_, Some((mantissa, exponent))) => {
                let (mantissa, exponent) = (whole(mantissa)?, whole(exponent)?);
                let ber = format!("{mantissa}e-{exponent}").parse().ok();
                ber.filter(|_| exponent < 1000)
            }
            _ => None,
        };
        [counts.effective_ber, counts.symbol_ber] = bers.map(ber);
        Row::Port(Port::Guid(Guid(guid), port), counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Counts>, u64) {
        let read = Reading::parse_leniently(text.as_bytes()).expect("counters");
        let counts = read.value.0.values().map(|(_, counts)| *counts).collect();
        (counts, read.warnings.count())
    }

    const IBQUERYERRORS: &str = "Errors for 0x1 \"leaf [1]\"\n   \
        GUID 0x1 port ALL: [SymbolErrorCounter == 507]\n   \
        GUID 0x1 port 33: [SymbolErrorCounter == 500] [LinkDownedCounter == 3] [PortXmitWait == 9] \
        [PortXmitData == 6768 (26.438KB)]\n       \
        Link info:    128  33[  ] ==( 4X  10.0 Gbps (FDR10) Active/  LinkUp)==>  0x2     18   30[  ] \"s\" ( )\n\n\
        ## Summary: 152 nodes checked, 2 bad nodes found\n## Suppressed:\n";
    const PERFQUERY: &str = "# Port counters: Lid 128 port 33 (CapMask: 0x1300)\nPortSelect:......................33\n\
        SymbolErrorCounter:..............500\nLinkDownedCounter:...............3\n\
        # Port extended counters: Lid 128 port 33 (CapMask: 0x1300 CapMask2: 0x0000000)\nPortSelect:...33\n";
    const DB_CSV: &str = "START_NODES\nNodeDesc,NumPorts,NodeGUID\n\"a,b\",1,0x1\nEND_NODES\n\nSTART_PM_INFO\n\
        NodeGUID,PortGUID,PortNumber,LinkDownedCounter,SymbolErrorCounter,SymbolErrorCounterExt\n\
        0x1,0x1,33,0x3,255,500\nEND_PM_INFO\n";

    #[test]
    fn all_tools_say_the_same() {
        for text in [IBQUERYERRORS, PERFQUERY, DB_CSV] {
            let (counts, warnings) = read(text);
            let (counters, ber) = (counts[0].counters, counts[0].symbol_ber);
            assert_eq!(
                (counts.len(), counters, ber, warnings),
                (1, [3, 0, 0, 0, 500], None, 0)
            );
        }
        let old = "   GUID 0x1 port 2: [SymbolErrors == 4] [LinkRecovers == 1]\n";
        assert_eq!(read(old).0[0].counters, [0, 1, 0, 0, 4]);
    }

    #[test]
    fn error_rates_have_a_mantissa_and_an_exponent_or_none() {
        let db = "START_PHY_DB16\nNodeGuid,PortNum,field14,field15,field16,field17\n\
            0x1,1,15,254,3,13\n0x1,2,15,254,1,4000000\nEND_PHY_DB16\n";
        let bers = [Some(3e-13), None];
        assert_eq!(
            read(db).0.iter().map(|c| c.symbol_ber).collect::<Vec<_>>(),
            bers
        );
        let net = "Ty : # : #IB : GUID : LID : Raw BER : Effective BER : Symbol BER : Symbol Err : Node Desc\n\
            SW : a : 1 : 0x1 : 10 (0xa) : 1e-5 : 2e-13 : 3e-13 : 4 : \"MF0;leaf : 1\"\n\
            SW : a : 2 : 0x1 : 10 (0xa) : N/A : N/A : N/A : N/A : \"x\"\n";
        assert_eq!(
            read(net).0.iter().map(|c| c.symbol_ber).collect::<Vec<_>>(),
            bers
        );
    }

    #[test]
    fn what_is_cut_or_spoilt_is_told_or_refused() {
        let cut = IBQUERYERRORS.replace(" [PortXmitData == 6768 (26.438KB)]", " [PortXm");
        assert_eq!(read(&cut).1, 1);
        let spoilt = DB_CSV.replace("0x1,0x1,33", "?,?,33")
            + "   GUID 0x1 port 2: [SymbolErrorCounter == 4]\n";
        assert_eq!(read(&spoilt).1, 1);
        let end = DB_CSV.replace("END_PM_INFO\n", "");
        for refused in ["", "Ca 1 \"H-1\"\n", &end] {
            assert!(
                Reading::parse_leniently(refused.as_bytes()).is_err(),
                "{refused}"
            );
        }
    }

    #[test]
    fn a_counter_that_goes_down_was_cleared() {
        let port = CountedPort::Host(NodeId(0));
        let reading = |symbols: u64| {
            let counters = [0, 0, 0, 0, symbols];
            BTreeMap::from([(
                port,
                Counts {
                    counters,
                    ..Counts::default()
                },
            )])
        };
        for (readings, expected) in [(&[5][..], 5), (&[5, 9], 4), (&[5, 9, 2], 6)] {
            let readings: Vec<_> = readings.iter().map(|&n| reading(n)).collect();
            assert_eq!(counted(&readings)[&port].counters[4], expected);
        }
    }
}
