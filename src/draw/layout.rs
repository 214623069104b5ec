//! What a drawing shows: boxes in rows, and the links between them.

use super::MOST;
use crate::fabric::{Fabric, NodeKind, Peer};
use std::collections::BTreeMap;

/// A switch, or several folded into one.
pub struct Item {
    /// Its switches.
    pub switches: Vec<u32>,
    /// Their hosts.
    pub hosts: usize,
    /// The row, 0 for the lowest.
    pub row: u32,
    /// The place in the row, from 0 on.
    pub column: usize,
}

/// All links between two items.
#[derive(Default)]
pub struct Bundle {
    /// Each link by its two ends: switch and port.
    pub links: Vec<[(u32, u8); 2]>,
}

/// Boxes and links.
pub struct Layout {
    /// The boxes.
    pub items: Vec<Item>,
    /// The item of each switch.
    pub of_switch: Vec<usize>,
    /// The links between items, the lower item first.
    pub bundles: BTreeMap<(usize, usize), Bundle>,
    /// How many items each row has.
    pub rows: Vec<usize>,
}

impl Layout {
    /// Lays out a fabric. `rank` gives a switch's rank; `order` are end nodes in the order in which
    /// their switches are to stand.
    pub fn new(fabric: &Fabric, rank: impl Fn(u32) -> u32, order: &[u32]) -> Layout {
        let switches = fabric.switches().len();
        let top = (0..switches as u32).map(&rank).max().unwrap_or(0);
        let mut part = fold(fabric, |_| false);
        if switches > MOST {
            let folded = (0..top).map(|level| fold(fabric, |s| rank(s) <= level));
            let count = |part: &[u32]| (0..).zip(part).filter(|&(s, &p)| p == s).count();
            let best = folded.min_by_key(|part| {
                (
                    count(part).saturating_sub(MOST),
                    std::cmp::Reverse(count(part)),
                )
            });
            part = best.unwrap_or(part);
        }
        let mut item_of: BTreeMap<u32, usize> = BTreeMap::new();
        let mut items: Vec<Item> = Vec::new();
        let mut of_switch = Vec::with_capacity(switches);
        for switch in 0..switches as u32 {
            let at = *item_of.entry(part[switch as usize]).or_insert_with(|| {
                items.push(Item {
                    switches: Vec::new(),
                    hosts: 0,
                    row: u32::MAX,
                    column: 0,
                });
                items.len() - 1
            });
            of_switch.push(at);
            let nodes = &fabric.end_nodes()[fabric.end_nodes_of(switch)];
            items[at].hosts += nodes
                .iter()
                .filter(|n| n.kind != NodeKind::Aggregation)
                .count();
            items[at].row = items[at].row.min(rank(switch));
            items[at].switches.push(switch);
        }
        let bundles = bundles(fabric, &of_switch, &rank);
        let mut layout = Layout {
            items,
            of_switch,
            bundles,
            rows: Vec::new(),
        };
        layout.squeeze_rows();
        layout.place(fabric, order);
        layout
    }

    /// Rows that folding has emptied go.
    fn squeeze_rows(&mut self) {
        let used: std::collections::BTreeSet<u32> = self.items.iter().map(|i| i.row).collect();
        let used: Vec<u32> = used.into_iter().collect();
        for item in &mut self.items {
            item.row = used.partition_point(|&row| row < item.row) as u32;
        }
        self.rows = vec![0; used.len()];
    }

    /// Items with hosts stand in their order, all others over the middle of what is below.
    fn place(&mut self, fabric: &Fabric, order: &[u32]) {
        let mut middle = vec![f64::MAX; self.items.len()];
        for (at, &node) in order.iter().enumerate().rev() {
            let switch = fabric.end_nodes()[node as usize].switch;
            middle[self.of_switch[switch as usize]] = at as f64;
        }
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.items.len()];
        for &(a, b) in self.bundles.keys() {
            if self.items[a].row < self.items[b].row {
                below[b].push(a);
            }
        }
        let mut by_row: Vec<usize> = (0..self.items.len()).collect();
        by_row.sort_by_key(|&item| self.items[item].row);
        for &item in by_row.iter().filter(|&&item| self.items[item].row > 0) {
            let known = below[item].iter().map(|&other| middle[other]);
            let known: Vec<f64> = known.filter(|&middle| middle < f64::MAX).collect();
            if !known.is_empty() {
                middle[item] = known.iter().sum::<f64>() / known.len() as f64;
            }
        }
        by_row.sort_by(|&a, &b| {
            let row = self.items[a].row.cmp(&self.items[b].row);
            row.then(middle[a].total_cmp(&middle[b])).then(a.cmp(&b))
        });
        for item in by_row {
            let column = &mut self.rows[self.items[item].row as usize];
            self.items[item].column = *column;
            *column += 1;
        }
    }
}

/// The lowest switch of the part in which each switch is, if only the links within `inside` hold.
fn fold(fabric: &Fabric, inside: impl Fn(u32) -> bool) -> Vec<u32> {
    let parts = (0..).zip(fabric.parts(inside));
    parts.map(|(s, part)| part.unwrap_or(s)).collect()
}

fn bundles(
    fabric: &Fabric,
    of_switch: &[usize],
    rank: impl Fn(u32) -> u32,
) -> BTreeMap<(usize, usize), Bundle> {
    let mut bundles: BTreeMap<(usize, usize), Bundle> = BTreeMap::new();
    for switch in 0..fabric.switches().len() as u32 {
        for (port, peer) in (1..).zip(fabric.peers_of(switch)) {
            let Peer::Switch { index, port: far } = *peer else {
                continue;
            };
            let (a, b) = (of_switch[switch as usize], of_switch[index as usize]);
            if a != b && (rank(switch), switch) < (rank(index), index) {
                let bundle = bundles.entry((a, b)).or_default();
                bundle.links.push([(switch, port), (index, far)]);
            }
        }
    }
    bundles
}
