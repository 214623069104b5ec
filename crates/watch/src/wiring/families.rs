//! Siblings: switches of one rank whose parents are mostly the same.
//!
//! Siblings are the leaves of a pod, or the switches of one position in all pods. In a whole PGFT they have the same
//! parents. So each sibling should have the parents of the others. A switch that has lost all parents is a sibling of the
//! switches that have its port at their children.

use dmodc_core::{ClassId, Groups, Ranking, join, most_common, root};
use dmodc_fabric::{SwitchId, grouped};
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// All switches that have parents, or have lost them, in families of siblings; each family is ascending.
pub fn families(groups: &Groups, ranking: &Ranking) -> Vec<Vec<SwitchId>> {
    let classes = groups.up_classes();
    let mut members: TiVec<ClassId, u32> = vec![0; classes.len()].into();
    let switches = groups.switches();
    switches.for_each(|s| members[groups.up_class(s)] += 1);
    // By up class: another up class of the same family; itself at the root.
    let mut family: TiVec<ClassId, ClassId> = classes.keys().collect();
    for parent in groups.switches() {
        let children = groups.children(parent).map(|g| g.remote);
        let mut below: Vec<ClassId> = children.map(|s| groups.up_class(s)).collect();
        below.sort_unstable();
        below.dedup();
        // The class with most members is the measure; of several, the class with most parents. So a few switches with
        // all the parents of the others and more are no siblings of the others.
        let parents = |of| groups.parents(classes[of]).count();
        let weight = |&of: &ClassId| (members[of], parents(of));
        while let Some(measure) = below.iter().copied().max_by_key(weight) {
            below.retain(|&class| {
                let joins = alike(groups, ranking, class, measure);
                if joins {
                    join(&mut family, class, measure);
                }
                !joins
            });
        }
    }
    let members = groups.switches().filter(|&s| !groups.up(s).is_empty());
    let members = grouped(members.map(|s| (root(&mut family, groups.up_class(s)), s)));
    let mut families: Vec<Vec<SwitchId>> = members.into_values().collect();
    add_orphans(&mut families, groups, ranking);
    families
}

/// Adds each switch without parents to the only family of its rank, of two members or more, that is at the same port of
/// its children.
fn add_orphans(families: &mut [Vec<SwitchId>], groups: &Groups, ranking: &Ranking) {
    let top = groups.switches().map(|s| ranking.rank(s)).max();
    let is_orphan = |&s: &SwitchId| {
        groups.up(s).is_empty() && !groups.down(s).is_empty() && Some(ranking.rank(s)) < top
    };
    let port = |s: SwitchId| {
        let back = groups.children(s).filter_map(|g| groups.to(g.remote, s));
        let mut ports: Vec<u8> = back.map(|g| groups.ports(g)[0]).collect();
        most_common(&mut ports).0
    };
    // By rank and port: the only family there; `None` if there are several.
    let mut at: BTreeMap<(u32, u8), Option<usize>> = BTreeMap::new();
    for (i, family) in families.iter().enumerate() {
        let mut ports: Vec<u8> = family.iter().map(|&s| port(s)).collect();
        let (port, count) = most_common(&mut ports);
        if count == family.len() && count > 1 {
            let only = at.entry((ranking.rank(family[0]), port)).or_insert(Some(i));
            *only = only.filter(|&other| other == i);
        }
    }
    for orphan in groups.switches().filter(is_orphan) {
        if let Some(&Some(i)) = at.get(&(ranking.rank(orphan), port(orphan))) {
            families[i].push(orphan);
            families[i].sort_unstable();
        }
    }
}

/// Whether two up classes have one rank, and have more than half of the parents of each in common, or the first has
/// only parents of the measure, however many it has lost.
fn alike(groups: &Groups, ranking: &Ranking, class: ClassId, measure: ClassId) -> bool {
    let [first, other] = [class, measure].map(|class| groups.up_classes()[class]);
    if ranking.rank(first) != ranking.rank(other) {
        return false;
    }
    let [own, all] = [first, other].map(|s| groups.parents(s).count());
    let mut of_measure = groups.parents(other).map(|g| g.remote).peekable();
    let mut common = 0;
    for parent in groups.parents(first).map(|g| g.remote) {
        while of_measure.next_if(|&p| p < parent).is_some() {}
        common += usize::from(of_measure.peek() == Some(&parent));
    }
    2 * common > own.max(all) || common == own
}
