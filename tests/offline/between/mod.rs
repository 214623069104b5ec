//! Packets while tables change: `dmodc_analysis::between` equals a literal reading, and Dmodc keeps its promises.

mod naive;

use crate::design::fabrics::{carriers, switches};
use crate::routed::{Routed, pgft};
use dmodc_analysis::between::{Between, Block, Harm, between, blocks_as_sent, in_any_order};
use dmodc_core::{Faults, OnUnreachable, Options};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Lid, NO_PATH, SwitchId, Tables};
use dmodc_formats::netlist::{Kind, Netlist, Part};

/// 100 nodes, 20 leaves of 5, three levels; 72 nodes, two levels; parallel links; the paper's Figure 1.
const SHAPES: [&str; 4] = [
    "PGFT(3;5,5,4;1,3,3;1,1,1)",
    "PGFT(2;6,12;1,6;1,1)",
    "PGFT(2;4,6;1,2;1,2)",
    "PGFT(3;2,2,3;1,2,2;1,2,1)",
];

fn routed(netlist: &Netlist, faults: Faults, on_unreachable: OnUnreachable) -> Routed {
    let options = Options {
        faults,
        on_unreachable,
        ..Options::default()
    };
    Routed::by_options(netlist, &options)
}

/// One event of each kind, drawn: its name, and the fabric without the equipment that goes.
fn events(whole: &Netlist, random: &mut Random) -> Vec<(&'static str, Netlist)> {
    let leaves = carriers(whole);
    let mut others = switches(whole);
    others.retain(|s| !leaves.contains(s));
    let hosts = (0..whole.nodes.len() as u32).filter(|&n| whole.nodes[n as usize].kind == Kind::Ca);
    let hosts: Vec<u32> = hosts.collect();
    let mut links = whole.links_between_switches();
    random.shuffle(&mut links);
    let (at_leaf, above): (Vec<Part>, Vec<Part>) = (links.iter().map(|&link| Part::Link(link)))
        .partition(
            |part| matches!(part, Part::Link(ends) if ends.iter().any(|(n, _)| leaves.contains(n))),
        );
    let some = links[..links.len() / 20 + 1].iter();
    let mut one = |of: &[u32]| vec![Part::Node(of[random.below(of.len())])];
    let parts = [
        ("a host", one(&hosts)),
        ("a spine", one(&others)),
        ("a leaf", one(&leaves)),
        ("a leaf uplink", at_leaf[..1].to_vec()),
        ("an upper link", above.into_iter().take(1).collect()),
        ("some links", some.map(|&link| Part::Link(link)).collect()),
    ];
    let events = parts.into_iter().filter(|(_, parts)| !parts.is_empty());
    events
        .map(|(what, parts)| (what, whole.without(&parts)))
        .collect()
}

fn as_sent(before: &Routed, after: &Routed) -> Between {
    let (before, after) = (before.pair(), after.pair());
    between(before, after, &blocks_as_sent(before, after))
}

/// Writes random ports into some entries.
fn spoil(tables: &mut Tables, random: &mut Random) {
    let (switches, width) = (tables.len(), tables.width());
    for _ in 0..random.below(30) {
        let switch = SwitchId::from(random.below(switches));
        tables.row_mut(switch)[Lid::from(random.below(width))] = match random.below(4) {
            0 => NO_PATH,
            _ => random.below(9) as u8,
        };
    }
}

#[test]
fn the_mixer_agrees_with_following_each_packet() {
    let mut random = Random::new(1);
    let mut met = [0; 5];
    for case in 0..12 {
        let shape = pgft(SHAPES[2 + case % 2], case as u64);
        let faults = [Faults::Stable, Faults::Paper][case / 2 % 2];
        for (what, without) in events(&shape, &mut random) {
            let mut sides =
                [&shape, &without].map(|net| routed(net, faults, OnUnreachable::default()));
            if case % 3 > 0 {
                sides
                    .iter_mut()
                    .for_each(|side| spoil(&mut side.tables, &mut random));
            }
            if random.below(2) == 0 {
                sides.reverse();
            }
            let [before, after] = [0, 1].map(|i| sides[i].pair());
            let mut order: Vec<Block> = blocks_as_sent(before, after);
            if case % 2 == 0 {
                random.shuffle(&mut order);
            }
            let found = between(before, after, &order);
            assert_eq!(found, naive::between(before, after, Some(&order)), "{what}");
            let any = in_any_order(before, after);
            assert_eq!(any, naive::between(before, after, None), "{what}");
            assert!(any.standing.hurt >= found.standing.hurt, "{what}");
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

/// When equipment goes, no pair whose old route still works loses a packet (`faults=stable`).
///
/// Equipment that comes back gets its routes back, and its links are not ACTIVE before all tables are sent. Under
/// `partial` packets may be dropped meanwhile, but none loops and no cycle closes. Under `connect` both can happen: a
/// switch without a path down to a leaf then has a detour to it.
#[test]
fn stable_routes_harm_no_standing_pair() {
    for (shape, seed) in SHAPES.into_iter().zip(1..) {
        let whole = pgft(shape, seed);
        for (what, without) in events(&whole, &mut Random::new(seed)) {
            for ways in [OnUnreachable::Connect, OnUnreachable::Partial] {
                let [full, less] = [&whole, &without].map(|net| routed(net, Faults::Stable, ways));
                let (goes, comes) = (as_sent(&full, &less), as_sent(&less, &full));
                let what = format!("{shape}, {ways:?}: {what}");
                println!("{what} goes: {goes:?}\n{what} comes back: {comes:?}");
                assert_eq!((goes.standing.hurt, comes.cut.pairs), (0, 0), "{what}");
                assert_eq!((goes.dropped, comes.dropped), (0, 0), "{what}");
                assert_eq!(comes.standing.met(Harm::DeadLink), 0, "{what}");
                if ways == OnUnreachable::Partial {
                    let loops = |found: &Between| {
                        found.standing.met(Harm::Loop) + found.cut.met(Harm::Loop)
                    };
                    assert_eq!((loops(&goes), goes.cyclic), (0, 0), "{what}");
                    assert_eq!((loops(&comes), comes.cyclic), (0, 0), "{what}");
                }
            }
        }
    }
}
