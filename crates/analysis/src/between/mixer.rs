//! Follows the packets to each LID through all mixtures of old and new tables.

use super::{Block, Group, Harm, Routed, old_numbers};
use crate::walk::Target;
use crate::{ChannelId, Channels, Dependencies};
use dmodc_fabric::{
    EndNode, Fabric, Lid, NO_PATH, NodeId, Peer, PortNumber, SwitchId, Tables, lid_range,
};
use typed_index_collections::{TiSlice, TiVec};

/// The entry of a switch, or `NO_PATH` if the fabric of these tables does not have the switch.
pub(super) fn entry(tables: &Tables, switch: Option<SwitchId>, lid: Lid) -> u8 {
    switch.map_or(NO_PATH, |s| tables.get(s, lid))
}

/// The harm to the packets to the LIDs followed so far, and their channel dependencies.
pub(super) struct Found {
    pub dependencies: Dependencies,
    /// By whether the new tables lose the packets (2) and the old ones do (1): *standing*, *cut*, *dropped*, and those
    /// that neither serve.
    pub groups: [Group; 4],
}

impl Found {
    pub fn new(channels: &Channels) -> Found {
        Found {
            dependencies: Dependencies::new(channels),
            groups: Default::default(),
        }
    }

    pub fn merge(mut self, other: Found) -> Found {
        self.dependencies.merge(&other.dependencies);
        for (mine, theirs) in self.groups.iter_mut().zip(&other.groups) {
            mine.pairs += theirs.pairs;
            mine.hurt += theirs.hurt;
            let met = mine.met.iter_mut().zip(&theirs.met);
            met.for_each(|(a, b)| *a += b);
        }
        self
    }
}

/// The tables before and after, and the data that all LIDs share.
pub(super) struct Mixer<'a> {
    channels: &'a Channels,
    before: &'a Tables,
    after: &'a Tables,
    fabric: &'a Fabric,
    /// Per switch: its number in the fabric before.
    was: TiVec<SwitchId, Option<SwitchId>>,
    /// Per channel: whether the fabric before has its link.
    active: TiVec<ChannelId, bool>,
    /// Per end node: whether GUID, LIDs, switch and port are the same before and after.
    stays: TiVec<NodeId, bool>,
    /// Switches with end nodes: where packets start.
    sources: Vec<SwitchId>,
    /// Per switch: the number of end nodes that stay.
    hosts: TiVec<SwitchId, u64>,
    /// Per block number: the switches at which the block arrives, one after another. `None`: in any order.
    arrivals: Option<Vec<Vec<SwitchId>>>,
}

impl<'a> Mixer<'a> {
    pub fn new(
        before: Routed<'a>,
        after: Routed<'a>,
        channels: &'a Channels,
        order: Option<&[Block]>,
    ) -> Mixer<'a> {
        let fabric = after.0;
        let was = old_numbers(before, after);
        let stays = fabric.end_nodes().iter().map(|node| {
            let identity = |node: &EndNode| (node.guid, node.lid, node.lmc);
            let old = was[node.switch].map(|s| before.0.peer(s, node.port));
            matches!(old, Some(Peer::EndNode(old))
                if identity(&before.0.end_nodes()[old]) == identity(node))
        });
        let stays: TiVec<NodeId, bool> = stays.collect();
        let mut hosts: TiVec<SwitchId, _> = vec![0; fabric.switches().len()].into();
        for (node, _) in fabric.end_nodes().iter().zip(&stays).filter(|(_, s)| **s) {
            hosts[node.switch] += 1;
        }
        let active = channels.iter().map(|c| {
            let far = was[c.from].and_then(|s| before.0.far(s, c.port));
            far.is_some_and(|(to, port)| (was[c.to], c.to_port) == (Some(to), port))
        });
        let arrivals = order.map(|order| {
            let blocks = order.iter().map(|b| usize::from(b.number) + 1).max();
            let mut arrivals = vec![Vec::new(); blocks.unwrap_or(0)];
            for block in order {
                arrivals[usize::from(block.number)].push(block.switch);
            }
            arrivals
        });
        Mixer {
            channels,
            before: before.1,
            after: after.1,
            fabric,
            active: active.collect(),
            was,
            stays,
            sources: (fabric.switches().keys())
                .filter(|&s| !fabric.end_nodes_of(s).is_empty())
                .collect(),
            hosts,
            arrivals,
        }
    }

    /// Where an entry sends a packet: over a channel to a switch. Else what it meets, as bits: nothing at home.
    fn hop(
        &self,
        at: SwitchId,
        entry: u8,
        target: Target,
        all_active: bool,
    ) -> Result<(ChannelId, SwitchId), u8> {
        let port = PortNumber(entry);
        if at == target.switch && port == target.port {
            return Err(0);
        }
        if entry == NO_PATH {
            return Err(Harm::Hole.bit());
        }
        match self.channels.hop(at, port) {
            Some((c, _)) if !all_active && !self.active[c] => Err(Harm::NotActive.bit()),
            hop => hop.ok_or(Harm::DeadLink.bit()),
        }
    }

    /// Follows the packets to all LIDs of the end nodes at a switch. `cycles` has the cycle that each
    /// channel is on; it is empty in the first pass, before the cycles are known.
    pub fn destinations(
        &self,
        switch: SwitchId,
        cycles: &TiSlice<ChannelId, u32>,
        mut found: Found,
    ) -> Found {
        let mut flow = Flow::new(self, cycles, self.was.len());
        for id in self.fabric.node_ids_of(switch) {
            let (node, stays) = (&self.fabric.end_nodes()[id], self.stays[id]);
            let port = node.port;
            for lid in lid_range(node.lid, node.lmc).into_iter().flatten() {
                flow.lid(Lid(lid), Target { switch, port }, stays, &mut found);
            }
        }
        found
    }
}

struct Flow<'m> {
    mixer: &'m Mixer<'m>,
    cycles: &'m TiSlice<ChannelId, u32>,
    entries: TiVec<SwitchId, u8>,
    /// Per switch: whether it is on the present walk or behind it; `met` is the harm to a packet from there, as bits.
    state: TiVec<SwitchId, State>,
    met: TiVec<SwitchId, u8>,
    walk: Vec<SwitchId>,
    /// Per switch: the harm so far to packets that start there.
    pairs: TiVec<SwitchId, Pair>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Walking,
    Known,
}

#[derive(Clone, Copy, Default)]
struct Pair {
    weight: u64,
    group: usize,
    met: u8,
}

const LOST: u8 = (1 << Harm::Cycle as u8) - 1;

impl<'m> Flow<'m> {
    fn new(mixer: &'m Mixer, cycles: &'m TiSlice<ChannelId, u32>, switches: usize) -> Flow<'m> {
        Flow {
            mixer,
            cycles,
            entries: vec![NO_PATH; switches].into(),
            state: vec![State::Unknown; switches].into(),
            met: vec![0; switches].into(),
            walk: Vec::new(),
            pairs: vec![Pair::default(); switches].into(),
        }
    }

    fn lid(&mut self, lid: Lid, target: Target, stays: bool, found: &mut Found) {
        let mixer = self.mixer;
        // First the final state, with new tables: all links are active.
        for (s, entry) in self.entries.iter_mut_enumerated() {
            *entry = mixer.after.get(s, lid);
        }
        self.follow(target, true, &mut found.dependencies);
        for &at in &mixer.sources {
            let others = mixer.hosts[at] - u64::from(stays && at == target.switch);
            self.pairs[at] = Pair {
                weight: if stays { others } else { 0 },
                group: 2 * usize::from(self.met[at] & LOST != 0),
                met: self.met[at] & !LOST,
            };
        }
        for (&was, entry) in mixer.was.iter().zip(&mut self.entries) {
            *entry = self::entry(mixer.before, was, lid);
        }
        self.follow(target, false, &mut found.dependencies);
        for &s in &mixer.sources {
            self.pairs[s].group += usize::from(self.met[s] & LOST != 0);
        }
        let Some(arrivals) = &mixer.arrivals else {
            self.mix(lid, target, &mut found.dependencies);
            self.look();
            return self.finish(found);
        };
        self.look();
        let block = arrivals.get(lid.index() / 64);
        for &s in block.into_iter().flatten() {
            let (old, new) = (self.entries[s], mixer.after.get(s, lid));
            if old != new {
                self.entries[s] = new;
                self.follow(target, false, &mut found.dependencies);
                self.look();
            }
        }
        self.finish(found);
    }

    fn follow(&mut self, target: Target, all_active: bool, dependencies: &mut Dependencies) {
        self.state.fill(State::Unknown);
        for &source in &self.mixer.sources {
            let mut at = source;
            let mut met = loop {
                match self.state[at] {
                    State::Unknown => {}
                    State::Walking => break Harm::Loop.bit(),
                    State::Known => break self.met[at],
                }
                self.state[at] = State::Walking;
                self.met[at] = 0;
                self.walk.push(at);
                let (channel, to) = match self.mixer.hop(at, self.entries[at], target, all_active) {
                    Ok(hop) => hop,
                    Err(met) => break met,
                };
                // The packet waits at the end of this channel for the next channel.
                let next = PortNumber(self.entries[to]);
                dependencies.add(channel, next);
                if self.cycles(channel, to, next) {
                    self.met[at] = Harm::Cycle.bit();
                }
                at = to;
            };
            while let Some(at) = self.walk.pop() {
                met |= self.met[at];
                self.met[at] = met;
                self.state[at] = State::Known;
            }
        }
    }

    /// Follows packets that go by the old entry or the new one at each switch. A switch is passed once before a packet
    /// goes in a circle, so each such way is that of some mixture.
    fn mix(&mut self, lid: Lid, target: Target, dependencies: &mut Dependencies) {
        let mixer = self.mixer;
        let both = |s: SwitchId| {
            let old = entry(mixer.before, mixer.was[s], lid);
            [old, mixer.after.get(s, lid)]
        };
        self.met.fill(0);
        self.state.fill(State::Unknown);
        self.walk.extend(&mixer.sources);
        let mut reached = Vec::new();
        while let Some(at) = self.walk.pop() {
            if std::mem::replace(&mut self.state[at], State::Known) == State::Known {
                continue;
            }
            reached.push(at);
            // Until it is known that each way ends.
            self.met[at] = Harm::Loop.bit();
            for entry in both(at) {
                match mixer.hop(at, entry, target, false) {
                    Err(met) => self.met[at] |= met,
                    Ok((channel, to)) => {
                        self.walk.push(to);
                        for next in both(to) {
                            dependencies.add(channel, PortNumber(next));
                            if self.cycles(channel, to, PortNumber(next)) {
                                self.met[at] |= Harm::Cycle.bit();
                            }
                        }
                    }
                }
            }
        }
        // What is met further on, until nothing changes: as many rounds as the longest way has switches.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &at in reached.iter().rev() {
                let hops = both(at).map(|entry| mixer.hop(at, entry, target, false));
                let onward = hops.iter().flatten();
                let onward = onward.fold(0, |met, (_, to)| met | self.met[*to]);
                let met = (self.met[at] | onward) & !Harm::Loop.bit() | onward & Harm::Loop.bit();
                changed |= met != self.met[at];
                self.met[at] = met;
            }
        }
    }

    /// Whether the turn from a channel to a port of the switch at its end is part of a cycle.
    fn cycles(&self, channel: ChannelId, at: SwitchId, port: PortNumber) -> bool {
        let Some(&cycle) = self.cycles.get(channel) else {
            return false;
        };
        let next = self.mixer.channels.by_port(at, port);
        cycle != Dependencies::NO_CYCLE && next.is_some_and(|next| self.cycles[next] == cycle)
    }

    /// Records the harm that packets meet by the present entries.
    fn look(&mut self) {
        for &s in &self.mixer.sources {
            self.pairs[s].met |= self.met[s];
        }
    }

    /// Adds the pairs to their groups.
    fn finish(&self, found: &mut Found) {
        for &s in &self.mixer.sources {
            let pair = self.pairs[s];
            let group = &mut found.groups[pair.group];
            group.pairs += pair.weight;
            group.hurt += pair.weight * u64::from(pair.met & LOST != 0);
            for harm in Harm::ALL {
                group.met[harm as usize] += pair.weight * u64::from(pair.met & harm.bit() != 0);
            }
        }
    }
}
