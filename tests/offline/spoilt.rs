//! Every production netlist, spoilt in each way that was seen in the field, is read as the same fabric, with a warning
//! for each spoilt line. Cut netlists are noticed. Subcommands on a spoilt capture are tested in
//! `tests/data/answers/odd.txt`, every dialect and every error in `tests/data/answers/netlists.txt`.

use crate::support::*;
use dmodc_fabric::Fabric;
use dmodc_formats::netlist::Netlist;

/// A netlist spoilt in one way.
struct Spoilt {
    what: &'static str,
    text: String,
    /// The number of warnings that it gives.
    warnings: u64,
    /// Whether all LIDs can still be read.
    lids: bool,
}

/// A host's own port line, split at its LID: `[1](guid) "S-.."[3]  # lid `, `105`, ` lmc 0 ..`.
fn own_lid(line: &str) -> Option<(&str, &str, &str)> {
    let at = line.starts_with('[').then(|| line.find("# lid "))?? + "# lid ".len();
    let len = line[at..].find(' ')?;
    Some((&line[..at], &line[at..at + len], &line[at + len..]))
}

/// A host's own port line, before and after the port GUID in parentheses.
fn own_guid(line: &str) -> Option<(&str, &str)> {
    own_lid(line)?;
    let (open, close) = (line.find('(')?, line.find(')')?);
    (line.find('"')? > close).then(|| (&line[..open], &line[close + 1..]))
}

/// An ibnetdiscover netlist, spoilt in each way.
fn ways(text: &str) -> Vec<Spoilt> {
    let mut ways = Vec::new();
    // `spoil` gets each line and its number, and returns the changed line, if it changes it.
    let mut add = |what, lids, spoil: &dyn Fn(&str, usize) -> Option<String>| {
        let (mut spoilt, mut warnings) = (String::new(), 0);
        for (number, line) in text.lines().enumerate() {
            let new = spoil(line, number);
            warnings += u64::from(new.is_some());
            spoilt += &format!("{}\n", new.as_deref().unwrap_or(line));
        }
        ways.push(Spoilt {
            what,
            text: spoilt,
            warnings,
            lids,
        });
    };
    // Hosts without a LID: neither end of the link has one.
    let beyond = ("LID beyond the unicast range", "49152");
    for (what, lid) in [("no LID yet", "65535"), beyond] {
        add(what, false, &|line, _| {
            if let Some((before, _, after)) = own_lid(line) {
                return Some(format!("{before}{lid}{after}"));
            }
            let at = line.find("\"H-").and_then(|_| line.rfind(" lid "))? + " lid ".len();
            let len = line[at..].find(' ')?;
            Some(format!("{}{lid}{}", &line[..at], &line[at + len..]))
        });
    }
    for (what, odd) in [("LID xxxxxx", "xxxxxx"), ("empty LID", "")] {
        add(what, true, &|line, n| {
            let (before, _, after) = own_lid(line).filter(|_| n.is_multiple_of(3))?;
            Some(format!("{before}{odd}{after}"))
        });
    }
    for (what, odd) in [("GUID xxxxxx", "(xxxxxx)"), ("empty GUID", "()")] {
        add(what, true, &|line, n| {
            let (before, after) = own_guid(line).filter(|_| n.is_multiple_of(3))?;
            Some(format!("{before}{odd}{after}"))
        });
    }
    add("chassis GUID", true, &|line, _| {
        let (_, own) = line.strip_prefix("switchguid=")?.split_once('(')?;
        Some(format!("switchguid=0xfedcba9876543210({own}"))
    });
    for (what, every, guid) in [
        ("chassis GUID alone", 1, "0xfedcba9876543210"),
        ("node GUID xxxxxx", 2, "xxxxxx"),
    ] {
        add(what, true, &|line, n| {
            let is_it = line.starts_with("switchguid=") && n.is_multiple_of(every);
            is_it.then(|| format!("switchguid={guid}"))
        });
    }
    add("terminal colours", true, &|line, n| {
        let is_it = n.is_multiple_of(5) && !line.is_empty();
        is_it.then(|| format!("\x1b[1;32m{line}\x1b[0m"))
    });
    // These give no warning: nothing is in doubt. A label may be the number of the port.
    let labelled = text.lines().map(|line| {
        let port = line.strip_prefix('[').and_then(|line| line.split_once(']'));
        let port = port.filter(|(_, rest)| rest.trim_start().starts_with('"'));
        match port {
            Some((port, rest)) => format!("[{port}]({port}){rest}\n"),
            None => format!("{line}\n"),
        }
    });
    let labelled: String = labelled.collect();
    let log = format!(
        "[root@sm ~]# ibnetdiscover\nibwarn: [4711] mad_rpc: timed out\n{text}[root@sm ~]# exit\n"
    );
    for (what, text) in [
        ("terminal log", log),
        ("port number in parentheses", labelled),
        ("spaces for tabs", text.replace('\t', "    ")),
        ("CRLF", text.replace('\n', "\r\n")),
    ] {
        ways.push(Spoilt {
            what,
            text,
            warnings: 0,
            lids: true,
        });
    }
    ways
}

fn read(text: &str) -> (Netlist, u64) {
    let read = Netlist::parse_leniently(text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}"));
    (read.value, read.warnings.count())
}

fn fabric(netlist: &Netlist) -> Fabric {
    netlist.to_fabric(None).unwrap().0
}

/// The links and GUIDs of a fabric, without its LIDs.
fn wiring(fabric: &Fabric) -> Vec<String> {
    let nodes = fabric.end_nodes().iter();
    let nodes = nodes.map(|n| format!("{} {:?} {}", n.guid, n.switch, n.port));
    let switches = fabric.switches().iter_enumerated();
    let switches = switches.map(|(s, switch)| format!("{} {:?}", switch.guid, fabric.peers_of(s)));
    nodes.chain(switches).collect()
}

#[test]
fn oddities_of_a_capture_have_a_sensible_reading() {
    for path in production() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (whole, none) = read(&text);
        assert_eq!(none, 0, "{}", path.display());
        let whole = fabric(&whole);
        for way in ways(&text) {
            let what = format!("{}: {}", path.display(), way.what);
            let (netlist, warnings) = read(&way.text);
            assert_eq!(warnings, way.warnings, "{what}");
            let found = fabric(&netlist);
            assert_eq!(wiring(&found), wiring(&whole), "{what}");
            assert_eq!(found == whole, way.lids, "{what}");
            let strict = Netlist::parse(way.text.as_bytes());
            assert_eq!(strict.is_err(), way.warnings > 0, "{what}");
            // The netlist as it is read can be written and read again.
            let again = Netlist::parse(&netlist.to_text());
            assert!(again.unwrap() == netlist, "{what}");
        }
    }
}

#[test]
fn production_fabrics_have_the_counts_their_names_say() {
    for path in production() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let fabric = fabric(&Netlist::read(&path).unwrap());
        has(&name, &format!("-{}sw", fabric.switches().len()));
        let text = std::fs::read_to_string(&path).unwrap();
        let cas = text.lines().filter(|l| l.starts_with("[1](")).count();
        let second_ports = text.lines().filter(|l| l.starts_with("[2](")).count();
        assert_eq!(fabric.end_nodes().len(), cas + second_ports, "{name}");
    }
}

#[test]
fn every_truncation_is_noticed() {
    let sound = std::fs::read(data("no-tabs.ibnetdiscover")).unwrap();
    let whole = fabric(&Netlist::parse(&sound).unwrap());
    for end in 0..sound.len() - 1 {
        // Cut within the trailer of the very last line, nothing of the fabric is lost.
        if let Ok(netlist) = Netlist::parse(&sound[..end]) {
            assert!(fabric(&netlist) == whole, "cut at {end}");
        }
    }
}
