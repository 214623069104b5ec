//! What the parser makes of spoilt captures.

use super::*;
use crate::routed::written;
use dmodc::random::Random;

/// What is left of a fabric without LIDs: who is linked to whom.
fn wiring(fabric: &Fabric) -> Vec<String> {
    let nodes = fabric.end_nodes().iter();
    let nodes = nodes.map(|n| format!("{} {} {}", n.guid, n.switch, n.port));
    let switches = (0..).zip(fabric.switches());
    let switches = switches.map(|(s, switch)| format!("{} {:?}", switch.guid, fabric.peers_of(s)));
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
            let again = Netlist::parse(&written(&netlist));
            assert!(again.unwrap() == netlist, "{what}");
        }
    }
}

#[test]
fn whatever_is_read_is_sound_once_it_is_written() {
    let texts = "crlf.ibnetdiscover short-names.net no-tabs.ibnetdiscover";
    let texts = texts
        .split(' ')
        .map(|name| std::fs::read_to_string(data(name)).unwrap());
    let texts: Vec<String> = texts.collect();
    let words = "xxxxxx|(|)|\"|[|]|65535|49151|0x|lid |lmc 8|#|\x1b[0m| |S-00000000000000a1";
    let words = words.split('|').chain(["switchguid=0xa2(a1)", "{ SW", "="]);
    let pieces: Vec<&str> = words.collect();
    let mut random = Random::new(18);
    let (mut accepted, mut odd) = (0, 0);
    for _ in 0..5_000 {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..1 + random.below(3) {
            let mut cut = || {
                let at = random.below(text.len());
                let mut before = (0..=at).rev();
                before.find(|&at| text.is_char_boundary(at)).unwrap()
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
        let again = Netlist::parse(&written(&read.value));
        assert!(again.as_ref() == Ok(&read.value), "{again:?} of\n{text}");
    }
    assert!(accepted > 1_000 && odd > 300, "{accepted} {odd}");
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
