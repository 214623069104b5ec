//! What the subcommands make of spoilt captures.

use super::*;
use dmodc::dmodc::PHASES;

#[test]
fn a_switch_that_the_tables_lack_is_told_and_the_rest_judged() {
    for (net, dir, _) in spoilt_trees() {
        let net = path(&net);
        let [lfts, kept, svg] =
            ["lfts", "kept", "svg"].map(|name| path(&dir.path().join(name)).to_owned());
        ok(&["route", net, "--lfts", &lfts]);
        std::fs::copy(&lfts, &kept).unwrap();
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
            has(&said, "of the fabric is not in the dump");
            let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(found["passed"], true, "{net}: {found}");
            let unjudged = found["unjudged"].as_u64().unwrap();
            assert!(unjudged > 0 && unjudged < whole["pairs"].as_u64().unwrap());
            assert_eq!(found["pairs"], whole["pairs"]);
            assert!(json(&["analyze", net, &lfts, "--patterns", "a2a"])["a2a"].is_u64());
            let [from, to] = hosts(net);
            for args in [
                &["check", net, &lfts][..],
                &["analyze", net, &lfts, "--patterns", "a2a"],
                &["trace", net, &lfts, &from, &to],
                &["draw", net, &lfts, "-o", &svg],
            ] {
                let said = stderr(&dmodc(args));
                assert_eq!(said.lines().count(), warnings, "{args:?}: {said}");
                let strict = [args, &["--strict"]].concat();
                assert!(fails(2, &strict).contains("--strict"), "{args:?}");
            }
            let lost = ok(&["diff", &kept, &lfts]);
            assert!(lost.lines().last().unwrap().starts_with("total of "));
        }
    }
}

/// Two hosts of a fabric.
fn hosts(net: &str) -> [String; 2] {
    let netlist = Netlist::read(std::path::Path::new(net)).unwrap();
    let nodes = fabric(&netlist);
    [0, 1].map(|node| nodes.end_nodes()[node].guid.to_string())
}

/// The subcommands that read a fabric, with what comes after it. `lfts` are its tables and `ends` two
/// hosts and a switch of it.
fn questions<'a>(
    sound: &'a str,
    lfts: &'a str,
    svg: &'a str,
    [from, to, switch]: [&'a str; 3],
) -> [(&'static str, Vec<&'a str>); 13] {
    let few = ["--permutations", "3", "--json"];
    [
        ("route", vec!["--lfts", lfts, "--json"]),
        ("check", vec![lfts, "--json"]),
        (
            "analyze",
            [&[lfts, "--patterns", "a2a,ebb"], &few[..]].concat(),
        ),
        ("trace", vec![lfts, from, to, "--json"]),
        ("whatif", [&["--remove", switch], &few[..]].concat()),
        ("wiring", vec!["--json"]),
        ("wiring", vec!["--reference", sound, "--json"]),
        ("export", vec!["slurm"]),
        ("export", vec!["slurm-yaml"]),
        ("export", vec!["hosts"]),
        ("export", vec!["dot"]),
        ("draw", vec!["-o", svg]),
        ("draw", vec![lfts, "-o", svg]),
    ]
}

/// What a subcommand prints; its warnings are on standard error.
fn printed(args: &[&str]) -> (String, String) {
    let output = dmodc(args);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (lasting(&text, true), stderr(&output))
}

#[test]
fn the_tool_warns_and_answers_every_question_as_on_the_sound_file() {
    for (file, dir, net) in spoilt_trees() {
        let [lfts, svg] = ["lfts", "svg"].map(|name| path(&dir.path().join(name)).to_owned());
        let sound = path(&file);
        let (netlist, _) = read(&std::fs::read_to_string(&file).unwrap());
        let (fabric, _) = netlist.to_fabric(None).unwrap();
        let nodes = fabric.end_nodes();
        let [from, to] = [0, nodes.len() / 2].map(|node| nodes[node].guid.to_string());
        let switch = fabric.switches()[0].guid.to_string();
        let written = || [&lfts, &svg].map(|file| std::fs::read(file).ok());
        for (subcommand, more) in questions(sound, &lfts, &svg, [&from, &to, &switch]) {
            let args = |net| [&[subcommand, net], &more[..]].concat();
            let ((expected, none), first) = (printed(&args(sound)), written());
            let ((found, said), second) = (printed(&args(&net)), written());
            assert_eq!(found, expected, "{subcommand} {net}");
            assert!(first == second, "{subcommand} {net}");
            assert!(!none.contains("warning: "), "{none}");
            let prefix = format!("dmodc: warning: {net}:");
            let told = said.lines().filter_map(|l| l.strip_prefix(&prefix));
            let told: Vec<&str> = told.collect();
            let Some((last, places)) = told.split_last() else {
                panic!("{subcommand} {net}: no warning");
            };
            assert!(last.ends_with(" such places in all"), "{said}");
            assert!((3..40).contains(&places.len()), "{said}");
            for place in places {
                let line = place.split(':').next().and_then(|l| l.parse::<u32>().ok());
                assert!(line.is_some(), "{place}");
            }
            let strict = [&args(&net)[..], &["--strict"]].concat();
            has(&fails(2, &strict), "and --strict refuses them");
        }
    }
}

/// The lines of an answer that do not depend on time, or only those with counts that no LID matters to.
fn lasting(text: &str, lids: bool) -> String {
    let times = PHASES.map(|phase| format!("{phase:?}"));
    let counts = ["\"switches\"", "\"nodes\"", "\"links\"", "SwitchName="];
    let lasts = |line: &&str| {
        let is_time = line.contains("seconds") || times.iter().any(|time| line.contains(time));
        !is_time && (lids || counts.iter().any(|count| line.contains(count)))
    };
    text.lines().filter(lasts).collect::<Vec<_>>().join("\n")
}
