//! `dmodc check` and `dmodc analyze`, by way of the command line.

use crate::support::*;

#[test]
fn tables_without_an_entry_fail() {
    let routed = Routed::shape("PGFT(2;4,4;1,2;1,1)");
    let (net, spoilt) = (&*routed.net, &*routed.file("spoilt"));
    assert!(ok(&["check", net, &routed.lfts]).ends_with("passed\n"));
    let dump = std::fs::read_to_string(&routed.lfts).unwrap();
    let (head, tail) = dump.split_at(dump.find("\n0x").unwrap());
    let (_, tail) = tail[1..].split_once('\n').unwrap();
    std::fs::write(spoilt, format!("{head}\n{tail}")).unwrap();
    let bad = ends(1, &["check", net, spoilt, "--json"]);
    let bad: serde_json::Value = serde_json::from_str(&bad).unwrap();
    assert!(bad["undelivered"].as_u64() > Some(0));
    let first = bad["details"]["no_entry"]["first"][0].as_str().unwrap();
    has(first, "to LID");
    let text = ends(1, &["check", net, spoilt]);
    assert!(
        text.contains("no entry: 0x") && text.ends_with("FAILED\n"),
        "{text}"
    );
}

/// A leaf without its hosts, between two spines that have one each: only the reference tells which is which.
#[test]
fn ranks_are_those_of_the_reference_if_it_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, less, lfts] =
        ["whole", "less", "lfts"].map(|name| path(&dir.path().join(name)).to_owned());
    let spines = "Switch 4 \"s1\"\n[1] \"l1\"[1]\n[2] \"l2\"[1]\n[3] \"h1\"\n\
                  Switch 4 \"s2\"\n[1] \"l1\"[2]\n[2] \"l2\"[2]\n[3] \"h2\"\n\
                  Hca 1 \"h1\"\n[1] \"s1\"[3]\nHca 1 \"h2\"\n[1] \"s2\"[3]\n";
    let leaf = |n: u32| {
        let hosts = (3..8).map(|p| format!("[{p}] \"h{n}{p}\"\n"));
        let hosts: String = hosts.collect();
        let switch = format!("Switch 8 \"l{n}\"\n[1] \"s1\"[{n}]\n[2] \"s2\"[{n}]\n{hosts}");
        let hosts = (3..8).map(|p| format!("Hca 1 \"h{n}{p}\"\n[1] \"l{n}\"[{p}]\n"));
        switch + &hosts.collect::<String>()
    };
    std::fs::write(&whole, format!("{spines}{}{}", leaf(1), leaf(2))).unwrap();
    let fewer = spines
        .replace("[2] \"l2\"[1]\n", "")
        .replace("[2] \"l2\"[2]\n", "");
    let empty = "Switch 8 \"l1\"\n[1] \"s1\"[1]\n[2] \"s2\"[1]\n";
    std::fs::write(&less, fewer + empty).unwrap();
    let route = format!("route {less} --lfts {lfts} --on-unreachable partial");
    let check = format!("check {less} {lfts}");
    for args in [&route, &check] {
        let text = ok(&format!("{args} --reference {whole}"));
        has(&text, "left out: host to host 2");
    }
    // By its own ranks the leaf is above both.
    has(&ends(1, &check), "give --reference");
}
