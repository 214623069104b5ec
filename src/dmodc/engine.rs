//! The pipeline: a fabric goes in, a [`Plan`] of it comes out, and from that the tables.

use super::cost::{Costs, dividers, path_dividers};
use super::crew::{Crew, Muster};
use super::destinations::Destinations;
use super::detour::Detours;
use super::groups::Groups;
use super::links::Links;
use super::memory::{RouteMemory, lock};
use super::nid::Nids;
use super::options::{OnUnreachable, Options, RouteError, Timings};
use super::rank::{Ranking, Rule};
use super::route::Router;
use super::sharing::Sharing;
use super::types::NodeTypes;
use super::validity::Unreachable;
use super::view::View;
use super::wiring::{self, Oddity};
use crate::fabric::Fabric;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Computes routes with threads of its own. Between fabrics it keeps memory and nothing else:
/// the tables depend on the fabric and the options alone, never on the number of threads or on what
/// came before.
pub struct Engine {
    crew: Crew,
    memory: RouteMemory,
    /// Memory of the costs of a plan that is done with.
    spare: Mutex<Vec<u8>>,
}

impl Engine {
    /// An engine with `threads` threads, the one that asks among them; 0 means one for each
    /// processor.
    ///
    /// # Errors
    /// If the operating system gives no threads.
    pub fn new(threads: usize) -> Result<Engine, rayon::ThreadPoolBuildError> {
        let crew = Crew::new(threads)?;
        let memory = RouteMemory::new(crew.threads());
        Ok(Engine {
            crew,
            memory,
            spare: Mutex::default(),
        })
    }

    /// The number of threads, the one that asks among them.
    pub fn threads(&self) -> usize {
        self.crew.threads()
    }

    /// Runs `work` on this thread with the others awake: what is planned and filled meanwhile need
    /// not wait for them. `switches` says how many there are to work on.
    pub fn muster<R>(&self, switches: usize, work: impl FnOnce(&Muster<'_>) -> R) -> R {
        self.crew.muster(switches, work)
    }

    /// Everything but the routes: ranks, port groups, costs, dividers, NIDs, validity.
    ///
    /// # Errors
    /// [`RouteError::NotATree`] if there are no levels in the fabric (unless roots are given, which
    /// say where the top is); [`RouteError::Unreachable`] if a pair of leaves has no up-down path
    /// and the options say that this is to fail.
    pub fn plan(&self, fabric: &Fabric, options: &Options) -> Result<Plan, RouteError> {
        let spare = std::mem::take(&mut *lock(&self.spare));
        self.muster(fabric.switches().len(), |muster| {
            Plan::new(fabric, options, spare, muster)
        })
    }

    /// Takes back a plan that is done with: the costs of the next one, the largest part of it, go
    /// where its costs were, which spares first touching that much anew.
    pub fn recycle(&self, plan: Plan) {
        *lock(&self.spare) = plan.costs.into_memory();
    }

    /// Writes the routes. `rows[s]` is the LFT of switch `s`, indexed by LID, at least
    /// `fabric.max_lid() + 1` long; every entry up to there is written, [`crate::lft::NO_PATH`] for
    /// LIDs that the fabric does not have or that cannot be reached. Returns the time taken.
    ///
    /// # Errors
    /// If the rows do not fit the fabric; nothing is written then.
    pub fn fill(
        &self,
        fabric: &Fabric,
        plan: &Plan,
        rows: &mut [&mut [u8]],
    ) -> Result<Duration, RouteError> {
        let start = Instant::now();
        let (tables, switches) = (rows.len(), fabric.switches().len());
        if tables != switches {
            return Err(RouteError::TableCount { tables, switches });
        }
        for (row, switch) in rows.iter().zip(fabric.switches()) {
            if row.len() <= fabric.max_lid().index() {
                return Err(RouteError::TableTooShort {
                    switch: switch.guid,
                    len: row.len(),
                    max_lid: fabric.max_lid().0,
                });
            }
        }
        if switches > 0 {
            self.muster(switches, |muster| {
                plan.router(fabric).write(rows, &self.memory, muster);
            });
        }
        Ok(start.elapsed())
    }
}

/// What is known of a fabric before its routes are written.
#[derive(Clone, Debug)]
pub struct Plan {
    ranking: Ranking,
    groups: Groups,
    costs: Costs,
    detours: Detours,
    dividers: Vec<u32>,
    path_dividers: Vec<u32>,
    nids: Nids,
    destinations: Destinations,
    sharing: Sharing,
    unreachable: Unreachable,
    timings: Timings,
}

impl Plan {
    fn new(
        fabric: &Fabric,
        options: &Options,
        spare: Vec<u8>,
        muster: &Muster<'_>,
    ) -> Result<Plan, RouteError> {
        let start = Instant::now();
        let links = Links::new(fabric, muster);
        let ranking = Ranking::of(fabric, &links, options);
        let groups = Groups::new(links, &ranking, muster);
        if ranking.rule() != Rule::Roots
            && let Some(cycle) = wiring::level_cycle(&groups)
        {
            let guid = |s: u32| fabric.switches()[s as usize].guid;
            return Err(RouteError::NotATree(cycle.into_iter().map(guid).collect()));
        }
        let ranked = Instant::now();
        let costs = Costs::new(&ranking, &groups, spare, muster);
        let detours = match options.connect_roots {
            true => Detours::new(&groups, &costs),
            false => Detours::none(),
        };
        let costed = Instant::now();
        let types = NodeTypes::new(options);
        // What follows from the costs, for the destinations and for the switches.
        let of_destinations = || {
            let nids = Nids::new(fabric, &ranking, &costs, &types);
            let destinations = Destinations::new(fabric, &ranking, &costs, &nids);
            let unreachable = Unreachable::new(fabric, &ranking, &costs);
            (nids, destinations, unreachable)
        };
        let of_switches = || {
            let (dividers, path_dividers) = (dividers(&groups), path_dividers(&groups));
            let little_below = |s| 4 * costs.columns_below(s).len() <= groups.bottom_up().len();
            let sharing = Sharing::new(&groups, &dividers, &path_dividers, little_below);
            (dividers, path_dividers, sharing)
        };
        let ((nids, destinations, unreachable), (dividers, path_dividers, sharing)) =
            muster.both(of_destinations, of_switches);
        if unreachable.count > 0 && options.on_unreachable == OnUnreachable::Fail {
            return Err(RouteError::Unreachable(unreachable.count));
        }
        let timings = Timings {
            rank: ranked - start,
            cost: costed - ranked,
            nid: costed.elapsed(),
            routes: Duration::ZERO,
        };
        Ok(Plan {
            ranking,
            groups,
            costs,
            detours,
            dividers,
            path_dividers,
            nids,
            destinations,
            sharing,
            unreachable,
            timings,
        })
    }

    fn router<'a>(&'a self, fabric: &'a Fabric) -> Router<'a> {
        Router {
            fabric,
            groups: &self.groups,
            costs: &self.costs,
            detours: &self.detours,
            dividers: &self.dividers,
            path_dividers: &self.path_dividers,
            destinations: &self.destinations,
            sharing: &self.sharing,
        }
    }

    /// End nodes (indices into [`Fabric::end_nodes`]) in ascending topological NID.
    pub fn order(&self) -> &[u32] {
        self.nids.order()
    }

    /// The topological NID of an end node: t of the paper.
    pub fn nid(&self, end_node: u32) -> u32 {
        self.nids.nid(end_node)
    }

    /// The levels of the fabric.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// What looks odd in the wiring.
    pub fn oddities(&self, fabric: &Fabric) -> Vec<Oddity> {
        wiring::oddities(fabric, &self.ranking)
    }

    /// The port groups of the fabric.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The divider of a switch: Π of the paper.
    pub fn divider(&self, switch: u32) -> u32 {
        self.dividers[switch as usize]
    }

    /// Hops of the up-down path from switch `from` to switch `to`, `None` if there is none.
    pub fn hops(&self, from: u32, to: u32) -> Option<u8> {
        self.costs.hops(from, to)
    }

    /// Pairs of leaves without an up-down path.
    pub fn unreachable(&self) -> &Unreachable {
        &self.unreachable
    }

    /// The alternative output ports P(s,d) of the paper's equation (2) from a switch to an end
    /// node, ascending by group and port; its own port where the node hangs off the switch.
    pub fn alternatives(&self, fabric: &Fabric, switch: u32, end_node: u32) -> Vec<u8> {
        let node = &fabric.end_nodes()[end_node as usize];
        if node.switch == switch {
            return vec![node.port];
        }
        let view = View::new(&self.groups, &self.costs, switch);
        let set = view.candidates(self.costs.column(node.switch));
        let ports = |g| self.groups.ports(g).to_vec();
        view.groups(set).iter().flat_map(ports).collect()
    }

    /// Time spent so far; routes come on top, see [`Engine::fill`].
    pub fn timings(&self) -> Timings {
        self.timings
    }
}
