//! Proves the tables of a sweep: makes the claim of the crate `dmodc-proof` from the plan.
//!
//! Over drained links, routes turn that the plan does not list: then the list of detours is made from the tables. No list
//! can make a wrong proof: turns that are listed must close no cycle.

use dmodc_core::{Options, Plan};
use dmodc_fabric::{Fabric, PortNumber, SwitchId};
use dmodc_proof::{Claim, Proven, Refuted};
use typed_index_collections::TiSlice;

/// Proves the tables that a plan has given a fabric; `rows` has the table of each switch, by LID.
///
/// # Errors
/// The first entry that is wrong.
pub fn prove(
    fabric: &Fabric,
    plan: &Plan,
    options: &Options,
    rows: &TiSlice<SwitchId, &[u8]>,
) -> Result<Proven, Refuted> {
    let mut left_out = plan.connections().left.clone();
    left_out.sort_unstable();
    let order = &plan.ranking().positions();
    let detours = match options.drain.is_empty() {
        true => plan.detours(),
        false => turning(fabric, order, rows),
    };
    let claim = Claim {
        order,
        detours: &detours,
        left_out: &left_out,
        connect_roots: options.connect_roots,
    };
    dmodc_proof::prove(fabric, rows, &claim)
}

/// Pairs of switches (from, to), ascending: packets from the first to LIDs at the second turn at the next switch.
fn turning(
    fabric: &Fabric,
    order: &TiSlice<SwitchId, u32>,
    rows: &TiSlice<SwitchId, &[u8]>,
) -> Vec<(SwitchId, SwitchId)> {
    let mut pairs = Vec::new();
    for (lid, to, _) in fabric.lids() {
        let next = |s: SwitchId| {
            let port = PortNumber(*rows[s].get(lid.index())?);
            fabric.far(s, port).map(|(next, _)| next)
        };
        let turns = |&s: &SwitchId| {
            let down = next(s).filter(|below| order[*below] < order[s]);
            down.is_some_and(|below| next(below).is_some_and(|then| order[then] > order[below]))
        };
        pairs.extend(rows.keys().filter(turns).map(|s| (s, to)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
