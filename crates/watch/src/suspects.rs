//! Which cable first: ranks links by the errors that their ports count, times the routes that the errors hurt.
//!
//! A port counts what it receives, so its errors hurt the routes that enter by it; a link that goes down hurts the
//! routes of both directions. What most ports of a sort count is no sign: only what is over twice the median of links
//! between switches, or of hosts' cables, counts, if there are three. Nor is it a sign if all links of a switch go down: it
//! was restarted.

use dmodc_fabric::{Fabric, NodeId, PortNumber, Rate, Speed, SwitchId};
use dmodc_formats::counters::{COUNTERS, CountedPort, Counts};
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// What one count of each of [`COUNTERS`] costs, in packets, by orders of magnitude: a link that goes down loses what
/// is on its way until it is up again or routed around; a recovery, or an integrity error that leads to one, stops it
/// for a moment; a symbol error may spoil a packet or idle bits.
const WEIGHTS: [f64; COUNTERS.len()] = [1000.0, 100.0, 100.0, 10.0, 1.0];

/// The weight of a host's link that goes down: mostly the host was restarted.
const HOST_DOWN: f64 = 10.0;

/// The weight of a BER at its limit. Each further power of ten weighs as much again.
const BER: f64 = 1000.0;

/// A link with at least this weight of errors is a suspect.
const SUSPECT: f64 = 100.0;

/// Fewer cables tell nothing of what is usual.
const FEWEST: usize = 3;

/// What a counter counted, for one and for several.
const WORDS: [[&str; 2]; COUNTERS.len()] = [
    ["time down", "times down"],
    ["recovery", "recoveries"],
    ["integrity error", "integrity errors"],
    ["spoilt packet", "spoilt packets"],
    ["symbol error", "symbol errors"],
];

/// A cable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cable {
    /// Between two switches, the lower (switch, port) first.
    Link([(SwitchId, PortNumber); 2]),
    /// Of a host.
    Host(NodeId),
}

/// A link with errors.
#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    /// The link.
    pub cable: Cable,
    /// What its two ports counted, in words; empty for none. In the order of `Cable::Link`; switch and host.
    pub counted: [String; 2],
    /// Routes over it, in both directions.
    pub routes: u64,
    /// The weight of its errors, times the routes that each of them hurts.
    pub harm: f64,
}

/// The links of a fabric that are suspect by what their ports counted, the one that hurts most first; and the number of
/// other links with more errors than is usual. `into` gives the number of routes that enter by a port.
pub fn suspects(
    fabric: &Fabric,
    counts: &BTreeMap<CountedPort, Counts>,
    into: impl Fn(CountedPort) -> u64,
) -> (Vec<Suspect>, usize) {
    let links = fabric.links().map(|ends| {
        let ports = ends.map(|(switch, port)| CountedPort::Switch(switch, port));
        (Cable::Link(ends), ports)
    });
    let hosts = fabric.end_nodes().iter_enumerated().map(|(index, node)| {
        let near = CountedPort::Switch(node.switch, node.port);
        (Cable::Host(index), [near, CountedPort::Host(index)])
    });
    let cables: Vec<(Cable, [CountedPort; 2])> = links.chain(hosts).collect();
    let of = |port: &CountedPort| counts.get(port).copied().unwrap_or_default();
    let is_of_host = |cable: &Cable| matches!(cable, Cable::Host(_));
    let usual = [false, true].map(|is_host| {
        let ports = cables.iter();
        let ports = ports.filter(|(cable, _)| is_of_host(cable) == is_host);
        let ports: Vec<Counts> = ports.flat_map(|(_, ports)| ports.iter().map(of)).collect();
        std::array::from_fn(|counter| {
            let mut all: Vec<u64> = ports.iter().map(|port| port.counters[counter]).collect();
            all.sort_unstable();
            let median = all.get(all.len() / 2).copied().unwrap_or_default();
            // Of one or two cables the median is the bad one's own.
            match all.len() < 2 * FEWEST {
                true => 0,
                false => median.saturating_mul(2),
            }
        })
    });
    let restarts = restarts(fabric, &cables, of);
    let (mut found, mut few) = (Vec::new(), 0);
    for (cable, ports) in cables {
        let is_host = is_of_host(&cable);
        let speed = match ports[0] {
            CountedPort::Switch(switch, port) => fabric.link_speed(switch, port),
            CountedPort::Host(_) => Speed::UNKNOWN,
        };
        let mut usual: [u64; COUNTERS.len()] = usual[usize::from(is_host)];
        for port in ports {
            if let CountedPort::Switch(switch, _) = port {
                usual[0] = usual[0].max(restarts[switch]);
            }
        }
        let judged = ports.map(|port| judge(&of(&port), &usual, speed));
        let routes = ports.map(&into);
        let down_weight = if is_host { HOST_DOWN } else { WEIGHTS[0] };
        // Both ports count that the link goes down.
        let down = down_weight * judged[0].downs.max(judged[1].downs) as f64;
        let weight = down + judged[0].received + judged[1].received;
        if weight < SUSPECT {
            few += usize::from(weight > 0.0);
            continue;
        }
        let all: u64 = routes.iter().sum();
        let received = judged.iter().zip(routes);
        // A link without routes may get some.
        let received = received.map(|(judged, routes)| judged.received * (1 + routes) as f64);
        found.push(Suspect {
            cable,
            harm: down * (1 + all) as f64 + received.sum::<f64>(),
            routes: all,
            counted: judged.map(|judged| judged.words),
        });
    }
    let worse = |a: &Suspect, b: &Suspect| b.harm.total_cmp(&a.harm).then(a.cable.cmp(&b.cable));
    found.sort_by(worse);
    (found, few)
}

/// How often each switch was restarted: how often all its links went down, if it has several.
fn restarts(
    fabric: &Fabric,
    cables: &[(Cable, [CountedPort; 2])],
    of: impl Fn(&CountedPort) -> Counts,
) -> TiVec<SwitchId, u64> {
    let mut downs: TiVec<SwitchId, Vec<u64>> = vec![Vec::new(); fabric.switches().len()].into();
    for (_, ports) in cables {
        let [one, other] = ports.each_ref().map(|port| of(port).counters[0]);
        for port in ports {
            if let CountedPort::Switch(switch, _) = port {
                downs[*switch].push(one.max(other));
            }
        }
    }
    let least = |all: Vec<u64>| match all.len() {
        0 | 1 => 0,
        _ => all.into_iter().min().unwrap_or_default(),
    };
    downs.into_iter().map(least).collect()
}

/// What a port's counts weigh.
struct Judged {
    /// How often the link went down, over what is usual.
    downs: u64,
    /// The weight of what it received.
    received: f64,
    words: String,
}

fn judge(counts: &Counts, usual: &[u64; COUNTERS.len()], speed: Speed) -> Judged {
    let over: [u64; COUNTERS.len()] =
        std::array::from_fn(|counter| counts.counters[counter].saturating_sub(usual[counter]));
    let received = over.iter().zip(WEIGHTS).skip(1);
    let mut received: f64 = received.map(|(&count, weight)| count as f64 * weight).sum();
    let mut words = Vec::new();
    for ((count, over), [one, several]) in counts.counters.iter().zip(&over).zip(WORDS) {
        if *over > 0 {
            let what = if *count == 1 { one } else { several };
            words.push(format!("{count} {what}"));
        }
    }
    let (kind, ber, limit) = ber(counts, speed);
    if let Some(ber) = ber.filter(|&ber| ber > limit) {
        received += BER * (1.0 + (ber / limit).log10());
        words.push(format!("{kind} BER {ber:.0e}, limit {limit:.0e}"));
    }
    Judged {
        downs: over[0],
        received,
        words: words.join(", "),
    }
}

/// The BER that counts at a speed, and its limit, InfiniBand's: 1e-12 up to FDR10, 1e-15 for links with forward error
/// correction. From HDR on the symbol BER says what remains after it, before that the effective BER.
fn ber(counts: &Counts, speed: Speed) -> (&'static str, Option<f64>, f64) {
    let rate = speed.rate().unwrap_or(Rate::Sdr);
    let limit = if rate >= Rate::Fdr { 1e-15 } else { 1e-12 };
    match counts.symbol_ber {
        Some(ber) if rate >= Rate::Hdr || counts.effective_ber.is_none() => {
            ("symbol", Some(ber), limit)
        }
        _ => ("effective", counts.effective_ber, limit),
    }
}
