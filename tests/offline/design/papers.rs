//! On a whole, regularly cabled fabric `stable` makes, whatever the GUIDs are, the tables that `paper` makes with GUIDs
//! in the order of places, row by row. So A2A is the cut bound, or one above it.

use super::fabrics::pgft;
use super::*;

/// One to five levels, with parallel links at the leaves and further up.
const SMALL: [&str; 15] = [
    "PGFT(1;8;1;1)",
    "PGFT(2;6,8;1,4;1,1)",
    "PGFT(2;6,6;1,3;1,2)",
    "PGFT(2;5,7;1,3;1,1)",
    "PGFT(2;12,24;1,12;1,1)",
    "PGFT(2;12,24;1,6;1,2)",
    "PGFT(3;2,2,3;1,2,2;1,2,1)",
    "PGFT(3;4,4,6;1,4,4;1,1,1)",
    "PGFT(3;6,4,5;1,3,4;1,2,1)",
    "PGFT(3;5,3,4;1,2,5;1,1,2)",
    "PGFT(3;5,4,7;1,3,5;1,2,1)",
    "PGFT(3;6,6,8;1,6,6;1,1,1)",
    "PGFT(4;3,3,3,4;1,3,3,3;1,1,1,1)",
    "PGFT(4;4,4,4,4;1,2,3,4;1,2,1,2)",
    "PGFT(5;3,3,2,3,3;1,2,2,3,2;1,1,1,1,1)",
];
const LARGE: [&str; 4] = [
    "PGFT(2;18,36;1,18;1,1)",
    "PGFT(3;12,8,12;1,4,8;1,1,1)",
    "PGFT(4;6,4,4,4;1,3,4,4;1,1,1,1)",
    "PGFT(4;6,6,6,6;1,6,6,6;1,1,1,1)",
];

/// The number of entries for end nodes that differ between switches at the same place.
fn differing(a: &Routed, b: &Routed) -> usize {
    let index = |routed: &Routed, guid| routed.fabric.switch_by_guid(guid).expect("it is there");
    let lids: Vec<_> = a.fabric.end_nodes().iter().map(|n| n.lid).collect();
    let switches = a.netlist.switches().zip(b.netlist.switches());
    let rows = switches.map(|(x, y)| (index(a, x.guid), index(b, y.guid)));
    let differ = |(x, y)| {
        let entries = lids
            .iter()
            .map(|&lid| (a.tables.get(x, lid), b.tables.get(y, lid)));
        entries.filter(|(a, b)| a != b).count()
    };
    rows.map(differ).sum()
}

/// The LIDs of the end nodes, in the order of their topological NIDs.
fn order(routed: &Routed) -> Vec<dmodc_fabric::Lid> {
    let nodes = routed.plan.order().iter();
    nodes.map(|&n| routed.fabric.end_nodes()[n].lid).collect()
}

fn are_the_papers(found: &mut Findings, what: &str, places: &Netlist, seed: u64) {
    let oracle = Routed::paper(&names::in_order(places));
    let Some(stable) = found.route(&names::at_random(places, seed), what) else {
        return;
    };
    let differ = differing(&stable, &oracle);
    let same_order = order(&stable) == order(&oracle);
    let entries = stable.tables.len() * stable.fabric.end_nodes().len();
    let links = stable.fabric.switch_links() > 0;
    let near_the_bound = !links || stable.a2a() <= stable.bound() + 1;
    found.add(
        differ == 0 && same_order && near_the_bound && stable.defect().is_none(),
        format!("{what}, seed {seed}: {differ} of {entries} entries differ, the same order: {same_order}"),
    );
}

#[test]
fn whole_pgfts() {
    let mut found = Findings::default();
    let small = SMALL.map(|shape| (shape, 3));
    let large = LARGE.map(|shape| (shape, 1));
    for (shape, count) in small.into_iter().chain(large) {
        let places = pgft(shape);
        throws(count).for_each(|seed| are_the_papers(&mut found, shape, &places, seed));
    }
    if is_long() {
        let shape = "PGFT(3;24,15,24;1,6,15;1,1,1)";
        are_the_papers(&mut found, shape, &pgft(shape), 1);
    }
}

/// With LMC 2, base LIDs have the paper's tables; with aggregation nodes, hosts have the paper's order, A2A and SP.
#[test]
fn with_lmc_and_aggregation_nodes() {
    let mut found = Findings::default();
    for shape in &SMALL[1..] {
        let mut places = names::with_lids(&pgft(shape), 2, 1);
        let what = format!("{shape}, LMC 2");
        throws(1).for_each(|seed| are_the_papers(&mut found, &what, &places, seed));
        places = pgft(shape);
        fabrics::add_aggregation_nodes(&mut places);
        places = names::with_lids(&names::in_order(&places), 0, 1);
        let what = format!("{shape}, aggregation nodes");
        for seed in throws(1) {
            let oracle = Routed::paper(&names::in_order(&places));
            let Some(stable) = found.route(&names::at_random(&places, seed), &what) else {
                continue;
            };
            let hosts = |routed: &Routed| -> Vec<_> {
                let nodes = routed.fabric.end_nodes();
                let is_host = |&&n: &&NodeId| nodes[n].kind != dmodc_fabric::NodeKind::Aggregation;
                let hosts = routed.plan.order().iter().filter(is_host);
                hosts.map(|&n| nodes[n].lid).collect()
            };
            let (a, b) = (hosts(&stable), hosts(&oracle));
            let figures = (stable.a2a(), stable.sp(), oracle.a2a(), oracle.sp());
            found.add(
                a == b && figures.0 == figures.2 && figures.1 == figures.3,
                format!(
                    "{what}, seed {seed}: A2A, SP, paper's {figures:?}, order {}",
                    a == b
                ),
            );
        }
    }
}
