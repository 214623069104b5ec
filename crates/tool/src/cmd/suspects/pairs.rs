//! What slow pairs of hosts have in common.

use super::super::patterns::{Hosts, Wrong};
use super::super::tables::Judged;
use super::{Answer, Args};
use crate::failure::Failure;
use dmodc_analysis::{Common, Measured, Thing, Told, Traffic};
use dmodc_fabric::NodeId;
use dmodc_formats::input::{Lenient, Warnings};
use dmodc_formats::pairs::{Figure, Pair, parse_pairs_leniently};
use dmodc_watch::suspects::Cable;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

/// The number of things to print.
const NAMED: usize = 5;

/// The most causes to look for, one after the other.
const CAUSES: usize = 5;

/// The most pairs that stand for fast ones.
const STAND_INS: usize = 4_000_000;

/// Whether the pairs have something in common, and what.
pub fn answer(
    args: &Args,
    path: &Path,
    judged: &Judged,
    traffic: &Traffic,
) -> Result<(bool, Answer), Failure> {
    let lines: Vec<Pair> = args.input.reading.read(path, parse_pairs_leniently)?;
    // The bandwidth below which a pair is slow.
    let limit = limit(&lines, args.below);
    // Whether pairs that the file does not have stand for fast ones.
    let has_stand_ins = lines.iter().all(|pair| pair.figure == Figure::None);
    let is_slow = |figure| match figure {
        Figure::None => has_stand_ins,
        Figure::IsSlow(slow) => slow,
        Figure::Of(value) => limit.is_some_and(|limit| value < limit),
    };
    let pairs = measured(lines, is_slow, judged, traffic);
    let mut left = args.input.reading.take(path, pairs)?;
    if has_stand_ins {
        add_stand_ins(&mut left);
    }
    let causes = causes(left, traffic);
    let names = |thing| name(judged, traffic, thing);
    let (first, best) = &causes[0];
    let fast = match has_stand_ins {
        true => "other",
        false => "fast",
    };
    let line = |common: &Common, told: &Told| {
        let (slow, others, what) = (told.slow, told.fast, names(told.thing));
        let (all, all_others) = (common.slow, common.fast);
        format!("{slow} of {all} slow, {others} of {all_others} {fast}: {what}")
    };
    let of_one = causes.iter().filter_map(|(common, best)| match best[..] {
        [one] => Some((cable(traffic, one.thing), line(common, &one))),
        _ => None,
    });
    let one_json = |common: &Common, told: &Told| {
        json!({
            "what": names(told.thing), "slow": told.slow, "fast": told.fast, "score": told.score,
            "slow_pairs": common.slow, "fast_pairs": common.fast,
        })
    };
    let cause_json = |(common, best): &(Common, Vec<Told>)| -> Value {
        best.iter().map(|one| one_json(common, one)).collect()
    };
    let ranked = || first.ranked(traffic).take(NAMED);
    let json = json!({
        "slow_pairs": first.slow,
        "fast_pairs": first.fast,
        "slow_below": limit,
        "both_ways": first.both_ways,
        "causes": causes.iter().map(cause_json).collect::<Value>(),
        "ranked": ranked().map(|one| one_json(first, &one)).collect::<Value>(),
    });
    let below = limit.map(|limit| format!(" (below {limit})"));
    let below = below.unwrap_or_default();
    let ways = match first.both_ways {
        true => "there and back",
        false => "from FROM to TO",
    };
    let (slow, others) = (first.slow, first.fast);
    let mut text = format!("{slow} slow pairs{below}, {others} {fast}; routes {ways}\n");
    for told in ranked() {
        text += &format!("  {}\n", line(first, &told));
    }
    for (at, (common, best)) in causes.iter().enumerate() {
        text += match (at, best.len()) {
            (0, 0) => "no single link, host or switch tells slow from fast pairs\n",
            (0, 1) => "tells slow from fast pairs:\n",
            (0, _) => "these pairs do not tell which one it is:\n",
            (_, 1) => "tells the rest:\n",
            _ => "the rest does not tell which one it is:\n",
        };
        for told in best {
            text += &format!("  {}\n", line(common, told));
        }
    }
    let told = of_one.collect();
    Ok((!best.is_empty(), Answer { told, json, text }))
}

/// What tells slow pairs from fast ones, the best first: each explains its pairs, the next must explain others. Several
/// things are equally good where nothing tells them apart.
fn causes(mut left: Vec<Measured>, traffic: &Traffic) -> Vec<(Common, Vec<Told>)> {
    let mut causes: Vec<(Common, Vec<Told>)> = Vec::new();
    while causes.len() < CAUSES {
        let common = traffic.in_common(&left);
        let best = common.best(traffic);
        if best.is_empty() && !causes.is_empty() {
            break;
        }
        let explained = match best[..] {
            [one] => Some((common.both_ways, traffic.equipment(one.thing))),
            _ => None,
        };
        causes.push((common, best));
        let Some((both_ways, whole)) = explained else {
            break;
        };
        left.retain(|pair| !traffic.takes(pair, both_ways, whole));
    }
    causes
}

/// The pairs of hosts; a line with a name that is no host gives a warning.
fn measured(
    lines: Vec<Pair>,
    is_slow: impl Fn(Figure) -> bool,
    judged: &Judged,
    traffic: &Traffic,
) -> Lenient<Vec<Measured>, Wrong> {
    let mut hosts = Hosts::new(judged);
    let places = traffic.nodes().iter().enumerate();
    let places: HashMap<NodeId, usize> = places.map(|(place, &node)| (node, place)).collect();
    let (mut pairs, mut warnings) = (Vec::new(), Warnings::default());
    for line in lines {
        let slow = is_slow(line.figure);
        let from = hosts.named(&line.from);
        match from.and_then(|from| Ok((from, hosts.named(&line.to)?))) {
            Ok((from, to)) => {
                let ends = from.iter().zip(&to).filter(|(a, b)| a != b);
                let ends = ends.map(|(a, b)| (places[a], places[b])).collect();
                pairs.push(Measured { ends, slow });
            }
            Err(wrong) => warnings.add(line.line, wrong),
        }
    }
    Lenient::new(pairs, warnings)
}

/// Adds pairs of the same hosts that the file does not have, as fast ones.
fn add_stand_ins(pairs: &mut Vec<Measured>) {
    let ends = |pair: &Measured| pair.ends.clone();
    let listed: HashSet<(usize, usize)> = pairs.iter().flat_map(ends).collect();
    let all: BTreeSet<usize> = listed.iter().flat_map(|&(a, b)| [a, b]).collect();
    // Every k-th pair of many.
    let step = (all.len() * all.len() / STAND_INS).max(1);
    let others = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b)));
    let others = others.filter(|&(a, b)| a != b && !listed.contains(&(a, b)));
    pairs.extend(others.step_by(step).map(|pair| Measured {
        ends: vec![pair],
        slow: false,
    }));
}

/// A part of the bandwidth that a quarter of the pairs reach.
fn limit(pairs: &[Pair], below: f64) -> Option<f64> {
    let figures = pairs.iter().filter_map(|pair| match pair.figure {
        Figure::Of(value) => Some(value),
        _ => None,
    });
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    let good = figures.get(figures.len() * 3 / 4);
    // Without the digits that binary fractions add.
    good.map(|good| (good * below * 1e4).round() / 1e4)
}

/// The cable to pull; `None` for a switch.
fn cable(traffic: &Traffic, thing: Thing) -> Option<Cable> {
    match traffic.equipment(thing) {
        Thing::Link(channel) => {
            let c = traffic.channels().get(channel);
            Some(Cable::Link([(c.from, c.port), (c.to, c.to_port)]))
        }
        Thing::Host(host) => Some(Cable::Host(traffic.nodes()[host])),
        _ => None,
    }
}

fn name(judged: &Judged, traffic: &Traffic, thing: Thing) -> String {
    let node = |place: usize| judged.node(traffic.nodes()[place]);
    let channel = |id| traffic.channels().get(id);
    match thing {
        Thing::Channel(id) => format!("link {}", judged.channel(channel(id))),
        Thing::Link(id) => {
            let c = channel(id);
            let link = judged.link([(c.from, c.port), (c.to, c.to_port)]);
            format!("link {link}")
        }
        Thing::From(host) => format!("host {}, sending", node(host)),
        Thing::To(host) => format!("host {}, receiving", node(host)),
        Thing::Host(host) => format!("host {}", node(host)),
        Thing::Switch(switch) => format!("switch {}", judged.switch(switch)),
    }
}
