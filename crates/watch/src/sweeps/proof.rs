//! Proves the tables of a sweep: makes the claim of the crate `dmodc-proof` from the plan.
//!
//! Over drained links, routes turn that the plan does not list: then all pairs may turn.

use dmodc_core::{Options, Plan};
use dmodc_fabric::{Fabric, SwitchId};
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
    let detours = options.drain.is_empty().then(|| plan.detours());
    let claim = Claim {
        order: &plan.ranking().positions(),
        detours: detours.as_deref(),
        left_out: &plan.left_out(),
        connect_roots: options.connect_roots,
    };
    dmodc_proof::prove(fabric, rows, &claim)
}
