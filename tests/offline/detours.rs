//! What detours cost: throws in which pods of 8,640 nodes have no plane in common.

use dmodc::analysis::{Traffic, bound, check};
use dmodc::dmodc::{Engine, Options};
use dmodc::netlist::generate::{Order, Pgft, build};
use std::env;

/// Prints A2A, its cut bound, RP and SP of the first throws with pairs of leaves that need detours:
/// DMODC_THROWS (11) of them. A leaf that all of a pod turn at has A2A 384 for each such pod, and SP 220.
#[test]
#[ignore = "takes a while"]
fn are_shared_out_among_planes() {
    let wanted = env::var("DMODC_THROWS").map_or(11, |n| n.parse().expect("a number"));
    let shape: Pgft = "PGFT(3;24,15,24;1,6,15;1,1,1)".parse().expect("a shape");
    let order = Order {
        seed: Some(1),
        lids: true,
    };
    let whole = build(&shape.into(), order);
    let engine = Engine::new(1).expect("a thread");
    let options = Options::default();
    let mut all: Vec<[u32; 4]> = Vec::new();
    for seed in 1.. {
        let (less, _) = whole.without_switches(40, seed, false).expect("switches");
        let (fabric, _) = less.to_fabric(None).expect("LIDs");
        let plan = engine.plan(&fabric, &options).expect("a tree");
        if plan.unreachable().count == 0 {
            continue;
        }
        let (tables, _) = engine.tables(&fabric, &plan).expect("tables fit");
        let ranking = plan.ranking();
        let report = check(&fabric, &tables, |a, b| ranking.is_up(a, b));
        assert_eq!(report.credit_loops.count, 0);
        let traffic = Traffic::new(&fabric, &tables, plan.order());
        let bound = bound(&fabric, |s| ranking.rank(s)).expect("a tree");
        let a2a = traffic.all_to_all(&|_| ());
        let rp = traffic.random_permutations(200, 1, &|_| ()).value;
        let sp = traffic.shifts(&|_| ()).value;
        println!(
            "seed {seed}: {} pairs of leaves; A2A {} (bound {bound}), RP {rp}, SP {sp}; turned {}, left out {}",
            plan.unreachable().count,
            a2a.value,
            plan.connections().turned,
            plan.connections().left_out,
        );
        all.push([a2a.value, bound, rp, sp]);
        if all.len() == wanted {
            break;
        }
    }
    let medians = [0, 1, 2, 3].map(|i| {
        let mut column: Vec<u32> = all.iter().map(|row| row[i]).collect();
        column.sort_unstable();
        column[column.len() / 2]
    });
    println!("medians of {}: A2A, bound, RP, SP {medians:?}", all.len());
    let [a2a, bound, _, sp] = medians;
    assert!(a2a * 4 <= bound * 5 && sp <= 130, "{medians:?}");
    assert!(all.iter().all(|[a2a, bound, ..]| a2a * 5 <= bound * 8));
}
