//! The proof of tables: of those that were routed here, and of those of any engine.

use super::tables::Judged;
use crate::failure::Failure;
use dmodc_analysis::{Channels, UpDown};
use dmodc_core::{Engine, Options, Plan, Ranking};
use dmodc_fabric::{Fabric, NO_PATH, SwitchId, Tables};
use dmodc_proof::{Claim, Proven, Refuted};
use dmodc_watch::sweeps::prove;
use serde_json::{Value, json};
use typed_index_collections::TiVec;

/// Proves tables that were routed by a plan.
///
/// # Errors
/// The first entry that is wrong.
pub fn proven(
    engine: &Engine,
    fabric: &Fabric,
    plan: &Plan,
    options: &Options,
    tables: &Tables,
) -> Result<(), Failure> {
    let rows = fabric.switches().keys().map(|s| &tables.row(s).raw);
    let rows: TiVec<SwitchId, &[u8]> = rows.collect();
    let threads = engine.threads(rows.len());
    let proven = prove(fabric, plan, options, &rows, threads).map(drop);
    proven.map_err(|wrong| Failure::Invalid(format!("the proof of the tables failed: {wrong}")))
}

/// What the proof of any engine's tables says.
pub struct Proof(Result<Proven, Refuted>);

impl Proof {
    /// Tries to prove tables. The claim is as wide as it can be: each pair may turn, and each pair without entries and
    /// without an up-down path is left out. Entries of LIDs that no port has are not judged.
    pub fn find(judged: &Judged, ranking: &Ranking) -> Proof {
        let Judged { fabric, tables, .. } = judged;
        let mut is_owned = vec![false; tables.width()];
        for (lid, ..) in fabric.lids() {
            is_owned[lid.index()] = true;
        }
        let row = |s| -> Vec<u8> {
            let entries = tables.row(s).iter().zip(&is_owned);
            let of = |(&entry, is_owned): (&u8, &bool)| if *is_owned { entry } else { NO_PATH };
            entries.map(of).collect()
        };
        let rows: TiVec<SwitchId, Vec<u8>> = fabric.switches().keys().map(row).collect();
        let rows: TiVec<SwitchId, &[u8]> = rows.iter().map(Vec::as_slice).collect();
        let paths = UpDown::new(&Channels::new(fabric), |a, b| ranking.is_up(a, b));
        let claim = Claim {
            order: &ranking.positions(),
            detours: None,
            left_out: &paths.left_out(fabric, &rows),
            connect_roots: false,
        };
        Proof(dmodc_proof::prove(fabric, &rows, &claim))
    }

    pub fn passed(&self) -> bool {
        self.0.is_ok()
    }

    pub fn text(&self, judged: &Judged) -> String {
        match &self.0 {
            Ok(Proven { left_out, turns }) => format!(
                "proof: passed: every other entry delivers, {turns} turns close no cycle, {left_out} entries are left out\n"
            ),
            Err(wrong) => {
                let name = judged.fabric.switch_by_guid(wrong.switch);
                let name = name.map_or_else(|| wrong.switch.to_string(), |s| judged.switch(s));
                let (lid, owner, reason) = (wrong.lid, judged.owner(wrong.lid), &wrong.reason);
                format!("proof: FAILED: switch {name}, LID {lid} '{owner}': {reason}\n")
            }
        }
    }

    pub fn json(&self) -> Value {
        match &self.0 {
            Ok(Proven { left_out, turns }) => {
                json!({ "passed": true, "turns": turns, "left_out": left_out })
            }
            Err(wrong) => {
                let (switch, reason) = (wrong.switch.to_string(), wrong.reason.to_string());
                json!({ "passed": false, "switch": switch, "lid": wrong.lid.0, "reason": reason })
            }
        }
    }
}
