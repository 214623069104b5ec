//! The formats of fabrics: one small fabric as each tool writes it (`tests/data/doors`), read as the same fabric, in
//! any order of lines, written and read again, cut and spoilt.
//!
//! The files of `iblinkinfo` and `ibnetdiscover -p` are from infiniband-diags 44 on ibsim 0.10; those of ibdiagnet are
//! drawn after its output, with the shape of version 2.10.

use crate::skip::skipped;
use crate::support::data;
use dmodc_fabric::Fabric;
use dmodc_fabric::random::Random;
use dmodc_formats::input::Lenient;
use dmodc_formats::netlist::{Netlist, Reason};
use std::path::Path;

/// All formats. The last two have no speeds, or no GUIDs of hosts.
const FILES: [&str; 9] = [
    "ibdiagnet2.ibnetdiscover",
    "ibdiagnet2.lst",
    "ibdiagnet2.net_dump",
    "ibdiagnet2.db_csv",
    "iblinkinfo",
    "iblinkinfo-l",
    "ibnetdiscover-p",
    "old-subnet.lst",
    "iblinkinfo--switches-only",
];

fn text(name: &str) -> String {
    std::fs::read_to_string(data("doors").join(name)).expect("a file")
}

fn read(text: &str) -> Result<Lenient<Netlist, Reason>, Reason> {
    Netlist::parse_leniently(text.as_bytes()).map_err(|fault| fault.reason)
}

fn fabric(netlist: &Netlist) -> Fabric {
    netlist.to_fabric(None).expect("LIDs").0
}

fn whole() -> Fabric {
    fabric(&read(&text(FILES[0])).expect("a netlist").value)
}

#[test]
fn one_fabric_in_every_format() {
    let whole = whole();
    assert_eq!((whole.switches().len(), whole.end_nodes().len()), (3, 5));
    for name in FILES {
        let Lenient { value, warnings } =
            read(&text(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let fabric = fabric(&value);
        let is_partial = name.ends_with("only");
        assert_eq!(warnings.count(), if is_partial { 5 } else { 0 }, "{name}");
        match name {
            "iblinkinfo--switches-only" => assert_eq!(fabric.switch_links(), 4),
            "old-subnet.lst" => assert!(fabric.has_equipment_of(&whole), "{name}"),
            _ => assert!(fabric == whole, "{name}"),
        }
        let again = Netlist::parse(&value.to_text()).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert!(again == value, "{name}");
    }
}

/// Shuffles the lines that stand alone: all of a list of links.
#[test]
fn the_order_of_lines_does_not_count() {
    let mut random = Random::new(7);
    for name in [
        "ibdiagnet2.lst",
        "old-subnet.lst",
        "iblinkinfo-l",
        "ibnetdiscover-p",
    ] {
        let whole = text(name);
        let mut lines: Vec<&str> = whole.lines().collect();
        // Two claims about one port, a port without an answer, and a switch with another one's LID.
        let spoilt = |line: &str| {
            let line = line.replace("LID:0002", "LID:0001");
            line.replace("SW     2", "SW     1")
                .replace("     2    ", "     1    ")
        };
        let mut spoilt: Vec<String> = lines.iter().map(|line| spoilt(line)).collect();
        let leaf = ["{ SW", "0x00000000a0000001", "SW     1  1"];
        let is_leaf = |line: &&String| leaf.iter().any(|begin| line.starts_with(begin));
        let claim = spoilt
            .iter()
            .find(|line| is_leaf(line) && !line.contains("Down"));
        let claim = claim
            .expect("a port of the leaf")
            .replacen("PN:01", "PN:03", 1);
        let claim = claim.replacen("1    1[", "1    3[", 1);
        spoilt.push(claim.replacen("SW     1  1", "SW     1  3", 1));
        spoilt.remove(8);
        let mut seen: Option<(Fabric, u64)> = None;
        for _ in 0..20 {
            random.shuffle(&mut lines);
            let read_whole = read(&lines.join("\n")).expect("a list");
            assert_eq!(read_whole.warnings.count(), 0, "{name}");
            random.shuffle(&mut spoilt);
            let Lenient { value, warnings } = read(&spoilt.join("\n")).expect("a list");
            let found = (fabric(&value), warnings.count());
            let first = seen.get_or_insert_with(|| found.clone());
            assert!(*first == found, "{name}: {} {}", first.1, found.1);
        }
    }
}

/// Cuts and spoils each file, and some netlists: whatever is read can be written and read again, and a link that is lost
/// is told.
#[test]
fn a_spoilt_file_is_refused_or_read_as_it_stands() {
    let words = "xxxxxx|0x|65535|49151|\"|(|)|[|]|}|{ SW|,|:|=|==(|N/A|\u{1b}[0m|#|-1|lid |lmc 8| ||S-00000000000000a1|\
        switchguid=0xa2(a1)";
    let words: Vec<&str> = words.split('|').collect();
    let mut random = Random::new(23);
    let whole = whole();
    let (mut refused, mut odd, mut same) = (0, 0, 0);
    let netlists = [
        "crlf.ibnetdiscover",
        "short-names.net",
        "no-tabs.ibnetdiscover",
    ];
    let others = netlists.map(|name| (name, 1500));
    let files = FILES.map(|name| (name, 400));
    for (name, times) in files.into_iter().chain(others) {
        let folder = if netlists.contains(&name) {
            ""
        } else {
            "doors"
        };
        let sound = std::fs::read_to_string(data(folder).join(name)).expect("a file");
        for _ in 0..times {
            let mut text = sound.clone();
            for _ in 0..1 + random.below(3) {
                let (from, len) = (random.below(text.len()), random.below(9));
                let to = (from + len).min(text.len());
                if text.is_char_boundary(from) && text.is_char_boundary(to) {
                    text.replace_range(from..to, words[random.below(words.len())]);
                }
            }
            if random.below(4) == 0 {
                text.truncate(random.below(text.len()));
            }
            let Ok(Lenient { value, warnings }) = read(&text) else {
                refused += 1;
                continue;
            };
            odd += usize::from(warnings.count() > 0);
            same += usize::from(fabric(&value) == whole);
            let again = Netlist::parse(&value.to_text());
            assert!(again.as_ref() == Ok(&value), "{name}: {again:?} of\n{text}");
        }
    }
    assert!(
        refused > 300 && odd > 600 && same > 300,
        "{refused} {odd} {same}"
    );
}

/// Files of a real fabric, if they are at hand.
#[test]
fn the_files_of_one_report_are_one_fabric() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/files");
    if !folder.is_dir() {
        return skipped("no folder ../shared/files");
    }
    let read = |end: &str| {
        let netlist = Netlist::read(&folder.join(format!("ndr-rails.ibdiagnet2.{end}")));
        fabric(&netlist.unwrap_or_else(|e| panic!("{e}")))
    };
    let whole = read("ibnetdiscover");
    assert_eq!((whole.switches().len(), whole.end_nodes().len()), (9, 263));
    for end in ["lst", "db_csv.gz", "net_dump"] {
        assert!(read(end) == whole, "{end}");
    }
}
