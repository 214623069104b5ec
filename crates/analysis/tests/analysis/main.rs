//! The analysis against the naive oracle, on random fabrics with random tables.

mod by_hand;
mod congestion;
mod oracle;

use dmodc_analysis::{ChannelId, Channels, End, UpDown, check, trace};
use dmodc_fabric::{Fabric, NO_PATH, SwitchId, Tables};
use fabrics::{Net, cases, lids, ranked, shortest};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;

/// A fabric with its ranks, and tables that are shortest paths with some entries spoilt.
#[derive(Debug, Clone)]
struct Case {
    fabric: Fabric,
    tables: Tables,
    ranks: Vec<u8>,
}

prop_compose! {
    fn case(nodes: u32)(n in 2u32..9)(
        links in vec((0..n, 0..n).prop_filter("a link joins two", |(a, b)| a != b), 1..16),
        mut nodes in vec(0..n, 0..nodes as usize),
        mut ranks in vec(0u8..4, n as usize),
        shuffle in Just((0..(n + nodes) as u16).collect::<Vec<u16>>()).prop_shuffle(),
        lmc in 0u8..3,
        spoilt in vec((any::<Index>(), any::<Index>(), 0u8..9), 0..60),
        aggregates in any::<bool>(),
    ) -> Case {
        nodes.sort_unstable();
        let aggregation = if aggregates { vec![0, 3] } else { vec![] };
        let net = Net { lmc, aggregation, shuffle, ..Net::new(&links, &nodes) };
        let fabric = net.build();
        ranks.truncate(fabric.switches().len());
        let mut tables = shortest(&fabric);
        let lids = lids(&fabric);
        for (switch, lid, port) in spoilt {
            let row = tables.row_mut(SwitchId::from(switch.index(fabric.switches().len())));
            row[lid.get(&lids).0] = if port == 8 { NO_PATH } else { port };
        }
        Case { fabric, tables, ranks }
    }
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn check_agrees_with_the_oracle(Case { fabric, tables, ranks } in case(10)) {
        let above = ranked(&ranks);
        let report = check(&fabric, &tables, &above);
        let mut truth = oracle::check(&fabric, &tables, &above);
        let lost = ["no_entry", "wrong_port", "looping"];
        let lost = lost.iter().any(|name| truth.tallies.contains_key(name));
        let cycles = truth.cycles[4].clone();
        prop_assert_eq!(report.passed(), !lost && cycles.is_empty());
        let mut expect = |name| truth.tallies.remove(name).unwrap_or_default();
        prop_assert_eq!(report.checked, expect("checked"));
        prop_assert_eq!(report.no_entry, expect("no_entry"));
        prop_assert_eq!(report.wrong_port, expect("wrong_port"));
        prop_assert_eq!(report.looping, expect("looping"));
        let named = report.left_out_ends.count();
        prop_assert_eq!(named, report.left_out.pairs);
        prop_assert_eq!(report.left_out, expect("left_out"));
        prop_assert_eq!(report.roots_apart, expect("roots_apart"));
        prop_assert_eq!(report.turns, expect("turns"));
        prop_assert_eq!(report.turned, expect("turned"));
        prop_assert_eq!(report.nonminimal, expect("nonminimal"));
        prop_assert_eq!(report.unreachable_pairs, truth.unreachable_pairs);
        let found = [
            &report.host_credit_loops,
            &report.host_switch_credit_loops,
            &report.switch_credit_loops,
            &report.aggregation_credit_loops,
            &report.credit_loops,
        ];
        for (found, truth) in found.into_iter().zip(&truth.cycles) {
            prop_assert_eq!(found.count, truth.len());
            prop_assert_eq!(found.channels, truth.iter().map(BTreeSet::len).sum::<usize>());
        }
        let loops = report.credit_loops;
        let channels = Channels::new(&fabric);
        let port = |&c: &ChannelId| (channels.get(c).from, channels.get(c).port);
        let example: BTreeSet<_> = loops.example.iter().map(port).collect();
        prop_assert_eq!(example.len(), loops.example.len());
        prop_assert!(loops.count == 0 || cycles.iter().any(|c| example.is_subset(c)));
        prop_assert!(loops.count == 0 || loops.example.len() > 1);
    }
    #[test]
    fn each_packet_is_traced(Case { fabric, tables, ranks } in case(10)) {
        let above = ranked(&ranks);
        let channels = Channels::new(&fabric);
        let paths = UpDown::new(&channels, &above);
        for (lid, switch, port) in lids(&fabric) {
            for from in fabric.switches().keys() {
                let found = trace(&channels, &tables, &paths, from, lid, (switch, port));
                let (mut taken, end) = oracle::walk(&fabric, &tables, from, (switch, port), lid);
                let matches = match (found.end, end) {
                    (End::Arrives, oracle::End::Delivered)
                    | (End::NoEntry { .. }, oracle::End::NoEntry)
                    | (End::WrongPort { .. }, oracle::End::WrongPort) => true,
                    // The oracle's last port belongs to the switch that the packet reaches again.
                    (End::Loop { at }, oracle::End::Loop) => Some(at) == taken.pop().map(|last| last.0),
                    _ => false,
                };
                prop_assert!(matches, "{found:?} {end:?}");
                let ports = found.steps.iter().map(|step| channels.get(step.channel));
                prop_assert!(ports.map(|c| (c.from, c.port)).eq(taken));
                let ups: Vec<bool> = found.steps.iter().map(|step| step.up).collect();
                let turns = |at: usize| ups[at] && ups[..at].contains(&false);
                prop_assert!((0..).zip(&found.steps).all(|(at, step)| step.turns == turns(at)));
            }
        }
    }
}
