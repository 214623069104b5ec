//! The paper's algorithms as printed, naive and literal, to hold the real ones against.
//!
//! Nothing is shared with them but the snapshot. The two places where the print cannot be followed
//! are those that the specification pins: a leaf leaves the set X of Algorithm 2 once visited, and
//! leaves are the switches that carry end nodes.

use crate::fabric::{Fabric, NodeKind, Peer};
use std::collections::BTreeMap;

const INFINITY: u64 = u64::MAX;

/// What the paper computes, by the paper's names.
pub struct Oracle {
    /// c: cost of a switch to a leaf.
    pub c: Vec<BTreeMap<u32, u64>>,
    /// The same after the upward sweep: the cost going down only.
    down: Vec<BTreeMap<u32, u64>>,
    /// Level of a switch.
    rank: Vec<u64>,
    /// Π: divider of a switch.
    pub divider: Vec<u64>,
    /// t: topological NID of a node.
    pub t: Vec<u64>,
    /// G: port groups of a switch, (remote switch, ports).
    pub g: Vec<Vec<(u32, Vec<u8>)>>,
}

impl Oracle {
    /// Everything up to the routes.
    pub fn new(fabric: &Fabric) -> Oracle {
        let switches = fabric.switches().len() as u32;
        let leaves: Vec<u32> = (0..switches)
            .filter(|&s| {
                let nodes = &fabric.end_nodes()[fabric.end_nodes_of(s)];
                nodes.iter().any(|n| n.kind != NodeKind::Aggregation)
            })
            .collect();

        // Rank: levels by distance from the leaves.
        let mut rank = vec![INFINITY; switches as usize];
        for &l in &leaves {
            rank[l as usize] = 0;
        }
        for level in 0..u64::from(switches) {
            for s in 0..switches {
                for peer in fabric.peers_of(s) {
                    if let Peer::Switch { index, .. } = *peer
                        && rank[s as usize] == level
                        && rank[index as usize] > level + 1
                    {
                        rank[index as usize] = level + 1;
                    }
                }
            }
        }
        let above = |s: u32, other: u32| rank[other as usize] > rank[s as usize];

        // Port groups, sorted by UUID.
        let g: Vec<Vec<(u32, Vec<u8>)>> = (0..switches)
            .map(|s| {
                let mut groups: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
                for (i, peer) in fabric.peers_of(s).iter().enumerate() {
                    if let Peer::Switch { index, .. } = *peer {
                        groups.entry(index).or_default().push(i as u8 + 1);
                    }
                }
                groups.into_iter().collect()
            })
            .collect();

        // Algorithm 1.
        let mut c: Vec<BTreeMap<u32, u64>> =
            vec![leaves.iter().map(|&l| (l, INFINITY)).collect(); switches as usize];
        let mut divider = vec![1u64; switches as usize];
        for &l in &leaves {
            c[l as usize].insert(l, 0);
        }
        let mut upwards: Vec<u32> = (0..switches).collect();
        upwards.sort_by_key(|&s| rank[s as usize]);
        let push = |c: &mut Vec<BTreeMap<u32, u64>>, from: u32, to: u32| {
            for &l in &leaves {
                let further = c[from as usize][&l].saturating_add(1);
                if further < c[to as usize][&l] {
                    c[to as usize].insert(l, further);
                }
            }
        };
        for &s in &upwards {
            let up: Vec<u32> = g[s as usize]
                .iter()
                .map(|&(r, _)| r)
                .filter(|&r| above(s, r))
                .collect();
            let product = divider[s as usize] * up.len() as u64;
            for r in up {
                push(&mut c, s, r);
                divider[r as usize] = divider[r as usize].max(product);
            }
        }
        let down = c.clone();
        for &s in upwards.iter().rev() {
            if leaves.contains(&s) {
                continue;
            }
            for &(r, _) in g[s as usize].iter().filter(|&&(r, _)| above(r, s)) {
                push(&mut c, s, r);
            }
        }

        // Algorithm 2.
        let mut t = vec![0; fabric.end_nodes().len()];
        let mut next = 0;
        let mut x = leaves.clone();
        while !x.is_empty() {
            let l = x[0];
            let others = x.iter().filter(|&&other| other != l);
            let mu = others
                .map(|other| c[l as usize][other])
                .min()
                .unwrap_or(INFINITY);
            let visited: Vec<u32> = x
                .iter()
                .copied()
                .filter(|other| c[l as usize][other] <= mu)
                .collect();
            for other in visited {
                for n in fabric.end_nodes_of(other) {
                    t[n] = next;
                    next += 1;
                }
                x.retain(|&still| still != other);
            }
        }
        Oracle {
            c,
            down,
            rank,
            divider,
            t,
            g,
        }
    }

    /// Equation (1): the groups of `s` that lead closer to the leaf.
    pub fn closer(&self, s: u32, leaf: u32) -> Vec<&(u32, Vec<u8>)> {
        let cost = |switch: u32| self.c[switch as usize][&leaf];
        self.g[s as usize]
            .iter()
            .filter(|(r, _)| cost(*r) < cost(s))
            .collect()
    }

    /// Equation (1) under the up-down guarantee: a switch that reaches the leaf going down only
    /// takes the groups below whose such cost is lower, any other the groups above of lower cost.
    pub fn closer_up_down(&self, s: u32, leaf: u32) -> Vec<&(u32, Vec<u8>)> {
        let (c, down) = (
            |s: u32| self.c[s as usize][&leaf],
            |s: u32| self.down[s as usize][&leaf],
        );
        let above = |r: u32| self.rank[r as usize] > self.rank[s as usize];
        let lower = |r: u32| match down(s) {
            INFINITY => above(r) && c(r) < c(s),
            d => !above(r) && down(r) < d,
        };
        self.g[s as usize]
            .iter()
            .filter(|(r, _)| lower(*r))
            .collect()
    }

    /// Equations (3) and (4): the output port of switch `s` for node `d`, out of the candidates;
    /// `None` where there is none.
    pub fn port(&self, s: u32, d: usize, closer: &[&(u32, Vec<u8>)]) -> Option<u8> {
        let (t, pi, n) = (self.t[d], self.divider[s as usize], closer.len() as u64);
        let (_, ports) = closer.get((t / pi).checked_rem(n)? as usize)?;
        Some(ports[(t / (pi * n) % ports.len() as u64) as usize])
    }
}

mod tests {
    use super::*;
    use crate::dmodc::{Engine, Options, Plan};
    use crate::fabric::Lid;
    use crate::lft::{NO_PATH, Tables};
    use crate::netlist::generate::{Order, Pgft, build};
    use crate::netlist::{Kind, Netlist};
    use crate::random::Random;
    use proptest::prelude::*;

    /// A PGFT with shuffled GUIDs and LIDs, less some of its links and switches.
    fn degraded(shape: Pgft, seed: u64, links: f64, switches: f64) -> Netlist {
        let mut netlist = build(
            &shape.into(),
            Order {
                seed: Some(seed),
                ..Order::default()
            },
        );
        let mut random = Random::new(seed ^ 0xdead);
        let mut cut = |share: f64| (random.below(1 << 20) as f64) < share * f64::from(1 << 20);
        let is_switch: Vec<bool> = netlist
            .nodes
            .iter()
            .map(|n| n.kind == Kind::Switch)
            .collect();
        let mut gone: Vec<(u32, u8)> = Vec::new();
        for (i, node) in (0u32..).zip(&netlist.nodes) {
            let isolated = is_switch[i as usize] && cut(switches);
            for port in node.ports.iter().filter(|p| is_switch[p.peer as usize]) {
                if is_switch[i as usize] && (isolated || (i < port.peer && cut(links))) {
                    gone.extend([(i, port.number), (port.peer, port.peer_port)]);
                }
            }
        }
        for (i, node) in (0u32..).zip(&mut netlist.nodes) {
            node.ports.retain(|port| !gone.contains(&(i, port.number)));
        }
        netlist
    }

    fn text(netlist: &Netlist) -> String {
        let mut text = Vec::new();
        netlist.write(&mut text).expect("writing to memory");
        String::from_utf8_lossy(&text).into_owned()
    }

    fn route(fabric: &Fabric, options: &Options, threads: usize) -> (Plan, Tables) {
        let engine = Engine::new(threads).expect("threads");
        let plan = engine.plan(fabric, options).expect("a tree");
        let mut tables = Tables::for_fabric(fabric);
        engine
            .fill(fabric, &plan, &mut tables.rows_mut())
            .expect("tables that fit");
        (plan, tables)
    }

    fn shapes() -> impl Strategy<Value = Pgft> {
        (1usize..=4).prop_flat_map(|h| {
            let list = |most: usize| prop::collection::vec(1..=most, h);
            let most = if h == 4 { 3 } else { 5 };
            (list(most), list(most.min(4)), list(3)).prop_map(|(m, mut w, mut p)| {
                (w[0], p[0]) = (1, 1);
                Pgft::new(m, w, p).expect("a shape")
            })
        })
    }

    fn compare(netlist: &Netlist, complete: bool) -> Result<(), TestCaseError> {
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let oracle = Oracle::new(&fabric);
        let (plan, tables) = route(&fabric, &Options::default(), 2);
        for (s, switch) in (0u32..).zip(fabric.switches()) {
            // What is cut off from all leaves has no rank in the paper, and nothing to route.
            if oracle.rank[s as usize] != INFINITY {
                prop_assert_eq!(u64::from(plan.divider(s)), oracle.divider[s as usize]);
            }
            for (d, node) in fabric.end_nodes().iter().enumerate() {
                let place = format!("switch {} LID {}", switch.guid, node.lid);
                let entry = tables.get(s, node.lid);
                prop_assert_eq!(u64::from(plan.nid(d as u32)), oracle.t[d], "NID, {}", place);
                let cost = oracle.c[s as usize][&node.switch];
                let finite = (cost != INFINITY).then_some(cost as u8);
                prop_assert_eq!(plan.hops(s, node.switch), finite, "cost, {}", place);
                if node.switch == s {
                    prop_assert_eq!(entry, node.port, "{}", place);
                    continue;
                }
                let candidates = oracle.closer_up_down(s, node.switch);
                let port = oracle.port(s, d, &candidates).unwrap_or(NO_PATH);
                prop_assert_eq!(entry, port, "{}", place);
                prop_assert_eq!(port == NO_PATH, finite.is_none(), "{}", place);
                let all: Vec<u8> = candidates
                    .iter()
                    .flat_map(|(_, ports)| ports)
                    .copied()
                    .collect();
                prop_assert_eq!(plan.alternatives(&fabric, s, d as u32), all, "{}", place);
                // Where the two rules differ, the paper's would turn down-up: go down to where the
                // leaf is not below. It takes heavy damage: a switch cut off from all below it
                // stands above its former parents, and connects what was not connected.
                let paper = oracle.closer(s, node.switch);
                if paper != candidates {
                    let below = |r: u32| oracle.rank[r as usize] < oracle.rank[s as usize];
                    let cut = oracle.down[s as usize][&node.switch] == INFINITY;
                    prop_assert!(cut && paper.iter().any(|(r, _)| below(*r)), "{}", place);
                    prop_assert!(!complete, "{}", place);
                }
            }
        }
        Ok(())
    }

    fn compare_or_print(netlist: &Netlist, complete: bool) -> Result<(), TestCaseError> {
        compare(netlist, complete)
            .map_err(|e| TestCaseError::fail(format!("{e}\n{}", text(netlist))))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn complete_trees_are_the_papers(shape in shapes(), seed: u64) {
            compare_or_print(&degraded(shape, seed, 0.0, 0.0), true)?;
        }

        #[test]
        fn degraded_trees_are_the_papers(
            shape in shapes(), seed: u64, links in 0.0..0.4, switches in 0.0..0.3,
        ) {
            compare_or_print(&degraded(shape, seed, links, switches), false)?;
        }

        /// The tables depend on nothing but the fabric: not on threads, not on the order of nodes.
        #[test]
        fn tables_depend_on_the_fabric_alone(shape in shapes(), seed: u64, links in 0.0..0.3) {
            let netlist = degraded(shape, seed, links, 0.0);
            let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
            let (_, one) = route(&fabric, &Options::default(), 1);
            let (_, eight) = route(&fabric, &Options::default(), 8);
            prop_assert!(one == eight);
        }
    }

    #[test]
    fn figure_1_is_the_papers() {
        let shape: Pgft = "PGFT(3;2,2,3;1,2,2;1,2,1)".parse().expect("a shape");
        for seed in 0..20 {
            compare(&degraded(shape.clone(), seed, 0.0, 0.0), true).expect("figure 1");
        }
    }

    /// The 2^lmc LIDs of a port take as many different paths as there are, up to 2^lmc.
    #[test]
    fn extra_lids_take_different_paths() {
        for (shape, lmc, between_pods) in [
            ("PGFT(3;4,4,4;1,4,4;1,1,1)", 4, 16),
            ("PGFT(3;4,6,4;1,2,3;1,1,1)", 3, 6),
            ("PGFT(2;4,8;1,4;1,2)", 3, 8),
        ] {
            let shape: Pgft = shape.parse().expect("a shape");
            let netlist = build(
                &shape.into(),
                Order {
                    seed: Some(1),
                    ..Order::default()
                },
            );
            let (fabric, _) = netlist.to_fabric(Some(lmc)).expect("LIDs");
            let (plan, tables) = route(&fabric, &Options::default(), 2);
            let last = fabric.end_nodes().last().expect("nodes");
            let from = (0..fabric.end_nodes().len())
                .map(|n| fabric.end_nodes()[n].switch)
                .max_by_key(|&s| plan.hops(s, last.switch))
                .expect("nodes");
            let ways: std::collections::HashSet<Vec<(u32, u8)>> = (0..1u16 << lmc)
                .map(|k| way_up(&fabric, &plan, &tables, from, Lid(last.lid.0 + k)))
                .collect();
            assert_eq!(ways.len(), between_pods);
        }
    }

    /// The ports taken on the way up.
    fn way_up(
        fabric: &Fabric,
        plan: &Plan,
        tables: &Tables,
        from: u32,
        lid: Lid,
    ) -> Vec<(u32, u8)> {
        let mut way = Vec::new();
        let mut s = from;
        while let Peer::Switch { index, .. } = fabric.peer(s, tables.get(s, lid))
            && plan.ranking().is_up(s, index)
        {
            way.push((s, tables.get(s, lid)));
            s = index;
        }
        way
    }

    #[test]
    fn unreachable_pairs_are_counted_and_left_alone() {
        // Two leaves under a spine each.
        let shape: Pgft = "PGFT(2;2,2;1,2;1,1)".parse().expect("a shape");
        let netlist = degraded(shape, 5, 0.0, 1.0);
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let (plan, tables) = route(&fabric, &Options::default(), 2);
        assert_eq!(plan.unreachable().count, 1);
        let [a, b] = [0, 3].map(|n: usize| &fabric.end_nodes()[n]);
        assert_eq!(tables.get(a.switch, b.lid), NO_PATH);
        assert_eq!(tables.get(a.switch, a.lid), a.port);
        let fail = Options {
            on_unreachable: crate::dmodc::OnUnreachable::Fail,
            ..Options::default()
        };
        let engine = Engine::new(1).expect("threads");
        assert!(engine.plan(&fabric, &fail).is_err());
    }
}
