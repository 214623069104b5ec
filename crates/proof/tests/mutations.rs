//! Sound tables are proven, and each kind of mutation of them is found.

use dmodc_core::{Engine, Options};
use dmodc_fabric::random::Random;
use dmodc_fabric::{
    Builder, EndNode, Fabric, Guid, Lid, NO_PATH, NodeKind, Peer, PortNumber, SwitchId, Tables,
};
use dmodc_formats::netlist::Netlist;
use dmodc_formats::netlist::generate::Order;
use dmodc_proof::{Claim, Proven, Reason, Refuted, prove_in_parts};
use fabrics::pgft;
use std::collections::{BTreeSet, HashMap};
use std::mem::{Discriminant, discriminant};
use typed_index_collections::{TiSlice, TiVec};

/// Two switches: one that sends to another.
type Pair = (SwitchId, SwitchId);

/// A switch and a port that leads to another one.
type Channel = (SwitchId, PortNumber);

/// A routed fabric, and the claim for its tables.
struct Routed {
    fabric: Fabric,
    tables: Tables,
    order: TiVec<SwitchId, u32>,
    detours: Vec<Pair>,
    left_out: Vec<Pair>,
}

impl Routed {
    fn new(netlist: &Netlist) -> Routed {
        Routed::on(netlist.to_fabric(None).expect("LIDs are right").0)
    }

    fn on(fabric: Fabric) -> Routed {
        let engine = Engine::new(1).expect("threads");
        let plan = engine.plan(&fabric, &Options::default()).expect("a tree");
        let (tables, _) = engine.tables(&fabric, &plan).expect("tables fit");
        Routed {
            order: plan.ranking().positions(),
            detours: plan.detours(),
            left_out: plan.left_out(),
            fabric,
            tables,
        }
    }

    fn claim(&self) -> Claim<'_> {
        Claim {
            detours: Some(&self.detours),
            left_out: &self.left_out,
            ..by_order(&self.order)
        }
    }

    fn prove(&self, tables: &Tables) -> Result<Proven, Refuted> {
        prove(&self.fabric, &rows(tables), &self.claim())
    }

    /// A port of a switch, drawn among those whose peer `wanted` selects.
    fn port(&self, random: &mut Random, s: SwitchId, wanted: impl Fn(Peer) -> bool) -> Option<u8> {
        let ports = self.fabric.ports_of(s);
        let found = ports.filter(|&(_, peer)| wanted(peer));
        let ports: Vec<u8> = found.map(|(port, _)| port.0).collect();
        (!ports.is_empty()).then(|| ports[random.below(ports.len())])
    }

    fn is_up(&self, a: SwitchId, b: SwitchId) -> bool {
        self.order[a] < self.order[b]
    }
}

/// Proves in one part. In three, it has to come to the same.
fn prove(
    fabric: &Fabric,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
) -> Result<Proven, Refuted> {
    let whole = dmodc_proof::prove(fabric, rows, claim);
    assert_eq!(in_three_parts(fabric, rows, claim).ok(), whole.ok());
    whole
}

/// Proves in three parts, the last one first.
fn in_three_parts(
    fabric: &Fabric,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
) -> Result<Proven, Refuted> {
    prove_in_parts(fabric, rows, claim, 3, |parts| {
        parts.into_iter().rev().for_each(|part| part());
    })
}

/// A claim for a fabric in this order: no detours, and nothing is left out.
fn by_order(order: &TiSlice<SwitchId, u32>) -> Claim<'_> {
    Claim {
        order,
        detours: Some(&[]),
        left_out: &[],
        connect_roots: false,
    }
}

/// Where the entry of a switch leads.
fn next(fabric: &Fabric, tables: &Tables, s: SwitchId, lid: Lid) -> Option<SwitchId> {
    Some(fabric.far(s, PortNumber(tables.row(s)[lid]))?.0)
}

fn rows(tables: &Tables) -> TiVec<SwitchId, &[u8]> {
    let switches = (0..tables.len()).map(SwitchId::from);
    switches.map(|s| &tables.row(s).raw).collect()
}

/// Whole and degraded trees; the last ones leave pairs without an up-down path.
fn netlists() -> Vec<Netlist> {
    let mut all = Vec::new();
    for shape in [
        "PGFT(2;4,6;1,4;1,2)",
        "PGFT(3;3,4,3;1,2,4;1,1,1)",
        "PGFT(3;2,2,3;1,2,2;1,2,1)",
    ] {
        let whole = pgft(shape);
        for seed in 0..4 {
            let (less, _) = whole
                .without_links(seed as usize * 3, seed)
                .expect("links enough");
            let (less, _) = less
                .without_switches(seed as usize, seed, false)
                .expect("switches enough");
            all.push(less);
        }
        all.push(whole);
    }
    all
}

#[test]
fn entries_of_lids_that_nobody_has_are_found() {
    let routed = Routed::new(&pgft("PGFT(2;2,2;1,2;1,1)"));
    let entries = |entry: fn(PortNumber) -> u8| {
        let mut tables = routed.tables.clone();
        for s in routed.fabric.switches().keys() {
            let port = routed.fabric.links_of(s).next().map(|link| link.0);
            tables.row_mut(s)[Lid(0)] = port.map_or(NO_PATH, entry);
        }
        routed.prove(&tables).expect_err("nobody has LID 0").reason
    };
    // Round a cycle, and to a switch without an entry.
    assert!(matches!(entries(|port| port.0), Reason::NoOwner(_)));
    assert!(matches!(entries(|_| 1), Reason::NoOwner(_)));
}

#[test]
fn lists_are_complete_and_hold_nothing_else() {
    let mut turns = 0;
    for netlist in netlists() {
        let routed = Routed::new(&netlist);
        let proven = routed.prove(&routed.tables).expect("sound");
        turns += proven.turns;
        let reason = |claim| {
            let found = prove(&routed.fabric, &rows(&routed.tables), &claim);
            found.expect_err("a wrong list").reason
        };
        if proven.turns > 0 {
            let found = reason(Claim {
                detours: Some(&[]),
                ..routed.claim()
            });
            assert!(matches!(found, Reason::Turn(_)), "{found}");
        }
        let first = routed.fabric.end_nodes().first().expect("a host");
        let mut left_out = routed.left_out.clone();
        left_out.push((SwitchId(0), first.switch.max(SwitchId(1))));
        left_out.sort_unstable();
        let found = reason(Claim {
            left_out: &left_out,
            ..routed.claim()
        });
        assert!(matches!(found, Reason::Listed(_)), "{found}");
    }
    assert!(turns > 0, "some fabrics have detours");
}

#[test]
fn short_rows_are_found() {
    let routed = Routed::new(&pgft("PGFT(2;2,2;1,2;1,1)"));
    let all = rows(&routed.tables);
    for s in all.keys() {
        let mut short = all.clone();
        short[s] = &short[s][..short[s].len() - 1];
        let claim = by_order(&routed.order);
        let refuted = prove(&routed.fabric, &short, &claim).expect_err("a row is short");
        assert_eq!(refuted.reason, Reason::Short);
        // No row at all, from this switch on.
        let refuted = prove(&routed.fabric, &all[..s], &claim).expect_err("a row is missing");
        assert_eq!(
            (refuted.switch, refuted.reason),
            (routed.fabric.guid(s), Reason::Short)
        );
    }
}

/// Rows may be longer than the fabric needs, but for no LID that nobody has is there an entry.
#[test]
fn entries_beyond_the_highest_lid_are_found() {
    let routed = Routed::new(&pgft("PGFT(2;2,2;1,2;1,1)"));
    let highest = routed.fabric.max_lid();
    let beyond = Lid(highest.0 + 3);
    let mut tables = routed.tables.clone().with_copies(&[(beyond, Lid(0))]);
    routed.prove(&tables).expect("no entry there");
    for s in routed.fabric.switches().keys() {
        for lid in [Lid(highest.0 + 1), beyond] {
            tables.row_mut(s)[lid] = 1;
            let refuted = routed.prove(&tables).expect_err("nobody has it");
            let reason = Reason::NoOwner(PortNumber(1));
            assert_eq!((refuted.lid, refuted.reason), (lid, reason));
            tables.row_mut(s)[lid] = NO_PATH;
        }
    }
}

/// Whether end nodes need entries of a switch for LIDs at another: one has hosts, or both have end nodes; or all do, if
/// `connect_roots`. Nobody needs those of a switch without a LID and without end nodes.
fn are_needed(fabric: &Fabric, (s, home): Pair, connect_roots: bool) -> bool {
    let has_node = |s: SwitchId| !fabric.end_nodes_of(s).is_empty();
    let has_host = |s: SwitchId| fabric.hosts_of(s).next().is_some();
    let sends = fabric.switches()[s].lid != Lid(0) || has_node(s);
    let by_nodes = has_host(s) || has_host(home) || has_node(s) && has_node(home);
    sends && (connect_roots || by_nodes)
}

/// What the claim asks, entry by entry, but for cycles of turns.
fn is_claimed(routed: &Routed, tables: &Tables, connect_roots: bool) -> bool {
    let Routed { fabric, order, .. } = routed;
    let part = fabric.parts(|_| true);
    let is_needed = |s, home| part[s] == part[home] && are_needed(fabric, (s, home), connect_roots);
    let entry = |s: SwitchId, lid| tables.row(s)[lid];
    let next = |s, lid| next(fabric, tables, s, lid);
    let is_right = |s: SwitchId, lid, home, port: PortNumber| {
        let listed = routed.left_out.contains(&(s, home));
        match (entry(s, lid), next(s, lid)) {
            (NO_PATH, _) => listed || !is_needed(s, home),
            _ if listed => false,
            (entry, None) => (s, entry) == (home, port.0),
            (_, Some(at)) => {
                let turns = order[at] < order[s]
                    && next(at, lid).is_some_and(|above| order[above] > order[at]);
                entry(at, lid) != NO_PATH && (!turns || routed.detours.contains(&(s, home)))
            }
        }
    };
    let lids = fabrics::lids(fabric);
    let switches = fabric.switches().keys();
    lids.iter()
        .all(|&(lid, home, port)| switches.clone().all(|s| is_right(s, lid, home, port)))
}

/// How often each reason is given.
type Wrong = HashMap<Discriminant<Reason>, u32>;

/// Proves tables: they are proven, or have a cycle, just where each entry is as the claim asks.
fn judge(routed: &Routed, tables: &Tables, wrong: &mut Wrong) -> Result<Proven, Refuted> {
    let found = routed.prove(tables);
    let mut is_right = true;
    if let Err(refuted) = found {
        *wrong.entry(discriminant(&refuted.reason)).or_default() += 1;
        is_right = matches!(refuted.reason, Reason::Cycle(_));
    }
    assert_eq!(is_right, is_claimed(routed, tables, false), "{found:?}");
    found
}

/// Any entries. Those that are right at one switch are not right at one alike: below others, listed for the first alone.
#[test]
fn entries_are_judged_as_the_claim_asks() {
    let mut random = Random::new(7);
    let mut right = 0;
    let mut wrong = Wrong::new();
    // Small ones: of few pairs of switches many are of one class.
    let shapes = [
        "PGFT(2;2,3;1,2;1,1)",
        "PGFT(3;1,2,2;1,2,1;1,1,1)",
        "PGFT(3;1,2,4;1,2,2;1,1,1)",
    ];
    let small = [0, 1, 2, 3, 4, 5].map(|seed| {
        let order = Order {
            seed: Some(seed as u64),
            ..Order::default()
        };
        let whole = fabrics::tree(shapes[seed % 3], order);
        let (less, _) = whole.without_links(1, 1).expect("links enough");
        [whole, less]
    });
    let drawn = netlists().into_iter().chain(small.into_iter().flatten());
    let drawn = drawn.map(|netlist| Routed::new(&netlist));
    for mut routed in drawn.chain(by_hand()) {
        let lids = fabrics::lids(&routed.fabric);
        let listed = (routed.detours.clone(), routed.left_out.clone());
        for _ in 0..2000 {
            let mut tables = routed.tables.clone();
            let switches = routed.fabric.switches().len();
            let [a, b] = [0; 2].map(|_| SwitchId::from(random.below(switches)));
            let (lid, home, _) = lids[random.below(lids.len())];
            let of_home = lids.iter().filter(|of| of.1 == home).map(|of| of.0);
            match random.below(6) {
                0 => tables.row_mut(b)[lid] = tables.row(a)[lid],
                // A switch where b sends packets has no entries; all but b, and perhaps b, send them elsewhere.
                1 | 2 => {
                    let sound = |s, lid| next(&routed.fabric, &routed.tables, s, lid);
                    let Some(a) = sound(b, lid) else {
                        continue;
                    };
                    let keeps = random.below(2) == 0;
                    for lid in of_home {
                        for s in routed.fabric.switches().keys() {
                            if sound(s, lid) == Some(a) && !(keeps && s == b) {
                                let other = routed.port(&mut random, s, |peer| {
                                    matches!(peer, Peer::Switch { index, .. } if index != a && routed.is_up(s, index))
                                });
                                tables.row_mut(s)[lid] = other.unwrap_or(tables.row(s)[lid]);
                            }
                        }
                        tables.row_mut(a)[lid] = NO_PATH;
                    }
                    routed.left_out.push((a, home));
                }
                3 => {
                    of_home.for_each(|lid| tables.row_mut(a)[lid] = NO_PATH);
                    tables.row_mut(b)[lid] = NO_PATH;
                    routed.left_out.push((a, home));
                }
                4 => {
                    let ports = usize::from(routed.fabric.switches()[b].ports);
                    let any = random.below(ports + 2);
                    tables.row_mut(b)[lid] = if any > ports { NO_PATH } else { any as u8 };
                }
                _ => {
                    let port = routed.port(&mut random, a, |peer| peer != Peer::None);
                    for s in [a, b] {
                        tables.row_mut(s)[lid] = port.unwrap_or(1);
                    }
                    routed.detours.push((a, home));
                }
            }
            routed.left_out.sort_unstable();
            routed.detours.sort_unstable();
            // What is proven arrives, and each LID that is needed and left out counts.
            if let Ok(proven) = judge(&routed, &tables, &mut wrong) {
                right += 1;
                let passed = fabrics::way(&routed.fabric, &tables, b, lid);
                assert!(passed.count() <= switches, "{b:?} {lid}");
                let listed = routed.left_out.iter();
                let needed = listed.filter(|pair| are_needed(&routed.fabric, **pair, false));
                let of = |pair: &Pair| lids.iter().filter(|lid| lid.1 == pair.1).count();
                assert_eq!(proven.left_out, needed.map(of).sum::<usize>());
            }
            (routed.detours, routed.left_out) = listed.clone();
        }
    }
    // A hole, a dead end, a wrong port, a turn and a cycle.
    let is_each_found = wrong.len() == 5 && wrong.values().all(|&count| count > 100);
    assert!(right > 300 && is_each_found, "{right}, {wrong:?}");
}

/// Rows that are alike but for one entry, at each switch and LID, in all blocks and in the last one, which is not whole:
/// in each block the spines know all other entries.
#[test]
fn a_wrong_entry_among_known_ones_is_found() {
    let whole = pgft("PGFT(2;8,16;1,4;1,1)");
    let (less, _) = whole.without_links(1, 1).expect("links enough");
    // Each of the four LIDs of a port is a LID of its own.
    let lids_of_lmc = pgft("PGFT(2;2,3;1,2;1,1)").to_fabric(Some(2));
    let three_levels = pgft("PGFT(3;3,4,3;1,2,4;1,1,1)");
    for routed in [
        Routed::new(&whole),
        Routed::new(&less),
        Routed::new(&three_levels),
        Routed::on(lids_of_lmc.expect("LIDs").0),
    ] {
        let mut tables = routed.tables.clone();
        for s in routed.fabric.switches().keys() {
            let row = tables.row(s).to_owned();
            let ports = routed.fabric.switches()[s].ports;
            let has_hosts = !routed.fabric.end_nodes_of(s).is_empty();
            let lids = fabrics::lids(&routed.fabric);
            let homes = lids.iter().map(|&(lid, home, _)| (lid, home == s));
            for (lid, is_mine) in homes.chain([(Lid(0), false)]) {
                // No port of the switch, the switch itself, and no entry where it or its hosts are meant.
                for wrong in [ports + 1, 254, 0, NO_PATH] {
                    if wrong != row[lid] && (wrong != NO_PATH || is_mine) {
                        tables.row_mut(s)[lid] = wrong;
                        let refuted = routed.prove(&tables).expect_err("wrong");
                        assert_eq!(refuted.lid, lid, "{s:?} {wrong}");
                        let rows = rows(&tables);
                        let in_parts = in_three_parts(&routed.fabric, &rows, &routed.claim());
                        assert_eq!(in_parts, Err(refuted));
                        // A spine needs no entry for itself; those below it do.
                        if wrong != NO_PATH || has_hosts {
                            assert_eq!(refuted.switch, routed.fabric.guid(s), "{lid} {wrong}");
                        }
                    }
                }
                tables.row_mut(s)[lid] = row[lid];
            }
            // Two entries of a block, eight apart, that differ from the known ones by the same bit.
            for lid in 1..tables.width().saturating_sub(8) {
                let both = [lid, lid + 8].map(Lid::from);
                both.into_iter()
                    .for_each(|lid| tables.row_mut(s)[lid] ^= 0x80);
                assert!(routed.prove(&tables).is_err(), "{s:?} {both:?}");
                both.into_iter()
                    .for_each(|lid| tables.row_mut(s)[lid] = row[lid]);
            }
            // All LIDs of a switch by a dark port, as they go where the link is not lost.
            for to in routed.fabric.switches().keys() {
                let dark = routed.fabric.ports_of(s);
                for (port, _) in dark.filter(|(_, peer)| *peer == Peer::None) {
                    for (lid, home, _) in fabrics::lids(&routed.fabric) {
                        if home == to {
                            tables.row_mut(s)[lid] = port.0;
                        }
                    }
                    assert!(routed.prove(&tables).is_err(), "{s:?} {to:?} {port}");
                    tables.row_mut(s).copy_from_slice(&row);
                }
            }
        }
    }
}

/// Small fabrics, each with what is seldom drawn.
fn by_hand() -> Vec<Routed> {
    let spines = [(3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2)];
    let chain = [(0, 1), (1, 2)];
    let nets: [(&[_], &[_], &[usize]); 5] = [
        // Cables crossed below two tops: one port of 2 and 3 leads to either. The tops have no entry for one another, so an
        // entry for a top that is right at 2 is a dead end at 3.
        (
            &[(2, 0), (2, 1), (3, 1), (3, 0), (4, 2), (5, 3)],
            &[4, 5],
            &[],
        ),
        // Two leaves below a spine, twice: between the two nobody needs an entry, and none is right.
        (&[(0, 1), (0, 2), (3, 4), (3, 5)], &[1, 2, 4, 5], &[]),
        // Three spines, two of which have an aggregation node: only these two need entries for one another. What the one
        // without a node lacks is looked at first, and allowed.
        (&spines, &[1, 2, 3, 4], &[0, 1]),
        // A host beside an aggregation node, no matter which comes last, makes its leaf need entries of the spine.
        (&chain, &[0, 0, 2], &[0]),
        (&chain, &[0, 0, 2], &[1]),
    ];
    let net = |(links, nodes, aggregation): (&[_], &[_], &[usize])| {
        let aggregation = aggregation.to_vec();
        let net = fabrics::Net {
            aggregation,
            ..fabrics::Net::new(links, nodes)
        };
        net.build()
    };
    // Leaves 2 and 3 below spines 0 and 1. Spine 1 has no LID and no end nodes, so it sends nothing: it may lack all
    // entries.
    let whole = net((&[(0, 2), (0, 3), (1, 2)], &[2, 3], &[]));
    let silent = fabrics::rebuilt(&whole, |s, switch| {
        if s == SwitchId(1) {
            switch.lid = Lid(0);
        }
    });
    let silent = silent.finish().0;
    let all = nets.map(net).into_iter().chain([silent]);
    all.map(Routed::on).collect()
}

/// Each entry on its own, and whether roots are connected.
#[test]
fn every_entry_of_small_fabrics_is_judged_as_the_claim_asks() {
    let mut wrong = Wrong::new();
    for routed in by_hand() {
        let Routed { fabric, .. } = &routed;
        let connected = Claim {
            connect_roots: true,
            ..routed.claim()
        };
        let is_right = is_claimed(&routed, &routed.tables, true);
        let proven = prove(fabric, &rows(&routed.tables), &connected);
        assert_eq!(proven.is_ok(), is_right);
        for s in fabric.switches().keys() {
            for (lid, ..) in fabrics::lids(fabric) {
                for entry in (0..6).chain([NO_PATH]) {
                    let mut tables = routed.tables.clone();
                    tables.row_mut(s)[lid] = entry;
                    let _ = judge(&routed, &tables, &mut wrong);
                }
            }
        }
    }
    // A hole, a dead end, a wrong port, a turn and a cycle.
    assert_eq!(wrong.len(), 5, "{wrong:?}");
}

/// Of ends more than 126 hops apart no switch on the way has an entry, and the list says so.
#[test]
fn a_chain_that_is_too_long_is_left_out_whole() {
    let links: Vec<(u32, u32)> = (1..140).map(|s| (s - 1, s)).collect();
    let routed = Routed::on(fabrics::Net::new(&links, &[0, 0, 139, 139]).build());
    let proven = routed.prove(&routed.tables).expect("sound");
    assert!(proven.left_out > 0);
}

/// An absent node's LID leads to the port where it was, though that is dark, and to no other. It sends nothing: its
/// switch, a spine, needs no more entries than the other one.
#[test]
fn an_absent_node_is_awaited_at_its_port_and_sends_nothing() {
    let links = [(0, 2), (0, 3), (1, 2), (1, 3)];
    let mut fabric = fabrics::Net::new(&links, &[2, 3]).build();
    let spines = [0, 1].map(SwitchId);
    let lid = Lid(fabric.max_lid().0 + 1);
    fabric.set_absent(vec![EndNode {
        guid: Guid(0x100),
        lid,
        lmc: 0,
        kind: NodeKind::Ca,
        switch: spines[0],
        port: PortNumber(3),
    }]);
    let routed = Routed::on(fabric);
    let mut tables = routed.tables.clone();
    for (from, to) in [(0, 1), (1, 0)] {
        tables.row_mut(spines[from])[routed.fabric.switches()[spines[to]].lid] = NO_PATH;
    }
    tables.row_mut(spines[1])[lid] = NO_PATH;
    routed.prove(&tables).expect("nobody sends there");
    assert_eq!(tables.row(spines[0])[lid], 3);
    // Hosts may wait for it: they need entries.
    for (s, wrong, reason) in [
        (SwitchId(2), NO_PATH, Reason::Hole),
        (spines[0], NO_PATH, Reason::DeadEnd(PortNumber(1))),
        (spines[0], 4, Reason::Port(PortNumber(4))),
    ] {
        let mut tables = tables.clone();
        tables.row_mut(s)[lid] = wrong;
        let refuted = routed.prove(&tables).expect_err("a host sends there");
        assert_eq!(refuted.reason, reason);
    }
}

/// Two leaves below a spine, with as many ports as an entry can name: the last ones lead on. Each switch has four LIDs.
#[test]
fn all_ports_that_an_entry_can_name_are_looked_at() {
    let mut b = Builder::default();
    let s = [1, 2, 3].map(|i| b.switch(Guid(i), Lid(4 * i as u16), 2, 254));
    let node = |switch, port, lid| EndNode {
        guid: Guid(0x10 + lid),
        lid: Lid(lid as u16),
        lmc: 0,
        kind: NodeKind::Ca,
        switch,
        port: PortNumber(port),
    };
    for (leaf, port) in [(0, 253), (1, 254)] {
        b.link((s[leaf], PortNumber(254)), (s[2], PortNumber(port)));
        b.end_node(node(s[leaf], 253, 16 + leaf as u64));
    }
    let fabric = b.finish().0;
    let mut tables = Tables::for_fabric(&fabric);
    for (lid, home, port) in fabrics::lids(&fabric) {
        for s in fabric.switches().keys() {
            tables.row_mut(s)[lid] = match (s.0, home.0) {
                (s, home) if s == home => port.0,
                (2, leaf) => 253 + leaf as u8,
                _ => 254,
            };
        }
    }
    let order = TiVec::from(vec![0, 0, 1]);
    let claim = by_order(&order);
    prove(&fabric, &rows(&tables), &claim).expect("sound");
    for (lid, ..) in fabrics::lids(&fabric) {
        for s in fabric.switches().keys() {
            let right = tables.row(s)[lid];
            for wrong in [0, 1, 252, 253, 254, NO_PATH] {
                if wrong != right {
                    tables.row_mut(s)[lid] = wrong;
                    let found = prove(&fabric, &rows(&tables), &claim);
                    assert!(found.is_err(), "{s:?} {lid}: {right} -> {wrong}");
                }
            }
            tables.row_mut(s)[lid] = right;
        }
    }
}

/// Whether dependencies between channels close a cycle: whether one is left without those that no other follows.
fn is_cyclic(channels: &[Channel], follows: impl Fn(Channel, Channel) -> bool) -> bool {
    let mut left = channels.to_vec();
    loop {
        let goes_on = |a: &Channel| left.iter().any(|&b| follows(*a, b));
        let (rest, ends): (Vec<_>, Vec<_>) = left.iter().partition(|a| goes_on(a));
        if ends.is_empty() {
            return !rest.is_empty();
        }
        left = rest;
    }
}

/// Shortest paths in small fabrics, in any order of switches: whether the proof finds a cycle just where there is one, of
/// the dependencies that the tables have, and of those that the order allows.
#[test]
fn cycles_are_found_where_they_are() {
    let mut random = Random::new(7);
    let mut found = [0; 4];
    for _ in 0..400 {
        // Some links are double: each entry takes any of them.
        let links = fabrics::connected(&mut random, 6, 1..6);
        let fabric = fabrics::Net::new(&links, &[0, 1, 2, 3, 4, 5]).build();
        let order: TiVec<SwitchId, u32> = (0..6).map(|_| random.below(4) as u32).collect();
        let mut tables = fabrics::shortest(&fabric);
        let lids = fabrics::lids(&fabric);
        for s in fabric.switches().keys() {
            for &(lid, ..) in &lids {
                let at = next(&fabric, &tables, s, lid);
                let links = fabric.links_of(s).filter(|link| Some(link.1) == at);
                let ports: Vec<u8> = links.map(|link| link.0.0).collect();
                if !ports.is_empty() {
                    tables.row_mut(s)[lid] = ports[random.below(ports.len())];
                }
            }
        }
        let next = |s, lid| next(&fabric, &tables, s, lid);
        let channels: Vec<Channel> = fabric.links().flatten().collect();
        let to = |(s, port): Channel| fabric.far(s, port).expect("a link").0;
        let has = |a: Channel, b: Channel| {
            let is_by = |(s, port): Channel, lid| tables.row(s)[lid] == port.0;
            to(a) == b.0 && lids.iter().any(|&(lid, ..)| is_by(a, lid) && is_by(b, lid))
        };
        let is_up = |a, b| (order[a], a) < (order[b], b);
        let is_turn = |a, at, b| is_up(at, a) && is_up(at, b);
        let mut turns = BTreeSet::new();
        for &a in &channels {
            let after = channels.iter().filter(|b| has(a, **b));
            let ways = after.map(|&b| (a.0, b.0, to(b)));
            turns.extend(ways.filter(|&(a, at, b)| is_turn(a, at, b)));
        }
        let is_allowed = |a: Channel, b: Channel| {
            let way = (a.0, b.0, to(b));
            to(a) == b.0 && (turns.contains(&way) || a.0 != to(b) && !is_turn(a.0, b.0, to(b)))
        };
        let used = is_cyclic(&channels, has);
        let allowed = !turns.is_empty() && is_cyclic(&channels, is_allowed);
        let pairs = [0, 1, 2, 3, 4, 5].map(|from| [0, 1, 2, 3, 4, 5].map(|to| (from, to)));
        let pairs = pairs.as_flattened().iter();
        let pairs: Vec<_> = pairs.map(|&(a, b)| (SwitchId(a), SwitchId(b))).collect();
        for (detours, is_cyclic) in [(None, used), (Some(&pairs[..]), allowed)] {
            let claim = Claim {
                detours,
                ..by_order(&order)
            };
            match prove(&fabric, &rows(&tables), &claim) {
                Ok(proven) => assert_eq!((proven.turns, is_cyclic), (turns.len(), false)),
                Err(refuted) => {
                    let at = fabric.switch_by_guid(refuted.switch).expect("a switch");
                    let port = PortNumber(tables.row(at)[refuted.lid]);
                    assert_eq!(refuted.reason, Reason::Cycle(port));
                    let below = next(at, refuted.lid).expect("a turn");
                    let above = next(below, refuted.lid).expect("a turn");
                    assert!(is_turn(at, below, above));
                    assert!(is_cyclic, "{refuted}");
                }
            }
        }
        found[usize::from(used) + 2 * usize::from(allowed)] += 1;
    }
    // What the tables have, the order allows or is a turn.
    assert!(
        found[1] == 0 && found[0] > 10 && found[2] > 10 && found[3] > 10,
        "{found:?}"
    );
}

#[test]
#[should_panic(expected = "every part is checked")]
fn a_part_that_is_not_checked_is_not_proven() {
    let routed = Routed::new(&pgft("PGFT(2;2,2;1,2;1,1)"));
    let rows = rows(&routed.tables);
    let _ = prove_in_parts(&routed.fabric, &rows, &routed.claim(), 2, |mut parts| {
        parts.swap_remove(0)();
    });
}
