//! `dmodc_analysis::between` by brute force: all tables after each block, and each packet alone.

use dmodc_analysis::between::{Between, Block, Harm};
use dmodc_analysis::{ChannelId, Channels};
use dmodc_fabric::{
    EndNode, Fabric, Guid, Lid, NO_PATH, NodeId, Peer, PortNumber, SwitchId, Tables,
};
use std::collections::BTreeSet;

type Routed<'r> = (&'r Fabric, &'r Tables);
/// Two channels, one after the other.
type Turn = (ChannelId, ChannelId);
/// The harm that a packet meets, and its turns.
type Found = (BTreeSet<Harm>, BTreeSet<Turn>);

/// The harm that packets of one host to a LID of another meet.
struct Story {
    met: BTreeSet<Harm>,
    turns: BTreeSet<Turn>,
    /// Whether the old tables lose the packets.
    is_cut: bool,
    /// Whether packets are lost at some time.
    is_hurt: bool,
}

/// What packets meet while blocks arrive in an order, or in any.
pub fn between(before: Routed, after: Routed, order: Option<&[Block]>) -> Between {
    let fabric = after.0;
    let all_tables = mixtures(before, after, order.unwrap_or_default());
    let had_link = |s, port| link(before.0, fabric, s, port);
    let (mut stories, mut dropped) = (Vec::new(), 0);
    let mut turns: BTreeSet<Turn> = BTreeSet::new();
    for (from, node) in fabric.end_nodes().iter_enumerated() {
        for to in fabric.lids().filter(|to| to.2 > PortNumber::ZERO) {
            let go = |tables: &[&Tables], is_active: &dyn Fn(SwitchId, PortNumber) -> bool| {
                let mut found = Found::default();
                go(
                    fabric,
                    tables,
                    &[node.switch],
                    None,
                    to,
                    is_active,
                    &mut found,
                );
                found
            };
            let ways = all_tables.iter().map(|tables| go(&[tables], &had_link));
            let mut ways: Vec<Found> = ways.collect();
            let is_cut = !ways[0].0.is_empty();
            if order.is_none() {
                ways = vec![go(&[&all_tables[0], after.1], &had_link)];
            }
            // At the end all links are active.
            let (harm, last) = go(&[after.1], &|_, _| true);
            let own = ways.iter().flat_map(|way| &way.1).chain(&last);
            let own: BTreeSet<Turn> = own.copied().collect();
            turns.extend(&own);
            let Peer::EndNode(other) = fabric.peer(to.1, to.2) else {
                unreachable!("a LID of an end node")
            };
            let stay = [from, other].map(|node| stays(before.0, fabric, node));
            let is_one = from != other && stay == [true; 2];
            if is_one && !harm.is_empty() {
                dropped += u64::from(!is_cut);
            } else if is_one {
                stories.push(Story {
                    met: ways.iter().flat_map(|way| &way.0).copied().collect(),
                    turns: own,
                    is_cut,
                    is_hurt: ways.iter().any(|way| !way.0.is_empty()),
                });
            }
        }
    }
    let closing = turns.iter().copied().filter(|&(a, b)| leads(&turns, b, a));
    let closing: BTreeSet<Turn> = closing.collect();
    let cyclic: BTreeSet<ChannelId> = closing.iter().flat_map(|&(a, b)| [a, b]).collect();
    let mut found = Between {
        blocks: order.map_or(0, <[Block]>::len) as u32,
        cyclic: cyclic.len(),
        dropped,
        ..Between::default()
    };
    for mut story in stories {
        if !story.turns.is_disjoint(&closing) {
            story.met.insert(Harm::Cycle);
        }
        let group = match story.is_cut {
            true => &mut found.cut,
            false => &mut found.standing,
        };
        group.pairs += 1;
        group.hurt += u64::from(story.is_hurt);
        for (harm, met) in Harm::ALL.iter().zip(&mut group.met) {
            *met += u64::from(story.met.contains(harm));
        }
    }
    found
}

/// The old tables on the new fabric, then the tables after each block.
fn mixtures(before: Routed, after: Routed, order: &[Block]) -> Vec<Tables> {
    let mut tables = after.1.clone();
    for (s, switch) in after.0.switches().iter_enumerated() {
        let was = before.0.switch_by_guid(switch.guid);
        for (lid, entry) in tables.row_mut(s).iter_mut_enumerated() {
            *entry = was.map_or(NO_PATH, |was| before.1.get(was, lid));
        }
    }
    let mut all = vec![tables.clone()];
    for &Block { switch, number } in order {
        let new = tables.row_mut(switch).iter_mut_enumerated();
        for (lid, entry) in new.skip(usize::from(number) * 64).take(64) {
            *entry = after.1.get(switch, lid);
        }
        all.push(tables.clone());
    }
    all
}

fn guid(fabric: &Fabric, s: SwitchId) -> Guid {
    fabric.switches()[s].guid
}

fn stays(before: &Fabric, after: &Fabric, node: NodeId) -> bool {
    let place = |fabric: &Fabric, node: &EndNode| {
        let switch = guid(fabric, node.switch);
        (node.guid, node.lid, node.lmc, switch, node.port)
    };
    let now = place(after, &after.end_nodes()[node]);
    let mut old = before.end_nodes().iter();
    old.any(|old| place(before, old) == now)
}

/// Whether a link between switches was there before.
fn link(before: &Fabric, after: &Fabric, switch: SwitchId, port: PortNumber) -> bool {
    let end = |fabric: &Fabric, s| match fabric.peer(s, port) {
        Peer::Switch { index, port } => Some((guid(fabric, index), port)),
        _ => None,
    };
    let old = before.switch_by_guid(guid(after, switch));
    let now = end(after, switch);
    now.is_some() && old.and_then(|old| end(before, old)) == now
}

/// Follows a packet on all ways on which each switch sends it by one of these tables. A switch that the packet meets
/// again in a circle may send it by another one.
fn go(
    fabric: &Fabric,
    all: &[&Tables],
    way: &[SwitchId],
    last: Option<ChannelId>,
    to: (Lid, SwitchId, PortNumber),
    is_active: &dyn Fn(SwitchId, PortNumber) -> bool,
    found: &mut Found,
) {
    let channels = Channels::new(fabric);
    let (at, before) = way.split_last().expect("a switch");
    for tables in all {
        let entry = PortNumber(tables.get(*at, to.0));
        let hop = channels.hop(*at, entry);
        if let (Some(last), Some((channel, _))) = (last, hop) {
            found.1.insert((last, channel));
        }
        let harm = match hop {
            _ if before.contains(at) => Harm::Loop,
            _ if entry.0 == NO_PATH => Harm::Hole,
            Some((channel, next)) if is_active(*at, entry) => {
                let way = [way, &[next]].concat();
                go(fabric, all, &way, Some(channel), to, is_active, found);
                continue;
            }
            Some(_) => Harm::NotActive,
            _ if (*at, entry) == (to.1, to.2) => continue,
            _ => Harm::DeadLink,
        };
        found.0.insert(harm);
    }
}

fn leads(turns: &BTreeSet<Turn>, from: ChannelId, to: ChannelId) -> bool {
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
