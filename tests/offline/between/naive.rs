//! The same as `dmodc_lab::between`, read literally: all tables after each block, and each packet by
//! itself.

use dmodc::analysis::{Channels, Hop};
use dmodc::fabric::{EndNode, Fabric, Lid, Peer, lid_range};
use dmodc::lft::{NO_PATH, Tables};
use dmodc_lab::between::{Between, Block, Group, Harm};
use std::collections::{BTreeMap, BTreeSet};

type Routed<'r> = (&'r Fabric, &'r Tables);
/// Source node, LID.
type PairOf = (usize, Lid);
/// Channels.
type Turn = (u32, u32);

#[derive(Default, Clone)]
struct Story {
    met: BTreeSet<Harm>,
    turns: BTreeSet<Turn>,
    lost: Vec<bool>,
    served: bool,
}

struct Way {
    harm: Option<Harm>,
    turns: BTreeSet<Turn>,
}

pub fn between(before: Routed, after: Routed, order: &[Block]) -> Between {
    let fabric = after.0;
    let mut stories: BTreeMap<PairOf, Story> = BTreeMap::new();
    let mut turns: BTreeSet<Turn> = BTreeSet::new();
    let mut tables = started(before, after);
    for time in 0..=order.len() {
        if let Some(last) = time.checked_sub(1) {
            let Block { switch, number } = order[last];
            for lid in number * 64..number * 64 + 64 {
                if let Some(entry) = tables.row_mut(switch).get_mut(usize::from(lid)) {
                    *entry = after.1.get(switch, Lid(lid));
                }
            }
        }
        for (pair, node) in pairs(fabric) {
            let way = go(before.0, fabric, &tables, pair, node, false);
            turns.extend(&way.turns);
            let story = stories.entry(pair).or_default();
            story.met.extend(way.harm);
            story.turns.extend(way.turns);
            story.lost.push(way.harm.is_some());
        }
    }
    for (pair, node) in pairs(fabric) {
        let way = go(before.0, fabric, after.1, pair, node, true);
        turns.extend(&way.turns);
        let story = stories.get_mut(&pair).unwrap();
        story.turns.extend(way.turns);
        story.served = way.harm.is_none();
    }
    let closing = turns.iter().copied().filter(|&(a, b)| leads(&turns, b, a));
    let closing: BTreeSet<Turn> = closing.collect();
    let circling: BTreeSet<u32> = closing.iter().flat_map(|&(a, b)| [a, b]).collect();
    let mut found = Between {
        blocks: order.len() as u32,
        circling: circling.len(),
        ..Between::default()
    };
    let mut at_a_time = [vec![0; order.len() + 1], vec![0; order.len() + 1]];
    for ((from, lid), mut story) in stories {
        let to = owner(fabric, lid);
        let stay = [from, to].iter().all(|&node| stays(before.0, fabric, node));
        if from == to || !story.served || !stay {
            continue;
        }
        if story.turns.iter().any(|turn| closing.contains(turn)) {
            story.met.insert(Harm::Circle);
        }
        let cut = story.lost[0];
        match cut {
            true => add(&mut found.cut, &story),
            false => add(&mut found.standing, &story),
        }
        for (time, lost) in story.lost.iter().enumerate() {
            at_a_time[usize::from(cut)][time] += u64::from(*lost);
        }
    }
    found.standing.most = at_a_time[0].iter().copied().max().unwrap_or(0);
    found.cut.most = at_a_time[1].iter().copied().max().unwrap_or(0);
    found
}

fn add(group: &mut Group, story: &Story) {
    // What is lost at the end was not lost for a block more.
    let lost = story.lost[..story.lost.len() - 1].iter();
    let blocks = lost.filter(|l| **l).count();
    group.pairs += 1;
    group.total += blocks as u64;
    group.longest = group.longest.max(blocks as u32);
    group.hurt += u64::from(story.lost.contains(&true));
    for (harm, met) in Harm::ALL.iter().zip(&mut group.met) {
        *met += u64::from(story.met.contains(harm));
    }
}

/// The old tables on the new fabric.
fn started(before: Routed, after: Routed) -> Tables {
    let mut tables = after.1.clone();
    for (s, switch) in (0..).zip(after.0.switches()) {
        let was = before.0.switch_by_guid(switch.guid);
        for (lid, entry) in (0..).map(Lid).zip(tables.row_mut(s)) {
            *entry = was.map_or(NO_PATH, |was| before.1.get(was, lid));
        }
    }
    tables
}

/// Each end node with each LID of any.
fn pairs(fabric: &Fabric) -> Vec<(PairOf, &EndNode)> {
    let nodes = fabric.end_nodes();
    let mut pairs = Vec::new();
    for from in 0..nodes.len() {
        for node in nodes {
            let lids = lid_range(node.lid, node.lmc).into_iter().flatten();
            pairs.extend(lids.map(|lid| ((from, Lid(lid)), node)));
        }
    }
    pairs
}

fn owner(fabric: &Fabric, lid: Lid) -> usize {
    let mut nodes = fabric.end_nodes().iter();
    let owner = nodes.position(|n| lid_range(n.lid, n.lmc).unwrap().contains(&lid.0));
    owner.expect("a LID of an end node")
}

fn stays(before: &Fabric, after: &Fabric, node: usize) -> bool {
    let node = &after.end_nodes()[node];
    let guid = after.switches()[node.switch as usize].guid;
    before.end_nodes().iter().any(|old| {
        let same =
            (old.guid, old.lid, old.lmc, old.port) == (node.guid, node.lid, node.lmc, node.port);
        same && before.switches()[old.switch as usize].guid == guid
    })
}

fn had_link(before: &Fabric, after: &Fabric, switch: u32, port: u8) -> bool {
    let guid = |fabric: &Fabric, s: u32| fabric.switches()[s as usize].guid;
    let Peer::Switch { index, port: far } = after.peer(switch, port) else {
        return false;
    };
    let Some(old) = before.switch_by_guid(guid(after, switch)) else {
        return false;
    };
    matches!(before.peer(old, port), Peer::Switch { index: other, port }
        if port == far && guid(before, other) == guid(after, index))
}

fn go(
    before: &Fabric,
    fabric: &Fabric,
    tables: &Tables,
    (from, lid): PairOf,
    to: &EndNode,
    all_active: bool,
) -> Way {
    let channels = Channels::new(fabric);
    let mut at = fabric.end_nodes()[from].switch;
    let (mut last, mut seen) = (None, BTreeSet::new());
    let mut turns = BTreeSet::new();
    let harm = loop {
        let port = tables.get(at, lid);
        let hop = channels.hop(at, port);
        if let (Some(last), Hop::Switch { channel, .. }) = (last, hop) {
            turns.insert((last, channel));
        }
        if !seen.insert(at) {
            break Some(Harm::Loop);
        }
        if (at, port) == (to.switch, to.port) {
            break None;
        }
        if port == NO_PATH {
            break Some(Harm::Hole);
        }
        let Hop::Switch { channel, to } = hop else {
            break Some(Harm::DeadLink);
        };
        if !all_active && !had_link(before, fabric, at, port) {
            break Some(Harm::NotActive);
        }
        (last, at) = (Some(channel), to);
    };
    Way { harm, turns }
}

fn leads(turns: &BTreeSet<Turn>, from: u32, to: u32) -> bool {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
    while let Some(at) = todo.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            todo.extend(turns.iter().filter(|t| t.0 == at).map(|t| t.1));
        }
    }
    false
}
