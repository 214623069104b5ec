//! Where each port of each switch leads, and who has each LID.

use dmodc_fabric::{Fabric, Lid, NO_PATH, NodeKind, Peer, PortNumber, SwitchId};
use typed_index_collections::{TiSlice, TiVec};

/// Where a port leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// To no switch: the port does not exist or is dark, or leads to an end node or to the switch itself (port 0).
    Nowhere,
    /// To a switch above.
    Up(SwitchId),
    /// To a switch below.
    Down(SwitchId),
}

impl Way {
    /// The next switch.
    pub fn next(self) -> Option<SwitchId> {
        match self {
            Way::Up(next) | Way::Down(next) => Some(next),
            Way::Nowhere => None,
        }
    }
}

/// The owner of a LID: its switch, and the port there. Nobody's is `NOBODY`.
pub type Owner = (SwitchId, PortNumber);

/// No switch.
pub const NOBODY: SwitchId = SwitchId(u32::MAX);

/// The end nodes at a switch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Carries {
    /// None, and the switch has no LID: it neither sends nor receives.
    Nothing,
    /// None.
    Itself,
    /// Aggregation nodes alone.
    Aggregation,
    /// Hosts.
    Hosts,
}

/// The ways of a fabric.
pub struct Ways {
    /// By switch and port, `width` a switch.
    ways: Vec<Way>,
    /// The most ports of a switch, port 0 among them.
    pub width: usize,
    /// By entry: whether it is one.
    pub has_entry: [bool; 256],
    /// By switch and entry: whether it is one, and does not lead up.
    pub is_no_turn: TiVec<SwitchId, [bool; 256]>,
    /// By LID: its owner.
    pub owner: TiVec<Lid, Owner>,
    /// By switch: its end nodes.
    pub carries: TiVec<SwitchId, Carries>,
    /// By switch: the part of the fabric that links join it to.
    pub part: TiVec<SwitchId, Option<SwitchId>>,
}

impl Ways {
    /// The ways of a fabric whose switches are in this order.
    pub fn new(fabric: &Fabric, order: &TiSlice<SwitchId, u32>) -> Ways {
        let switches = fabric.switches().len();
        let ports = fabric.switches().iter().map(|s| usize::from(s.ports));
        let width = ports.max().unwrap_or(0).min(254) + 1;
        let has_entry = std::array::from_fn(|entry| entry != usize::from(NO_PATH));
        let mut ways = Ways {
            ways: vec![Way::Nowhere; switches * width],
            width,
            has_entry,
            is_no_turn: vec![has_entry; switches].into(),
            owner: vec![(NOBODY, PortNumber::ZERO); fabric.max_lid().index() + 1].into(),
            carries: vec![Carries::Nothing; switches].into(),
            part: fabric.parts(|_| true),
        };
        for (s, switch) in fabric.switches().iter_enumerated() {
            let own = &mut ways.ways[usize::from(s) * width..][1..width];
            let own = own.iter_mut().zip(&mut ways.is_no_turn[s][1..]);
            for ((way, is_no_turn), peer) in own.zip(fabric.peers_of(s)) {
                if let Peer::Switch { index, .. } = *peer {
                    let is_up = (order[s], s) < (order[index], index);
                    *way = if is_up {
                        Way::Up(index)
                    } else {
                        Way::Down(index)
                    };
                    *is_no_turn = !is_up;
                }
            }
            if switch.lid.is_unicast() {
                ways.carries[s] = Carries::Itself;
                ways.own(switch.lid, switch.lmc, (s, PortNumber::ZERO));
            }
        }
        for node in fabric.end_nodes().iter().chain(fabric.absent()) {
            ways.own(node.lid, node.lmc, (node.switch, node.port));
        }
        for node in fabric.end_nodes() {
            let carried = match node.kind {
                NodeKind::Aggregation => Carries::Aggregation,
                NodeKind::Ca | NodeKind::Router => Carries::Hosts,
            };
            let known = &mut ways.carries[node.switch];
            *known = carried.max(*known);
        }
        ways
    }

    /// Whether end nodes need entries of one switch for LIDs at another: one of them has hosts, or both have end nodes; or
    /// `all` do. Not those of a switch without a LID.
    pub fn are_needed(&self, from: SwitchId, to: SwitchId, all: bool) -> bool {
        let (from, to) = (self.carries[from], self.carries[to]);
        let (least, most) = (from.min(to), from.max(to));
        let have_nodes = most == Carries::Hosts || least == Carries::Aggregation;
        least > Carries::Nothing && (all || have_nodes)
    }

    fn own(&mut self, lid: Lid, lmc: u8, owner: Owner) {
        self.owner.raw[lid.index()..][..1 << lmc].fill(owner);
    }

    /// The ways of a switch, by port.
    pub fn ways(&self, switch: SwitchId) -> &[Way] {
        &self.ways[usize::from(switch) * self.width..][..self.width]
    }

    /// Where a port leads.
    pub fn way(&self, switch: SwitchId, port: PortNumber) -> Way {
        let ways = self.ways(switch);
        ways.get(usize::from(port.0))
            .copied()
            .unwrap_or(Way::Nowhere)
    }
}
