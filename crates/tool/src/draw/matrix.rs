//! The fabric as matrices: for each two levels with links between them, lower switches by upper switches.
//!
//! Switches that these links alone connect are a block: a pod, or at the top a plane. A misplaced cable joins
//! no blocks; a missing cable does. Rows, columns and blocks are in the order of places.

use super::scene::{Link, Scene};
use dmodc_fabric::SwitchId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use typed_index_collections::TiSlice;

/// The links between two levels, or within one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tab {
    pub low: u32,
    pub high: u32,
    /// The blocks, which together have all links.
    pub blocks: Vec<Block>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    pub rows: Vec<SwitchId>,
    pub columns: Vec<SwitchId>,
    /// Whether this block has the cables between other blocks.
    pub stray: bool,
}

/// All matrices, from the lowest level on. `place` numbers the switches in the order of their places.
pub fn tabs(scene: &Scene, links: &[Link], place: &TiSlice<SwitchId, usize>) -> Vec<Tab> {
    let (stray, ranking) = (scene.stray(), &scene.drawn.ranking);
    let levels = |[a, b]: [SwitchId; 2]| (ranking.rank(a), ranking.rank(b));
    // Pairs of switches by levels: pairs that should be joined, then pairs that a misplaced cable joins.
    let mut of_levels: BTreeMap<(u32, u32), [Vec<[SwitchId; 2]>; 2]> = BTreeMap::new();
    for link in links {
        let pair = link.map(|(switch, _)| switch);
        let is_stray = link.iter().any(|end| stray.contains(end));
        of_levels.entry(levels(pair)).or_default()[usize::from(is_stray)].push(pair);
    }
    for pair in (scene.differences.iter()).filter_map(|d| scene.expected(d)) {
        if pair[0] != pair[1] {
            of_levels.entry(levels(pair)).or_default()[0].push(pair);
        }
    }
    let tab = |((low, high), [ours, others]): (_, [Vec<_>; 2])| Tab {
        low,
        high,
        blocks: blocks(place, &ours, &others),
    };
    of_levels.into_iter().map(tab).collect()
}

fn blocks(
    place: &TiSlice<SwitchId, usize>,
    ours: &[[SwitchId; 2]],
    others: &[[SwitchId; 2]],
) -> Vec<Block> {
    let mut above: BTreeMap<SwitchId, BTreeSet<SwitchId>> = BTreeMap::new();
    let mut near: HashMap<SwitchId, Vec<SwitchId>> = HashMap::new();
    for &[a, b] in ours {
        above.entry(a).or_default().insert(b);
        near.entry(a).or_default().push(b);
        near.entry(b).or_default().push(a);
    }
    let mut of: HashMap<SwitchId, usize> = HashMap::new();
    let mut lower: Vec<SwitchId> = above.keys().copied().collect();
    lower.sort_unstable_by_key(|&s| place[s]);
    let mut blocks: Vec<Block> = Vec::new();
    for row in lower {
        if !of.contains_key(&row) {
            let mut open = vec![row];
            while let Some(s) = open.pop() {
                if of.insert(s, blocks.len()).is_none() {
                    open.extend(near.get(&s).into_iter().flatten());
                }
            }
            blocks.push(Block::default());
        }
        blocks[of[&row]].rows.push(row);
    }
    for (&row, columns) in &above {
        blocks[of[&row]].columns.extend(columns);
    }
    let joins = |&&[a, b]: &&[SwitchId; 2]| {
        let block = of.get(&a).map(|&block| &blocks[block]);
        block.is_some_and(|block| block.columns.contains(&b))
    };
    let left: Vec<[SwitchId; 2]> = others.iter().filter(|pair| !joins(pair)).copied().collect();
    if !left.is_empty() {
        blocks.push(Block {
            rows: left.iter().map(|[a, _]| *a).collect(),
            columns: left.iter().map(|[_, b]| *b).collect(),
            stray: true,
        });
    }
    for block in &mut blocks {
        for switches in [&mut block.rows, &mut block.columns] {
            switches.sort_unstable_by_key(|&s| place[s]);
            switches.dedup();
        }
    }
    blocks
}
