//! Captures as they come: every production fabric, spoilt in each way that was seen in the field, is
//! read as the fabric that it is, with a warning for each place.

use crate::support::*;
use dmodc::fabric::{Fabric, Guid, Lid};
use dmodc::netlist::{Kind, Netlist, Node};
use dmodc::random::Random;
use std::path::PathBuf;

/// A netlist spoilt in one way.
struct Spoilt {
    what: &'static str,
    text: String,
    /// How many warnings it is worth.
    warnings: u64,
    /// Whether all LIDs can still be known.
    lids: bool,
}

/// The text with `spoil` applied to each line that it changes, and how many those are. It gets the
/// number of candidates before.
fn by_line(text: &str, spoil: impl Fn(&str, usize) -> Option<String>) -> (String, u64) {
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
fn own_lid(line: &str) -> Option<(&str, &str, &str)> {
    let at = line.starts_with('[').then(|| line.find("# lid "))?? + "# lid ".len();
    let len = line[at..].find(' ')?;
    Some((&line[..at], &line[at..at + len], &line[at + len..]))
}

/// The port GUID in parentheses of a host's own port line.
fn own_guid(line: &str) -> Option<(&str, &str)> {
    own_lid(line)?;
    let (open, close) = (line.find('(')?, line.find(')')?);
    (line.find('"')? > close).then(|| (&line[..open], &line[close + 1..]))
}

/// All ways in which a netlist of ibnetdiscover's is spoilt.
fn ways(text: &str) -> Vec<Spoilt> {
    let mut ways = Vec::new();
    let mut add = |what, lids, (text, warnings): (String, u64)| {
        ways.push(Spoilt {
            what,
            text,
            warnings,
            lids,
        });
    };
    // Hosts that have no LID yet: both sides say so.
    for (what, lid) in [
        ("no LID yet", "65535"),
        ("LID beyond the unicast range", "49152"),
    ] {
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
        rest.trim_start()
            .starts_with('"')
            .then(|| format!("[{port}]({port}){rest}"))
    };
    add("port number in parentheses", true, by_line(text, number));
    let chassis = |line: &str, _: usize| {
        let (_, own) = line.strip_prefix("switchguid=")?.split_once('(')?;
        Some(format!("switchguid=0xfedcba9876543210({own}"))
    };
    add("chassis GUID", true, by_line(text, chassis));
    let bare = |line: &str, _: usize| {
        line.starts_with("switchguid=")
            .then(|| "switchguid=0xfedcba9876543210".to_owned())
    };
    add("chassis GUID alone", true, by_line(text, bare));
    let no_guid = |line: &str, n: usize| {
        (line.starts_with("switchguid=") && n.is_multiple_of(2))
            .then(|| "switchguid=xxxxxx".to_owned())
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

fn read(text: &str) -> (Netlist, u64) {
    let read = Netlist::parse_leniently(text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}"));
    (read.value, read.warnings.count())
}

fn fabric(netlist: &Netlist) -> Fabric {
    netlist.to_fabric(None).unwrap().0
}

/// What is left of a fabric without LIDs: who is linked to whom.
fn wiring(fabric: &Fabric) -> Vec<String> {
    let nodes = fabric.end_nodes().iter();
    let nodes = nodes.map(|n| format!("{} {} {}", n.guid, n.switch, n.port));
    let switches = (0..fabric.switches().len() as u32).map(|s| {
        format!(
            "{} {:?}",
            fabric.switches()[s as usize].guid,
            fabric.peers_of(s)
        )
    });
    nodes.chain(switches).collect()
}

#[test]
fn what_is_odd_in_a_capture_is_read_as_what_it_means() {
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
            // What is written is sound.
            let mut written = Vec::new();
            netlist.write(&mut written).unwrap();
            assert!(Netlist::parse(&written).unwrap() == netlist, "{what}");
        }
    }
}

#[test]
fn whatever_is_read_is_sound_once_it_is_written() {
    let texts = [
        "crlf.ibnetdiscover",
        "short-names.net",
        "no-tabs.ibnetdiscover",
    ]
    .map(data);
    let texts = texts.map(|path| std::fs::read_to_string(path).unwrap());
    let pieces = [
        "xxxxxx",
        "(",
        ")",
        "\"",
        "[",
        "]",
        "65535",
        "49151",
        "0x",
        "lid ",
        "lmc 8",
        "#",
        "\x1b[0m",
        " ",
        "S-00000000000000a1",
        "switchguid=0xa2(a1)",
        "{ SW",
        "=",
    ];
    let mut random = Random::new(18);
    let (mut accepted, mut odd) = (0, 0);
    for _ in 0..5_000 {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..1 + random.below(3) {
            let mut cut = || {
                let at = random.below(text.len());
                (0..=at)
                    .rev()
                    .find(|&at| text.is_char_boundary(at))
                    .unwrap()
            };
            let (from, len) = (cut(), random.below(6));
            let to = (from + len).min(text.len());
            if text.is_char_boundary(to) {
                text.replace_range(from..to, pieces[random.below(pieces.len())]);
            }
        }
        let Ok(read) = Netlist::parse_leniently(text.as_bytes()) else {
            continue;
        };
        accepted += 1;
        odd += u64::from(read.warnings.count() > 0);
        let mut written = Vec::new();
        read.value.write(&mut written).unwrap();
        let again = Netlist::parse(&written);
        assert!(again.as_ref() == Ok(&read.value), "{again:?} of\n{text}");
    }
    assert!(accepted > 1_000 && odd > 300, "{accepted} {odd}");
}

/// The netlist as `opensm-subnet.lst`, with device IDs by `device`.
fn subnet_lst(netlist: &Netlist, device: impl Fn(&Node) -> String) -> String {
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
            text += &format!("{near} {far} PHY=4x LOG=ACT SPD=25\n");
        }
    }
    text
}

#[test]
fn subnet_lists_of_other_programs() {
    for path in production() {
        let (netlist, _) = read(&std::fs::read_to_string(&path).unwrap());
        let whole = fabric(&netlist);
        let ours = subnet_lst(&netlist, |node| format!("{:04X}", node.device));
        let wide = subnet_lst(&netlist, |node| format!("{:04X}0000", node.device));
        for text in [&ours, &wide] {
            let (read, warnings) = read(text);
            assert_eq!(warnings, 0);
            assert!(fabric(&read) == whole, "{}", path.display());
        }
        // Who is an aggregation node is told by its description too.
        let unreadable = subnet_lst(&netlist, |_| "xxxx".into());
        let (found, warnings) = read(&unreadable);
        assert_eq!(warnings, ours.lines().count() as u64);
        assert!(fabric(&found) == whole, "{}", path.display());
        let log = format!("\x1b[0mOpenSM> \n{ours}\n# done\n");
        let (found, warnings) = read(&log);
        assert_eq!(warnings, 3, "the colour, the prompt, the comment");
        assert!(fabric(&found) == whole, "{}", path.display());
    }
}

/// All of the ways that leave the LIDs known, one after the other.
fn all_at_once(text: &str) -> String {
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
fn spoilt_trees() -> Vec<(PathBuf, tempfile::TempDir, String)> {
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

#[test]
fn the_tool_warns_and_goes_on() {
    for (file, dir, net) in spoilt_trees() {
        let lfts = path(&dir.path().join("lfts")).to_owned();
        let whole = json(&["route", path(&file), "--lfts", &lfts]);
        let tables = std::fs::read(&lfts).unwrap();
        let output = dmodc(&["route", &net, "--lfts", &lfts, "--json"]);
        let said = stderr(&output);
        let warnings: Vec<&str> = said.lines().collect();
        assert!((4..40).contains(&warnings.len()), "{said}");
        for warning in &warnings[..warnings.len() - 1] {
            let place = warning
                .strip_prefix(&format!("dmodc: warning: {net}:"))
                .unwrap();
            let line = place.split(':').next().unwrap();
            assert!(line.parse::<u32>().is_ok(), "{warning}");
        }
        assert!(
            warnings.last().unwrap().ends_with(" such places in all"),
            "{said}"
        );
        let spoilt: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for key in ["nodes", "switches", "links", "lids", "unreachable_pairs"] {
            assert_eq!(spoilt[key], whole[key], "{key} of {net}");
        }
        assert!(
            std::fs::read(&lfts).unwrap() == tables,
            "{}",
            file.display()
        );
        for args in [
            &["route", &net][..],
            &["check", &net, &lfts],
            &["degrade", &net, "--links", "1", "--seed", "1"],
        ] {
            let strict = [args, &["--strict"]].concat();
            assert!(
                fails(2, &strict).contains("and --strict refuses them"),
                "{args:?}"
            );
        }
        assert_eq!(json(&["check", &net, &lfts])["passed"], true);
    }
}

#[test]
fn a_switch_that_the_tables_lack_is_told_and_the_rest_judged() {
    for (net, dir, _) in spoilt_trees() {
        let net = path(&net);
        let lfts = path(&dir.path().join("lfts")).to_owned();
        ok(&["route", net, "--lfts", &lfts]);
        let whole = json(&["check", net, &lfts]);
        let text = std::fs::read_to_string(&lfts).unwrap();
        let heads: Vec<usize> = text.match_indices("Unicast").map(|(at, _)| at).collect();
        // All of one table, and of another all but the head and a few lines.
        let (from, to) = (heads[0], heads[1]);
        let lacking = format!("{}{}", &text[..from], &text[to..]);
        let lines = text[from..].match_indices('\n');
        let cut = from + lines.take(5).last().unwrap().0 + 1;
        let cut = format!("{}{}", &text[..cut], &text[to..]);
        for (spoilt, warnings) in [(lacking, 1), (cut, 2)] {
            std::fs::write(&lfts, spoilt).unwrap();
            let output = dmodc(&["check", net, &lfts, "--json"]);
            let said = stderr(&output);
            assert_eq!(said.lines().count(), warnings, "{said}");
            assert!(said.contains("of the fabric is not in the dump"), "{said}");
            let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(found["passed"], true, "{net}: {found}");
            let unjudged = found["unjudged"].as_u64().unwrap();
            assert!(unjudged > 0 && unjudged < whole["pairs"].as_u64().unwrap());
            assert_eq!(found["pairs"], whole["pairs"]);
            assert!(fails(2, &["check", net, &lfts, "--strict"]).contains("--strict"));
            assert!(json(&["analyze", net, &lfts, "--patterns", "a2a"])["a2a"].is_u64());
        }
    }
}

#[test]
fn what_is_given_twice_is_named_with_both_lines() {
    let dir = tempfile::tempdir().unwrap();
    let net = dir.path().join("net");
    let text = std::fs::read_to_string(data("crlf.ibnetdiscover")).unwrap();
    let said = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        std::fs::write(&net, text.replacen(from, to, 1)).unwrap();
        stderr(&dmodc(&["route", path(&net)]))
    };
    let twice = said("# lid 12 lmc 0", "# lid 4 lmc 0");
    assert!(
        twice.contains(":38: LID 4 belongs to \"H-00000000000000b0\" of line 30 too"),
        "{twice}"
    );
    let twice = said("[4]\t\"H-", "[3]\t\"H-");
    assert!(
        twice.contains(":23: port 3 of \"S-00000000000000a2\" is used twice, first in line 22"),
        "{twice}"
    );
    let twice = said("caguid=0xc0", "caguid=0xb0");
    assert!(twice.contains("the quoted id counts"), "{twice}");
    let twice = said("\n[2](b2) ", "\n[2](b1) ");
    assert!(
        twice.contains(":31: port GUID 0x00000000000000b1 belongs to"),
        "{twice}"
    );
    assert!(twice.contains("of line 30 too"), "{twice}");
    let lids = Netlist::parse_leniently(text.as_bytes()).unwrap().value;
    assert_eq!(lids.nodes[0].lid, Lid(10));
}

/// What a subcommand prints, the seconds aside; its warnings are on standard error.
fn printed(args: &[&str]) -> (String, String) {
    let output = dmodc(args);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines().filter(|line| !line.contains("seconds"));
    (lines.collect::<Vec<_>>().join("\n"), stderr(&output))
}

#[test]
fn every_question_is_answered_as_on_the_sound_file() {
    for (file, dir, net) in spoilt_trees() {
        let [lfts, svg] = ["lfts", "svg"].map(|name| path(&dir.path().join(name)).to_owned());
        let sound = path(&file);
        ok(&["route", sound, "--lfts", &lfts]);
        let (netlist, _) = read(&std::fs::read_to_string(&file).unwrap());
        let (fabric, _) = netlist.to_fabric(None).unwrap();
        let nodes = fabric.end_nodes();
        let [from, to] = [0, nodes.len() / 2].map(|node| nodes[node].guid.to_string());
        let switch = fabric.switches()[0].guid.to_string();
        let whatif = ["--remove", &switch, "--permutations", "3"];
        for (subcommand, more) in [
            ("route", vec!["--json"]),
            ("check", vec![&*lfts, "--json"]),
            (
                "analyze",
                vec![
                    &*lfts,
                    "--patterns",
                    "a2a,ebb",
                    "--permutations",
                    "3",
                    "--json",
                ],
            ),
            ("trace", vec![&*lfts, &*from, &*to, "--json"]),
            ("whatif", [&whatif[..], &["--json"]].concat()),
            ("wiring", vec!["--json"]),
            ("wiring", vec!["--reference", sound, "--json"]),
            ("export", vec!["slurm"]),
            ("export", vec!["slurm-yaml"]),
            ("export", vec!["hosts"]),
            ("export", vec!["dot"]),
            ("draw", vec![&*lfts, "-o", &*svg]),
        ] {
            let args = |net| [&[subcommand, net], &more[..]].concat();
            let ((expected, none), first) = (printed(&args(sound)), std::fs::read(&svg).ok());
            let ((found, warnings), second) = (printed(&args(&net)), std::fs::read(&svg).ok());
            let lasting = |text: &str| -> Vec<String> {
                let phases = [
                    "\"rank\"",
                    "\"cost\"",
                    "\"nid\"",
                    "\"read\"",
                    "\"routes\"",
                    "\"write\"",
                ];
                let lines = text
                    .lines()
                    .filter(|l| !phases.iter().any(|phase| l.contains(phase)));
                lines.map(str::to_owned).collect()
            };
            assert_eq!(lasting(&found), lasting(&expected), "{subcommand} {net}");
            assert_eq!(first, second, "{subcommand} {net}");
            assert!(!none.contains("warning: "), "{none}");
            assert!(warnings.contains("such places in all"), "{warnings}");
            let strict = [&args(&net)[..], &["--strict"]].concat();
            assert!(fails(2, &strict).contains("--strict"), "{subcommand}");
        }
    }
}
