//! The roots of `root_guid_file` beside the cables.
//!
//! The file is written once, and the fabric changes: a replaced spine has another GUID, and by the letter of the file
//! it is no root then. It would be ranked far below its siblings, and take most of the routes with it. So where the
//! cables show the top without doubt, that is where every link of the fabric joins two adjacent ranks:
//! - a switch at the top that the file lacks is a root in the stead of a line that names nothing;
//! - a root with switches above it is none.
//!
//! Elsewhere the file decides, as it does where it lacks a switch of the top and has no line too many. The log says
//! what was odd and what was done. Cost: one more ranking, and only with the option.

use super::first_few;
use dmodc_core::{Options, Ranking, roots};
use dmodc_fabric::{Fabric, Guid, SwitchId};
use std::collections::BTreeSet;

/// Maximum number of switches that a line names.
const NAMED: usize = 5;

/// The roots to use, and lines about what is odd in those given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Roots {
    /// The GUIDs, in the order of the file.
    pub guids: Vec<Guid>,
    /// What is odd, and what was done.
    pub odd: Vec<String>,
}

/// Compares the roots of some options with a fabric.
pub fn roots_of(fabric: &Fabric, options: &Options) -> Roots {
    let given = &options.root_guids;
    let is_here = |guid: &Guid| fabric.switch_by_guid(*guid).is_some();
    let here = given.iter().filter_map(|guid| fabric.switch_by_guid(*guid));
    let here: BTreeSet<SwitchId> = here.collect();
    let mut found = Roots {
        guids: given.clone(),
        odd: Vec::new(),
    };
    if here.is_empty() {
        return found;
    }
    let alone = Options {
        root_guids: Vec::new(),
        ..options.clone()
    };
    let ranking = Ranking::new(fabric, &alone);
    let rank = |s: SwitchId| ranking.rank(s);
    let mut links = fabric.links();
    let is_plain = links.all(|[(a, _), (b, _)]| rank(a).abs_diff(rank(b)) == 1);
    let has_above = |s: SwitchId| fabric.neighbours(s).any(|other| rank(other) > rank(s));
    let known = |guid: &Guid| {
        let reference = options.reference.as_ref();
        reference.is_some_and(|reference| reference.switch_by_guid(*guid).is_some())
    };
    let named = |guids: Vec<Guid>| first_few(guids.iter().map(Guid::to_string), NAMED);
    let mut stale = given.clone();
    stale.retain(|guid| !is_here(guid));
    let (mut lacking, mut below) = (Vec::new(), Vec::new());
    if is_plain {
        let mut top = roots(fabric, &ranking);
        top.retain(|s| !here.contains(s));
        lacking.extend(top.into_iter().map(|s| fabric.guid(s)));
        let is_below = here.into_iter().filter(|&s| has_above(s));
        below.extend(is_below.map(|s| fabric.guid(s)));
    }
    if lacking.is_empty() || lacking.len() > stale.len() {
        // A dark switch of the reference is told as lost.
        stale.retain(|guid| !known(guid));
        if !stale.is_empty() {
            let named = named(stale);
            found.odd.push(format!("no switch of this fabric: {named}"));
        }
        if !lacking.is_empty() {
            let named = named(lacking);
            found.odd.push(format!(
                "switches at the top that are no roots, and so are ranked lower: {named}"
            ));
        }
    } else {
        let (stale, lacking_names) = (named(stale), named(lacking.clone()));
        found.odd.push(format!(
            "no switch of this fabric: {stale}; taken as roots in their stead, since they are at the top: {lacking_names}"
        ));
        found.guids.extend(lacking);
    }
    if !below.is_empty() {
        found.guids.retain(|guid| !below.contains(guid));
        let named = named(below);
        found.odd.push(format!(
            "not taken as roots, since there are switches above them: {named}"
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabrics::Net;

    /// Two leaves, 0 and 1, with a host each, below three spines.
    fn tree() -> Fabric {
        let links = [2, 3, 4].map(|spine| [(0, spine), (1, spine)]);
        Net::new(links.as_flattened(), &[0, 1]).build()
    }

    fn found(fabric: &Fabric, guids: &[Guid]) -> Roots {
        let root_guids = guids.to_vec();
        roots_of(
            fabric,
            &Options {
                root_guids,
                ..Options::default()
            },
        )
    }

    #[test]
    fn a_replaced_spine_is_a_root_in_the_stead_of_the_old_one() {
        let fabric = tree();
        let [leaf, _, a, b, c] = [0, 1, 2, 3, 4].map(|s| fabric.guid(SwitchId(s)));
        let gone = Guid(0xdead);
        assert_eq!(found(&fabric, &[]), Roots::default());
        assert_eq!(found(&fabric, &[a, b, c]).odd, [""; 0]);
        let replaced = found(&fabric, &[a, b, gone]);
        assert_eq!(replaced.guids, [a, b, gone, c]);
        let line = &replaced.odd[0];
        assert!(line.contains("0x000000000000dead") && line.contains(&c.to_string()));
        // Without a line too many the administrator's choice stands.
        let fewer = found(&fabric, &[a, b]);
        assert_eq!(fewer.guids, [a, b]);
        assert!(fewer.odd[0].contains("no roots") && fewer.odd[0].contains(&c.to_string()));
        // A spine is gone, and nothing is in its place.
        let dead = found(&fabric, &[a, b, c, gone]);
        assert_eq!((dead.guids.len(), dead.odd.len()), (4, 1));
        // The leaf has switches above it.
        let wrong = found(&fabric, &[leaf, a, b, c]);
        assert_eq!(wrong.guids, [a, b, c]);
        assert!(wrong.odd[0].contains(&leaf.to_string()));
    }
}
