//! The proof of a sweep's tables.

use dmodc_core::Plan;
use dmodc_fabric::{Fabric, SwitchId};
use dmodc_proof::{Claim, Proven, Refuted, prove};
use typed_index_collections::TiVec;

/// Proves the tables as a sweep does.
pub fn prove_all(fabric: &Fabric, plan: &Plan, rows: &[&mut [u8]]) -> Result<Proven, Refuted> {
    let left = &plan.connections().left;
    let mut left_out = Vec::new();
    if !left.is_empty() {
        let part = fabric.parts(|_| true);
        left_out.extend(left.iter().filter(|(from, to)| part[*from] == part[*to]));
        left_out.sort_unstable();
    }
    let rows: TiVec<SwitchId, &[u8]> = rows.iter().map(|row| &**row).collect();
    let claim = Claim {
        order: &plan.ranking().positions(),
        detours: &plan.detours(),
        left_out: &left_out,
        connect_roots: false,
    };
    prove(fabric, &rows, &claim)
}
