//! Classes of switches with equal uplinks, which share their rows; the cycle of a class; the dividers of kinds.
//!
//! The *cycle* of a class has all its ports, sorted by ((j + ½) / width of the group, group), j = 0, 1, … within the
//! group: a number with the quotient q takes port cycle[q mod n]. With groups of equal width this is the paper's order;
//! with unequal widths each link gets its part.
//!
//! The *divider* Π of a kind is the number of consecutive numbers that the ranks below have spread already: it counts
//! groups, as in the paper. *Here* is Π times the ports up, *ways* that times the ways further up. They are a kind's, by
//! majority over links: what one switch lacks changes no divider.
//!
//! Cost: linear in the links of all switches, but for sorting the ports of each class.

use super::known::Known;
use super::table::{Dividers, Kinds};
use super::uplinks::{Uplink, Uplinks};
use crate::ids::{BySwitch, ClassId, KindId, SwitchId};
use crate::spread::most_common;
use crate::tree::{Partition, mix};
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// A class of switches with equal uplinks.
#[derive(Clone, Debug)]
pub struct Class {
    /// The kind of its members, and its dividers.
    pub kind: KindId,
    pub dividers: Dividers,
    /// Its first member.
    pub first: SwitchId,
    /// Ports by group; then those to switches of this rank.
    pub ports: Vec<Uplink>,
    /// Indices in `ports` of all that lead up.
    pub cycle: Vec<u8>,
    /// Whether a port is dark.
    pub lacks: bool,
    /// Indices in `ports` of those that are dark on all switches of the kind, ascending: a spine that is gone.
    pub gone: Vec<u8>,
}

/// The classes of all switches.
#[derive(Clone, Debug)]
pub struct Classes {
    /// By switch.
    pub of_switch: BySwitch<ClassId>,
    pub classes: TiVec<ClassId, Class>,
}

/// A kind of fewer switches has no port that is gone.
const SEVERAL: usize = 4;

impl Classes {
    /// Finds the classes over some of the links, which `is_open` selects by switch and port.
    pub fn new(uplinks: &Uplinks, kinds: &Kinds, is_open: impl Fn(SwitchId, u8) -> bool) -> Self {
        let is_open = &is_open;
        let ports = |s: SwitchId| {
            let ports = uplinks.of_switch(s).iter();
            ports.map(move |up| (up, up.to.filter(|_| is_open(s, up.port))))
        };
        let hash = |s: SwitchId| {
            let kind = u64::from(kinds.of_switch[s].0);
            ports(s).fold(kind, |hash, (up, to)| {
                let to = to.map_or(u32::MAX, |to| to.0);
                mix(
                    hash,
                    u64::from(up.group) << 40 | u64::from(up.port) << 32 | u64::from(to),
                )
            })
        };
        let same = |a: SwitchId, b: SwitchId| {
            kinds.of_switch[a] == kinds.of_switch[b] && ports(a).eq(ports(b))
        };
        let switches = uplinks.switches();
        let partition = Partition::new(switches.len(), switches.clone(), hash, same);
        let class = |&s: &SwitchId| {
            let ports: Vec<Uplink> = ports(s).map(|(up, to)| Uplink { to, ..*up }).collect();
            Class {
                kind: kinds.of_switch[s],
                dividers: kinds.of_switch(s).dividers,
                first: s,
                cycle: cycle(&ports),
                lacks: ports.iter().any(|up| up.to.is_none()),
                gone: Vec::new(),
                ports,
            }
        };
        let mut classes = Classes {
            of_switch: switches.map(|s| partition.class(s)).collect(),
            classes: partition.firsts().iter().map(class).collect(),
        };
        classes.find_gone(kinds.kinds.len());
        classes
    }

    /// Finds the ports that are gone. Where a kind has few switches, one lost link would make a port gone, and move
    /// entries on the others: such a kind has none.
    fn find_gone(&mut self, kinds: usize) {
        let mut members: TiVec<KindId, usize> = vec![0; kinds].into();
        for &class in &self.of_switch {
            members[self.classes[class].kind] += 1;
        }
        let mut is_up: TiVec<KindId, [bool; 256]> = vec![[false; 256]; kinds].into();
        for class in &self.classes {
            for up in class.ports.iter().filter(|up| up.to.is_some()) {
                is_up[class.kind][usize::from(up.port)] = true;
            }
        }
        let classes = self.classes.iter_mut();
        for class in classes.filter(|class| class.lacks && members[class.kind] >= SEVERAL) {
            let is_gone = |up: &Uplink| !is_up[class.kind][usize::from(up.port)];
            let ports = (0..).zip(&class.ports);
            class.gone = ports
                .filter(|(_, up)| is_gone(up))
                .map(|(i, _)| i)
                .collect();
        }
    }

    /// The class of a switch.
    pub fn of_switch(&self, s: SwitchId) -> &Class {
        &self.classes[self.of_switch[s]]
    }
}

/// The indices of all ports that lead up, in the order of the cycle.
pub fn cycle(ports: &[Uplink]) -> Vec<u8> {
    let mut order: Vec<(usize, u16, u8)> = Vec::with_capacity(ports.len());
    let up = ports.iter().take_while(|up| up.is_up()).count();
    let mut index = 0;
    for group in ports[..up].chunk_by(|a, b| a.group == b.group) {
        for nth in 0..group.len() {
            // Whole numbers of 2⁻¹⁶: equal for equal fractions.
            let at = ((2 * nth + 1) << 16) / (2 * group.len());
            order.push((at, group[0].group, index));
            index += 1;
        }
    }
    order.sort_unstable();
    order.into_iter().map(|(.., index)| index).collect()
}

/// Sets the dividers of all kinds.
pub fn divide(known: &Known, kinds: &mut Kinds, uplinks: &Uplinks) {
    // By kind: the usual numbers of groups and of ports up.
    let mut widths: TiVec<KindId, Vec<(u32, u32)>> = vec![Vec::new(); kinds.kinds.len()].into();
    for s in known.switches() {
        widths[kinds.of_switch[s]].push(match known.is_there(s) {
            true => {
                let mut up = uplinks.of_switch(s).iter().filter(|up| up.is_up());
                let ports = up.clone().count() as u32;
                let groups = up.next_back().map_or(0, |last| u32::from(last.group) + 1);
                (groups, ports)
            }
            false => {
                let up = known.up(s);
                let ports = up.iter().map(|group| known.ports(group).len() as u32);
                (up.len() as u32, ports.sum())
            }
        });
    }
    let usual: TiVec<KindId, (u32, u32)> = widths
        .iter_mut()
        .map(|widths| most_common(widths).0)
        .map(|(groups, ports)| (groups.max(1), ports.max(1)))
        .collect();
    // Groups between two kinds, by child and parent.
    let mut links: BTreeMap<(KindId, KindId), usize> = BTreeMap::new();
    for group in known.all_up() {
        let [child, parent] = [group.child, group.parent].map(|s| kinds.of_switch[s]);
        *links.entry((child, parent)).or_default() += 1;
    }
    // Kinds are in the order of ranks.
    let mut below: TiVec<KindId, u32> = vec![1; kinds.kinds.len()].into();
    for kind in kinds.kinds.keys() {
        let from = links.iter().filter(|((_, parent), _)| *parent == kind);
        let votes = from.map(|(&(child, _), &n)| (below[child].saturating_mul(usual[child].0), n));
        below[kind] = most_voted(votes).unwrap_or(1);
    }
    let mut above: TiVec<KindId, u32> = vec![1; kinds.kinds.len()].into();
    for kind in kinds.kinds.keys().rev() {
        let to = links.range((kind, KindId(0))..=(kind, KindId(u16::MAX)));
        let votes = to.map(|(&(_, parent), &n)| (above[parent].saturating_mul(usual[parent].1), n));
        above[kind] = most_voted(votes).unwrap_or(1);
    }
    for (id, kind) in kinds.kinds.iter_mut_enumerated() {
        let here = below[id].saturating_mul(usual[id].1);
        kind.dividers = Dividers {
            below: below[id],
            here,
            ways: here.saturating_mul(above[id]),
        };
    }
}

/// The value with most votes, the greatest of several.
fn most_voted(votes: impl Iterator<Item = (u32, usize)>) -> Option<u32> {
    let mut sums: BTreeMap<u32, usize> = BTreeMap::new();
    votes.for_each(|(value, count)| *sums.entry(value).or_default() += count);
    sums.into_iter()
        .max_by_key(|&(value, count)| (count, value))
        .map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ports of groups of these widths, numbered from 0 on, in the order of the cycle.
    fn order(widths: &[usize]) -> Vec<u8> {
        let groups = (0..)
            .zip(widths)
            .flat_map(|(group, &width)| vec![group; width]);
        let ports = groups.zip(0..).map(|(group, port)| Uplink {
            port,
            to: None,
            group,
        });
        cycle(&ports.collect::<Vec<_>>())
    }

    #[test]
    fn equal_groups_take_turns_and_unequal_ones_by_their_width() {
        assert_eq!(order(&[2, 2, 2]), [0, 2, 4, 1, 3, 5]);
        // Links of the wide group come twice as often: not 0, 2 in turn, as by the paper's rule.
        assert_eq!(order(&[4, 2]), [0, 4, 1, 2, 5, 3]);
        assert_eq!(order(&[1, 1, 1]), [0, 1, 2]);
        // Six seconds and nine sixths are not equal by rounding.
        assert_eq!(order(&[1, 3]), [1, 0, 2, 3]);
    }
}
