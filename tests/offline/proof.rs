//! The proof of any tables agrees with the check, which walks every path.

use crate::routed::{Routed, pgft};
use dmodc_analysis::{Channels, UpDown, check};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Fabric, Lid, NO_PATH, SwitchId, Tables};
use dmodc_proof::{Claim, Proven, Refuted, prove};
use typed_index_collections::TiVec;

/// Proves tables by a claim that is made from them.
fn proof(routed: &Routed, tables: &Tables) -> Result<Proven, Refuted> {
    let fabric = &routed.fabric;
    let rows = fabric.switches().keys().map(|s| &tables.row(s).raw);
    let rows: TiVec<SwitchId, &[u8]> = rows.collect();
    let ranking = routed.plan.ranking();
    let paths = UpDown::new(&Channels::new(fabric), |a, b| ranking.is_up(a, b));
    let claim = Claim {
        order: &ranking.positions(),
        detours: None,
        left_out: &paths.left_out(fabric, &rows),
        connect_roots: false,
    };
    prove(fabric, &rows, &claim)
}

/// Writes a random port, or none where hosts need one, into an entry.
fn spoil(fabric: &Fabric, tables: &mut Tables, random: &mut Random) {
    let s = SwitchId::from(random.below(tables.len()));
    let lids: Vec<Lid> = fabric.lids().map(|(lid, ..)| lid).collect();
    let lid = lids[random.below(lids.len())];
    let ports = usize::from(fabric.switches()[s].ports);
    let port = match random.below(ports + 3) {
        port if port > ports + 1 && !fabric.end_nodes_of(s).is_empty() => NO_PATH,
        port => port as u8,
    };
    tables.row_mut(s)[lid] = port;
}

/// Links are single here: of several between two switches the proof takes all cycles for one.
#[test]
fn the_proof_agrees_with_the_check() {
    let mut random = Random::new(53);
    let (mut sound, mut turned, mut cyclic, mut refuted) = (0, 0, 0, 0);
    for case in 0..60 {
        let shape = ["PGFT(3;2,3,4;1,2,2;1,1,1)", "PGFT(2;4,6;1,3;1,1)"][case % 2];
        let (less, _) = (pgft(shape, case as u64))
            .without_links(case % 9, case as u64)
            .expect("links enough");
        let routed = Routed::new(&less);
        // Between two pieces the check lets a dead port pass, and the proof none.
        if routed
            .fabric
            .parts(|_| true)
            .iter()
            .any(|part| *part != Some(SwitchId(0)))
        {
            continue;
        }
        for changes in [0, 1, 1, 1, 2, 3, 5] {
            let mut tables = routed.tables.clone();
            (0..changes).for_each(|_| spoil(&routed.fabric, &mut tables, &mut random));
            let report = check(&routed.fabric, &tables, |a, b| {
                routed.plan.ranking().is_up(a, b)
            });
            let proof = proof(&routed, &tables);
            assert_eq!(report.passed(), proof.is_ok(), "{case}: {proof:?}");
            match proof {
                Ok(proven) => {
                    sound += 1;
                    turned += usize::from(proven.turns > 0);
                }
                Err(_) if report.undelivered() == 0 => cyclic += 1,
                Err(_) => refuted += 1,
            }
        }
    }
    assert!(
        sound > 60 && turned > 20 && cyclic > 0 && refuted > 60,
        "{sound} {turned} {cyclic} {refuted}"
    );
}
