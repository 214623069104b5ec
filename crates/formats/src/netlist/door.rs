//! The door: recognises the format of a text by its content, and has it read.
//!
//! The first line that begins as a line of some format decides: comments, shell prompts and messages of other programs
//! may stand before it. A text without such a line is refused, with what it seems to be.

use super::error::Reason;
use super::model::{Kind, Netlist};
use super::{db_csv, iblinkinfo, ibnetdiscover, net_dump, port_list, subnet_lst};
use crate::input::{Fault, Parsed, lines, plain, quoted};
use crate::scan::find;

type Reader = fn(&[u8]) -> Parsed<Netlist, Reason>;

/// A format: whether a line is of it, and its reader.
type Format = (fn(&[u8]) -> bool, Reader);

/// The formats. Those of netlists come last, for ibsim's lines are the shortest.
const FORMATS: [Format; 6] = [
    (subnet_lst::begins, subnet_lst::parse),
    (db_csv::begins, db_csv::parse),
    (net_dump::begins, net_dump::parse),
    (iblinkinfo::begins, iblinkinfo::parse),
    (port_list::begins, port_list::parse),
    (ibnetdiscover::begins, ibnetdiscover::parse),
];

/// Other files of fabrics, by a text in their first lines.
const OTHERS: [(&str, &str); 8] = [
    ("Unicast lids", "begins a dump of forwarding tables"),
    (
        "osm_ucast_mgr_dump_ucast_routes",
        "begins a dump of forwarding tables",
    ),
    ("Port Name=", "begins a list of virtual ports (--vports)"),
    ("StartDevice", "begins a cabling plan (wiring --plan)"),
    ("{\"", "begins JSON"),
    ("<?xml", "begins XML"),
    ("<!DOCTYPE", "begins a web page"),
    ("<html", "begins a web page"),
];

impl Netlist {
    /// Parses a text in any known format; oddities with a sensible reading are warnings. A text without a switch is
    /// refused.
    pub fn parse_leniently(bytes: &[u8]) -> Parsed<Netlist, Reason> {
        if bytes.is_empty() {
            return Err(Fault::whole(Reason::Empty));
        }
        let read = recognise(bytes)?(bytes)?;
        match read.value.switches().count() {
            0 => Err(Fault::whole(Reason::NoSwitch(content(&read.value)))),
            _ => Ok(read),
        }
    }
}

fn recognise(bytes: &[u8]) -> Result<Reader, Fault<Reason>> {
    for (number, line) in lines(bytes) {
        let line = plain(line).ok_or(Fault::in_line(number, Reason::Binary))?;
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if let Some((_, parse)) = FORMATS.iter().find(|(begins, _)| begins(line)) {
            return Ok(*parse);
        }
    }
    Err(unknown(bytes))
}

/// The fault of a text in no known format, at its first line with text.
fn unknown(bytes: &[u8]) -> Fault<Reason> {
    let texts = || lines(bytes).map(|(number, line)| (number, line.trim_ascii()));
    let mut first = texts().filter(|(_, line)| !line.is_empty());
    let (number, line) = first.next().unwrap_or((1, b""));
    // The first line, and the first that is no comment.
    let next = first.find(|(_, line)| line[0] != b'#');
    let begin = [line, next.map_or(line, |(_, line)| line)];
    let is_in = |line: &&[u8], word: &str| find(line, word.as_bytes()).is_some();
    let has = |word: &str| begin.iter().any(|line| is_in(line, word));
    let what = OTHERS.iter().find(|(word, _)| has(word));
    let reason = Reason::Unknown {
        what: what.map_or("fits none of them, nor does a later line", |(_, what)| what),
        line: quoted(line),
    };
    Fault::in_line(number, reason)
}

fn content(netlist: &Netlist) -> String {
    let of_kind = |kind: Kind| {
        let nodes = netlist.nodes.iter();
        nodes.filter(|node| node.kind == kind).count()
    };
    let ports: usize = netlist.nodes.iter().map(|node| node.ports.len()).sum();
    let (hosts, routers) = (of_kind(Kind::Ca), of_kind(Kind::Router));
    format!("hosts {hosts}, routers {routers}, cables {}", ports / 2)
}
