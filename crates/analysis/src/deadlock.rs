//! Credit loops: cycles of the channel dependency graph.
//!
//! A packet that came in by channel `a` and must leave by channel `b` holds a buffer at the end of `a` until a buffer
//! at the end of `b` is free: `a` depends on `b`. If such dependencies close a cycle, packets can wait for one another
//! for ever (Dally and Seitz). A network whose graph has no cycle never deadlocks.
//!
//! All routes count as if on one virtual lane, since tables do not hold the lane of a route. So an engine that avoids
//! cycles with several lanes (dfsssp, lash, torus-2QoS, nue with more lanes than its default of one) is measured as if
//! it had one lane.

use super::channels::{ChannelId, Channels};
use dmodc_fabric::PortNumber;
use typed_index_collections::{TiSlice, TiVec};

/// The dependencies so far: for each channel, the ports by which its packets leave the switch at its end, as a set of
/// 256 bits.
#[derive(Clone)]
pub struct Dependencies {
    ports: TiVec<ChannelId, [u64; 4]>,
}

/// The cycles of a channel dependency graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CreditLoops {
    /// Strongly connected components with a cycle; with 0 there is no deadlock.
    pub count: usize,
    /// Number of channels in all such components.
    pub channels: usize,
    /// The channels of a shortest cycle through the lowest channel that is on a cycle. It begins with that
    /// channel.
    pub example: Vec<ChannelId>,
}

impl Dependencies {
    /// No dependencies.
    pub fn new(channels: &Channels) -> Dependencies {
        Dependencies {
            ports: channels.each([0; 4]),
        }
    }

    /// Adds the dependency of packets that come in by `channel` and leave by `port`.
    pub fn add(&mut self, channel: ChannelId, port: PortNumber) {
        let PortNumber(port) = port;
        self.ports[channel][usize::from(port / 64)] |= 1 << (port % 64);
    }

    /// Adds all dependencies of `other`.
    pub fn merge(&mut self, other: &Dependencies) {
        for (mine, theirs) in self.ports.iter_mut().zip(&other.ports) {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a |= b;
            }
        }
    }

    /// The graph as lists: the channels that each channel depends on.
    fn edges(&self, channels: &Channels) -> Edges {
        let edges = channels.iter().zip(&self.ports).map(|(channel, ports)| {
            let leaves_by = |p: &u8| ports[usize::from(p / 64)] >> (p % 64) & 1 == 1;
            let ports = (1..=u8::MAX).filter(leaves_by).map(PortNumber);
            let next = ports.filter_map(|p| channels.by_port(channel.to, p));
            next.collect()
        });
        edges.collect()
    }

    /// The number of a channel that is on no cycle.
    pub const NO_CYCLE: u32 = u32::MAX;

    /// By channel: the number of its strongly connected component, or [`Self::NO_CYCLE`]. A dependency is part of a
    /// cycle if its two channels have the same number.
    pub fn cycles(&self, channels: &Channels) -> TiVec<ChannelId, u32> {
        let (mut component, sizes) = components(&self.edges(channels));
        for c in &mut component {
            if sizes[*c as usize] < 2 {
                *c = Self::NO_CYCLE;
            }
        }
        component
    }

    /// Finds the cycles.
    pub fn loops(&self, channels: &Channels) -> CreditLoops {
        let edges = self.edges(channels);
        // No channel depends on itself, for no link joins a switch with itself. So a component has a
        // cycle if it has two members.
        let (component, sizes) = components(&edges);
        let cyclic = |&c: &ChannelId| sizes[component[c] as usize] > 1;
        let Some(first) = edges.keys().find(cyclic) else {
            return CreditLoops::default();
        };
        CreditLoops {
            count: sizes.iter().filter(|&&n| n > 1).count(),
            channels: sizes.iter().filter(|&&n| n > 1).sum(),
            example: shortest_cycle(&edges, first),
        }
    }
}

/// The graph: the channels that each channel depends on.
type Edges = TiVec<ChannelId, Vec<ChannelId>>;

/// Strongly connected components (Kosaraju): the component of each vertex and the size of each component.
fn components(edges: &Edges) -> (TiVec<ChannelId, u32>, Vec<usize>) {
    let all = || edges.keys();
    let mut back: Edges = vec![Vec::new(); edges.len()].into();
    for v in all() {
        edges[v].iter().for_each(|&w| back[w].push(v));
    }
    // A vertex comes after all vertices that it reaches, except those that also reach it.
    let mut order = Vec::new();
    let mut seen: TiVec<_, bool> = vec![false; edges.len()].into();
    all().for_each(|v| visit(edges, v, &mut seen, |done| order.push(done)));
    let mut component: TiVec<_, u32> = vec![0; edges.len()].into();
    let mut sizes = Vec::new();
    seen.fill(false);
    for &v in order.iter().rev() {
        let mut size = 0;
        visit(&back, v, &mut seen, |member| {
            component[member] = sizes.len() as u32;
            size += 1;
        });
        sizes.extend((size > 0).then_some(size));
    }
    (component, sizes)
}

/// Visits the unseen vertices that `start` reaches, depth first; calls `done` for a vertex after its successors.
fn visit(
    edges: &Edges,
    start: ChannelId,
    seen: &mut TiSlice<ChannelId, bool>,
    mut done: impl FnMut(ChannelId),
) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut open = vec![(start, 0)];
    while let Some((v, edge)) = open.last_mut() {
        let Some(&w) = edges[*v].get(*edge) else {
            done(*v);
            open.pop();
            continue;
        };
        *edge += 1;
        if !std::mem::replace(&mut seen[w], true) {
            open.push((w, 0));
        }
    }
}

/// A shortest cycle through `start`, which must be on a cycle.
fn shortest_cycle(edges: &Edges, start: ChannelId) -> Vec<ChannelId> {
    let mut came_from: TiVec<ChannelId, _> = vec![None; edges.len()].into();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(v) = queue.pop_front() {
        for &w in &edges[v] {
            if w == start {
                let mut cycle = vec![v];
                while let Some(before) = came_from[cycle[cycle.len() - 1]] {
                    cycle.push(before);
                }
                cycle.reverse();
                return cycle;
            }
            if came_from[w].is_none() {
                came_from[w] = Some(v);
                queue.push_back(w);
            }
        }
    }
    Vec::new()
}
