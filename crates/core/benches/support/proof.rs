//! The proof of a sweep's tables.

use dmodc_core::Plan;
use dmodc_fabric::{Fabric, SwitchId};
use dmodc_proof::{Claim, Proven, Refuted, prove};
use typed_index_collections::TiVec;

/// Proves the tables as a sweep does.
pub fn prove_all(fabric: &Fabric, plan: &Plan, rows: &[&mut [u8]]) -> Result<Proven, Refuted> {
    let rows: TiVec<SwitchId, &[u8]> = rows.iter().map(|row| &**row).collect();
    let claim = Claim {
        order: &plan.ranking().positions(),
        detours: Some(&plan.detours()),
        left_out: &plan.left_out(),
        connect_roots: false,
    };
    prove(fabric, &rows, &claim)
}
