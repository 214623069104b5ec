//! Separates entries that a change of the fabric *forces* to change from entries that change needlessly.
//!
//! An entry can stay while its port has a link that leads nearer by equation (1) of the paper (under the
//! up-down guarantee) on the new fabric. So after a fault each changed entry is one of
//! - *own*: its LID came, went, or is at another port now;
//! - *forced*: the old port does not lead nearer any more, or there was none;
//! - *needless*: the old port still leads nearer.
//!
//! A subnet manager sends blocks of 64 LIDs. The reason of a block is the first of these three among its changed
//! entries: a needless block has needless changes alone. Switches that only one of the two fabrics has do not count.

use dmodc_fabric::{BLOCK, Fabric, Guid, Lid, Peer, PortNumber, SwitchId, Tables};
use std::collections::{BTreeSet, HashMap};
use std::ops::Add;
use typed_index_collections::TiVec;

/// A number of entries, and of blocks of 64 LIDs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub entries: usize,
    pub blocks: usize,
}

impl Add for Count {
    type Output = Count;

    fn add(self, other: Count) -> Count {
        Count {
            entries: self.entries + other.entries,
            blocks: self.blocks + other.blocks,
        }
    }
}

/// The changed entries by their reason.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forced {
    pub own: Count,
    pub forced: Count,
    pub needless: Count,
}

impl Forced {
    pub fn changed(&self) -> Count {
        self.own + self.forced + self.needless
    }

    fn count(&mut self, reason: Reason) -> &mut Count {
        match reason {
            Reason::Own => &mut self.own,
            Reason::Forced => &mut self.forced,
            Reason::Needless => &mut self.needless,
        }
    }
}

/// Why an entry changed, the weightiest reason first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    Own,
    Forced,
    Needless,
}

pub type Routed<'r> = (&'r Fabric, &'r Tables);

/// Compares the tables before and after a change of the fabric. `is_up(a, b)` is whether the links from switch `a` to
/// its neighbour `b` go up in the new fabric.
pub fn forced(before: Routed, after: Routed, is_up: impl Fn(SwitchId, SwitchId) -> bool) -> Forced {
    let fabric = after.0;
    let (old_places, new_places) = (places(before.0), places(fabric));
    let lids: BTreeSet<Lid> = (old_places.keys().chain(new_places.keys()).copied()).collect();
    let links = Oriented::new(fabric, is_up);
    let mut costs: HashMap<SwitchId, Hops> = HashMap::new();
    let mut found = Forced::default();
    for (s, switch) in fabric.switches().iter_enumerated() {
        let Some(was) = before.0.switch_by_guid(switch.guid) else {
            continue;
        };
        let mut blocks: HashMap<usize, Reason> = HashMap::new();
        for &lid in &lids {
            let old = PortNumber(before.1.get(was, lid));
            if old == PortNumber(after.1.get(s, lid)) {
                continue;
            }
            let place = new_places.get(&lid);
            let reason = match place {
                Some(&(guid, port)) if old_places.get(&lid) == place => {
                    let target = fabric.switch_by_guid(guid).expect("its place");
                    let hops = costs.entry(target).or_insert_with(|| links.costs(target));
                    let stands = match s == target {
                        true => old == port,
                        false => links.leads_nearer(hops, s, fabric.peer(s, old)),
                    };
                    [Reason::Forced, Reason::Needless][usize::from(stands)]
                }
                _ => Reason::Own,
            };
            found.count(reason).entries += 1;
            let of_block = blocks.entry(lid.index() / BLOCK).or_insert(reason);
            *of_block = reason.min(*of_block);
        }
        for reason in blocks.into_values() {
            found.count(reason).blocks += 1;
        }
    }
    found
}

/// The place of each LID: the GUID of its switch, and the port there, 0 for the switch itself.
fn places(fabric: &Fabric) -> HashMap<Lid, (Guid, PortNumber)> {
    let place = |(lid, s, port)| (lid, (fabric.guid(s), port));
    fabric.lids().map(place).collect()
}

/// The neighbours above and below each switch, once per link.
struct Oriented {
    above: TiVec<SwitchId, Vec<SwitchId>>,
    below: TiVec<SwitchId, Vec<SwitchId>>,
}

/// Hops from each switch to one switch: by links down only, and by the up-down path that Dmodc takes.
struct Hops {
    down: TiVec<SwitchId, Option<u16>>,
    taken: TiVec<SwitchId, Option<u16>>,
}

impl Oriented {
    fn new(fabric: &Fabric, is_up: impl Fn(SwitchId, SwitchId) -> bool) -> Oriented {
        let switches = fabric.switches().keys();
        let sides = switches.map(|s| fabric.neighbours(s).partition(|&r| is_up(s, r)));
        let (above, below): (Vec<_>, Vec<_>) = sides.unzip();
        Oriented {
            above: above.into(),
            below: below.into(),
        }
    }

    /// The rule of Dmodc: a switch with a path down takes it; any other goes up to the neighbour with the fewest hops.
    fn costs(&self, target: SwitchId) -> Hops {
        let mut down: TiVec<SwitchId, _> = vec![None; self.above.len()].into();
        down[target] = Some(0);
        let mut reached = vec![target];
        let mut next = 0;
        while let Some(&s) = reached.get(next) {
            next += 1;
            for &above in &self.above[s] {
                if down[above].is_none() {
                    down[above] = down[s].map(|hops: u16| hops + 1);
                    reached.push(above);
                }
            }
        }
        // Each pass adds the switches one level further down.
        let mut taken = down.clone();
        loop {
            let known = taken.clone();
            for s in down.keys().filter(|&s| down[s].is_none()) {
                let least = self.above[s].iter().filter_map(|&above| known[above]);
                taken[s] = least.min().map(|hops| hops + 1);
            }
            if taken == known {
                return Hops { down, taken };
            }
        }
    }

    /// Equation (1): whether a switch may send packets for the target of these costs to a neighbour.
    fn leads_nearer(&self, hops: &Hops, switch: SwitchId, peer: Peer) -> bool {
        let Peer::Switch { index, .. } = peer else {
            return false;
        };
        let (here, there) = (switch, index);
        let (side, hops) = match hops.down[here] {
            Some(_) => (&self.below, &hops.down),
            None => (&self.above, &hops.taken),
        };
        let is_nearer = hops[there].is_some_and(|there| hops[here].is_some_and(|h| there < h));
        side[here].contains(&index) && is_nearer
    }
}

/// Leaf 0 moves one entry from port 2 to 3: needlessly; forced, if the link of port 2 is gone; own, if the host is
/// gone.
#[test]
fn reasons_by_hand() {
    let netlist = fabrics::pgft("PGFT(2;1,2;1,2;1,1)");
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    let (gone, _) = netlist.without_nodes(&[5]).to_fabric(None).expect("LIDs");
    let link = [(0, 2), (2, 1)].map(|(s, port)| (SwitchId(s), PortNumber(port)));
    let less = fabric.without(&link);
    let lid = fabric.end_nodes().raw[1].lid;
    let [before, now] = [2, 3].map(|port| {
        let mut tables = Tables::for_fabric(&fabric);
        tables.row_mut(SwitchId(0))[lid] = port;
        tables
    });
    let (one, none) = ((1, 1), (0, 0));
    for (after, reasons) in [
        (&fabric, [none, none, one]),
        (&less, [none, one, none]),
        (&gone, [one, none, none]),
    ] {
        let found = forced((&fabric, &before), (after, &now), |a, b| a < b);
        let counts = [found.own, found.forced, found.needless];
        assert_eq!(counts.map(|count| (count.entries, count.blocks)), reasons);
    }
}
