//! What the tables of a run are worth, from OpenSM's own dumps.
//!
//! Up and down are by Dmodc's ranks, whoever made the tables: engines that know no up and down
//! (minhop, sssp) turn where they like, and what counts for them is whether that closes a credit
//! loop. The order of nodes in permutations and shifts is that of Dmodc's topological NIDs; where
//! the fabric is no tree it is by switch GUID and port.

use super::CompareError;
use super::opensm::Run;
use super::row::Figures;
use crate::analysis::{Traffic, check};
use crate::dmodc::{Engine, NodeType, NodeTypes, Options, Ranking};
use crate::fabric::{Fabric, Guid};
use crate::lft::{Dump, Tables};
use crate::netlist::Netlist;

/// The random permutations by which all engines are judged.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// How many there are.
    pub permutations: u32,
    /// Their seed.
    pub seed: u64,
}

/// Judges the tables of a run.
pub fn figures(run: &Run, engine: &Engine, scale: &Scale) -> Result<Figures, CompareError> {
    let (fabric, _) = Netlist::read(&run.subnet())?.to_fabric(None)?;
    let dump = Dump::read(&run.lfts())?;
    let tables = dump.tables(&fabric);
    let tables = tables.map_err(|fault| fault.in_file(&run.lfts()))?;
    let options = Options::default();
    let order = match engine.plan(&fabric, &options) {
        Ok(plan) => plan.order().to_vec(),
        Err(_) => (0..fabric.end_nodes().len() as u32).collect(),
    };
    let ranking = Ranking::new(&fabric, &options);
    let report = check(&fabric, &tables, |a, b| ranking.is_up(a, b));
    let traffic = Traffic::new(&fabric, &tables, &order);
    let tick = |_| ();
    Ok(Figures {
        switches: fabric.switches().len(),
        nodes: fabric.end_nodes().len(),
        unreachable_pairs: report.unreachable_pairs,
        no_route: traffic.skipped(),
        undelivered: report.undelivered(),
        turns: report.turns.routes,
        nonminimal: report.nonminimal.routes,
        credit_loops: report.credit_loops.count,
        a2a: traffic.all_to_all(&tick).value,
        rp: traffic
            .random_permutations(scale.permutations as usize, scale.seed, &tick)
            .value,
        sp: traffic.shifts(&tick).value,
    })
}

/// The node orders in which shifts are taken, by end node index; an empty one is not to be had.
pub struct Orders {
    /// That of OpenSM's ftree on the complete fabric.
    pub ftree: Vec<u32>,
    /// That of Dmodc's topological NIDs.
    pub dmodc: Vec<u32>,
}

/// The congestion risks of the tables of a throw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Risks {
    /// Ordered pairs of end nodes (aggregation nodes aside) whose route does not arrive.
    pub no_route: u64,
    /// All to all.
    pub a2a: u32,
    /// Random permutations, the median.
    pub rp: u32,
    /// All shifts in ftree's order, the maximum.
    pub sp_ftree: Option<u32>,
    /// All shifts in Dmodc's order, the maximum.
    pub sp_dmodc: Option<u32>,
    /// Compute nodes to I/O nodes, all shifts, the maximum; if there are I/O nodes.
    pub cn2io: Option<u32>,
}

/// Measures them. `io` are port GUIDs of I/O nodes.
pub fn risks(
    fabric: &Fabric,
    tables: &Tables,
    orders: &Orders,
    io: &[Guid],
    scale: &Scale,
) -> Risks {
    let tick = |_| ();
    let plain: Vec<u32> = (0..fabric.end_nodes().len() as u32).collect();
    let order = match orders.dmodc.is_empty() {
        true => &plain,
        false => &orders.dmodc,
    };
    let traffic = Traffic::new(fabric, tables, order);
    let types = NodeTypes::new(&Options {
        io_guids: io.to_vec(),
        ..Options::default()
    });
    let is = |node: u32, t| types.of(fabric.end_nodes()[node as usize].guid) == t;
    let (compute, io) = (|n| is(n, NodeType::Compute), |n| is(n, NodeType::Io));
    let ftree = (!orders.ftree.is_empty()).then(|| Traffic::new(fabric, tables, &orders.ftree));
    let permutations = scale.permutations as usize;
    Risks {
        no_route: traffic.skipped(),
        a2a: traffic.all_to_all(&tick).value,
        rp: traffic
            .random_permutations(permutations, scale.seed, &tick)
            .value,
        sp_ftree: ftree.map(|traffic| traffic.shifts(&tick).value),
        sp_dmodc: (!orders.dmodc.is_empty()).then(|| traffic.shifts(&tick).value),
        cn2io: types
            .are_given()
            .then(|| traffic.type_to_type(compute, io, &tick).value),
    }
}
