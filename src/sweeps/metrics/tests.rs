//! The text of the file, read as Prometheus reads it. What the figures are is held against OpenSM's log, the fabric
//! and promtool in `tests/daemon`: `metrics`, `figures`, `slow`, `drain`, `lifecycle`.

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
