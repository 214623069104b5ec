//! What stands of the fabric as it should be when switches are gone.

use crate::dmodc::tree::{Group, Groups, Links};

/// The nominal links of all switches that have links now, or `None` if no switch is without.
pub fn standing(nominal: &Groups, present: &Groups) -> Option<Links> {
    let switches = 0..nominal.switches() as u32;
    let has_links = |of: &Groups, s: u32| !of.down(s).is_empty() || !of.up(s).is_empty();
    let is_gone = |s: u32| has_links(nominal, s) && !has_links(present, s);
    let is_gone: Vec<bool> = switches.clone().map(is_gone).collect();
    if !is_gone.contains(&true) {
        return None;
    }
    let mut links = Links::default();
    for s in switches {
        let groups = nominal.down(s).iter().chain(nominal.up(s));
        let stands = |g: &&Group| !is_gone[s as usize] && !is_gone[g.remote as usize];
        let mut groups: Vec<&Group> = groups.filter(stands).collect();
        groups.sort_unstable_by_key(|g| g.remote);
        links.add_switch(groups.iter().map(|g| (g.remote, nominal.ports(g))));
    }
    Some(links)
}
