//! Captures as they come: every production fabric, spoilt in each way that was seen in the field, is
//! read as the fabric that it is, with a warning for each place.
//!
//! Here are the ways to spoil one; `reading` has the parser read them, `tool` the subcommands.

mod reading;
mod tool;

use crate::support::*;
use dmodc::fabric::{Fabric, Guid, Rate};
use dmodc::netlist::{Kind, Netlist, Node};
use std::path::PathBuf;

/// A netlist spoilt in one way.
pub struct Spoilt {
    pub what: &'static str,
    pub text: String,
    /// How many warnings it is worth.
    pub warnings: u64,
    /// Whether all LIDs can still be known.
    pub lids: bool,
}

/// The text with `spoil` applied to each line that it changes, and how many those are. It gets the
/// number of candidates before.
pub fn by_line(text: &str, spoil: impl Fn(&str, usize) -> Option<String>) -> (String, u64) {
    let (mut spoilt, mut seen, mut changed) = (String::new(), 0, 0);
    for line in text.lines() {
        let new = spoil(line, seen);
        seen += 1;
        changed += u64::from(new.is_some());
        spoilt += new.as_deref().unwrap_or(line);
        spoilt.push('\n');
    }
    (spoilt, changed)
}

/// A host's own port line, split at its LID: `[1](guid) "S-.."[3]  # lid `, `105`, ` lmc 0 ..`.
pub fn own_lid(line: &str) -> Option<(&str, &str, &str)> {
    let at = line.starts_with('[').then(|| line.find("# lid "))?? + "# lid ".len();
    let len = line[at..].find(' ')?;
    Some((&line[..at], &line[at..at + len], &line[at + len..]))
}

/// The port GUID in parentheses of a host's own port line.
pub fn own_guid(line: &str) -> Option<(&str, &str)> {
    own_lid(line)?;
    let (open, close) = (line.find('(')?, line.find(')')?);
    (line.find('"')? > close).then(|| (&line[..open], &line[close + 1..]))
}

/// All ways in which a netlist of ibnetdiscover's is spoilt.
pub fn ways(text: &str) -> Vec<Spoilt> {
    let mut ways = Vec::new();
    let mut add = |what, lids, (text, warnings): (String, u64)| {
        let way = Spoilt {
            what,
            text,
            warnings,
            lids,
        };
        ways.push(way);
    };
    // Hosts that have no LID yet: both sides say so.
    let beyond = ("LID beyond the unicast range", "49152");
    for (what, lid) in [("no LID yet", "65535"), beyond] {
        let lose = |line: &str, _: usize| {
            if let Some((before, _, after)) = own_lid(line) {
                return Some(format!("{before}{lid}{after}"));
            }
            let at = line.find("\"H-").and_then(|_| line.rfind(" lid "))? + " lid ".len();
            let len = line[at..].find(' ')?;
            Some(format!("{}{lid}{}", &line[..at], &line[at + len..]))
        };
        add(what, false, by_line(text, lose));
    }
    for (what, odd) in [("LID xxxxxx", "xxxxxx"), ("empty LID", "")] {
        let lose = |line: &str, n: usize| {
            let (before, _, after) = own_lid(line).filter(|_| n.is_multiple_of(3))?;
            Some(format!("{before}{odd}{after}"))
        };
        add(what, true, by_line(text, lose));
    }
    for (what, odd) in [
        ("GUID xxxxxx", "(xxxxxx)"),
        ("empty GUID", "()"),
        ("port in parentheses", "(1)"),
    ] {
        let lose = |line: &str, n: usize| {
            let (before, after) = own_guid(line).filter(|_| n.is_multiple_of(3))?;
            Some(format!("{before}{odd}{after}"))
        };
        add(what, true, by_line(text, lose));
    }
    let number = |line: &str, _: usize| {
        let (port, rest) = line.strip_prefix('[')?.split_once(']')?;
        let is_link = rest.trim_start().starts_with('"');
        is_link.then(|| format!("[{port}]({port}){rest}"))
    };
    add("port number in parentheses", true, by_line(text, number));
    let chassis = |line: &str, _: usize| {
        let (_, own) = line.strip_prefix("switchguid=")?.split_once('(')?;
        Some(format!("switchguid=0xfedcba9876543210({own}"))
    };
    add("chassis GUID", true, by_line(text, chassis));
    let bare = |line: &str, _: usize| {
        let is_it = line.starts_with("switchguid=");
        is_it.then(|| "switchguid=0xfedcba9876543210".to_owned())
    };
    add("chassis GUID alone", true, by_line(text, bare));
    let no_guid = |line: &str, n: usize| {
        let is_it = line.starts_with("switchguid=") && n.is_multiple_of(2);
        is_it.then(|| "switchguid=xxxxxx".to_owned())
    };
    add("node GUID xxxxxx", true, by_line(text, no_guid));
    let colour = |line: &str, n: usize| {
        (n.is_multiple_of(5) && !line.is_empty()).then(|| format!("\x1b[1;32m{line}\x1b[0m"))
    };
    add("terminal colours", true, by_line(text, colour));
    // What is no warning: nothing of it is in doubt.
    let log = format!(
        "[root@sm ~]# ibnetdiscover\nibwarn: [4711] mad_rpc: timed out\n{text}[root@sm ~]# exit\n"
    );
    add("terminal log", true, (log, 0));
    add("spaces for tabs", true, (text.replace('\t', "    "), 0));
    add("CRLF", true, (text.replace('\n', "\r\n"), 0));
    ways
}

pub fn read(text: &str) -> (Netlist, u64) {
    let read = Netlist::parse_leniently(text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}"));
    (read.value, read.warnings.count())
}

pub fn fabric(netlist: &Netlist) -> Fabric {
    netlist.to_fabric(None).unwrap().0
}

/// The netlist as `opensm-subnet.lst`, with device IDs by `device`.
pub fn subnet_lst(netlist: &Netlist, device: impl Fn(&Node) -> String) -> String {
    let side = |node: &Node, number: u8| {
        let (kind, guid, lid) = match node.kind {
            Kind::Switch => ("SW", node.guid, node.lid),
            _ => {
                let port = node.ports.iter().find(|p| p.number == number).unwrap();
                ("CA", node.port_guid(port), port.lid)
            }
        };
        let system = node.system_guid.unwrap_or(Guid(0)).0;
        format!(
            "{{ {kind} Ports:{:02X} SystemGUID:{system:016X} NodeGUID:{:016X} PortGUID:{:016X} \
             VenID:{:06X} DevID:{} Rev:000000A0 {{{}}} LID:{:04X} PN:{number:02X} }}",
            node.port_count,
            node.guid.0,
            guid.0,
            node.vendor,
            device(node),
            node.description,
            lid.0,
        )
    };
    let mut text = String::new();
    for node in &netlist.nodes {
        for port in &node.ports {
            let far = side(&netlist.nodes[port.peer as usize], port.peer_port);
            let near = side(node, port.number);
            let speed = port.speed();
            let gbps = match speed.rate() {
                Some(Rate::Ddr) => "5".into(),
                Some(Rate::Qdr) => "10".into(),
                Some(Rate::Fdr) => "14".into(),
                Some(Rate::Fdr10) => "FDR10".into(),
                Some(rate) => (rate.mbps() / 1000).to_string(),
                None => "??".into(),
            };
            let lanes = speed.lanes();
            text += &format!("{near} {far} PHY={lanes}x LOG=ACT SPD={gbps}\n");
        }
    }
    text
}

/// All of the ways that leave the LIDs known, one after the other.
pub fn all_at_once(text: &str) -> String {
    let names = [
        "LID xxxxxx",
        "port number in parentheses",
        "chassis GUID",
        "terminal colours",
        "terminal log",
        "spaces for tabs",
    ];
    let mut text = text.to_owned();
    for name in names {
        let ways = ways(&text);
        text = ways.into_iter().find(|way| way.what == name).unwrap().text;
    }
    text
}

/// The trees among the production fabrics: file, a folder, and in it the same spoilt all over.
pub fn spoilt_trees() -> Vec<(PathBuf, tempfile::TempDir, String)> {
    let trees = production().into_iter();
    let trees = trees.filter(|file| !path(file).contains("ring"));
    trees
        .map(|file| {
            let dir = tempfile::tempdir().unwrap();
            let net = dir.path().join("spoilt.net");
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&net, all_at_once(&text)).unwrap();
            let net = path(&net).to_owned();
            (file, dir, net)
        })
        .collect()
}
