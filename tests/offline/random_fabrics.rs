//! Small fabrics of all kinds, drawn by a seed: trees whole and damaged, irregular trees, graphs.

use dmodc_fabric::random::Random;
use dmodc_fabric::{Builder, EndNode, Fabric, Guid, Lid, NodeKind, PortNumber, SwitchId};
use dmodc_formats::netlist::generate::{Order, Pgft, Rlft, build};
use typed_index_collections::TiVec;

/// A fabric under construction: switches with random LIDs, to which links and end nodes are added.
struct Draft {
    builder: Builder,
    random: Random,
    lids: Vec<u16>,
    lmc: u8,
    used: TiVec<SwitchId, u8>,
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
            used: vec![0; switches].into(),
            nodes: 0,
        }
    }

    /// Takes the next free port of a switch, if there is one.
    fn port(&mut self, switch: SwitchId) -> Option<PortNumber> {
        let used = &mut self.used[switch];
        (*used < 36).then(|| {
            *used += 1;
            PortNumber(*used)
        })
    }

    fn link(&mut self, a: usize, b: usize) {
        let [a, b] = [a, b].map(SwitchId::from);
        if a != b
            && let (Some(p), Some(q)) = (self.port(a), self.port(b))
        {
            self.builder.link((a, p), (b, q));
        }
    }

    fn end_node(&mut self, switch: usize) {
        let switch = SwitchId::from(switch);
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
                switch,
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

/// Levels with links at random from each to the next, some beyond it, and some end nodes above.
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

/// Links at random between any switches.
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

/// A tree: whole in one case of four, else without some links of all kinds.
fn tree(tree: &Rlft, mut random: Random) -> Fabric {
    let order = Order {
        seed: Some(random.below(1 << 20) as u64),
        lids: true,
    };
    let lmc = random.below(3) as u8;
    let (fabric, _) = build(tree, order).to_fabric(Some(lmc)).expect("few LIDs");
    let links = [0, 2, 10, 30][random.below(4)];
    damaged(&fabric, Damage { switches: 0, links }, &mut random)
}

/// The switches and links that go, in percent. Links of end nodes count as links.
pub struct Damage {
    pub switches: usize,
    pub links: usize,
}

/// A fabric without some of its parts.
pub fn damaged(fabric: &Fabric, damage: Damage, random: &mut Random) -> Fabric {
    copied(fabric, 0, damage, random).finish().0
}

/// As [`damaged`], but not finished: its switches have `more` further ports.
fn copied(fabric: &Fabric, more: u8, damage: Damage, random: &mut Random) -> Builder {
    let mut builder = Builder::default();
    let mut place: TiVec<SwitchId, _> = TiVec::new();
    for switch in fabric.switches() {
        let stays = random.below(100) >= damage.switches;
        let ports = switch.ports + more;
        let mut add = || builder.switch(switch.guid, switch.lid, switch.lmc, ports);
        place.push(stays.then(&mut add));
    }
    let mut stays = || random.below(100) >= damage.links;
    for [(s, port), (index, far)] in fabric.links() {
        if stays()
            && let (Some(here), Some(there)) = (place[s], place[index])
        {
            builder.link((here, port), (there, far));
        }
    }
    for node in fabric.end_nodes() {
        if stays()
            && let Some(switch) = place[node.switch]
        {
            let node = node.clone();
            builder.end_node(EndNode { switch, ..node });
        }
    }
    builder
}

/// A fabric with an aggregation node on every switch, each at a new port.
pub fn with_aggregation_nodes(fabric: &Fabric) -> Fabric {
    let none = Damage {
        switches: 0,
        links: 0,
    };
    let mut builder = copied(fabric, 1, none, &mut Random::new(0));
    for (s, switch) in fabric.switches().iter_enumerated() {
        builder.end_node(EndNode {
            guid: Guid(0x5000 + u64::from(s.0)),
            lid: Lid(fabric.max_lid().0 + 1 + s.0 as u16),
            lmc: 0,
            kind: NodeKind::Aggregation,
            switch: s,
            port: PortNumber(switch.ports + 1),
        });
    }
    let (fabric, placement) = builder.finish();
    assert_eq!(placement.defects, []);
    fabric
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

type Make = fn(Random) -> Fabric;

/// All families. PGFTs and real-life fat-trees are whole or damaged.
pub const FAMILIES: [(&str, Make); 4] = [
    ("pgft", pgft),
    ("rlft", rlft),
    ("layered", layered),
    ("graph", graph),
];

/// A random fabric, and its reference: none, the same fabric whole or damaged, or another one.
pub fn drawn(number: u64) -> (Fabric, Option<Fabric>) {
    let (_, make) = FAMILIES[number as usize % FAMILIES.len()];
    let mut random = Random::new(number);
    let mut whole = make(Random::new(random.below(1 << 30) as u64));
    if random.below(3) == 0 {
        whole = with_aggregation_nodes(&whole);
    }
    let mut less = |of: &Fabric| {
        let damage = Damage {
            switches: [0, 5, 20][random.below(3)],
            links: [0, 3, 20][random.below(3)],
        };
        damaged(of, damage, &mut random)
    };
    let (first, second) = (less(&whole), less(&whole));
    match random.below(6) {
        0 => (first, None),
        1 => (whole, Some(first)),
        2 => (first, Some(second)),
        3 => (first, Some(make(Random::new(random.below(1 << 30) as u64)))),
        _ => (first, Some(whole)),
    }
}
