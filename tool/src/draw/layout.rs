//! Positions of the boxes of a small drawing: a row for each level that has switches.

use super::scene::{Bundles, Scene};
use dmodc::fabric::NodeKind;
use std::collections::BTreeSet;

/// A switch.
pub struct Item {
    /// Its index.
    pub switch: u32,
    /// Number of its hosts.
    pub hosts: usize,
    /// The row, 0 for the lowest.
    pub row: u32,
    /// The position in the row, from 0 on.
    pub column: usize,
}

/// Boxes and links.
pub struct Layout {
    /// The boxes, by switch.
    pub items: Vec<Item>,
    /// The links between switches, the lower one first.
    pub bundles: Bundles,
    /// How many boxes each row has.
    pub rows: Vec<usize>,
}

impl Layout {
    /// Lays out a fabric.
    pub fn new(scene: &Scene) -> Layout {
        let fabric = &scene.fabric;
        let switches = 0..fabric.switches().len() as u32;
        let ranks = switches.clone().map(|s| scene.ranking.rank(s));
        let used: Vec<u32> = ranks.collect::<BTreeSet<u32>>().into_iter().collect();
        let item = |s: u32| {
            let nodes = &fabric.end_nodes()[fabric.end_nodes_of(s)];
            let hosts = nodes.iter().filter(|n| n.kind != NodeKind::Aggregation);
            Item {
                switch: s,
                hosts: hosts.count(),
                row: used.partition_point(|&row| row < scene.ranking.rank(s)) as u32,
                column: 0,
            }
        };
        let mut layout = Layout {
            items: switches.map(item).collect(),
            bundles: scene.bundles(),
            rows: vec![0; used.len()],
        };
        layout.place(scene);
        layout
    }

    /// Positions switches with hosts in their order, all others over the middle of the switches below.
    fn place(&mut self, scene: &Scene) {
        let mut middle = vec![f64::MAX; self.items.len()];
        for (at, &node) in scene.order.iter().enumerate().rev() {
            let switch = scene.fabric.end_nodes()[node as usize].switch;
            middle[switch as usize] = at as f64;
        }
        let row = |s: usize| self.items[s].row;
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.items.len()];
        for &(a, b) in self.bundles.keys() {
            let (a, b) = (a as usize, b as usize);
            if row(a) < row(b) {
                below[b].push(a);
            }
        }
        let mut by_row: Vec<usize> = (0..self.items.len()).collect();
        by_row.sort_by_key(|&item| row(item));
        for &item in by_row.iter().filter(|&&item| row(item) > 0) {
            let known = below[item].iter().map(|&other| middle[other]);
            let known: Vec<f64> = known.filter(|&middle| middle < f64::MAX).collect();
            if !known.is_empty() {
                middle[item] = known.iter().sum::<f64>() / known.len() as f64;
            }
        }
        by_row.sort_by(|&a, &b| {
            let rows = row(a).cmp(&row(b));
            rows.then(middle[a].total_cmp(&middle[b])).then(a.cmp(&b))
        });
        for item in by_row {
            let column = &mut self.rows[self.items[item].row as usize];
            self.items[item].column = *column;
            *column += 1;
        }
    }
}
