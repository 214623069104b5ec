//! Fabrics with their tables.

use crate::forced::{Forced, forced};
use dmodc_analysis::{CheckReport, Traffic, bound, check};
use dmodc_core::{Engine, Faults, OnUnreachable, Options, Plan, RouteError};
use dmodc_fabric::{Fabric, Guid, Merged, Tables};
use dmodc_formats::netlist::generate::{Order, Rlft, build};
use dmodc_formats::netlist::{Kind, Netlist};
use fabrics::tree;
use std::collections::HashMap;
use std::sync::Arc;

/// A whole PGFT by its name, with GUIDs and LIDs in random order.
pub fn pgft(shape: &str, seed: u64) -> Netlist {
    tree(shape, in_random_order(seed))
}

/// A tree with GUIDs and LIDs in random order.
pub fn shuffled(tree: &Rlft, seed: u64) -> Netlist {
    build(tree, in_random_order(seed))
}

fn in_random_order(seed: u64) -> Order {
    Order {
        seed: Some(seed),
        lids: true,
    }
}

/// The default options with some changes.
pub fn options(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

/// Options with this fabric as the reference.
pub fn with_reference(netlist: &Netlist) -> Options {
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    options(|o| o.reference = Some(Arc::new(fabric)))
}

/// These options without detours.
pub fn partial(options: Options) -> Options {
    Options {
        on_unreachable: OnUnreachable::Partial,
        ..options
    }
}

/// The number of changed entries, without those of LIDs that came, went or moved.
pub fn others(changes: &Forced) -> usize {
    changes.forced.entries + changes.needless.entries
}

/// A fabric with its tables.
pub struct Routed {
    /// The netlist of the fabric; empty for one that has none.
    pub netlist: Netlist,
    pub fabric: Fabric,
    pub plan: Plan,
    pub reference: Option<Arc<Fabric>>,
    pub tables: Tables,
    /// Entries that are not at their nominal ports.
    pub displaced: usize,
}

impl Routed {
    /// Routes with the default options: `stable`, no reference.
    pub fn new(netlist: &Netlist) -> Routed {
        Routed::by_options(netlist, &Options::default())
    }

    pub fn paper(netlist: &Netlist) -> Routed {
        Routed::by_options(netlist, &options(|o| o.faults = Faults::Paper))
    }

    pub fn with_reference(netlist: &Netlist, reference: &Netlist) -> Routed {
        Routed::by_options(netlist, &with_reference(reference))
    }

    /// Routes without detours, which could hide a defect.
    pub fn up_down(netlist: &Netlist) -> Routed {
        Routed::by_options(netlist, &partial(Options::default()))
    }

    /// The options of `dmodc.reference=none`: nothing is counted.
    pub fn without_memory() -> Options {
        options(|o| o.forgets = true)
    }

    /// Routes a fabric that must be a tree.
    pub fn by_options(netlist: &Netlist, options: &Options) -> Routed {
        Routed::asked(netlist, options).expect("a tree")
    }

    /// Routes the fabric of a netlist with one thread.
    pub fn asked(netlist: &Netlist, options: &Options) -> Result<Routed, RouteError> {
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let routed = Routed::by(&Engine::new(1).expect("a thread"), fabric, options)?;
        Ok(Routed {
            netlist: netlist.clone(),
            ..routed
        })
    }

    pub fn by(engine: &Engine, fabric: Fabric, options: &Options) -> Result<Routed, RouteError> {
        let plan = engine.plan(&fabric, options)?;
        let (tables, filled) = engine.tables(&fabric, &plan)?;
        Ok(Routed {
            netlist: Netlist::default(),
            fabric,
            plan,
            reference: options.reference.clone(),
            tables,
            displaced: filled.displaced,
        })
    }

    /// The fabric merged with its reference, if the plan uses one.
    pub fn known(&self) -> Option<Merged> {
        let reference = self
            .reference
            .as_deref()
            .filter(|_| self.plan.remembers())?;
        Some(Merged::new(&self.fabric, reference))
    }

    pub fn pair(&self) -> (&Fabric, &Tables) {
        (&self.fabric, &self.tables)
    }

    pub fn report(&self) -> CheckReport {
        let ranking = self.plan.ranking();
        check(&self.fabric, &self.tables, |a, b| ranking.is_up(a, b))
    }

    /// The changes from these tables to others. Switches with the same description are the same, whatever their GUIDs
    /// are: descriptions name places.
    pub fn changes(&self, after: &Routed) -> Forced {
        let switches = after.netlist.switches();
        let guids: HashMap<&str, Guid> = switches.map(|n| (&*n.description, n.guid)).collect();
        let mut renamed = self.netlist.clone();
        for node in renamed.nodes.iter_mut().filter(|n| n.kind == Kind::Switch) {
            if let Some(&guid) = guids.get(&*node.description) {
                node.guid = guid;
            }
        }
        let (fabric, _) = renamed.to_fabric(None).expect("LIDs");
        let mut tables = Tables::for_fabric(&fabric);
        let pairs = self.netlist.switches().zip(renamed.switches());
        for (old, new) in pairs {
            let of = |fabric: &Fabric, guid| fabric.switch_by_guid(guid).expect("it is there");
            let (from, to) = (of(&self.fabric, old.guid), of(&fabric, new.guid));
            tables.row_mut(to).copy_from_slice(self.tables.row(from));
        }
        let ranking = after.plan.ranking();
        let is_up = |a, b| ranking.is_up(a, b);
        forced((&fabric, &tables), after.pair(), is_up)
    }

    pub fn levels(&self) -> HashMap<&str, u32> {
        let ranking = self.plan.ranking();
        let switches = self.netlist.switches().map(|node| {
            let switch = self.fabric.switch_by_guid(node.guid).expect("it is there");
            (&*node.description, ranking.rank(switch))
        });
        switches.collect()
    }

    pub fn traffic(&self) -> Traffic {
        Traffic::new(&self.fabric, &self.tables, self.plan.order())
    }

    pub fn a2a(&self) -> u32 {
        self.traffic().all_to_all(&|_| ()).value
    }

    pub fn sp(&self) -> u32 {
        self.traffic().shifts(&|_| ()).value
    }

    /// The cut bound of A2A.
    pub fn bound(&self) -> u32 {
        let ranking = self.plan.ranking();
        bound(&self.fabric, |s| ranking.rank(s)).expect("links up")
    }

    /// A fault of the tables, if there is one: a pair with an up-down path that is not delivered by one, or a credit
    /// loop.
    pub fn defect(&self) -> Option<String> {
        let report = self.report();
        let sound = report.passed() && report.turns.routes == 0;
        (!sound).then(|| format!("{report:?}"))
    }
}
