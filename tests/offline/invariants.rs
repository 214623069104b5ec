//! What holds of every fabric that is routed, held to a great many: no route turns up after it has
//! gone down, the channel dependency graph has no circle, every pair that an up-down path joins is
//! delivered, in at most as many hops as its cost says; what is refused has a circle of switches
//! beside one another.
//!
//! `make invariants` takes 100,000 fabrics; every test run takes some.

use dmodc::analysis::check;
use dmodc::dmodc::{Engine, Options, Plan, RouteError};
use dmodc::fabric::{Builder, EndNode, Fabric, Guid, Lid, NodeKind, Peer, lid_range};
use dmodc::lft::{NO_PATH, Tables};
use dmodc::netlist::generate::{Order, Pgft, Rlft, build};
use dmodc::random::Random;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Where a fabric comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    /// A PGFT, whole or damaged.
    Pgft,
    /// A real-life fat-tree, whole or damaged.
    Rlft,
    /// Levels with links at random from each to the next, some beyond it, and some end nodes above.
    Layered,
    /// Links at random between any switches.
    Graph,
}

/// Switches and end nodes, LIDs at random, to which links are added.
struct Draft {
    builder: Builder,
    random: Random,
    lids: Vec<u16>,
    lmc: u8,
    used: Vec<u8>,
    nodes: u64,
}

impl Draft {
    fn new(mut random: Random, switches: usize) -> Draft {
        let lmc = [0, 0, 1, 2][random.below(4)];
        // Aligned as OpenSM aligns them.
        let mut lids: Vec<u16> = (1..200).map(|i| i << lmc).collect();
        random.shuffle(&mut lids);
        let mut guids: Vec<u64> = (1..=switches as u64).collect();
        random.shuffle(&mut guids);
        let mut builder = Builder::default();
        for guid in guids {
            builder.switch(Guid(guid), Lid(lids.pop().expect("LIDs")), 0, 36);
        }
        Draft {
            builder,
            random,
            lids,
            lmc,
            used: vec![0; switches],
            nodes: 0,
        }
    }

    /// The next port that is free at a switch, as long as there is one.
    fn port(&mut self, switch: usize) -> Option<u8> {
        let used = &mut self.used[switch];
        (*used < 36).then(|| {
            *used += 1;
            *used
        })
    }

    fn link(&mut self, a: usize, b: usize) {
        if a != b
            && let (Some(p), Some(q)) = (self.port(a), self.port(b))
        {
            self.builder.link((a as u32, p), (b as u32, q));
        }
    }

    fn end_node(&mut self, switch: usize) {
        if let Some(port) = self.port(switch)
            && let Some(lid) = self.lids.pop()
        {
            self.nodes += 1;
            self.builder.end_node(EndNode {
                guid: Guid(0x1000 + self.nodes),
                lid: Lid(lid),
                lmc: self.lmc,
                kind: match self.random.below(20) {
                    0 => NodeKind::Router,
                    1 => NodeKind::Aggregation,
                    _ => NodeKind::Ca,
                },
                switch: switch as u32,
                port,
            });
        }
    }

    fn finish(self) -> Fabric {
        let (fabric, placement) = self.builder.finish();
        assert_eq!(placement.defects, []);
        fabric
    }
}

fn layered(mut random: Random) -> Fabric {
    let levels = 2 + random.below(4);
    let sizes: Vec<usize> = (0..levels).map(|_| 1 + random.below(6)).collect();
    let starts: Vec<usize> = (0..levels).map(|l| sizes[..l].iter().sum()).collect();
    let mut draft = Draft::new(random, sizes.iter().sum());
    for level in 0..levels {
        for s in starts[level]..starts[level] + sizes[level] {
            if level + 1 < levels {
                let links = match draft.random.below(10) {
                    0 => 0,
                    _ => 1 + draft.random.below(4),
                };
                for _ in 0..links {
                    let up = starts[level + 1] + draft.random.below(sizes[level + 1]);
                    draft.link(s, up);
                }
                if draft.random.below(30) == 0 {
                    let top = levels - 1;
                    let up = starts[top] + draft.random.below(sizes[top]);
                    draft.link(s, up);
                }
            }
            let nodes = match level {
                0 => draft.random.below(4),
                _ => usize::from(draft.random.below(20) == 0),
            };
            (0..nodes).for_each(|_| draft.end_node(s));
        }
    }
    draft.finish()
}

fn graph(mut random: Random) -> Fabric {
    let switches = 1 + random.below(12);
    let links = random.below(2 * switches + 1);
    let nodes = random.below(3 * switches);
    let mut draft = Draft::new(random, switches);
    for _ in 0..links {
        let (a, b) = (draft.random.below(switches), draft.random.below(switches));
        draft.link(a, b);
    }
    for _ in 0..nodes {
        let switch = draft.random.below(switches);
        draft.end_node(switch);
    }
    draft.finish()
}

/// A tree, with nothing wrong in one case of four, else less some links of all kinds.
fn tree(tree: &Rlft, mut random: Random) -> Fabric {
    let order = Order {
        seed: Some(random.below(1 << 20) as u64),
        lids: true,
    };
    let lmc = random.below(3) as u8;
    let (fabric, _) = build(tree, order).to_fabric(Some(lmc)).expect("few LIDs");
    let share = [0, 2, 10, 30][random.below(4)];
    let mut broken = |_: u32, _: u32| random.below(100) < share;
    let mut builder = Builder::default();
    for switch in fabric.switches() {
        builder.switch(switch.guid, switch.lid, switch.lmc, switch.ports);
    }
    for s in 0..fabric.switches().len() as u32 {
        for (port, peer) in (1..).zip(fabric.peers_of(s)) {
            if let Peer::Switch { index, port: q } = *peer
                && s < index
                && !broken(s, index)
            {
                builder.link((s, port), (index, q));
            }
        }
    }
    for node in fabric.end_nodes() {
        if !broken(node.switch, node.switch) {
            builder.end_node(node.clone());
        }
    }
    builder.finish().0
}

fn pgft(mut random: Random) -> Fabric {
    let levels = 1 + random.below(4);
    let most = if levels == 4 { 2 } else { 4 };
    let mut list =
        |most: usize| -> Vec<usize> { (0..levels).map(|_| 1 + random.below(most)).collect() };
    let (m, mut w, mut p) = (list(most), list(most.min(3)), list(2));
    (w[0], p[0]) = (1, 1);
    let shape = Pgft::new(m, w, p).expect("a shape");
    tree(&shape.into(), random)
}

fn rlft(mut random: Random) -> Fabric {
    let radix = 2 * (2 + random.below(4));
    let nodes = 1 + random.below(60);
    let shape = Rlft::new(nodes, radix).expect("few nodes");
    tree(&shape, random)
}

/// Wants all that is said above of one fabric. Whether it was routed at all.
fn hold(engine: &Engine, fabric: &Fabric, options: &Options) -> bool {
    let plan = match engine.plan(fabric, options) {
        Ok(plan) => plan,
        Err(RouteError::NotATree(circle)) => {
            assert!(circle.len() > 2, "{circle:?}");
            let index = |guid: &Guid| fabric.switch_by_guid(*guid).expect("a switch");
            let around = circle.iter().zip(circle.iter().cycle().skip(1));
            for (a, b) in around.take(circle.len() - 1) {
                let mut peers = fabric.peers_of(index(a)).iter();
                let b = index(b);
                let linked = peers.any(|p| matches!(p, Peer::Switch { index, .. } if *index == b));
                assert!(linked, "{circle:?} is no way");
            }
            return false;
        }
        Err(other) => panic!("{other}"),
    };
    let mut tables = Tables::for_fabric(fabric);
    engine
        .fill(fabric, &plan, &mut tables.rows_mut())
        .expect("tables of the right size");
    let ranking = plan.ranking();
    let report = check(fabric, &tables, |a, b| ranking.is_up(a, b));
    assert_eq!(report.undelivered(), 0, "{report:#?}");
    assert_eq!(report.turns.routes, 0, "{report:#?}");
    assert_eq!(report.credit_loops.count, 0, "{report:#?}");
    costs_hold(fabric, &plan, &tables);
    true
}

/// No route is longer than its cost, and there is one wherever there is a cost.
fn costs_hold(fabric: &Fabric, plan: &Plan, tables: &Tables) {
    for node in fabric.end_nodes() {
        for lid in lid_range(node.lid, node.lmc).expect("a LID") {
            for from in 0..fabric.switches().len() as u32 {
                let (mut at, mut hops) = (from, 0);
                let Some(cost) = plan.hops(from, node.switch) else {
                    assert_eq!(tables.get(from, Lid(lid)), NO_PATH, "{from} to {lid}");
                    continue;
                };
                while at != node.switch {
                    assert!(hops < cost, "{from} to {lid} costs {cost}");
                    let Peer::Switch { index, .. } = fabric.peer(at, tables.get(at, Lid(lid)))
                    else {
                        panic!("{from} to {lid} ends at {at}");
                    };
                    (at, hops) = (index, hops + 1);
                }
                assert_eq!(tables.get(at, Lid(lid)), node.port);
            }
        }
    }
}

#[test]
fn hold_on_random_fabrics() {
    let count = env::var("DMODC_FABRICS").map(|n| n.parse().expect("a number"));
    let count: u64 = count.unwrap_or(1_000);
    let engine = Engine::new(1).expect("a thread");
    type Make = fn(Random) -> Fabric;
    let families: [(Family, Make); 4] = [
        (Family::Pgft, pgft),
        (Family::Rlft, rlft),
        (Family::Layered, layered),
        (Family::Graph, graph),
    ];
    for (number, (family, make)) in (0..).zip(families) {
        let (mut routed, mut refused, mut apart) = (0, 0, 0);
        for seed in (number..count).step_by(families.len()) {
            let fabric = make(Random::new(seed));
            let options = Options::default();
            let held = catch_unwind(AssertUnwindSafe(|| hold(&engine, &fabric, &options)));
            match held {
                Ok(true) => routed += 1,
                Ok(false) => refused += 1,
                Err(_) => panic!("{family:?}, seed {seed}: {fabric:#?}"),
            }
            apart += u64::from(is_apart(&fabric));
        }
        println!("{family:?}: {routed} routed, {refused} refused as no tree, {apart} in pieces");
        let trees = family != Family::Graph;
        assert!(
            routed > 0 && (!trees || refused * 10 < routed),
            "{family:?}"
        );
    }
}

/// Whether some switch cannot be reached from another at all.
fn is_apart(fabric: &Fabric) -> bool {
    let mut seen = vec![false; fabric.switches().len()];
    let mut todo: Vec<u32> = (0..seen.len().min(1) as u32).collect();
    while let Some(s) = todo.pop() {
        if !std::mem::replace(&mut seen[s as usize], true) {
            let peers = fabric.peers_of(s).iter();
            todo.extend(peers.filter_map(|p| match *p {
                Peer::Switch { index, .. } => Some(index),
                _ => None,
            }));
        }
    }
    seen.contains(&false)
}
