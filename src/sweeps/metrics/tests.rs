//! The text of the file, read as Prometheus reads it.

use super::*;
use crate::testing::cases;
use crate::wiring::{Slowness, Witness};
use proptest::prelude::*;

/// The labels and the value of each sample of a name, read as the format's document has it.
fn samples(text: &str, name: &str) -> Vec<(Vec<(String, String)>, f64)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(name));
    let lines = lines.filter(|rest| rest.starts_with(['{', ' ']));
    lines
        .map(|rest| {
            let mut chars = rest.chars().peekable();
            let mut labels = Vec::new();
            while chars.next_if(|c| "{,".contains(*c)).is_some() {
                let label: String = chars.by_ref().take_while(|c| *c != '=').collect();
                assert_eq!(chars.next(), Some('"'));
                let mut value = String::new();
                loop {
                    match chars.next().expect("a closing quote") {
                        '"' => break,
                        '\\' => match chars.next() {
                            Some('n') => value.push('\n'),
                            Some(c @ ('\\' | '"')) => value.push(c),
                            other => panic!("{other:?} after a backslash"),
                        },
                        c => value.push(c),
                    }
                }
                labels.push((label, value));
            }
            chars.next_if_eq(&'}');
            assert_eq!(chars.next(), Some(' '));
            (labels, chars.collect::<String>().parse().expect("a number"))
        })
        .collect()
}

#[test]
fn counters_count_and_the_last_routed_sweep_stays() {
    let mut metrics = Metrics::default();
    let value = |metrics: &Metrics, name| samples(&metrics.text(), name)[0].1;
    let sweep = Sweep {
        nodes: 648,
        changed_blocks: 7,
        ..Sweep::default()
    };
    assert_eq!(value(&metrics, "dmodc_last_sweep_timestamp_seconds"), 0.0);
    let used = |switch, routes| Use {
        switch,
        link: None,
        routes,
        others: 1,
        hosts: 0,
    };
    for _ in 0..2 {
        metrics.routed(&sweep, &[used(1, 0), used(2, 5)]);
        metrics.swept(true);
    }
    assert_eq!(value(&metrics, "dmodc_engine_in_use"), 1.0);
    metrics.refused();
    for (name, expected) in [
        ("dmodc_sweeps_total", 3.0),
        ("dmodc_refusals_total", 1.0),
        ("dmodc_changed_blocks_total", 14.0),
        ("dmodc_engine_in_use", 0.0),
        ("dmodc_nodes", 648.0),
        ("dmodc_drained", 2.0),
        ("dmodc_drained_routes", 5.0),
    ] {
        assert_eq!(value(&metrics, name), expected, "{name}");
    }
    assert!(value(&metrics, "dmodc_last_sweep_timestamp_seconds") > 1e9);
}

#[test]
fn a_standby_knows_nothing_of_the_fabric() {
    let mut metrics = Metrics::default();
    let one = |text: &str, name| samples(text, name).first().map(|(_, value)| *value);
    let text = metrics.text();
    assert_eq!(one(&text, "dmodc_master"), Some(0.0));
    assert_eq!(one(&text, "dmodc_switches"), None);
    assert!(one(&text, "dmodc_last_write_timestamp_seconds") > Some(1e9));
    metrics.routed(&Sweep::default(), &[]);
    metrics.found(
        vec![Found {
            guid: Guid(1),
            description: "leaf".into(),
            missing: 1,
            hosts: Some(0),
        }],
        vec![slow_link("spine")],
    );
    metrics.swept(true);
    assert!(!metrics.is(Role::Master));
    let text = metrics.text();
    for name in [
        "dmodc_master",
        "dmodc_engine_in_use",
        "dmodc_missing_uplinks",
    ] {
        assert_eq!(one(&text, name), Some(1.0), "{name}");
    }
    // Nor does one that is master and has yet to sweep.
    for role in [Role::Standby, Role::Master] {
        assert!(metrics.is(role));
        assert_eq!(one(&metrics.text(), "dmodc_switches"), None);
    }
    assert!(metrics.is(Role::Standby));
    let text = metrics.text();
    assert_eq!(one(&text, "dmodc_master"), Some(0.0));
    assert_eq!(one(&text, "dmodc_sweeps_total"), Some(1.0));
    for name in [
        "dmodc_engine_in_use",
        "dmodc_missing_uplinks",
        "dmodc_leaf_hosts",
        "dmodc_links_slow",
        "dmodc_nodes",
    ] {
        assert_eq!(one(&text, name), None, "{name}");
    }
}

/// A link between switches 1 and 2.
fn slow_link(far: &str) -> FoundSlow {
    let speed = |text: &str| text.parse().expect("a speed");
    FoundSlow {
        link: SlowLink {
            near: (Guid(1), 21),
            far: Some((Guid(2), 7)),
            host: None,
            slowness: Slowness {
                now: speed("1xHDR"),
                expected: speed("4xHDR"),
                witness: Witness::Siblings,
            },
        },
        near: "leaf 3".into(),
        far: far.into(),
    }
}

#[test]
fn a_slow_link_is_a_series_until_it_is_mended() {
    let mut metrics = Metrics::default();
    let mut host = slow_link("node-1");
    (host.link.far, host.link.host) = (None, Some(Guid(3)));
    metrics.swept(true);
    metrics.found(Vec::new(), vec![slow_link("spine 1"), host]);
    let (one, two) = (
        r#"{guid="0x0000000000000001",description="leaf 3",port="21","#,
        r#"speed="1xHDR",expected="4xHDR"} 1"#,
    );
    for (peer, port) in [
        ("2\",peer_description=\"spine 1", "7"),
        ("3\",peer_description=\"node-1", ""),
    ] {
        let line = format!(
            "dmodc_links_slow{one}peer_guid=\"0x000000000000000{peer}\",peer_port=\"{port}\",{two}"
        );
        let text = metrics.text();
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    metrics.found(Vec::new(), Vec::new());
    assert_eq!(samples(&metrics.text(), "dmodc_links_slow"), []);
}

proptest! {
    #![proptest_config(cases(300))]

    /// Whatever a switch is called, its label says so, and a line is a line.
    #[test]
    fn descriptions_are_told_as_they_are(
        names in prop::collection::vec("(\\PC|[\"\\\\{}=, \n\t\r]){0,12}", 1..5),
    ) {
        let mut metrics = Metrics::default();
        let switches = (1..).zip(&names).map(|(guid, name)| Found {
            guid: Guid(guid),
            description: name.clone(),
            missing: guid as u32,
            hosts: None,
        });
        metrics.swept(true);
        metrics.found(switches.collect(), vec![slow_link(&names[0])]);
        let text = metrics.text();
        let slow = samples(&text, "dmodc_links_slow");
        let (samples, first) = (samples(&text, "dmodc_missing_uplinks"), "0x0000000000000001");
        prop_assert_eq!(&*samples[0].0[0].1, first);
        for (at, (name, (labels, value))) in names.iter().zip(&samples).enumerate() {
            prop_assert_eq!(&labels[1], &("description".to_owned(), name.clone()));
            prop_assert_eq!(*value, at as f64 + 1.0);
        }
        prop_assert_eq!(samples.len(), names.len());
        prop_assert_eq!(slow.len(), 1);
        prop_assert_eq!(&slow[0].0[4], &("peer_description".to_owned(), names[0].clone()));
        for line in text.split_terminator('\n') {
            prop_assert!(line.starts_with("# ") || line.starts_with("dmodc_"), "{}", line);
        }
    }
}
