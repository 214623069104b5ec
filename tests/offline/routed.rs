//! Fabrics with their tables.

use crate::forced::{Forced, forced};
use dmodc::analysis::{CheckReport, check};
use dmodc::dmodc::{Engine, Options, Plan, RouteError};
use dmodc::fabric::Fabric;
use dmodc::lft::Tables;
use dmodc::netlist::Netlist;
use dmodc::netlist::generate::{Order, Pgft, Rlft, build};
use std::sync::Arc;

/// A whole PGFT by its name, with GUIDs and LIDs in random order.
pub fn pgft(shape: &str, seed: u64) -> Netlist {
    let shape: Pgft = shape.parse().expect("a shape");
    shuffled(&shape.into(), seed)
}

/// A tree with GUIDs and LIDs in random order.
pub fn shuffled(tree: &Rlft, seed: u64) -> Netlist {
    let order = Order {
        seed: Some(seed),
        lids: true,
    };
    build(tree, order)
}

/// Options with this fabric as the reference.
pub fn with_reference(netlist: &Netlist) -> Options {
    Options {
        reference: Some(Arc::new(netlist.to_fabric(None).expect("LIDs").0)),
        ..Options::default()
    }
}

/// Entries that change and are not those of LIDs that came, went or moved.
pub fn others(changes: &Forced) -> usize {
    changes.forced.entries + changes.needless.entries
}

/// A netlist as text.
pub fn written(netlist: &Netlist) -> Vec<u8> {
    let mut text = Vec::new();
    netlist.write(&mut text).expect("memory takes it");
    text
}

pub struct Routed {
    pub fabric: Fabric,
    pub plan: Plan,
    pub tables: Tables,
    /// Entries that are not at their nominal ports.
    pub displaced: usize,
}

impl Routed {
    /// The fabric of a netlist, routed by one thread.
    pub fn new(netlist: &Netlist, options: &Options) -> Result<Routed, RouteError> {
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        Routed::by(&Engine::new(1).expect("a thread"), fabric, options)
    }

    pub fn by(engine: &Engine, fabric: Fabric, options: &Options) -> Result<Routed, RouteError> {
        let plan = engine.plan(&fabric, options)?;
        let (tables, filled) = engine.tables(&fabric, &plan)?;
        Ok(Routed {
            fabric,
            plan,
            tables,
            displaced: filled.displaced,
        })
    }

    pub fn pair(&self) -> (&Fabric, &Tables) {
        (&self.fabric, &self.tables)
    }

    pub fn report(&self) -> CheckReport {
        let ranking = self.plan.ranking();
        check(&self.fabric, &self.tables, |a, b| ranking.is_up(a, b))
    }

    /// What changes when this becomes another.
    pub fn changes(&self, after: &Routed) -> Forced {
        let ranking = after.plan.ranking();
        forced(self.pair(), after.pair(), |a, b| ranking.is_up(a, b))
    }
}
