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
use crate::dmodc::{Engine, Options, Ranking};
use crate::lft::Dump;
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
