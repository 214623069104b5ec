//! The uplinks of each switch, dark ones included, in the order of planes.
//!
//! Uplinks have the key (plane, parent). The planes that a switch lacks are the leaders of its kind's expected ports less
//! its own planes. A dark expected port takes its own leader if that is lacking; the others then take the rest in order;
//! a dark port beyond that counts for nothing: its cable was moved. A dark port joins the present group of its plane, or
//! is a group of its own. Where it is expected, or planes are unknown, the reference tells to which
//! parent a dark port led.
//!
//! Links within the rank have no place in this order; they follow it, by neighbour, those that the reference adds among
//! them: else the loss of one of several cables between two leaves would deal all their entries anew.
//!
//! Invariant: what is dark never renumbers what is there. Cost: linear in the ports of each switch, but for sorting.

use super::known::Known;
use super::places::Places;
use super::reference::Was;
use super::table::{Kind, Kinds};
use crate::ids::{BySwitch, SwitchId};
use dmodc_fabric::{Peer, PortNumber};

/// One port that leads up, or to a switch of the same rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Uplink {
    /// The port.
    pub port: u8,
    /// The switch at its other end; `None` if the port is dark.
    pub to: Option<SwitchId>,
    /// The number of its group; from [`LEVEL`] on, the switch is of the same rank.
    pub group: u16,
}

/// The number of the first group to a switch of the same rank.
pub const LEVEL: u16 = 256;

impl Uplink {
    /// Whether it leads to a higher rank.
    pub fn is_up(&self) -> bool {
        self.group < LEVEL
    }
}

/// The uplinks of all switches of the fabric.
#[derive(Clone, Debug)]
pub struct Uplinks {
    all: Vec<Uplink>,
    end: BySwitch<u32>,
}

impl Uplinks {
    /// Finds the uplinks of all switches that are there.
    pub fn new(known: &Known, kinds: &Kinds, places: &Places) -> Self {
        let mut uplinks = Uplinks {
            all: Vec::new(),
            end: BySwitch::default(),
        };
        let mut placed = Vec::new();
        for s in known.fabric.switches().keys() {
            place(&mut placed, known, places, s, kinds.of_switch(s));
            number(&placed, &mut uplinks.all);
            let level = level(known, s);
            for (group, links) in (LEVEL..).zip(level.chunk_by(|a, b| a.0 == b.0)) {
                uplinks
                    .all
                    .extend(links.iter().map(|&(to, port, is_up)| Uplink {
                        port,
                        to: is_up.then_some(to),
                        group,
                    }));
            }
            uplinks.end.push(uplinks.all.len() as u32);
        }
        uplinks
    }

    /// The uplinks of a switch.
    pub fn of_switch(&self, s: SwitchId) -> &[Uplink] {
        let start = match usize::from(s) {
            0 => 0,
            at => self.end.raw[at - 1],
        };
        &self.all[start as usize..self.end[s] as usize]
    }

    /// All switches.
    pub fn switches(&self) -> impl ExactSizeIterator<Item = SwitchId> + Clone + use<> {
        self.end.keys()
    }
}

/// The ports to switches of the same rank, dark ones included: by neighbour, each with its port, and whether it is up.
fn level(known: &Known, s: SwitchId) -> Vec<(SwitchId, u8, bool)> {
    let groups = known.groups.up(s).iter().filter(|group| group.level);
    let ports = groups.flat_map(|group| {
        let ports = known.groups.ports(group).iter();
        ports.map(|&port| (group.remote, port, true))
    });
    let dark = known
        .reference
        .dark_of(s)
        .iter()
        .filter_map(|dark| match dark.was {
            Was::Switch(to, _) => Some((to, dark.port, false)),
            Was::Host(_) => None,
        });
    let is_level = |to: SwitchId| {
        known.is_there(to) && known.rank(to) == known.rank(s) && known.ranking.is_up(s, to)
    };
    let mut level: Vec<(SwitchId, u8, bool)> = ports.collect();
    level.extend(dark.filter(|dark| is_level(dark.0)));
    level.sort_unstable();
    level
}

/// A port on its way into the order: plane, parent (its number in the order of switches comes first, for a dark port
/// without a known parent `None`, the last), place in the group, port, and whether it is up.
type Placed = (u8, (bool, (u32, u64), Option<SwitchId>), u8, u8, bool);

/// Places the ports of a switch.
fn place(placed: &mut Vec<Placed>, known: &Known, places: &Places, s: SwitchId, kind: &Kind) {
    placed.clear();
    let range = known.range_up(s);
    for (group, &plane) in known.all_up()[range.clone()]
        .iter()
        .zip(&places.plane[range])
    {
        let plane = if kind.has_planes { plane } else { 0 };
        let parent = (false, known.order(group.parent), Some(group.parent));
        for &(port, is_up) in known.ports(group) {
            if is_up || !kind.has_planes || kind.expected[usize::from(port)].is_some() {
                placed.push((plane, parent, port, port, is_up));
            }
        }
    }
    add_dark(placed, known, s, kind);
    placed.sort_unstable();
}

/// Adds the expected ports that are dark, as planes that the switch lacks.
fn add_dark(placed: &mut Vec<Placed>, known: &Known, s: SwitchId, kind: &Kind) {
    let is_placed: Vec<u8> = placed.iter().map(|placed| placed.3).collect();
    let is_dark = |port: u8| {
        let is_free = known.fabric.peer(s, PortNumber(port)) == Peer::None;
        let was_host = || matches!(known.reference.was(s, port), Some(Was::Host(_)));
        is_free && !is_placed.contains(&port) && !was_host()
    };
    let dark = || kind.uplinks().filter(|&(port, _)| is_dark(port));
    if dark().next().is_none() {
        return;
    }
    let mut lacking = [0u8; 256];
    for (_, leader) in kind.uplinks() {
        lacking[usize::from(leader)] += 1;
    }
    let mut take = |plane: u8| {
        let lacks = &mut lacking[usize::from(plane)];
        let is_lacking = *lacks > 0;
        *lacks -= u8::from(is_lacking);
        is_lacking
    };
    for &(plane, ..) in &*placed {
        take(plane);
    }
    let (mut found, others): (Vec<_>, Vec<_>) = dark().partition(|&(_, leader)| take(leader));
    let rest = (0..=255).zip(lacking);
    let rest = rest.flat_map(|(plane, lacks)| std::iter::repeat_n(plane, usize::from(lacks)));
    let mut others = others.into_iter();
    found.extend(
        rest.zip(others.by_ref())
            .map(|(plane, (port, _))| (port, plane)),
    );
    for (dark, plane) in others {
        let moved = |placed: &&mut Placed| {
            let is_expected = kind.expected[usize::from(placed.3)].is_some();
            placed.0 == plane && placed.2 == placed.3 && !is_expected
        };
        if let Some(moved) = placed.iter_mut().find(moved) {
            moved.2 = dark;
        }
    }
    let there = placed.len();
    for (port, plane) in found {
        let own = placed[..there].iter().find(|placed| placed.0 == plane);
        let parent = own.map_or((true, (0, 0), None), |placed| placed.1);
        placed.push((plane, parent, port, port, false));
    }
}

/// Appends the ports with the numbers of their groups.
fn number(placed: &[Placed], uplinks: &mut Vec<Uplink>) {
    let mut group = 0;
    for (at, &(plane, parent, _, port, is_up)) in placed.iter().enumerate() {
        if at > 0 {
            let before = &placed[at - 1];
            group += u16::from((before.0, before.1) != (plane, parent));
        }
        uplinks.push(Uplink {
            port,
            to: parent.2.filter(|_| is_up),
            group,
        });
    }
}
