//! While tables change: what packets meet, held to a literal reading, and what Dmodc promises of it.

mod naive;

use dmodc::analysis::{Between, Block, Harm, between, blocks_as_sent};
use dmodc::dmodc::{Engine, Faults, OnUnreachable, Options};
use dmodc::fabric::{Fabric, Lid};
use dmodc::lft::{NO_PATH, Tables};
use dmodc::netlist::generate::{Order, Pgft, build};
use dmodc::netlist::{Kind, Netlist, Part};
use dmodc::random::Random;

/// 100 nodes, 20 leaves of 5, three levels; 72 nodes, two levels; parallel links; the paper's Figure 1.
const SHAPES: [&str; 4] = [
    "PGFT(3;5,5,4;1,3,3;1,1,1)",
    "PGFT(2;6,12;1,6;1,1)",
    "PGFT(2;4,6;1,2;1,2)",
    "PGFT(3;2,2,3;1,2,2;1,2,1)",
];

fn shape(shape: &str, seed: u64) -> Netlist {
    let shape: Pgft = shape.parse().expect("a shape");
    let order = Order {
        seed: Some(seed),
        lids: true,
    };
    build(&shape.into(), order)
}

fn routed(netlist: &Netlist, faults: Faults) -> (Fabric, Tables) {
    asked(netlist, faults, OnUnreachable::default())
}

fn asked(netlist: &Netlist, faults: Faults, on_unreachable: OnUnreachable) -> (Fabric, Tables) {
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    let options = Options {
        faults,
        on_unreachable,
        ..Options::default()
    };
    let engine = Engine::new(1).expect("a thread");
    let plan = engine.plan(&fabric, &options).expect("a tree");
    let mut tables = Tables::for_fabric(&fabric);
    let filled = engine.fill(&fabric, &plan, &mut tables.rows_mut());
    filled.expect("tables that fit");
    (fabric, tables)
}

/// Something that goes: its name, and the fabric without it.
struct Event {
    what: &'static str,
    without: Netlist,
}

/// One of each kind, drawn.
fn events(whole: &Netlist, random: &mut Random) -> Vec<Event> {
    let of_kind = |wanted: Kind| -> Vec<u32> {
        let nodes = (0..).zip(&whole.nodes);
        nodes
            .filter(|(_, n)| n.kind == wanted)
            .map(|(i, _)| i)
            .collect()
    };
    let carries = |&s: &u32| {
        let mut peers = whole.nodes[s as usize].ports.iter().map(|p| p.peer);
        peers.any(|p| whole.nodes[p as usize].kind != Kind::Switch)
    };
    let (leaves, others): (Vec<u32>, Vec<u32>) =
        of_kind(Kind::Switch).into_iter().partition(carries);
    let hosts = of_kind(Kind::Ca);
    let mut links = whole.links_between_switches();
    random.shuffle(&mut links);
    let at_leaf = |link: &&[(u32, u8); 2]| link.iter().any(|(n, _)| leaves.contains(n));
    let mut one = |of: &[u32]| Part::Node(of[random.below(of.len())]);
    let parts = [
        ("a host", vec![one(&hosts)]),
        ("a spine", vec![one(&others)]),
        ("a leaf", vec![one(&leaves)]),
        (
            "a leaf uplink",
            links
                .iter()
                .find(at_leaf)
                .map(|&l| Part::Link(l))
                .into_iter()
                .collect(),
        ),
        (
            "an upper link",
            links
                .iter()
                .find(|l| !at_leaf(l))
                .map(|&l| Part::Link(l))
                .into_iter()
                .collect(),
        ),
        (
            "some links",
            links[..links.len() / 20 + 1]
                .iter()
                .map(|&l| Part::Link(l))
                .collect(),
        ),
    ];
    let events = parts.into_iter().filter(|(_, parts)| !parts.is_empty());
    events
        .map(|(what, parts)| Event {
            what,
            without: whole.without(&parts),
        })
        .collect()
}

fn as_sent(before: &(Fabric, Tables), after: &(Fabric, Tables)) -> Between {
    let (before, after) = ((&before.0, &before.1), (&after.0, &after.1));
    between(before, after, &blocks_as_sent(before, after))
}

/// Writes nonsense into some entries.
fn spoil(tables: &mut Tables, random: &mut Random) {
    let (switches, width) = (tables.len(), tables.width());
    for _ in 0..random.below(30) {
        let (switch, lid) = (random.below(switches) as u32, random.below(width));
        tables.row_mut(switch)[lid] = match random.below(4) {
            0 => NO_PATH,
            _ => random.below(9) as u8,
        };
    }
}

#[test]
fn what_packets_meet_is_what_a_literal_reading_says() {
    let mut random = Random::new(1);
    let mut met = [0; 5];
    for case in 0..12 {
        let shape = shape(SHAPES[2 + case % 2], case as u64);
        let faults = [Faults::Stable, Faults::Paper][case / 2 % 2];
        for event in events(&shape, &mut random) {
            let mut sides = [routed(&shape, faults), routed(&event.without, faults)];
            if case % 3 > 0 {
                sides
                    .iter_mut()
                    .for_each(|(_, tables)| spoil(tables, &mut random));
            }
            if random.below(2) == 0 {
                sides.reverse();
            }
            let [before, after] = [0, 1].map(|i| (&sides[i].0, &sides[i].1));
            let mut order: Vec<Block> = blocks_as_sent(before, after);
            if case % 2 == 0 {
                random.shuffle(&mut order);
            }
            let found = between(before, after, &order);
            assert_eq!(
                found,
                naive::between(before, after, &order),
                "{}",
                event.what
            );
            for (met, harm) in met.iter_mut().zip(Harm::ALL) {
                *met += found.standing.met(harm) + found.cut.met(harm);
            }
        }
    }
    assert!(
        met.iter().all(|&count| count > 0),
        "some harm was never met: {met:?}"
    );
}

#[test]
fn blocks_are_those_that_differ() {
    let whole = shape(SHAPES[0], 3);
    for event in events(&whole, &mut Random::new(3)) {
        let (before, after) = (
            routed(&whole, Faults::Stable),
            routed(&event.without, Faults::Stable),
        );
        let order = blocks_as_sent((&before.0, &before.1), (&after.0, &after.1));
        let mut differing = 0;
        for (s, switch) in (0..).zip(after.0.switches()) {
            let was = before.0.switch_by_guid(switch.guid).expect("it was there");
            for block in 0..=after.0.max_lid().index().max(before.0.max_lid().index()) / 64 {
                let mut lids = (block * 64..block * 64 + 64).map(|lid| Lid(lid as u16));
                differing += usize::from(lids.any(|l| before.1.get(was, l) != after.1.get(s, l)));
            }
        }
        assert_eq!(order.len(), differing, "{}", event.what);
        assert!(order.is_sorted_by_key(|block| block.number));
    }
}

/// With stable routes, what stands when something goes is not touched.
///
/// What comes back takes its routes back, and its links are not ACTIVE before all tables are sent. Without
/// turning ways, packets may be dropped meanwhile, but none loops and no circle closes. With them (a switch
/// that has no way down to a leaf, and now goes down and up again to it) both can happen.
#[test]
fn stable_routes_hurt_nobody_who_need_not_change() {
    for (shape, seed) in SHAPES.into_iter().zip(1..) {
        let whole = self::shape(shape, seed);
        for Event { what, without } in events(&whole, &mut Random::new(seed)) {
            for ways in [OnUnreachable::Connect, OnUnreachable::Partial] {
                let [full, less] = [&whole, &without].map(|net| asked(net, Faults::Stable, ways));
                let (goes, comes) = (as_sent(&full, &less), as_sent(&less, &full));
                let what = format!("{shape}, {ways:?}: {what}");
                println!("{what} goes: {goes:?}\n{what} comes back: {comes:?}");
                assert_eq!((goes.standing.hurt, comes.cut.pairs), (0, 0), "{what}");
                assert_eq!(comes.standing.met(Harm::DeadLink), 0, "{what}");
                if ways == OnUnreachable::Partial {
                    let loops = |found: &Between| {
                        found.standing.met(Harm::Loop) + found.cut.met(Harm::Loop)
                    };
                    assert_eq!((loops(&goes), goes.circling), (0, 0), "{what}");
                    assert_eq!((loops(&comes), comes.circling), (0, 0), "{what}");
                }
            }
        }
    }
}
