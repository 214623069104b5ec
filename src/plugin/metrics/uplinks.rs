//! The missing uplinks of the switches.
//!
//! They are counted against the most that it has had or its siblings have,
//! while this process lives. So a switch that is gone lacks all of them. What it lacks is never more
//! than all the links to switches that it has lost: if only the levels are seen otherwise, because all
//! hosts of a leaf are off, nothing is missing.

use crate::fabric::Guid;
use std::collections::BTreeMap;

/// The links of a switch to other switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Links {
    /// Those up.
    pub up: u32,
    /// All.
    pub all: u32,
}

/// A switch as it is found in a sweep.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its GUID.
    pub guid: Guid,
    /// Its description.
    pub description: String,
    /// Its links.
    pub links: Links,
    /// Links up that its siblings have and it has not.
    pub missing: u32,
}

/// A switch over all sweeps.
#[derive(Default)]
struct Known {
    description: String,
    now: Links,
    most: Links,
}

impl Known {
    fn missing(&self) -> u32 {
        (self.most.up - self.now.up).min(self.most.all - self.now.all)
    }
}

/// All switches that were ever found.
#[derive(Default)]
pub struct Uplinks(BTreeMap<Guid, Known>);

impl Uplinks {
    /// Takes the switches of a sweep.
    pub fn found(&mut self, switches: impl Iterator<Item = Found>) {
        for known in self.0.values_mut() {
            known.now = Links::default();
        }
        for found in switches {
            let known = self.0.entry(found.guid).or_default();
            known.description = found.description;
            known.now = found.links;
            known.most.up = known.most.up.max(found.links.up + found.missing);
            known.most.all = known.most.all.max(found.links.all + found.missing);
        }
    }

    /// Each switch by GUID and description, and how many uplinks it lacks.
    pub fn missing(&self) -> impl Iterator<Item = (Guid, &str, u32)> {
        let switches = self.0.iter();
        switches.map(|(&guid, known)| (guid, &*known.description, known.missing()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(guid: u64, description: &str, up: u32, all: u32, missing: u32) -> Found {
        Found {
            guid: Guid(guid),
            description: description.into(),
            links: Links { up, all },
            missing,
        }
    }

    fn missing(uplinks: &Uplinks) -> Vec<u32> {
        uplinks.missing().map(|(_, _, missing)| missing).collect()
    }

    #[test]
    fn a_series_stays_when_its_switch_or_its_link_goes() {
        let mut uplinks = Uplinks::default();
        let mut sweep = |found: Vec<Found>| {
            uplinks.found(found.into_iter());
            missing(&uplinks)
        };
        let [leaf, spine] = [found(1, "leaf", 4, 4, 0), found(2, "spine", 0, 8, 0)];
        assert_eq!(sweep(vec![leaf.clone(), spine.clone()]), [0, 0]);
        // A link goes, and its siblings have it or have lost the like.
        let hurt = [found(1, "leaf", 3, 3, 1), found(1, "leaf", 3, 3, 0)];
        for hurt in hurt {
            assert_eq!(sweep(vec![hurt, spine.clone()]), [1, 0]);
        }
        assert_eq!(sweep(vec![spine.clone()]), [4, 0]);
        // It is back, and its siblings have one more than it ever had.
        assert_eq!(
            sweep(vec![found(1, "leaf", 4, 4, 1), spine.clone()]),
            [1, 0]
        );
        assert_eq!(sweep(vec![found(1, "leaf", 5, 5, 0), spine]), [0, 0]);
    }

    #[test]
    fn what_only_looks_otherwise_is_not_missing() {
        let mut uplinks = Uplinks::default();
        // The hosts of a leaf are off: it is taken for a top switch, and the middle one has one link
        // up more.
        for (middle, leaf) in [((6, 18), (4, 4)), ((7, 18), (0, 4)), ((6, 18), (4, 4))] {
            let middle = found(1, "middle", middle.0, middle.1, 0);
            let leaf = found(2, "leaf", leaf.0, leaf.1, 0);
            uplinks.found([middle, leaf].into_iter());
            assert_eq!(missing(&uplinks), [0, 0]);
        }
    }
}
