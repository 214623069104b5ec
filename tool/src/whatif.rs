//! Planned work: a fabric before and after parts of it go.
//!
//! Dmodc routes both, and both are measured alike. Equipment that stays keeps its LIDs, so the difference of the tables
//! is the blocks that OpenSM would send.

use crate::draw;
use dmodc::analysis::{Ebb, Tick, Traffic, bounds};
use dmodc::dmodc::{Drained, Engine, Options, Ranking, RouteError};
use dmodc::drain;
use dmodc::fabric::{EndPairs, Fabric, Guid, NodeKind};
use dmodc::lft::{Diff, Dump, Tables, diff};
use dmodc::netlist::{Names, Netlist, Part, TooManyLids};
use dmodc::wiring::slow_links;
use std::collections::HashSet;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Random permutations, and random matchings.
    pub permutations: usize,
    /// Their seed.
    pub seed: u64,
}

/// A fabric, routed and measured.
#[derive(Clone, Debug)]
pub struct State {
    /// Switches.
    pub switches: usize,
    /// End nodes other than aggregation nodes.
    pub hosts: usize,
    /// Links between switches.
    pub links: usize,
    /// Links, also of hosts, that are slower than their siblings or than in the reference.
    pub slow: usize,
    /// Hosts that no other host reaches, including hosts without a link, by GUID and description.
    pub unreached: Vec<(Guid, String)>,
    /// Pairs of switch and LID without a route ([`left_out`](dmodc::dmodc::Connections::left_out)).
    pub left_out: usize,
    /// The same by sender and receiver.
    pub left_out_ends: EndPairs,
    /// A2A.
    pub a2a: u32,
    /// The bound of A2A.
    pub bound: Option<u32>,
    /// RP.
    pub rp: u32,
    /// SP in the order of topological NIDs.
    pub sp: u32,
    /// A2A, its bound, RP and SP over capacity, where links differ in speed.
    pub over_capacity: Option<OverCapacity>,
    /// Effective bisection bandwidth.
    pub ebb: Option<Ebb>,
    /// The use of drained links, as text.
    pub drained: Vec<String>,
}

/// A fabric with its tables, for drawings.
#[derive(Clone, Debug)]
pub struct Routed {
    /// The fabric.
    pub fabric: Fabric,
    /// The names in it.
    pub names: Names,
    /// Its levels.
    pub ranking: Ranking,
    /// Its switches in the order of their places.
    pub places: Vec<u32>,
    /// Its end nodes in the order of topological NIDs.
    pub order: Vec<u32>,
    /// Both ends of drained links, as (switch, port), ascending.
    pub drained: Vec<(u32, u8)>,
    /// The tables.
    pub tables: Tables,
    /// The A2A risk of each channel.
    pub risks: Vec<u32>,
}

impl Routed {
    /// The state that a drawing shows.
    pub fn state<'a>(&'a self, title: &'a str, bound: Option<u32>) -> draw::State<'a> {
        draw::State {
            title,
            fabric: &self.fabric,
            bound,
            drained: self.drained.clone(),
            routes: Some((&self.tables, &self.risks)),
        }
    }
}

/// Risks over capacity, in flows over the fastest link.
#[derive(Clone, Copy, Debug)]
pub struct OverCapacity {
    /// A2A.
    pub a2a: f64,
    /// The bound of A2A.
    pub bound: Option<f64>,
    /// RP.
    pub rp: f64,
    /// SP.
    pub sp: f64,
}

impl State {
    /// The risks over capacity; where all links are alike, the risks themselves.
    pub fn over_capacity(&self) -> OverCapacity {
        self.over_capacity.unwrap_or(OverCapacity {
            a2a: self.a2a.into(),
            bound: self.bound.map(f64::from),
            rp: self.rp.into(),
            sp: self.sp.into(),
        })
    }
}

/// The effect of planned work.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// Before.
    pub before: State,
    /// After.
    pub after: State,
    /// The fabrics and tables of before and after.
    pub routed: [Routed; 2],
    /// The difference of the tables, which OpenSM would send.
    pub diff: Diff,
}

/// Why the effect cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum WhatIfError {
    /// More LIDs than there are.
    #[error(transparent)]
    Lids(#[from] TooManyLids),
    /// The fabric as it is cannot be routed.
    #[error("before: {0}")]
    Before(RouteError),
    /// What is left cannot be routed.
    #[error("after: {0}")]
    After(RouteError),
}

/// How often [`whatif`] ticks.
pub fn ticks(netlist: &Netlist, effort: Effort) -> u64 {
    let ports = netlist.nodes.iter().map(|node| node.ports.len() as u64);
    2 * (ports.sum::<u64>() + 2 * effort.permutations as u64)
}

/// Compares a fabric with the same fabric without some of its parts. If none are named, the second one has the links
/// of the options drained; otherwise both have. Ticks once for each unit of work, at most [`ticks`] times.
pub fn whatif(
    engine: &Engine,
    netlist: &Netlist,
    parts: &[Part],
    options: &Options,
    effort: Effort,
    tick: Tick,
) -> Result<WhatIf, WhatIfError> {
    let whole = netlist.to_fabric(None)?;
    let mut with_lids = netlist.clone();
    with_lids.take_lids(&whole.0);
    let less = with_lids.without(parts).to_fabric(None)?;
    let undrained = Options {
        drain: Vec::new(),
        ..options.clone()
    };
    let first = if parts.is_empty() {
        &undrained
    } else {
        options
    };
    let (before, old) = look(engine, whole, first, effort, tick).map_err(WhatIfError::Before)?;
    let (mut after, new) = look(engine, less, options, effort, tick).map_err(WhatIfError::After)?;
    let cut_off = cut_off(netlist, parts, (&old.fabric, &old.names), &new.fabric);
    after.unreached.extend(cut_off);
    let [one, other] = [&old, &new].map(|routed| Dump::of(&routed.fabric, &routed.tables));
    Ok(WhatIf {
        before,
        after,
        diff: diff(&one, &other),
        routed: [old, new],
    })
}

/// Routes a fabric and measures it.
fn look(
    engine: &Engine,
    (fabric, names): (Fabric, Names),
    options: &Options,
    effort: Effort,
    tick: Tick,
) -> Result<(State, Routed), RouteError> {
    let plan = engine.plan(&fabric, options)?;
    let (tables, _) = engine.tables(&fabric, &plan)?;
    let traffic = Traffic::new(&fabric, &tables, plan.order());
    let name = |node: u32| {
        let guid = fabric.end_nodes()[node as usize].guid;
        (guid, names.end_nodes[node as usize].clone())
    };
    let (count, seed) = (effort.permutations, effort.seed);
    // Drained links carry nothing.
    let drained = Drained::ends(&fabric, &options.drain);
    let usable = fabric.without(&drained);
    let rank = |switch| plan.ranking().rank(switch);
    let (bound, bound_over_capacity) = bounds(&usable, traffic.nodes(), rank, traffic.channels());
    let a2a = traffic.all_to_all(tick);
    let rp = traffic.random_permutations(count, seed, tick);
    let sp = traffic.shifts(tick);
    let over_capacity = || {
        Some(OverCapacity {
            a2a: a2a.over_capacity?,
            bound: bound_over_capacity,
            rp: rp.over_capacity?,
            sp: sp.over_capacity?,
        })
    };
    let state = State {
        switches: fabric.switches().len(),
        hosts: traffic.nodes().len(),
        links: fabric.switch_links(),
        slow: slow_links(&fabric, rank, options.reference.as_deref()).len(),
        unreached: traffic.unreached().into_iter().map(name).collect(),
        left_out: plan.connections().left_out,
        left_out_ends: plan.connections().left_out_ends(&fabric),
        a2a: a2a.value,
        bound,
        rp: rp.value,
        sp: sp.value,
        over_capacity: over_capacity(),
        ebb: traffic.effective_bisection_bandwidth(count, seed, false, tick),
        drained: drain::uses(&fabric, &options.drain, |s| tables.row(s))
            .iter()
            .map(|used| used.describe(|s| names.switches[s as usize].clone()))
            .collect(),
    };
    let routed = Routed {
        ranking: plan.ranking().clone(),
        places: plan.places(),
        order: plan.order().to_vec(),
        risks: a2a.by_channel,
        fabric,
        names,
        drained,
        tables,
    };
    Ok((state, routed))
}

/// The hosts that lose their link without being named.
fn cut_off(
    netlist: &Netlist,
    parts: &[Part],
    (fabric, names): (&Fabric, &Names),
    less: &Fabric,
) -> Vec<(Guid, String)> {
    let named: HashSet<Guid> = parts
        .iter()
        .filter_map(|part| match *part {
            Part::Node(node) => Some(netlist.nodes[node as usize].guid),
            Part::Link(_) => None,
        })
        .collect();
    let left: HashSet<_> = less.end_nodes().iter().map(|n| (n.guid, n.lid)).collect();
    let nodes = fabric.end_nodes().iter().enumerate();
    nodes
        .filter(|(_, node)| node.kind != NodeKind::Aggregation)
        .filter(|(_, node)| !left.contains(&(node.guid, node.lid)))
        .filter(|(index, _)| !named.contains(&names.node_guids[*index]))
        .map(|(index, node)| (node.guid, names.end_nodes[index].clone()))
        .collect()
}
