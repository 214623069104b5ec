//! What happens to a fabric: equipment that goes, comes, moves or is replaced.

use super::fabrics::*;
use super::stability::Event;
use super::whole::*;
use super::*;
use dmodc_fabric::random::Random;
use dmodc_formats::netlist::Part;

/// Equipment that goes or comes together: its name, and its nodes.
pub type Group = (String, Vec<u32>);

/// Each of these groups goes, as far as there is one.
pub fn go(whole: &Whole, groups: impl IntoIterator<Item = Group>) -> Vec<Event> {
    let event = |(what, gone): Group| (what + " gone", vec![whole.netlist.without_nodes(&gone)]);
    groups.into_iter().map(event).collect()
}

/// The fabric without each of these groups, whose GUIDs lie anywhere among the others; then with it, for two sweeps. By
/// the third, a reference has it too.
pub fn come(whole: &Whole, groups: impl IntoIterator<Item = Group>) -> Vec<Event> {
    let event = |(what, new): Group| {
        let [less, more] = [whole.netlist.without_nodes(&new), whole.netlist.clone()];
        (what + " new", vec![less, more.clone(), more])
    };
    groups.into_iter().map(event).collect()
}

/// Single nodes, named by their places.
pub fn ones(whole: &Whole, nodes: impl IntoIterator<Item = u32>) -> Vec<Group> {
    let one = |node| (whole.place(node).to_owned(), vec![node]);
    nodes.into_iter().map(one).collect()
}

/// A switch of each level, at a place of each of these kinds; a pod, a plane, line cards, and a switch of each level at
/// once.
pub fn some_switches(whole: &Whole, which: &[Where]) -> Vec<Group> {
    let random = &mut Random::stream(whole.seed, 9);
    let drawn = which
        .iter()
        .flat_map(|&which| whole.switches(which, random));
    let mut groups = ones(whole, drawn.collect::<Vec<u32>>());
    let mut add = |what: String, gone: Option<Vec<u32>>| groups.extend(Some(what).zip(gone));
    add("pod".into(), whole.pod(random));
    add("plane".into(), whole.plane(random));
    for level in 1..=whole.levels {
        let cards = whole.line_card(level, random);
        add(format!("line card of level {level}"), cards);
    }
    let several = whole.switches(Where::Inside, random);
    let several = (several.len() > 1).then_some(several);
    add("a switch of each level".into(), several);
    groups
}

pub fn tops(whole: &Whole) -> Vec<Group> {
    let top = |plane| (format!("the top of plane {plane}"), whole.top_of(plane));
    (0..whole.planes()).map(top).collect()
}

/// Mids, a spine, an inner leaf of each pod, the spines of a plane; of pods whose leaves are equal, one.
pub fn parts_of_pods(whole: &Whole) -> Vec<Group> {
    let pods = whole.pods.as_ref().expect("pods");
    let random = &mut Random::stream(whole.seed, 9);
    let mut places: Vec<String> = ["mid 2.1", "mid 2.2", "spine 1.1", "spine 2.1"]
        .map(String::from)
        .into();
    for (pod, &leaves) in pods.leaves.iter().enumerate().filter(|(_, l)| **l > 2) {
        places.push(format!("leaf {pod}.{}", 1 + random.below(leaves - 2)));
    }
    let mut groups = ones(whole, places.iter().map(|place| whole.node(place)));
    let spines = (0..pods.spines).map(|nth| whole.node(&format!("spine 1.{nth}")));
    groups.push(("the spines of a plane".to_owned(), spines.collect()));
    if pods.hosts.0 == pods.hosts.1 {
        let inner = 1 + random.below(pods.leaves.len() - 2);
        groups.push((format!("pod {inner}"), pod(&whole.netlist, inner)));
    }
    groups
}

/// The last leaf, and the first switches of some levels: equipment at the edge of the used ports.
pub fn the_edge(whole: &Whole) -> Vec<Group> {
    let top = format!("L{}-0", whole.levels);
    let first = ["L1-0", "L2-0", &top].map(|place| whole.node(place));
    let mut groups = ones(whole, [whole.last_leaf()].into_iter().chain(first));
    groups.extend((whole.levels > 2).then(|| ("the last pod".to_owned(), whole.last_pod())));
    groups
}

/// The last leaf, the last pod, half of the hosts of the last leaf.
pub fn the_last(whole: &Whole) -> Vec<Group> {
    let leaf = whole.last_leaf();
    let hosts = hosts_of(&whole.netlist, leaf);
    let half = hosts[hosts.len() / 2..].to_vec();
    let groups = [
        ("the last leaf", vec![leaf]),
        ("the last pod", whole.last_pod()),
        ("half of the hosts of the last leaf", half),
    ];
    groups.map(|(what, new)| (what.to_owned(), new)).into()
}

pub fn the_last_of_pods(whole: &Whole) -> Vec<Group> {
    let pods = whole.pods.as_ref().expect("pods");
    let leaf = |(pod, leaves)| whole.node(&format!("leaf {pod}.{}", leaves - 1));
    let mut groups = ones(whole, pods.leaves.iter().enumerate().map(leaf));
    let last = pod(&whole.netlist, pods.leaves.len() - 1);
    groups.push(("the last pod".into(), last));
    groups
}

/// The hosts on upper switches, each alone, and three of the others.
pub fn some_hosts(whole: &Whole) -> Vec<Group> {
    let mut hosts = of_leaves(&whole.netlist, &carriers(&whole.netlist));
    Random::stream(whole.seed, 7).shuffle(&mut hosts);
    let on_leaf =
        |h: &u32| whole.place(*h).starts_with("leaf") || whole.place(*h).starts_with("L1");
    let (leaf, upper): (Vec<u32>, Vec<u32>) = hosts.into_iter().partition(on_leaf);
    ones(whole, upper.into_iter().chain(leaf.into_iter().take(3)))
}

pub fn of_leaves(netlist: &Netlist, leaves: &[u32]) -> Vec<u32> {
    let hosts = leaves.iter().flat_map(|&leaf| hosts_of(netlist, leaf));
    hosts.collect()
}

/// One lost link, then two, then ten.
pub fn links_go(whole: &Whole) -> Vec<Event> {
    let event = |less: Netlist| ("links go".into(), vec![less]);
    some_links(whole).map(event).collect()
}

pub fn further_links_go(whole: &Whole) -> Vec<Event> {
    vec![("further links go".into(), some_links(whole).collect())]
}

/// Without one link, two, and ten or an eighth of all.
fn some_links(whole: &Whole) -> impl Iterator<Item = Netlist> {
    let all = whole.netlist.links_between_switches().len();
    [1, 2, 10.min(all / 8)].into_iter().map(|links| {
        let less = whole.netlist.without_links(links, whole.seed);
        less.expect("links").0
    })
}

/// A switch between leaves and spines loses its only uplink.
pub fn the_last_uplink_goes(whole: &Whole) -> Vec<Event> {
    let mid = whole.switch(2, Where::Inside, &mut Random::stream(whole.seed, 9));
    let mid = mid.expect("a switch between leaves and spines");
    let mut links = whole.netlist.links_between_switches();
    let level = |node: u32| level_and_index(&whole.netlist.nodes[node as usize]).map(|at| at.0);
    links.retain(|sides| sides.iter().any(|side| side.0 == mid));
    links.retain(|sides| sides.iter().any(|side| level(side.0) == Some(3)));
    assert_eq!(links.len(), 1, "one parent");
    let less = whole.netlist.without(&[Part::Link(links[0])]);
    vec![("the uplink of a switch lost".into(), vec![less])]
}

/// Hosts come to a port at which no leaf has had a host, on one leaf after the other. Once most leaves have one there,
/// all reserve a number for it, which may change others: on the first third of the leaves.
pub fn hosts_come_to_a_new_port(whole: &Whole) -> Vec<Event> {
    let mut netlist = whole.netlist.clone();
    let leaves = carriers(&netlist);
    let mut path = Vec::new();
    for &leaf in &leaves[..leaves.len() / 3] {
        let lid = names::next_lid(&netlist);
        let port = spare(&netlist, leaf);
        let host = add_host(&mut netlist, leaf, port);
        names::name_new(&mut netlist, host, whole.seed.is_multiple_of(2));
        netlist.nodes[host as usize].ports[0].lid = lid;
        path.push(netlist.clone());
        // Large fabrics: the first few are enough.
        if leaves.len() > 50 && leaf > leaves[8] {
            break;
        }
    }
    vec![("hosts at a new port".into(), path)]
}

/// These boxes are replaced by others, with a GUID below or above all others.
pub fn each_is_replaced(whole: &Whole, boxes: impl IntoIterator<Item = u32>) -> Vec<Event> {
    let both = |node| [(node, false), (node, true)];
    let event = |(node, above)| {
        let what = format!("{} replaced, GUID above: {above}", whole.place(node));
        (what, vec![names::replaced(&whole.netlist, node, above)])
    };
    boxes.into_iter().flat_map(both).map(event).collect()
}

/// All switches get new GUIDs; a switch of each level is replaced.
pub fn switches_are_replaced(whole: &Whole) -> Vec<Event> {
    let anew = names::at_random(&whole.netlist, whole.seed + 100);
    let mut all = switches(&whole.netlist);
    Random::stream(whole.seed, 8).shuffle(&mut all);
    let routed = Routed::up_down(&whole.netlist);
    let levels = routed.levels();
    let most = levels.values().copied().max().expect("switches");
    let one = |level| all.iter().find(|&&s| levels[whole.place(s)] == level);
    let ones = (0..=most).map(|level| *one(level).expect("a switch"));
    let mut events = each_is_replaced(whole, ones);
    events.push(("all anew".into(), vec![anew]));
    events
}

/// In small fabrics all switches are replaced, one after the other, in others at most four.
pub fn one_after_the_other_is_replaced(whole: &Whole) -> Vec<Event> {
    let all = switches(&whole.netlist);
    let step = if all.len() <= 16 {
        1
    } else {
        all.len() / 4 + 1
    };
    let mut now = whole.netlist.clone();
    let path = all.iter().step_by(step).map(|&s| {
        now = names::replaced(&now, s, s % 2 == 0);
        now.clone()
    });
    vec![("boxes are replaced".into(), path.collect())]
}

/// A host gets another adapter, or moves to a spare port of its leaf.
pub fn a_host_is_replaced_or_moves(whole: &Whole) -> Vec<Event> {
    let host = a_host(&whole.netlist, &mut Random::stream(whole.seed, 8));
    let mut events = each_is_replaced(whole, [host]);
    let port = &whole.netlist.nodes[host as usize].ports[0];
    assert!(hosts_of(&whole.netlist, port.peer).len() > 1);
    events.push(moves_to_a_spare_port(whole, (port.peer, port.peer_port)));
    events
}

/// An end of a cable moves to a spare port of the same node.
fn moves_to_a_spare_port(whole: &Whole, (node, port): (u32, PortNumber)) -> Event {
    let moved = moved_to_port(&whole.netlist, node, port, spare(&whole.netlist, node));
    let what = format!("{} port {port} to a spare one", whole.place(node));
    (what, vec![moved])
}

/// The lower or upper end of a cable between switches.
pub fn a_cable_moves(whole: &Whole) -> Vec<Event> {
    let mut links = whole.netlist.links_between_switches();
    Random::stream(whole.seed, 8).shuffle(&mut links);
    let ends = links.into_iter().take(2).flatten();
    ends.map(|end| moves_to_a_spare_port(whole, end)).collect()
}

/// A cable that joins spare ports of two switches.
fn joined(netlist: &Netlist, a: u32, b: u32) -> Netlist {
    let mut more = netlist.clone();
    let [end, far] = [a, b].map(|s| (s, spare(netlist, s)));
    link(&mut more, end, far);
    more
}

/// A wrong cable comes and is pulled: from a leaf to an upper switch that is no parent, or to another leaf; a further
/// cable, or the first uplink of the leaf.
pub fn a_wrong_cable_is_pulled(whole: &Whole) -> Vec<Event> {
    let random = &mut Random::stream(whole.seed, 10);
    let leaves = carriers(&whole.netlist);
    let mut others = switches(&whole.netlist);
    others.retain(|s| !leaves.contains(s));
    let one = leaves[random.below(leaves.len())];
    let ports = || whole.netlist.nodes[one as usize].ports.iter();
    let far = others.into_iter().rfind(|&s| ports().all(|p| p.peer != s));
    let beside = leaves.iter().copied().rfind(|&s| s != one);
    let hosts = hosts_of(&whole.netlist, one);
    let up = ports().find(|p| !hosts.contains(&p.peer)).expect("uplinks");
    let mut events = Vec::new();
    for other in far.into_iter().chain(beside) {
        let sides = [(one, up.number), (up.peer, up.peer_port)];
        let mut moved = whole.netlist.without(&[Part::Link(sides)]);
        link(&mut moved, sides[0], (other, spare(&whole.netlist, other)));
        let more = joined(&whole.netlist, one, other);
        for (what, wrong) in [("a cable", more), ("an uplink", moved)] {
            let what = format!("{what} of {} at {}", whole.place(one), whole.place(other));
            events.push((what, vec![wrong, whole.netlist.clone()]));
        }
    }
    events
}

/// A switch that is there for one sweep, and a host that moves and comes back.
pub fn a_visitor_leaves(whole: &Whole) -> Vec<Event> {
    let netlist = &whole.netlist;
    let leaf = carriers(netlist)[0];
    let mut visited = netlist.clone();
    let visitor = visited.nodes.len() as u32;
    let mut node = netlist.nodes[leaf as usize].clone();
    (node.id, node.description) = ("visitor".into(), "visitor".into());
    (node.ports, node.lid) = (Vec::new(), names::next_lid(netlist));
    visited.nodes.push(node);
    names::name_new(&mut visited, visitor, true);
    link(
        &mut visited,
        (leaf, spare(netlist, leaf)),
        (visitor, PortNumber(1)),
    );
    let host = hosts_of(netlist, leaf)[0];
    let port = netlist.nodes[host as usize].ports[0].peer_port;
    let moved = moved_to_port(netlist, leaf, port, spare(netlist, leaf));
    let back = |what: &str, then| (what.to_owned(), vec![then, netlist.clone()]);
    vec![back("a visitor", visited), back("a host moves", moved)]
}

/// Drawn: a link of four goes.
pub fn a_link_goes(whole: &Whole) -> Vec<Event> {
    let event = |nth| {
        let less = whole.netlist.without_links(1, 100 * whole.seed + nth);
        let (less, lost) = less.expect("links");
        (
            format!("without {}", whole.netlist.describe(lost[0])),
            vec![less],
        )
    };
    (0..4).map(event).collect()
}

/// Three cables between leaves, each with the leaves.
fn cables_between_leaves(whole: &Whole) -> Vec<(String, [u32; 2], Netlist)> {
    let mut leaves = carriers(&whole.netlist);
    leaves.retain(|&s| {
        let place = whole.place(s);
        place.starts_with("leaf ") && !place.contains("spines") || place.starts_with("L1")
    });
    Random::stream(whole.seed, 7).shuffle(&mut leaves);
    let cable = |&[a, b]: &[u32; 2]| {
        let what = format!("a cable between {:?}", [a, b].map(|s| whole.place(s)));
        (what, [a, b], joined(&whole.netlist, a, b))
    };
    leaves.as_chunks().0.iter().take(3).map(cable).collect()
}

pub fn a_cable_joins_leaves(whole: &Whole) -> Vec<Event> {
    let cables = cables_between_leaves(whole).into_iter();
    cables.map(|(what, _, more)| (what, vec![more])).collect()
}

/// With such a cable, all hosts of the first leaf go, or those of both.
pub fn joined_leaves_lose_their_hosts(whole: &Whole) -> Vec<Event> {
    let cables = cables_between_leaves(whole).into_iter();
    let event = |(what, pair, more): (String, [u32; 2], Netlist)| {
        [1, 2].map(|count| {
            let less = more.without_nodes(&of_leaves(&more, &pair[..count]));
            (format!("{what}, {count} emptied"), vec![more.clone(), less])
        })
    };
    cables.flat_map(event).collect()
}

/// Four times, all boxes are replaced.
pub fn all_are_replaced(whole: &Whole) -> Vec<Event> {
    let anew = |nth| names::at_random(&whole.netlist, 100 * whole.seed + nth);
    let event = |nth| (format!("all replaced, {nth}"), vec![anew(nth)]);
    (0..4).map(event).collect()
}

pub fn a_mid_loses_its_uplink(whole: &Whole) -> Vec<Event> {
    let mut less = whole.netlist.clone();
    let ends = ["mid 1.0", "spine 0.0"].map(|place| whole.node(place));
    for (s, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        let ports = &mut less.nodes[s as usize].ports;
        ports.retain(|port| port.peer != other);
    }
    vec![("without the uplink of mid 1.0".into(), vec![less])]
}
