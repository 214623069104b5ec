//! `dmodc whatif --each`: each single loss of a link between switches, or of a switch.
//!
//! The engine routes the fabric after each loss. Few routes change, so the loads are counted once, and for a loss only
//! their changes.

mod shown;

use crate::cmd::args::Meant;
use crate::failure::Failure;
use crate::output::progress;
use dmodc_analysis::{Loads, Losses, Risks, Traffic};
use dmodc_core::{Engine, Options, Plan, Ranking};
use dmodc_fabric::{Fabric, Lid, NodeId, PortNumber, SwitchId, Tables};
use rayon::prelude::*;
use serde_json::Value;
use shown::Found;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use typed_index_collections::TiVec;

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Each {
    Link,
    Switch,
}

/// A link by its ends, or a switch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lost {
    Link([(SwitchId, PortNumber); 2]),
    Switch(SwitchId),
}

impl Lost {
    /// All losses of a kind.
    fn all(each: Each, fabric: &Fabric) -> Vec<Lost> {
        match each {
            Each::Link => fabric.links().map(Lost::Link).collect(),
            Each::Switch => fabric.switches().keys().map(Lost::Switch).collect(),
        }
    }

    fn switch(self) -> Option<SwitchId> {
        match self {
            Lost::Link(_) => None,
            Lost::Switch(switch) => Some(switch),
        }
    }

    /// The fabric without it.
    fn after(self, fabric: &Fabric) -> Fabric {
        let mut ends = match self {
            Lost::Link(ends) => ends.to_vec(),
            Lost::Switch(switch) => {
                let links = fabric.links_of(switch);
                let ends = links.flat_map(|(port, s, far)| [(switch, port), (s, far)]);
                ends.collect()
            }
        };
        ends.sort_unstable();
        ends.dedup();
        fabric.without(&ends)
    }
}

/// What a loss does.
struct Harm {
    lost: Lost,
    /// Switches whose hosts are cut off, and the number of these hosts' ports.
    cut: Vec<SwitchId>,
    cut_off: usize,
    /// Ports of hosts with half their ways.
    half: usize,
    /// Pairs of leaves that lose their last up-down way, and those that have no route though links join them.
    last_way: Vec<(SwitchId, SwitchId)>,
    left_out: usize,
    /// The risks, or why the fabric cannot be routed then.
    risks: Result<Risks, String>,
}

impl Harm {
    /// The same figures have the same key; the greatest harm has the greatest.
    fn key(&self) -> impl Ord + use<> {
        let risks = self.risks.as_ref().ok().map(|r| (r.a2a, r.sp, r.rp));
        let pairs = (self.left_out, self.last_way.len());
        let routed = self.risks.is_err();
        (routed, self.cut_off, pairs, self.half, risks)
    }
}

/// The fabric as it is.
struct Before<'m> {
    meant: &'m Meant,
    engine: Engine,
    options: Options,
    plan: Plan,
    tables: Tables,
    traffic: &'m Traffic,
    loads: Loads<'m>,
    losses: Losses<'m>,
    /// By switch: its ways in the reference if that has it, else now.
    ways: TiVec<SwitchId, usize>,
}

/// The answer for programs and for people.
pub fn each(
    each: Each,
    meant: &Meant,
    (permutations, seed): (u32, u64),
    start: Instant,
) -> Result<(Value, String), Failure> {
    let (fabric, options) = (&meant.fabric, &meant.options);
    let engine = Engine::new(1)?;
    let plan = engine.plan(fabric, options)?;
    let (tables, _) = engine.tables(fabric, &plan)?;
    let mut options = options.clone();
    // The plugin remembers what it has seen.
    if !plan.remembers() {
        options.reference = Some(Arc::new(fabric.clone()));
    }
    let traffic = Traffic::new(fabric, &tables, plan.order());
    let all = Lost::all(each, fabric);
    let work = (all.len() + permutations as usize + traffic.nodes().len()) as u64;
    let bar = progress(work, "{wide_bar} {percent} % {eta}");
    let loads = Loads::new(&traffic, permutations as usize, seed, &|done| bar.inc(done));
    let losses = Losses::new(fabric, |s| plan.ranking().rank(s));
    let before = Before {
        ways: ways(meant, &losses),
        meant,
        engine,
        options,
        plan,
        tables,
        traffic: &traffic,
        loads,
        losses,
    };
    let harms = all.into_par_iter().map(|lost| {
        let harm = before.harm(lost);
        bar.inc(1);
        harm
    });
    let mut harms: Vec<Harm> = harms.collect();
    harms.sort_by_key(|harm| Reverse(harm.key()));
    bar.finish_and_clear();
    // A switch with hosts of its own counts here like any other.
    let cuts = |lost: &Lost| {
        let cut = before.losses.cut_off(&lost.after(fabric), lost.switch());
        !cut.is_empty()
    };
    let cuts = [Each::Link, Each::Switch].map(|kind| match kind == each {
        true => harms.iter().filter(|harm| !harm.cut.is_empty()).count(),
        false => Lost::all(kind, fabric).into_par_iter().filter(cuts).count(),
    });
    let found = Found {
        harms,
        now: before.loads.with(&[], &traffic),
        cuts,
        step: before.loads.step(),
    };
    let json = found.json(each, meant, start);
    Ok((json, found.text(each, fabric, &meant.names)))
}

fn ways(meant: &Meant, now: &Losses) -> TiVec<SwitchId, usize> {
    let reference = meant.known.as_ref().map(|(_, fabric)| &**fabric);
    let planned = reference.map(|reference| {
        let ranking = Ranking::new(reference, &meant.options);
        let ways = Losses::new(reference, |s| ranking.rank(s));
        (reference, ways)
    });
    let ways = |s: SwitchId| {
        let (reference, ways) = planned.as_ref()?;
        Some(ways.ways_before[reference.switch_by_guid(meant.fabric.guid(s))?])
    };
    let switches = meant.fabric.switches().keys();
    let ways = switches.map(|s| ways(s).unwrap_or(now.ways_before[s]));
    ways.collect()
}

impl Before<'_> {
    fn harm(&self, lost: Lost) -> Harm {
        let fabric = &self.meant.fabric;
        let after = lost.after(fabric);
        let hosts = |s: SwitchId| fabric.hosts_of(s).count();
        let cut = self.losses.cut_off(&after, lost.switch());
        let half = fabric.switches().keys().filter(|&s| {
            let ways = self.losses.ways(&after, s);
            let fewer = ways < self.losses.ways_before[s] && 2 * ways <= self.ways[s];
            fewer && Some(s) != lost.switch() && !cut.contains(&s)
        });
        let mut harm = Harm {
            lost,
            cut_off: cut.iter().copied().map(hosts).sum(),
            half: half.map(hosts).sum(),
            cut,
            last_way: Vec::new(),
            left_out: 0,
            risks: Err(String::new()),
        };
        harm.risks = self.route(&mut harm, &after).map_err(|e| e.to_string());
        harm
    }

    /// Routes the fabric after a loss.
    fn route(&self, harm: &mut Harm, after: &Fabric) -> Result<Risks, dmodc_core::RouteError> {
        let fabric = &self.meant.fabric;
        let plan = self.engine.plan(after, &self.options)?;
        let (tables, _) = self.engine.tables(after, &plan)?;
        let lost = harm.lost.switch();
        let is_leaf = |s: SwitchId| Some(s) != lost && fabric.hosts_of(s).next().is_some();
        if plan.unreachable().count > self.plan.unreachable().count {
            let leaves: Vec<_> = fabric.switches().keys().filter(|&s| is_leaf(s)).collect();
            for (i, &a) in leaves.iter().enumerate() {
                let others = leaves[i + 1..].iter().map(|&b| (a, b));
                let is_lost = |plan: &Plan, (a, b)| plan.hops(a, b).is_none();
                let lost =
                    others.filter(|&pair| is_lost(&plan, pair) && !is_lost(&self.plan, pair));
                harm.last_way.extend(lost);
            }
        }
        let left_out = plan.left_out().into_iter();
        let left_out = left_out.filter(|&(a, b)| is_leaf(a) && is_leaf(b));
        let left_out: BTreeSet<_> = left_out.map(|(a, b)| (a.min(b), a.max(b))).collect();
        harm.left_out = left_out.len();
        let changed = self.changed(lost, &tables);
        let nodes: Vec<NodeId> = changed.iter().map(|&p| self.traffic.nodes()[p]).collect();
        // Channels are numbered as before: the tables use none that is lost.
        let routes = Traffic::new(fabric, &tables, &nodes);
        Ok(self.loads.with(&changed, &routes))
    }

    /// The positions of the hosts to which any entry has changed. What a lost switch without hosts does is no matter.
    fn changed(&self, lost: Option<SwitchId>, after: &Tables) -> Vec<usize> {
        let fabric = &self.meant.fabric;
        let mut changed: TiVec<Lid, bool> = vec![false; fabric.max_lid().index() + 1].into();
        for s in fabric.switches().keys() {
            let rows = [self.tables.row(s), after.row(s)];
            if rows[0] != rows[1] && (Some(s) != lost || fabric.hosts_of(s).next().is_some()) {
                let lids = changed.iter_mut_enumerated();
                lids.for_each(|(lid, changed)| *changed |= rows[0][lid] != rows[1][lid]);
            }
        }
        let nodes = self.traffic.nodes().iter().enumerate();
        let changed = nodes.filter(|&(_, &node)| changed[fabric.end_nodes()[node].lid]);
        changed.map(|(position, _)| position).collect()
    }
}
