//! The table: fabrics, events on them, the options of each sweep, and the changes that are allowed.
//!
//! Without a reference the cables of the other switches show the place of equipment that is gone. So an OpenSM that has
//! never seen the whole fabric computes the same tables. A reference shows what cables cannot show, and drops equipment
//! that was never meant to stay.

use super::events::*;
use super::fabrics::*;
use super::production;
use super::stability::Judged::*;
use super::stability::*;
use super::trees::*;
use super::whole::*;
use super::*;
use crate::long;
use dmodc_fabric::random::Random;

macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident: $fabrics:expr, $events:expr, $ask:expr, $judged:expr, $judges:expr;)*) => {
        $($(#[$doc])* mod $name {
            use super::*;

            #[test]
            fn holds() {
                hold($fabrics, $events, &$ask, $judged, &$judges);
            }
        })*
    };
}

rows! {
    /// A dead switch at an inner port of its neighbours, or at the first or last one where others have a switch,
    /// changes only forced entries. So do pods, planes, line cards and several switches at once.
    switches_die:
        each().map(Whole::pgft), |w| go(w, some_switches(w, &[Where::Inside, Where::Told])), up_down, Steps, [only_forced];
    /// The same with two LIDs for each end node, aggregation nodes and gateways at the top. There, nothing shows a
    /// switch at the first or last port.
    switches_of_furnished_fabrics_die:
        each().map(Whole::furnished), |w| go(w, some_switches(w, &[Where::Inside])), up_down, Steps, [only_forced];
    /// All spines of a plane die: the switches below lose all parents, and other planes show which parents they had.
    the_top_of_a_plane_dies:
        thrown(PLANES, 2).map(Whole::pgft), |w| go(w, tops(w)), up_down, Steps, [only_forced];
    /// A dead leaf changes only forced entries also where its ports lie between those of another leaf.
    leaves_at_interleaved_ports_die:
        interleaved_trees(), |w| go(w, ones(w, (1..7).map(|leaf| w.node(&format!("L1-{leaf}"))))),
        up_down, Steps, [only_forced];
    /// A dead inner leaf, mid, spine or pod leaves a hole also where pods are of unequal size, or one is.
    parts_of_uneven_pods_die:
        throws(3).flat_map(unequal), |w| go(w, parts_of_pods(w)), up_down, Steps, [only_forced];
    /// Lost links, one or ten, change only forced entries.
    links_go:
        each().chain(OF_TWO).map(Whole::pgft), links_go, up_down, Steps, [only_forced];
    /// So do further ones, but that entries that the first have displaced may move.
    further_links_go:
        each().chain(OF_TWO).map(Whole::pgft), further_links_go, up_down, Steps, [only_forced_or_displaced];
    /// A switch that lost its last uplink still counts as a sibling: its leaves have it at the same port as the others.
    the_last_uplink_goes:
        thrown(["PGFT(3;6,3,4;1,3,1;1,1,1)"], 4).map(Whole::pgft), the_last_uplink_goes, up_down, Steps, [only_forced];
    /// An OpenSM that has never seen the whole fabric and one with it as reference compute the same tables.
    a_takeover:
        each().map(Whole::pgft), |w| twice(go(w, some_switches(w, &[Where::Inside]))), taken_over, Anew, [nothing];

    /// New equipment at the end changes only its own entries.
    the_last_leaf_and_the_last_pod_come:
        each().map(Whole::pgft), |w| come(w, the_last(w)), alone, Anew, [only_own];
    /// So do the last leaf of any of uneven pods, and the last pod.
    the_last_of_uneven_pods_comes:
        throws(4).map(|seed| Whole::pods(uneven(seed, 0), seed)), |w| come(w, the_last_of_pods(w)), alone, Anew, [only_own];
    /// With a reference, so does the first leaf beyond those of all pods.
    a_leaf_comes_beyond_all_others:
        throws(2).map(|seed| Whole::pods(one_leaf_more(seed), seed)), |w| come(w, ones(w, [w.node("leaf 0.4")])), auto, Anew, [only_own];
    hosts_come_to_a_new_port:
        each().map(Whole::pgft), hosts_come_to_a_new_port, alone, Steps, [only_own];

    /// A switch of each level is replaced by a box with a GUID below or above all others: only entries of its LID
    /// change. If all get new GUIDs and keep their LIDs, no entry changes.
    switches_are_replaced:
        boxes(), switches_are_replaced, up_down, Steps, [only_own];
    /// With a reference, so it is where nominal ports are counted.
    switches_of_counted_racks_are_replaced:
        throws(3).map(counted_rack), |w| each_is_replaced(w, switches(&w.netlist)), by_reference, Steps, [only_own];
    /// Neither does the reference that then has it move entries of others.
    hosts_come_to_counted_racks:
        throws(3).map(counted_rack), |w| come(w, ones(w, some_of_its_hosts(w))), auto, Anew, [only_own];
    hosts_come_to_a_new_port_of_counted_racks:
        throws(3).map(counted_rack), hosts_come_to_a_new_port, auto, Steps, [only_own];
    /// A host that gets another adapter, or moves to another port of its leaf, changes only its own entries.
    a_host_is_replaced_or_moves:
        each().map(Whole::pgft), a_host_is_replaced_or_moves, alone, Steps, [only_own];
    /// A cable whose lower or upper end moves changes only entries that used the old port.
    a_cable_moves_to_a_spare_port:
        each().map(Whole::pgft), a_cable_moves, up_down, Steps, [only_forced];

    a_wrong_cable_is_pulled_again:
        each().map(Whole::pgft), a_wrong_cable_is_pulled, auto, Return, [nothing];
    /// Switches that are replaced one after the other change only their own entries, and routes get no worse.
    boxes_are_replaced_one_after_the_other:
        cabled(), one_after_the_other_is_replaced, auto, Steps, [only_own, as_good];
    /// A switch that was there for one sweep, and a host that moved and came back, leave nothing in a reference.
    a_visitor_that_has_left_leaves_nothing:
        cabled().filter(|w| !w.what.contains("random")), a_visitor_leaves, auto, Return, [only_own, nothing_more_is_known];
    /// Dead equipment at the edge of the used ports, or with random cables, changes only forced entries.
    a_reference_keeps_places_that_cables_do_not_show:
        cabled(), |w| go(w, the_edge(w)), by_reference, Steps, [only_forced];
    /// A new leaf changes only its own entries, at any port, even with cables at random.
    a_new_leaf_is_new:
        cabled(), |w| come(w, ones(w, [w.last_leaf(), w.node("L1-1")])), auto, Anew, [only_own];

    /// No single lost link changes the levels of small trees, or makes Dmodc refuse one; and a host that goes
    /// afterwards changes only its own entries.
    a_link_of_a_small_tree_goes:
        small_trees(throws(3).chain(LEAVES_WITHOUT_A_LINK)), a_link_goes, up_down, Steps,
        [levels_stay, then_a_host_goes];
    a_host_of_a_small_tree_goes:
        small_trees(throws(3)), |w| go(w, some_hosts(w)), up_down, Steps, [levels_stay, only_own, then_a_host_goes];
    /// A cable between two leaves changes no level, whether Dmodc uses it or not.
    a_cable_joins_leaves:
        small_trees(throws(3)), a_cable_joins_leaves, up_down, Steps, [levels_stay, then_a_host_goes];
    joined_leaves_lose_their_hosts:
        small_trees(throws(3)), joined_leaves_lose_their_hosts, up_down, Anew, [levels_stay, own_but_on_upper];
    joined_leaves_lose_their_hosts_with_roots_given:
        small_trees(throws(3)), joined_leaves_lose_their_hosts, roots_given, Anew, [levels_stay, own_but_on_upper];
    /// A mid switch with a gateway keeps its level. Its leaves may have a cable to another pod.
    a_gateway_loses_its_only_uplink:
        throws(8).map(gateway_on_one_uplink), a_mid_loses_its_uplink, up_down, Steps, [levels_stay, then_a_host_goes];
    /// Levels do not depend on GUIDs.
    all_boxes_of_a_small_tree_are_replaced:
        small_trees(throws(3)), all_are_replaced, up_down, Steps, [levels_stay, then_a_host_goes];

    /// Hosts that leave never change levels, and change only their own entries, also when they come back; for an OpenSM
    /// that has not seen them before, they come up for the first time.
    hosts_of_production_fabrics_go:
        production::trees(), |w| go(w, production::some_hosts(w)), auto, Steps, [only_own, levels_stay, and_back];
    hosts_of_generated_fabrics_go:
        throws(2).chain(WITHOUT_AN_END).chain([MORE_BELOW]).flat_map(generated), |w| go(w, hosts_of_some_leaves(w)), alone, Steps,
        [only_own, levels_stay, and_back];
    /// A mid switch with a gateway keeps its level when all hosts of its pod go, or all but those of one leaf.
    hosts_of_a_pod_with_a_gateway_go:
        throws(6).map(gateway_in_a_pod), |w| go(w, hosts_of_pod_1(w)), alone, Steps, [only_own, levels_stay, and_back];
}

/// Each event with its only fabric twice: two OpenSMs see it.
fn twice(mut events: Vec<stability::Event>) -> Vec<stability::Event> {
    for (_, path) in &mut events {
        path.push(path[0].clone());
    }
    events
}

/// Shapes that have planes at the top.
const PLANES: [&str; 5] = [
    "PGFT(3;4,4,5;1,4,1;1,1,1)",
    "PGFT(3;5,3,4;1,5,1;1,1,2)",
    "PGFT(3;4,4,4;1,3,3;1,1,1)",
    "PGFT(4;2,3,3,4;1,3,1,3;1,1,1,1)",
    "PGFT(4;3,2,3,3;1,3,3,1;1,1,2,1)",
];
/// Seeds with which a switch loses links to several parents, to each of which it has two.
const OF_TWO: [(&str, u64); 2] = [
    ("PGFT(3;6,4,5;1,3,4;1,2,1)", 4),
    ("PGFT(4;4,4,4,4;1,3,3,4;1,2,1,1)", 7),
];
/// Seeds where Dmodc once took upper switches with hosts or gateways for leaves, after a link was lost.
const LEAVES_WITHOUT_A_LINK: [u64; 2] = [32, 36];
/// Seeds of uneven pods where the votes for slots decrease from port to port, without a clear end.
const WITHOUT_AN_END: [u64; 2] = [7, 9];
/// A seed of three levels that leaves 36 hosts at the lower half of the ports and 24 at the upper.
const MORE_BELOW: u64 = 12;

/// Each shape with regular cables, and with cables at random.
fn cabled() -> impl Iterator<Item = Whole> {
    let shapes = small(SHAPES, 200).map(|shape| (shape, 1));
    shapes.flat_map(|shape| [Whole::pgft(shape), Whole::shuffled(shape)])
}

/// A rack of two ranks whose groups have one to three links.
fn counted_rack(seed: u64) -> Whole {
    let mut whole = Whole::pgft(("PGFT(2;6,6;1,3;1,3)", seed));
    (whole.netlist, _) = whole.netlist.without_links(14, seed).expect("links");
    whole
}

/// Six pods of four leaves, the first with one more.
fn one_leaf_more(seed: u64) -> Pods {
    Pods {
        leaves: vec![5, 4, 4, 4, 4, 4],
        ..uneven(seed, 0)
    }
}

fn some_of_its_hosts(whole: &Whole) -> Vec<u32> {
    let nodes = (0..).zip(&whole.netlist.nodes);
    let hosts = nodes.filter(|(_, node)| node.kind != Kind::Switch);
    hosts.map(|(node, _)| node).step_by(5).collect()
}

/// PGFTs, furnished ones, uneven pods, and such with leaves on spines.
fn boxes() -> impl Iterator<Item = Whole> {
    let trees = each().flat_map(|shape| [Whole::pgft(shape), Whole::furnished(shape)]);
    let uneven = |seed| [0, 2].map(|on_spines| Whole::pods(uneven(seed, on_spines), seed));
    trees.chain(throws(3).flat_map(uneven))
}

fn interleaved_trees() -> impl Iterator<Item = Whole> {
    [2, 4].into_iter().flat_map(|links| {
        let shape = format!("PGFT(2;6,8;1,3;1,{links})");
        throws(2).map(move |seed| {
            let mut whole = Whole::pgft((&shape, seed));
            whole.netlist = interleaved(&whole.netlist, links);
            whole
        })
    })
}

/// With hosts on upper switches too, levels stay, but in 4 of 630 cases entries of other LIDs change.
fn own_but_on_upper(step: &Step, found: &mut Findings) {
    if !step.whole.what.starts_with("hosts on upper") {
        only_own(step, found);
    }
}

/// The spines of pods are the roots.
fn roots_given(whole: &Netlist, _: &[std::rc::Rc<Routed>]) -> Options {
    let tops = whole.switches();
    let tops = tops.filter(|n| n.description.starts_with("spine"));
    Options {
        root_guids: tops.map(|node| node.guid).collect(),
        ..up_down(whole, &[])
    }
}

/// Pods of unequal size, and such of which one alone differs.
fn unequal(seed: u64) -> impl Iterator<Item = Whole> {
    let kinds = [(false, (6, 12)), (false, (8, 8)), (true, (8, 8))];
    kinds.into_iter().map(move |(are_alike, hosts)| {
        let mut pods = uneven(seed, 0);
        pods.hosts = hosts;
        if are_alike {
            pods.leaves = vec![7; 4];
            pods.leaves[seed as usize % 4] = 5 + 4 * (seed as usize % 2);
        }
        Whole::pods(pods, seed)
    })
}

/// With node types, a dead upper switch changes only forced entries; a replaced one, and a node that goes, only own
/// ones.
#[test]
fn stable_with_node_types() {
    for shape in [SHAPES[2], SHAPES[5], SHAPES[7]] {
        let whole = || [Whole::pgft((shape, 1))];
        let random = &mut Random::stream(1, 9);
        for which in types::WHICH {
            let [drawn] = whole();
            let io = types::io_nodes(&drawn.netlist, which, 1);
            let asked = types::options(&drawn.netlist, &io, false, Faults::Stable);
            let upper = (2..=drawn.levels).filter_map(|l| drawn.switch(l, Where::Inside, random));
            let upper: Vec<u32> = upper.collect();
            let host = loop {
                let host = a_host(&drawn.netlist, random);
                if !io.contains(&host) {
                    break host;
                }
            };
            let ask: Ask = &|_, _| asked.clone();
            let die = |w: &Whole| go(w, ones(w, upper.iter().copied()));
            hold(whole(), die, ask, Steps, &[only_forced]);
            let change = |w: &Whole| {
                let mut events = each_is_replaced(w, upper.iter().copied());
                events.extend(go(w, ones(w, [host, io[io.len() / 2]])));
                events
            };
            hold(whole(), change, ask, Steps, &[only_own]);
        }
    }
}

/// On regular production fabrics a replaced switch changes only its own entries, and detours, which go by GUIDs; a dead
/// inner one only forced ones, and in the director some others do so without a reference.
#[test]
fn switches_of_production_fabrics() {
    if long::runs("production fabrics of more than 20 switches") {
        let replaced = |w: &Whole| each_is_replaced(w, production::some(w, 6, |_| true));
        hold(
            production::regular(),
            replaced,
            &up_down,
            Steps,
            &[only_own],
        );
        let dead = |w: &Whole| go(w, ones(w, production::inner_ones(w)));
        hold(
            production::regular(),
            dead,
            &by_reference,
            Steps,
            &[nearly_only_forced],
        );
        let places = [&production::OF_RARE_PORTS[..], &production::OF_TIED_PLANES].concat();
        let dead = |w: &Whole| go(w, ones(w, production::at(w, &places)));
        hold(
            production::regular(),
            dead,
            &alone,
            Steps,
            &[nearly_only_forced],
        );
    }
}

/// Seeds of trees in which a root carries as many hosts as most leaves.
const ROOTS_LIKE_LEAVES: [u64; 2] = [20, 22];

/// In a whole small tree the leaves of all pods are at the bottom, mids above them and spines at the top.
#[test]
fn levels_are_as_drawn() {
    let mut found = Findings::default();
    for whole in small_trees(throws(4).chain(ROOTS_LIKE_LEAVES)) {
        let routed = Routed::up_down(&whole.netlist);
        let mut levels = routed.levels();
        levels.retain(|place, level| {
            let expected = match place.split([' ', '-']).next() {
                Some("leaf" | "L1") => 0,
                Some("mid" | "L2") => 1,
                _ => 2,
            };
            // A leaf on spines may have any level.
            *level != expected && !place.starts_with("leaf on spines")
        });
        found.add(levels.is_empty(), format!("{}: {levels:?}", whole.what));
    }
}
