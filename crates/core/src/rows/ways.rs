//! All that rows depend on over one set of links: paths, classes of equal uplinks, up paths.

use crate::ids::{BySwitch, ClassId, SwitchId};
use crate::kinds::{Classes, Roles};
use crate::paths::Paths;
use std::sync::Arc;
use typed_index_collections::TiVec;

/// The ways over one set of links.
#[derive(Clone, Debug)]
pub struct Ways {
    pub paths: Arc<Paths>,
    pub classes: Classes,
    /// By class: the up paths behind each port, as the fabric is.
    pub weights: TiVec<ClassId, Vec<u32>>,
}

impl Ways {
    /// The ways over the links of `paths`. `capacity` is what a link can carry.
    pub fn new(
        paths: Arc<Paths>,
        roles: &Roles,
        capacity: impl Fn(SwitchId, u8) -> u32,
        is_there: impl Fn(SwitchId, u8) -> bool,
    ) -> Self {
        let classes = Classes::new(&roles.uplinks, &roles.kinds, is_there);
        let groups = &paths.groups;
        let mut above: BySwitch<u32> = vec![1; groups.switches().len()].into();
        for &s in groups.bottom_up().iter().rev() {
            let through = groups.parents(s).map(|group| {
                let ports = groups.ports(group).iter();
                let width: u32 = ports.map(|&port| capacity(s, port)).sum();
                width.saturating_mul(above[group.remote])
            });
            above[s] = through.fold(0, u32::saturating_add).max(1);
        }
        let weights = classes.classes.iter().map(|class| {
            let ports = class.ports.iter();
            let weight = ports.map(|up| match up.to {
                Some(to) => above[to].saturating_mul(capacity(class.first, up.port)),
                None => 0,
            });
            weight.collect()
        });
        Ways {
            weights: weights.collect(),
            paths,
            classes,
        }
    }
}
