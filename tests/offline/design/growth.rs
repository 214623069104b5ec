//! New equipment at the end changes only its own entries, without a reference.

use super::events::*;
use super::fabrics::{add_host, carriers, hosts_of};
use super::*;

/// Checks that the equipment `new`, whose GUIDs lie anywhere among the others, changes only its own entries.
fn grows(found: &mut Findings, what: &str, whole: &Netlist, new: &[u32]) {
    let [small, large] = [without(whole, new), whole.clone()];
    let (small, large) = (found.route(&small, what), found.route(&large, what));
    if let (Some(small), Some(large)) = (small, large) {
        found.only_own(&small, &large, what);
    }
}

/// New: the last leaf, the last pod, half of the hosts of a leaf. Also the last leaf of any of uneven pods.
#[test]
fn the_last_leaf_and_the_last_pod() {
    let mut found = Findings::default();
    for (shape, seed) in each(1) {
        let whole = Whole::new(shape, seed);
        let leaf = whole.last_leaf();
        let hosts = hosts_of(&whole.netlist, leaf);
        let (half, pod) = (&hosts[hosts.len() / 2..], whole.last_pod());
        for (what, new) in [
            ("the last leaf", &[leaf][..]),
            ("the last pod", &pod),
            ("half of the hosts of the last leaf", half),
        ] {
            let what = format!("{shape}, seed {seed}, {what}");
            grows(&mut found, &what, &whole.netlist, new);
        }
    }
    for seed in throws(4) {
        let pods = fabrics::uneven(seed, 0);
        let whole = names::at_random(&pods.draw(seed), seed);
        let what = |what: String| format!("{:?}, seed {seed}, the last {what}", pods.leaves);
        for (pod, leaves) in pods.leaves.iter().enumerate() {
            let leaf = fabrics::at(&whole, &format!("leaf {pod}.{}", leaves - 1));
            let what = what(format!("leaf of pod {pod}"));
            grows(&mut found, &what, &whole, &[leaf]);
        }
        let last = pod(&whole, pods.leaves.len() - 1);
        grows(&mut found, &what("pod".into()), &whole, &last);
    }
}

/// Hosts come to a port at which no leaf has had a host, on one leaf after the other. Once most leaves have one there,
/// all reserve a number for it, which may change others; the first third of the leaves changes only own entries.
#[test]
fn hosts_at_a_new_port() {
    let mut found = Findings::default();
    for (shape, seed) in each(1) {
        let mut netlist = Whole::new(shape, seed).netlist;
        let leaves = carriers(&netlist);
        let mut before = Routed::new(&netlist);
        for &leaf in &leaves[..leaves.len() / 3] {
            let lid = names::next_lid(&netlist);
            let port = spare(&netlist, leaf);
            let host = add_host(&mut netlist, leaf, port);
            names::name_new(&mut netlist, host, seed % 2 == 0);
            netlist.nodes[host as usize].ports[0].lid = lid;
            let after = Routed::new(&netlist);
            let place = &netlist.nodes[host as usize].description;
            found.only_own(&before, &after, &format!("{shape}, seed {seed}, {place}"));
            before = after;
            // Large fabrics: the first few are enough.
            if leaves.len() > 50 && leaf > leaves[8] {
                break;
            }
        }
    }
}
