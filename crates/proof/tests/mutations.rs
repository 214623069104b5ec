//! Sound tables are proven, and each kind of mutation of them is found.

use dmodc_core::{Engine, Options};
use dmodc_fabric::random::Random;
use dmodc_fabric::{
    Builder, EndNode, Fabric, Guid, Lid, NO_PATH, NodeKind, Peer, PortNumber, SwitchId, Tables,
};
use dmodc_formats::netlist::Netlist;
use dmodc_formats::netlist::generate::{Order, Pgft, build};
use dmodc_proof::{Claim, Proven, Reason, Refuted, prove};
use fabrics::pgft;
use typed_index_collections::{TiSlice, TiVec};

/// A routed fabric, and the claim for its tables.
struct Routed {
    fabric: Fabric,
    tables: Tables,
    order: TiVec<SwitchId, u32>,
    detours: Vec<(SwitchId, SwitchId)>,
    left_out: Vec<(SwitchId, SwitchId)>,
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

    fn prove(&self, tables: &Tables) -> Result<Proven, Refuted> {
        let rows = rows(tables);
        let claim = Claim {
            order: &self.order,
            detours: Some(&self.detours),
            left_out: &self.left_out,
            connect_roots: false,
        };
        prove(&self.fabric, &rows, &claim)
    }

    /// A port of a switch, drawn among those that `wanted` selects.
    fn port(
        &self,
        random: &mut Random,
        s: SwitchId,
        wanted: impl Fn(u8, Peer) -> bool,
    ) -> Option<u8> {
        let ports = self.fabric.ports_of(s);
        let found = ports.filter(|&(port, peer)| wanted(port.0, peer));
        let ports: Vec<u8> = found.map(|(port, _)| port.0).collect();
        (!ports.is_empty()).then(|| ports[random.below(ports.len())])
    }

    /// The switch of a LID.
    fn home(&self, lid: Lid) -> Option<SwitchId> {
        let mut all = fabrics::lids(&self.fabric).into_iter();
        Some(all.find(|owned| owned.0 == lid)?.1)
    }

    /// Where the entry of a switch leads.
    fn next(&self, s: SwitchId, lid: Lid) -> Option<SwitchId> {
        let port = PortNumber(self.tables.row(s)[lid]);
        Some(self.fabric.far(s, port)?.0)
    }

    fn is_up(&self, a: SwitchId, b: SwitchId) -> bool {
        self.order[a] < self.order[b]
    }
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
fn sound_tables_are_proven() {
    let (mut turns, mut left_out) = (0, 0);
    for netlist in netlists() {
        let routed = Routed::new(&netlist);
        let proven = routed.prove(&routed.tables).expect("sound");
        (turns, left_out) = (turns + proven.turns, left_out + proven.left_out);
    }
    assert!(turns > 0, "some fabrics have detours");
}

/// A kind of mutation: the entry that a switch gets for a LID instead, if it has such a mutation.
type Kind = (
    &'static str,
    fn(&Routed, &mut Random, SwitchId, Lid) -> Option<u8>,
);

const KINDS: [Kind; 7] = [
    ("a port that does not exist", |routed, _, s, _| {
        Some(routed.fabric.switches()[s].ports.checked_add(1)?).filter(|&p| p != NO_PATH)
    }),
    ("a dark port", |routed, random, s, _| {
        routed.port(random, s, |_, peer| peer == Peer::None)
    }),
    ("another host's port", |routed, random, s, lid| {
        let own = routed.tables.row(s)[lid];
        routed.port(random, s, |port, peer| {
            port != own && matches!(peer, Peer::EndNode(_))
        })
    }),
    // Between two switches without end nodes nobody needs one.
    ("no entry", |routed, _, s, _| {
        let has_nodes = !routed.fabric.end_nodes_of(s).is_empty();
        has_nodes.then_some(NO_PATH)
    }),
    ("the switch itself", |routed, _, s, lid| {
        (routed.tables.row(s)[lid] != 0).then_some(0)
    }),
    // Two switches send to one another: the one above sends down to one that sends up.
    (
        "down to a switch that sends up",
        |routed, random, s, lid| {
            routed.port(random, s, |_, peer| match peer {
                Peer::Switch { index, .. } if routed.is_up(index, s) => {
                    let next = routed.next(index, lid);
                    next.is_some_and(|to| routed.is_up(index, to))
                }
                _ => false,
            })
        },
    ),
    // A switch that has to go down goes up: the one that sends down to it turns its packets.
    (
        "up where the switch above sends down",
        |routed, random, s, lid| {
            let sends_here = |above| routed.next(above, lid) == Some(s);
            let is_below = routed
                .fabric
                .neighbours(s)
                .any(|above| routed.is_up(s, above) && sends_here(above));
            routed.port(random, s, |_, peer| {
                is_below && matches!(peer, Peer::Switch { index, .. } if routed.is_up(s, index))
            })
        },
    ),
];

#[test]
fn each_mutation_is_found() {
    let mut random = Random::new(7);
    let all: Vec<Routed> = netlists().iter().map(Routed::new).collect();
    for (name, mutate) in KINDS {
        let mut tried = 0;
        while tried < 100 {
            let routed = &all[random.below(all.len())];
            let s = SwitchId::from(random.below(routed.tables.len()));
            let lid = Lid::from(1 + random.below(routed.tables.width() - 1));
            let old = routed.tables.row(s)[lid];
            let Some(new) = mutate(routed, &mut random, s, lid) else {
                continue;
            };
            // A pair with a detour may well have another one.
            let home = routed.home(lid);
            let has_detour = home.is_some_and(|home| routed.detours.contains(&(s, home)));
            if old == new || old == NO_PATH || has_detour {
                continue;
            }
            let mut tables = routed.tables.clone();
            tables.row_mut(s)[lid] = new;
            let refuted = routed.prove(&tables);
            assert!(
                refuted.is_err(),
                "{name}: switch {s:?}, LID {lid}: {old} -> {new}"
            );
            tried += 1;
        }
    }
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
    for netlist in netlists() {
        let routed = Routed::new(&netlist);
        let without_detours = Routed {
            detours: Vec::new(),
            ..Routed::new(&netlist)
        };
        let proven = routed.prove(&routed.tables).expect("sound");
        if proven.turns > 0 {
            let refuted = without_detours
                .prove(&routed.tables)
                .expect_err("a turn that is not listed");
            assert!(matches!(refuted.reason, Reason::Turn(_)), "{refuted}");
        }
        let mut listed = Routed::new(&netlist);
        let first = routed.fabric.end_nodes().first().expect("a host");
        let other = first.switch.max(SwitchId(1));
        listed.left_out.push((SwitchId(0), other));
        listed.left_out.sort_unstable();
        listed.left_out.dedup();
        let refuted = listed
            .prove(&routed.tables)
            .expect_err("a pair that is not left out");
        assert!(matches!(refuted.reason, Reason::Listed(_)), "{refuted}");
    }
}

/// Detours in a ring of four switches around one below: each turn is listed, and together they close a cycle.
#[test]
fn turns_that_close_a_cycle_are_found() {
    // Two leaves 0 and 1 below two spines 2 and 3. Packets to 2 turn at 0, packets to 3 turn at 1.
    let net = fabrics::Net::new(&[(0, 2), (0, 3), (1, 2), (1, 3)], &[0, 1, 2, 3]);
    let fabric = net.build();
    let order = TiVec::from(vec![0, 1, 2, 3]);
    let mut tables = Tables::for_fabric(&fabric);
    for (lid, home, port) in fabrics::lids(&fabric) {
        for s in 0..4 {
            let to = |next: u32| port_to(&fabric, SwitchId(s), SwitchId(next));
            let port = match (s, home.0) {
                (s, home) if s == home => port,
                (2, 3) => to(0),
                (3, 2) => to(1),
                (0, 1) => to(2),
                (1, 0) => to(3),
                (_, home) => to(home),
            };
            tables.row_mut(SwitchId(s))[lid] = port.0;
        }
    }
    let detours = [(2, 3), (3, 2)].map(|(from, to)| (SwitchId(from), SwitchId(to)));
    let claim = |detours| Claim {
        detours: Some(detours),
        ..by_order(&order)
    };
    let refuted =
        prove(&fabric, &rows(&tables), &claim(&detours)).expect_err("2-0-3-1-2 is a cycle");
    let at = fabric.switch_by_guid(refuted.switch).expect("a switch");
    let port = PortNumber(tables.row(at)[refuted.lid]);
    assert_eq!(refuted.reason, Reason::Cycle(port));
    // Both turns at one leaf close none.
    for (lid, home, _) in fabrics::lids(&fabric) {
        if home == SwitchId(2) {
            let to_0 = port_to(&fabric, SwitchId(3), SwitchId(0));
            tables.row_mut(SwitchId(3))[lid] = to_0.0;
        }
    }
    let proven = prove(&fabric, &rows(&tables), &claim(&detours)).expect("no cycle");
    assert_eq!(proven.turns, 2);
}

/// From 1 down to 0 and up to 2, further up to 3, and down to 1 again: one turn is enough.
#[test]
fn a_turn_below_a_common_switch_is_a_cycle() {
    let fabric = fabrics::Net::new(&[(0, 1), (0, 2), (1, 3), (2, 3)], &[0, 2]).build();
    let to = |from: u32, to: u32| port_to(&fabric, SwitchId(from), SwitchId(to)).0;
    let mut tables = fabrics::shortest(&fabric);
    for (lid, home, _) in fabrics::lids(&fabric) {
        match home {
            SwitchId(1) => tables.row_mut(SwitchId(2))[lid] = to(2, 3),
            SwitchId(2) => tables.row_mut(SwitchId(1))[lid] = to(1, 0),
            _ => {}
        }
    }
    let order = TiVec::from(vec![0, 1, 1, 2]);
    let claim = Claim {
        detours: Some(&[(SwitchId(1), SwitchId(2))]),
        ..by_order(&order)
    };
    let refuted = prove(&fabric, &rows(&tables), &claim).expect_err("1-0-2-3-1 is a cycle");
    assert!(matches!(refuted.reason, Reason::Cycle(_)), "{refuted}");
}

/// The port to a neighbour.
fn port_to(fabric: &Fabric, from: SwitchId, to: SwitchId) -> PortNumber {
    let mut links = fabric.links_of(from);
    links.find(|link| link.1 == to).expect("a link").0
}

/// At each switch and LID, in all blocks and in the last one, which is not whole.
#[test]
fn each_wrong_entry_is_found_wherever_it_is() {
    for netlist in [
        pgft("PGFT(2;4,6;1,4;1,2)"),
        pgft("PGFT(3;3,4,3;1,2,4;1,1,1)"),
    ] {
        let routed = Routed::new(&netlist);
        let mut tables = routed.tables.clone();
        for s in routed.fabric.switches().keys() {
            let ports = routed.fabric.switches()[s].ports;
            for lid in (0..tables.width()).map(Lid::from) {
                let right = tables.row(s)[lid];
                let is_mine = routed.home(lid) == Some(s);
                // No port of the switch, the switch itself, and no entry where it or its hosts are meant.
                let wrong = [ports + 1, 254, 0, NO_PATH]
                    .into_iter()
                    .filter(|&wrong| wrong != right && (wrong != NO_PATH || is_mine));
                for wrong in wrong {
                    tables.row_mut(s)[lid] = wrong;
                    assert!(
                        routed.prove(&tables).is_err(),
                        "{s:?} {lid}: {right} -> {wrong}"
                    );
                }
                tables.row_mut(s)[lid] = right;
            }
        }
        assert!(routed.prove(&tables).is_ok());
    }
}

/// A loop of two switches: a claim whose order has them at one position does not hide it.
#[test]
fn an_order_with_equals_hides_no_loop() {
    let fabric = fabrics::Net::new(&[(0, 1), (0, 2), (1, 2)], &[0, 1, 2]).build();
    let mut tables = Tables::for_fabric(&fabric);
    for (lid, home, port) in fabrics::lids(&fabric) {
        for s in [0, 1, 2].map(SwitchId) {
            let to = if s == home {
                port
            } else {
                port_to(&fabric, s, home)
            };
            tables.row_mut(s)[lid] = to.0;
        }
    }
    let order = TiVec::from(vec![0, 0, 1]);
    let claim = by_order(&order);
    prove(&fabric, &rows(&tables), &claim).expect("all go straight");
    for (lid, home, _) in fabrics::lids(&fabric) {
        if home == SwitchId(2) {
            let to = [(0, 1), (1, 0)].map(|(s, to)| port_to(&fabric, SwitchId(s), SwitchId(to)));
            let mut looped = tables.clone();
            looped.row_mut(SwitchId(0))[lid] = to[0].0;
            looped.row_mut(SwitchId(1))[lid] = to[1].0;
            prove(&fabric, &rows(&looped), &claim).expect_err("0 and 1 send to one another");
        }
    }
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

/// What the claim asks, entry by entry, but for cycles of turns.
fn is_claimed(routed: &Routed, tables: &Tables) -> bool {
    let Routed { fabric, order, .. } = routed;
    let has_host = |s: SwitchId| !fabric.end_nodes_of(s).is_empty();
    let part = fabric.parts(|_| true);
    let is_needed = |s, home| part[s] == part[home] && (has_host(s) || has_host(home));
    let entry = |s: SwitchId, lid| tables.row(s)[lid];
    let next = |s: SwitchId, lid| Some(fabric.far(s, PortNumber(entry(s, lid)))?.0);
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

/// Entries that are right at one switch are not right at one alike: below others, listed for the first alone.
#[test]
fn what_is_right_at_one_switch_is_looked_at_elsewhere() {
    let mut random = Random::new(7);
    let (mut right, mut wrong) = (0, 0);
    // Small ones: of few pairs of switches many are of one class.
    let shapes = [
        "PGFT(2;2,3;1,2;1,1)",
        "PGFT(3;1,2,2;1,2,1;1,1,1)",
        "PGFT(3;1,2,4;1,2,2;1,1,1)",
    ];
    let small = [0, 1, 2, 3, 4, 5].map(|seed| {
        let shape: Pgft = shapes[seed % 3].parse().expect("a shape");
        let order = Order {
            seed: Some(seed as u64),
            ..Order::default()
        };
        let whole = build(&shape.into(), order);
        let (less, _) = whole.without_links(1, 1).expect("links enough");
        [whole, less]
    });
    for netlist in netlists().into_iter().chain(small.into_iter().flatten()) {
        let mut routed = Routed::new(&netlist);
        let lids = fabrics::lids(&routed.fabric);
        let listed = (routed.detours.clone(), routed.left_out.clone());
        for _ in 0..2000 {
            let mut tables = routed.tables.clone();
            let switches = routed.fabric.switches().len();
            let [a, b] = [0; 2].map(|_| SwitchId::from(random.below(switches)));
            let (lid, home, _) = lids[random.below(lids.len())];
            let of_home: Vec<Lid> = lids
                .iter()
                .filter(|of| of.1 == home)
                .map(|of| of.0)
                .collect();
            match random.below(5) {
                0 => tables.row_mut(b)[lid] = tables.row(a)[lid],
                // A switch where b sends packets has no entries; all but b, and perhaps b, send them elsewhere.
                1 | 2 => {
                    let Some(a) = routed.next(b, lid) else {
                        continue;
                    };
                    let keeps = random.below(2) == 0;
                    for &lid in &of_home {
                        for s in routed.fabric.switches().keys() {
                            if routed.next(s, lid) == Some(a) && !(keeps && s == b) {
                                let other = routed.port(&mut random, s, |_, peer| {
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
                    of_home
                        .iter()
                        .for_each(|&lid| tables.row_mut(a)[lid] = NO_PATH);
                    tables.row_mut(b)[lid] = NO_PATH;
                    routed.left_out.push((a, home));
                }
                _ => {
                    let port = routed.port(&mut random, a, |_, peer| peer != Peer::None);
                    for s in [a, b] {
                        tables.row_mut(s)[lid] = port.unwrap_or(1);
                    }
                    routed.detours.push((a, home));
                }
            }
            routed.left_out.sort_unstable();
            routed.detours.sort_unstable();
            let found = routed.prove(&tables);
            let is_cycle = matches!(
                found,
                Err(Refuted {
                    reason: Reason::Cycle(_),
                    ..
                })
            );
            let is_right = is_claimed(&routed, &tables);
            assert!(is_cycle || found.is_ok() == is_right, "{found:?}");
            (right, wrong) = (right + u32::from(is_right), wrong + u32::from(!is_right));
            (routed.detours, routed.left_out) = listed.clone();
        }
    }
    assert!(right > 300 && wrong > 300, "{right}, {wrong}");
}

/// Rows that are alike but for one entry: in each block the spines know all other entries.
#[test]
fn a_wrong_entry_among_known_ones_is_found() {
    let whole = pgft("PGFT(2;8,16;1,4;1,1)");
    let (less, _) = whole.without_links(1, 1).expect("links enough");
    for netlist in [whole, less] {
        let routed = Routed::new(&netlist);
        let mut tables = routed.tables.clone();
        for s in routed.fabric.switches().keys() {
            let row = tables.row(s).to_owned();
            for lid in (1..tables.width()).map(Lid::from) {
                tables.row_mut(s)[lid] = 254;
                assert!(routed.prove(&tables).is_err(), "{s:?} {lid}");
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

#[test]
fn roots_need_entries_for_one_another_if_they_are_connected() {
    let routed = Routed::new(&pgft("PGFT(2;2,2;1,2;1,1)"));
    let claim = Claim {
        order: &routed.order,
        detours: Some(&routed.detours),
        left_out: &routed.left_out,
        connect_roots: true,
    };
    let refuted =
        prove(&routed.fabric, &rows(&routed.tables), &claim).expect_err("roots lack them");
    assert_eq!(refuted.reason, Reason::Hole);
}

/// Of ends more than 126 hops apart no switch on the way has an entry, and the list says so.
#[test]
fn a_chain_that_is_too_long_is_left_out_whole() {
    let links: Vec<(u32, u32)> = (1..140).map(|s| (s - 1, s)).collect();
    let routed = Routed::on(fabrics::Net::new(&links, &[0, 0, 139, 139]).build());
    let proven = routed.prove(&routed.tables).expect("sound");
    assert!(proven.left_out > 0);
}

/// Two leaves below a spine, twice: between the two nobody needs an entry, and none is right.
#[test]
fn pairs_that_no_links_join_need_not_be_listed() {
    let net = fabrics::Net::new(&[(0, 1), (0, 2), (3, 4), (3, 5)], &[1, 2, 4, 5]);
    let routed = Routed::on(net.build());
    assert_eq!(routed.left_out, []);
    let proven = routed.prove(&routed.tables).expect("sound");
    assert_eq!(proven.left_out, 0);
    for (lid, home, _) in fabrics::lids(&routed.fabric) {
        let apart = (0..6).filter(|&s| (s < 3) != (home.0 < 3));
        for (s, port) in apart.flat_map(|s| (0..4).map(move |port| (SwitchId(s), port))) {
            let mut tables = routed.tables.clone();
            tables.row_mut(s)[lid] = port;
            assert!(routed.prove(&tables).is_err(), "{s:?} {lid}: {port}");
        }
    }
}

/// Each of the four LIDs of a port is a LID of its own: at its switch, no other entry will do.
#[test]
fn all_lids_of_a_port_are_looked_at() {
    let (fabric, _) = pgft("PGFT(2;2,3;1,2;1,1)")
        .to_fabric(Some(2))
        .expect("LIDs");
    let routed = Routed::on(fabric);
    routed.prove(&routed.tables).expect("sound");
    for node in routed.fabric.end_nodes() {
        for lid in (0..4).map(|i| Lid(node.lid.0 + i)) {
            for wrong in [NO_PATH, 0, node.port.0 % 2 + 1] {
                let mut tables = routed.tables.clone();
                tables.row_mut(node.switch)[lid] = wrong;
                let refuted = routed.prove(&tables).expect_err("wrong at its switch");
                assert_eq!(
                    (refuted.lid, refuted.switch),
                    (lid, routed.fabric.guid(node.switch))
                );
            }
        }
    }
}

/// An absent node's LID leads to the port where it was, though that is dark, and to no other.
#[test]
fn an_absent_node_is_awaited_at_its_port() {
    let (whole, _) = pgft("PGFT(2;3,3;1,2;1,1)").to_fabric(None).expect("LIDs");
    let mut b = Builder::default();
    whole.switches().iter().for_each(|s| {
        b.switch(s.guid, s.lid, s.lmc, s.ports);
    });
    whole.links().for_each(|[near, far]| b.link(near, far));
    let (gone, stay): (Vec<_>, Vec<_>) = whole
        .end_nodes()
        .iter()
        .cloned()
        .partition(|n| n.port.0 == 2);
    stay.into_iter().for_each(|node| b.end_node(node));
    let (mut fabric, _) = b.finish();
    fabric.set_absent(gone.clone());
    let routed = Routed::on(fabric);
    routed.prove(&routed.tables).expect("sound");
    for node in gone {
        assert_eq!(routed.tables.row(node.switch)[node.lid], node.port.0);
        let refuted = |wrong| {
            let mut tables = routed.tables.clone();
            tables.row_mut(node.switch)[node.lid] = wrong;
            routed
                .prove(&tables)
                .expect_err("wrong at its switch")
                .reason
        };
        assert_eq!(refuted(NO_PATH), Reason::Hole);
        assert_eq!(refuted(1), Reason::Port(PortNumber(1)));
    }
}

/// Three spines, two of which have an aggregation node: only these two need entries for one another.
#[test]
fn aggregation_nodes_need_one_another() {
    // The spine without a node comes first: what it lacks is looked at first, and allowed.
    let links = [(3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2)];
    let routed = Routed::on(
        fabrics::Net {
            aggregation: vec![0, 1],
            ..fabrics::Net::new(&links, &[1, 2, 3, 4])
        }
        .build(),
    );
    routed.prove(&routed.tables).expect("sound");
    for (from, to) in [(0, 1), (0, 2), (1, 0), (2, 0), (1, 2), (2, 1)] {
        let (from, to) = (SwitchId(from), SwitchId(to));
        let mut tables = routed.tables.clone();
        let owned = fabrics::lids(&routed.fabric);
        let lids = owned
            .iter()
            .filter(|owned| owned.1 == to)
            .map(|owned| owned.0);
        let lids: Vec<Lid> = lids.collect();
        lids.iter()
            .for_each(|&lid| tables.row_mut(from)[lid] = NO_PATH);
        let found = routed.prove(&tables).map_err(|refuted| refuted.reason);
        let is_needed = from != SwitchId(0) && to != SwitchId(0);
        assert_eq!(
            found.err(),
            is_needed.then_some(Reason::Hole),
            "{from:?} to {to:?}"
        );
        // Listed, it may be missing, and each LID that is needed counts.
        let claim = Claim {
            order: &routed.order,
            detours: Some(&routed.detours),
            left_out: &[(from, to)],
            connect_roots: false,
        };
        let proven = prove(&routed.fabric, &rows(&tables), &claim).expect("listed");
        assert_eq!(proven.left_out, usize::from(is_needed) * lids.len());
    }
}

/// A switch without a LID and without end nodes sends nothing: it may lack all entries.
#[test]
fn a_switch_without_a_lid_needs_no_entry() {
    let mut b = Builder::default();
    let s =
        [(1, 1), (2, 0), (3, 3), (4, 4)].map(|(guid, lid)| b.switch(Guid(guid), Lid(lid), 0, 4));
    for (spine, leaf) in [(0, 2), (0, 3), (1, 2)] {
        b.link(
            (s[spine], PortNumber(leaf as u8)),
            (s[leaf], PortNumber(spine as u8 + 1)),
        );
    }
    for leaf in [2, 3] {
        b.end_node(EndNode {
            guid: Guid(0x10 + leaf as u64),
            lid: Lid(0x10 + leaf as u16),
            lmc: 0,
            kind: NodeKind::Ca,
            switch: s[leaf],
            port: PortNumber(4),
        });
    }
    let routed = Routed::on(b.finish().0);
    routed.prove(&routed.tables).expect("sound");
    let without = |switch: SwitchId| {
        let mut tables = routed.tables.clone();
        tables.row_mut(switch).raw.fill(NO_PATH);
        routed.prove(&tables)
    };
    without(s[1]).expect("nobody sends there");
    without(s[0]).expect_err("its port 0 sends");
}

/// Leaves 2, 3 and 4 below spines 0 and 1. Spine 1 has no entries for leaf 2, and needs none: it has no LID. Leaf 3 has the
/// row of leaf 4, but its ports lead to the other spine.
#[test]
fn switches_that_lack_entries_of_others_are_not_alike() {
    let links = [(2, 0), (2, 1), (3, 1), (3, 0), (4, 0), (4, 1)];
    let fabric = without_lids(&links, &[0, 1], &[2, 3, 4]);
    let mut tables = fabrics::shortest(&fabric);
    let switches = [0, 1, 2, 3, 4].map(SwitchId);
    for (lid, home, _) in fabrics::lids(&fabric) {
        for leaf in &switches[2..] {
            if *leaf != home {
                tables.row_mut(*leaf)[lid] = port_to(&fabric, *leaf, switches[0]).0;
            }
        }
        if home == switches[2] {
            tables.row_mut(switches[1])[lid] = NO_PATH;
        }
    }
    let order = TiVec::from(vec![2, 1, 0, 0, 0]);
    let claim = by_order(&order);
    prove(&fabric, &rows(&tables), &claim).expect("all go by spine 0");
    let port = port_to(&fabric, switches[3], switches[1]);
    for (lid, home, _) in fabrics::lids(&fabric) {
        if home == switches[2] {
            let mut wrong = tables.clone();
            wrong.row_mut(switches[3])[lid] = port.0;
            let refuted = prove(&fabric, &rows(&wrong), &claim).expect_err("a dead end");
            assert_eq!(
                (refuted.switch, refuted.lid, refuted.reason),
                (fabric.guid(switches[3]), lid, Reason::DeadEnd(port))
            );
        }
    }
}

/// A fabric whose switches in `mute` have no LID; each of `hosts` has a host.
fn without_lids(links: &[(u32, u32)], mute: &[u32], hosts: &[u32]) -> Fabric {
    let whole = fabrics::Net::new(links, hosts).build();
    let mut b = Builder::default();
    for (s, switch) in whole.switches().iter_enumerated() {
        let lid = if mute.contains(&s.0) {
            Lid(0)
        } else {
            switch.lid
        };
        b.switch(switch.guid, lid, 0, switch.ports);
    }
    whole.links().for_each(|[near, far]| b.link(near, far));
    whole
        .end_nodes()
        .iter()
        .for_each(|node| b.end_node(node.clone()));
    b.finish().0
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

/// Whether dependencies between channels close a cycle: whether one follows itself, by way of the others.
fn is_cyclic(channels: usize, follows: impl Fn(usize, usize) -> bool) -> bool {
    let all = 0..channels;
    let of = |a| all.clone().map(|b| follows(a, b)).collect();
    let mut reaches: Vec<Vec<bool>> = all.clone().map(of).collect();
    for by in all.clone() {
        for a in all.clone().filter(|&a| a != by) {
            if reaches[a][by] {
                for b in all.clone() {
                    reaches[a][b] = reaches[a][b] || reaches[by][b];
                }
            }
        }
    }
    all.clone().any(|a| reaches[a][a])
}

/// Shortest paths in small fabrics, in any order of switches: whether the proof finds a cycle just where there is one, of
/// the dependencies that the tables have, and of those that the order allows.
#[test]
fn cycles_are_found_where_they_are() {
    let mut random = Random::new(7);
    let mut found = [0; 4];
    for _ in 0..400 {
        // A tree of six switches, with chords; some links are double.
        let mut links: Vec<(u32, u32)> = (1..6)
            .map(|s| (random.below(s as usize) as u32, s))
            .collect();
        for _ in 0..1 + random.below(5) {
            let [a, b] = [0; 2].map(|_| random.below(6) as u32);
            if a != b {
                links.push((a, b));
            }
        }
        let fabric = fabrics::Net::new(&links, &[0, 1, 2, 3, 4, 5]).build();
        let order: TiVec<SwitchId, u32> = (0..6).map(|_| random.below(4) as u32).collect();
        let mut tables = Tables::for_fabric(&fabric);
        let switches: Vec<SwitchId> = fabric.switches().keys().collect();
        for (lid, home, port) in fabrics::lids(&fabric) {
            let mut hops: TiVec<SwitchId, usize> = vec![usize::MAX; 6].into();
            let mut all = std::collections::VecDeque::from([home]);
            hops[home] = 0;
            tables.row_mut(home)[lid] = port.0;
            while let Some(at) = all.pop_front() {
                if at != home {
                    let nearer = fabric.links_of(at).filter(|link| hops[link.1] < hops[at]);
                    let nearer: Vec<PortNumber> = nearer.map(|link| link.0).collect();
                    tables.row_mut(at)[lid] = nearer[random.below(nearer.len())].0;
                }
                for next in fabric.neighbours(at) {
                    if hops[next] == usize::MAX {
                        hops[next] = hops[at] + 1;
                        all.push_back(next);
                    }
                }
            }
        }
        let mut channels: Vec<(SwitchId, SwitchId)> = Vec::new();
        for &s in &switches {
            channels.extend(fabric.neighbours(s).map(|next| (s, next)));
        }
        channels.sort_unstable();
        channels.dedup();
        let next = |s: SwitchId, lid| Some(fabric.far(s, PortNumber(tables.row(s)[lid]))?.0);
        let lids = fabrics::lids(&fabric);
        let has = |a: (SwitchId, SwitchId), b: (SwitchId, SwitchId)| {
            let goes = |&(lid, ..): &(Lid, _, _)| {
                (next(a.0, lid), next(b.0, lid)) == (Some(a.1), Some(b.1))
            };
            a.1 == b.0 && lids.iter().any(goes)
        };
        let is_up = |(a, b): (SwitchId, SwitchId)| (order[a], a) < (order[b], b);
        let is_turn = |a, b| !is_up(a) && is_up(b);
        let is_allowed = |a: (SwitchId, SwitchId), b: (SwitchId, SwitchId)| {
            a.1 == b.0 && a.0 != b.1 && !is_turn(a, b)
        };
        let of = |a: usize, b: usize| (channels[a], channels[b]);
        let has_turns = channels
            .iter()
            .any(|&a| channels.iter().any(|&b| has(a, b) && is_turn(a, b)));
        let used = is_cyclic(channels.len(), |a, b| has(of(a, b).0, of(a, b).1));
        let allowed = has_turns
            && is_cyclic(channels.len(), |a, b| {
                let (a, b) = of(a, b);
                has(a, b) || is_allowed(a, b)
            });
        let pairs: Vec<(SwitchId, SwitchId)> = switches
            .iter()
            .flat_map(|&from| switches.iter().map(move |&to| (from, to)))
            .collect();
        for (detours, is_cyclic) in [(None, used), (Some(&pairs[..]), allowed)] {
            let claim = Claim {
                detours,
                ..by_order(&order)
            };
            match prove(&fabric, &rows(&tables), &claim) {
                Ok(proven) => assert!(!is_cyclic, "{proven:?}"),
                Err(refuted) => {
                    let at = fabric.switch_by_guid(refuted.switch).expect("a switch");
                    let port = PortNumber(tables.row(at)[refuted.lid]);
                    assert_eq!(refuted.reason, Reason::Cycle(port));
                    let below = next(at, refuted.lid).expect("a turn");
                    let above = next(below, refuted.lid).expect("a turn");
                    assert!(is_turn((at, below), (below, above)));
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

/// Each with the least end nodes that make it need entries of a spine: no matter which of its nodes comes last.
#[test]
fn hosts_count_before_aggregation_nodes() {
    for aggregation in [vec![0], vec![1]] {
        let fabric = fabrics::Net {
            aggregation,
            ..fabrics::Net::new(&[(0, 1), (1, 2)], &[0, 0, 2])
        }
        .build();
        let mut tables = fabrics::shortest(&fabric);
        let order = TiVec::from(vec![0, 1, 0]);
        let claim = by_order(&order);
        prove(&fabric, &rows(&tables), &claim).expect("sound");
        let lid = fabric.switches()[SwitchId(1)].lid;
        tables.row_mut(SwitchId(0))[lid] = NO_PATH;
        let refuted = prove(&fabric, &rows(&tables), &claim).expect_err("its host sends there");
        assert_eq!(refuted.reason, Reason::Hole);
    }
}

/// An absent node sends nothing: its switch, a spine, needs no more entries than the other one.
#[test]
fn a_switch_with_an_absent_node_alone_needs_no_entry() {
    let links = [(0, 2), (0, 3), (1, 2), (1, 3)];
    let mut fabric = fabrics::Net::new(&links, &[2, 3]).build();
    let spine = SwitchId(0);
    fabric.set_absent(vec![EndNode {
        guid: Guid(0x100),
        lid: Lid(fabric.max_lid().0 + 1),
        lmc: 0,
        kind: NodeKind::Ca,
        switch: spine,
        port: PortNumber(3),
    }]);
    let routed = Routed::on(fabric);
    let mut tables = routed.tables.clone();
    for (from, to) in [(0, 1), (1, 0)].map(|(from, to)| (SwitchId(from), SwitchId(to))) {
        tables.row_mut(from)[routed.fabric.switches()[to].lid] = NO_PATH;
    }
    tables.row_mut(SwitchId(1))[routed.fabric.max_lid()] = NO_PATH;
    routed.prove(&tables).expect("nobody sends there");
    // Hosts may wait for it: they need entries.
    tables.row_mut(SwitchId(2))[routed.fabric.max_lid()] = NO_PATH;
    let refuted = routed.prove(&tables).expect_err("a host sends there");
    assert_eq!(refuted.reason, Reason::Hole);
}
