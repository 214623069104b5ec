//! Counted ports of small trees: nominal ones where the widths of groups follow no rule, as in racks cabled by hand; and
//! those that take what slow links give up.
//!
//! In a tree of two ranks with at most [`SMALL`] switches, where a quarter of all pairs of a leaf and an upper switch
//! have no link, or not as many as most, destinations take ports in turn: each switch, from near to far, the
//! port that leads nearer and has, with the next switch's, the least load. Load is the number of destinations
//! counted there; only ports on ways from switches with end nodes count. All places that any leaf has are counted on each,
//! so a host that comes or goes moves nobody.
//!
//! It is a second way to choose a nominal port, and needs a memory: the ports counted for the reference come first, as
//! they are, and the rest is counted on top. A reference that gets a host or a leaf has the same ports for all others:
//! places behind those that half of the leaves use are counted last, then those of leaves of later eras; and switches
//! by themselves. At the end, entries whose port does not lead nearer are counted again over the
//! links that are there; then over those without drained ones, and over each band's, but for what the reference has there,
//! with the speeds of now. Where the rule gives the nominal ports of a small tree, only the last is done: lost links would
//! move what others displaced. Hosts that are away count as the others do. Cost: destinations times links, of few switches.

use crate::ids::{BySwitch, SwitchId};
use crate::kinds::{Roles, Uplink};
use crate::paths::{Costs, HOPS, UP};
use crate::spread::most_common;
use crate::tree::Ranking;
use dmodc_fabric::{
    EndNode, Fabric, Guid, Lid, NO_PATH, NodeKind, PortNumber, Tables, counted, known_boxes,
};
use std::collections::{BTreeMap, BTreeSet};

/// Beyond this many switches the rule by numbers is as even.
pub const SMALL: usize = 32;

/// A destination, and how many LIDs of it come before (LMC). A reference may have no LIDs.
type Name = (Who, u8);

/// Who has a LID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Who {
    /// An end node, by its GUID.
    Node(Guid),
    /// The switch at this place of [`Roles::order`]: a replaced box has the ways to the box before.
    Switch((u32, u64)),
    /// Nobody, at this place of a leaf: the host that comes has these ways.
    Nobody((u32, u64), u32),
}

/// The counted ports; empty where numbers decide.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// By switch.
    of: PortsOf,
    /// By LID.
    names: BTreeMap<Lid, Name>,
    /// Whether these are the rule's ports.
    is_rule: bool,
}

impl Counted {
    /// Whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The counted port of a switch for a LID.
    pub fn port(&self, s: SwitchId, lid: Lid) -> Option<u8> {
        self.named(s, self.names.get(&lid)?)
    }

    /// The counted port of a switch for the first LID of an end node, which may be away.
    pub fn port_to(&self, s: SwitchId, node: Guid) -> Option<u8> {
        self.named(s, &(Who::Node(node), 0))
    }

    fn named(&self, s: SwitchId, name: &Name) -> Option<u8> {
        let port = self.of.get(name)?[s];
        (port != NO_PATH).then_some(port)
    }

    /// Writes the counted ports of a switch into its row.
    pub fn write(&self, s: SwitchId, row: &mut [u8]) {
        for (lid, name) in &self.names {
            if let Some(port) = self.named(s, name) {
                row[lid.index()] = port;
            }
        }
    }
}

/// What is counted.
pub struct Counting<'c> {
    pub fabric: &'c Fabric,
    pub ranking: &'c Ranking,
    pub roles: &'c Roles,
    pub costs: &'c Costs,
    pub before: Remembered<'c>,
}

/// A place of a destination.
#[derive(Clone, Copy)]
struct Place {
    /// Its switch.
    home: SwitchId,
    name: Name,
    /// Its name while nobody is there.
    empty: Name,
    /// The number of the destination, if there is one.
    number: Option<u32>,
}

/// What was counted for a reference: at first, and at last, over what drained and slow links leave.
pub type Remembered<'r> = Option<(&'r Fabric, &'r [Counted; 2])>;

/// By name and switch.
type PortsOf = BTreeMap<Name, BySwitch<u8>>;

/// The destinations counted so far.
struct Loads<'c> {
    of: &'c Counting<'c>,
    /// By switch: the ports in use and where they lead; dark ones to the parent of their group.
    ends: BySwitch<Vec<(u8, SwitchId)>>,
    /// By switch and port: what a destination counts there, and all that were counted.
    each: BySwitch<[u32; 256]>,
    load: BySwitch<[u32; 256]>,
}

impl Counting<'_> {
    /// Counts the ports. What was counted before decides whether to count.
    pub fn count(&self) -> Counted {
        if self.fabric.switches().len() > SMALL {
            return Counted::default();
        }
        let uplinks = self.uplinks();
        let is_counted = match self.before {
            Some((_, [first, _])) => !first.is_empty() && !first.is_rule,
            None => self.is_irregular(&uplinks),
        };
        if !is_counted {
            return Counted::default();
        }
        let (mut places, names) = self.places();
        let mut ports = self.known(&places, 0);
        let era = self.eras();
        for last in BTreeSet::from_iter(&era.raw) {
            let mut loads = Loads::new(self, &uplinks);
            let later = era.keys().filter(|&s| era[s] > *last);
            later.for_each(|s| loads.ends[s].clear());
            let places = places.iter().filter(|at| era[at.home] <= *last).copied();
            loads.complete(&places.collect::<Vec<_>>(), &mut ports);
        }
        places.retain(|at| at.number.is_some());
        let none = PortsOf::new();
        self.complete_again(&uplinks, &places, |_, _| true, |_, _| 1, &none, &mut ports);
        Counted {
            of: ports,
            names,
            is_rule: false,
        }
    }

    /// By switch: 0, or the era of a leaf that came after all upper switches: counted on top of what came before.
    fn eras(&self) -> BySwitch<u32> {
        let switches = self.fabric.switches().keys();
        let era = |s: SwitchId| self.roles.order[s].0;
        let upper = switches.clone().filter(|&s| !self.ranking.is_leaf(s));
        let last = upper.map(era).max().unwrap_or(0);
        switches
            .map(|s| if era(s) > last { era(s) } else { 0 })
            .collect()
    }

    /// What was counted before for these places, first or last. A replaced box keeps its ports.
    fn known(&self, places: &[Place], at: usize) -> PortsOf {
        let boxes = self
            .before
            .map(|(reference, _)| known_boxes(self.fabric, reference));
        let known = |place: &Place, s: SwitchId| {
            let counted = &self.before?.1[at].of;
            let ports = counted.get(&place.name).or(counted.get(&place.empty))?;
            Some(ports[boxes.as_ref()?[s]?])
        };
        let of_place = |place: &Place| {
            let switches = self.fabric.switches().keys();
            let ports = switches.map(|s| known(place, s).unwrap_or(NO_PATH));
            (place.name, ports.collect())
        };
        places.iter().map(of_place).collect()
    }

    /// The ports that the rule gives, which writes all rows; none beyond [`SMALL`] switches. What slow links give up is
    /// counted on top of these.
    pub fn by_rule(&self, rule: impl FnOnce(&mut [&mut [u8]]) -> usize) -> Counted {
        if self.fabric.switches().len() > SMALL {
            return Counted::default();
        }
        let mut tables = Tables::for_fabric(self.fabric);
        rule(&mut tables.rows_mut());
        let (places, names) = self.places();
        // Nodes that are away have no LID.
        let mut ports = self.known(&places, 0);
        for (&lid, &name) in &names {
            let of_switch = self.fabric.switches().keys().map(|s| tables.get(s, lid));
            ports.insert(name, of_switch.collect());
        }
        Counted {
            of: ports,
            names,
            is_rule: true,
        }
    }

    /// The same over the links of these costs.
    pub fn over<'o>(&'o self, costs: &'o Costs) -> Counting<'o> {
        Counting { costs, ..*self }
    }

    /// Counts again for some numbers, over some links: the ports that do not lead nearer there, but for those counted
    /// before. A destination counts `each` at a port.
    pub fn again(
        &self,
        counted: &mut Counted,
        is_there: impl Fn(SwitchId, u8) -> bool,
        is_due: impl Fn(u32) -> bool,
        each: impl Fn(SwitchId, u8) -> u32,
    ) {
        if counted.is_empty() {
            return;
        }
        let mut places = self.places().0;
        places.retain(|at| at.number.is_some_and(&is_due));
        let known = self.known(&places, 1);
        self.complete_again(
            &self.uplinks(),
            &places,
            is_there,
            each,
            &known,
            &mut counted.of,
        );
    }

    /// Counts again for these places, none of them empty, over some links.
    fn complete_again(
        &self,
        uplinks: &BySwitch<Vec<Uplink>>,
        places: &[Place],
        is_there: impl Fn(SwitchId, u8) -> bool,
        each: impl Fn(SwitchId, u8) -> u32,
        known: &PortsOf,
        ports: &mut PortsOf,
    ) {
        let mut loads = Loads::new(self, uplinks);
        for (s, ends) in loads.ends.iter_mut_enumerated() {
            let is_up = |port| self.fabric.far(s, PortNumber(port)).is_some();
            ends.retain(|&(port, _)| is_up(port) && is_there(s, port));
            for &(port, _) in &*ends {
                loads.each[s][usize::from(port)] = each(s, port);
            }
        }
        for &Place { home, name, .. } in places {
            let known = known.get(&name);
            for (s, port) in ports
                .get_mut(&name)
                .into_iter()
                .flat_map(|of| of.iter_mut_enumerated())
            {
                let leads = |port: &u8| loads.leads_by(s, home, *port);
                if !leads(port) {
                    *port = known.map(|of| of[s]).filter(leads).unwrap_or(NO_PATH);
                }
            }
        }
        loads.complete(places, ports);
    }

    /// By switch: the uplinks that count. A dark port does, as one lost link, if no other port of its switch and no such
    /// port of its kind is dark. Where widths follow no rule, others were never there.
    fn uplinks(&self) -> BySwitch<Vec<Uplink>> {
        let switches = self.fabric.switches().keys();
        let all = |s: SwitchId| self.roles.uplinks.of_switch(s).iter();
        let dark = |s: SwitchId| all(s).filter(|up| up.to.is_none());
        let of_kind = |s: SwitchId, port: u8| (self.roles.kinds.of_switch[s], port);
        let of_kinds = switches
            .clone()
            .flat_map(|s| dark(s).map(move |up| of_kind(s, up.port)));
        let of_kinds = counted(of_kinds);
        let is_lost = |s, port| dark(s).count() == 1 && of_kinds.get(&of_kind(s, port)) == Some(&1);
        let counts = |s: SwitchId, up: &&Uplink| up.to.is_some() || is_lost(s, up.port);
        let of_switch = switches.map(|s| all(s).filter(|up| counts(s, up)).copied().collect());
        of_switch.collect()
    }

    /// Whether the widths of groups follow no rule.
    fn is_irregular(&self, uplinks: &BySwitch<Vec<Uplink>>) -> bool {
        let part = self.fabric.parts(|_| true);
        let mut uppers: BTreeMap<Option<SwitchId>, usize> = BTreeMap::new();
        // A switch at one leaf alone joins nothing.
        let joins = |s: &SwitchId| {
            let below = self.fabric.links_of(*s).map(|(_, to, _)| to);
            let leaves: BTreeSet<SwitchId> = below.filter(|to| self.ranking.is_leaf(*to)).collect();
            self.ranking.rank(*s) > 0 && leaves.len() > 1
        };
        for s in part.keys().filter(joins) {
            *uppers.entry(part[s]).or_default() += 1;
        }
        let (mut widths, mut pairs) = (Vec::new(), 0);
        for leaf in self.ranking.leaves() {
            let groups = uplinks[leaf].chunk_by(|a, b| a.group == b.group);
            widths.extend(groups.filter(|group| group[0].is_up()).map(<[_]>::len));
            pairs += uppers.get(&part[leaf]).copied().unwrap_or(0);
        }
        let odd = pairs.saturating_sub(most_common(&mut widths).1);
        self.ranking.per_rank().len() == 2 && odd > 0 && 4 * odd >= pairs
    }

    /// All destinations: by nth LID leaves in the order of numbers, on each all places that half of the leaves use; then
    /// hosts elsewhere, the places behind, and switches, in the order of the places of switches. And the names of all LIDs.
    fn places(&self) -> (Vec<Place>, BTreeMap<Lid, Name>) {
        let (fabric, numbers) = (self.fabric, &self.roles.numbers);
        let mut names = BTreeMap::new();
        let mut leaves: Vec<SwitchId> = self.ranking.leaves().collect();
        leaves.sort_unstable_by_key(|&leaf| (numbers.first[leaf], leaf));
        // By place, leaf and nth LID.
        let mut hosts: BTreeMap<(u32, SwitchId, u8), (Name, u32)> = BTreeMap::new();
        let mut others: Vec<(SwitchId, (Name, u32))> = Vec::new();
        let mut name = |who: Who, lid: Lid, number: u32, k: u8| {
            if lid != Lid(0) {
                names.insert(Lid(lid.0 + u16::from(k)), (who, k));
            }
            ((who, k), number + u32::from(k))
        };
        let away = self.roles.absent.iter().zip(&numbers.absent);
        let nodes = fabric.end_nodes().iter().zip(&numbers.node);
        let mut nodes: Vec<(&EndNode, &u32)> = away.chain(nodes).collect();
        nodes.sort_by_key(|(node, _)| (self.roles.order[node.switch], node.port));
        for (node, &number) in nodes {
            let s = node.switch;
            let is_host = node.kind != NodeKind::Aggregation && self.ranking.is_leaf(s);
            let place = number.saturating_sub(numbers.first[s]);
            for k in 0..1 << node.lmc {
                let taken = name(Who::Node(node.guid), node.lid, number, k);
                if is_host {
                    hosts.insert((place, s, k), taken);
                } else {
                    others.push((s, taken));
                }
            }
        }
        // Half of the leaves end here or later: a new place behind moves nobody.
        let mut ends: BTreeMap<SwitchId, u32> = leaves.iter().map(|&leaf| (leaf, 0)).collect();
        ends.extend(hosts.keys().map(|&(place, leaf, _)| (leaf, place)));
        let mut ends: Vec<u32> = ends.into_values().collect();
        ends.sort_unstable();
        let usual = ends.get(ends.len() / 2).copied().unwrap_or(0);
        let last = ends.last().copied().unwrap_or(0);
        let all = 0..=hosts.keys().map(|at| at.2).max().unwrap_or(0);
        let on_leaf = |place, home, k| {
            let empty = (Who::Nobody(self.roles.order[home], place), k);
            let taken = hosts.get(&(place, home, k));
            Place {
                home,
                name: taken.map_or(empty, |at| at.0),
                empty,
                number: taken.map(|at| at.1),
            }
        };
        let elsewhere = |(home, (name, number))| Place {
            home,
            name,
            empty: name,
            number: Some(number),
        };
        let mut places: Vec<Place> = Vec::new();
        for k in all.clone() {
            let on_leaves = leaves
                .iter()
                .flat_map(|&leaf| (0..=usual).map(move |at| (at, leaf)));
            places.extend(on_leaves.map(|(place, leaf)| on_leaf(place, leaf, k)));
        }
        places.extend(others.into_iter().map(elsewhere));
        for place in usual + 1..=last {
            let on_leaves = leaves
                .iter()
                .flat_map(|&leaf| all.clone().map(move |k| (leaf, k)));
            places.extend(on_leaves.map(|(leaf, k)| on_leaf(place, leaf, k)));
        }
        let mut switches: Vec<SwitchId> = fabric.switches().keys().collect();
        switches.sort_by_key(|&s| self.roles.order[s]);
        for s in switches {
            let switch = &fabric.switches()[s];
            let who = Who::Switch(self.roles.order[s]);
            let number = numbers.switch[s];
            let all = (0..1 << switch.lmc).map(|k| (s, name(who, switch.lid, number, k)));
            places.extend(all.map(elsewhere));
        }
        (places, names)
    }
}

impl<'c> Loads<'c> {
    fn new(of: &'c Counting<'c>, uplinks: &BySwitch<Vec<Uplink>>) -> Self {
        let ends = uplinks.iter_enumerated().map(|(s, ports)| {
            let up = ports.iter().filter_map(|up| {
                let mut group = ports.iter().filter(|other| other.group == up.group);
                Some((up.port, group.find_map(|other| other.to)?))
            });
            let down = of
                .fabric
                .links_of(s)
                .filter(|&(_, to, _)| !of.ranking.is_up(s, to));
            up.chain(down.map(|(port, to, _)| (port.0, to))).collect()
        });
        let ends: BySwitch<Vec<(u8, SwitchId)>> = ends.collect();
        Loads {
            of,
            each: vec![[1; 256]; ends.len()].into(),
            load: vec![[0; 256]; ends.len()].into(),
            ends,
        }
    }

    /// Which neighbours of a switch are nearer.
    fn leads(&self, s: SwitchId, home: SwitchId) -> impl Fn(SwitchId) -> bool + use<'c> {
        let (costs, ranking) = (self.of.costs, self.of.ranking);
        let own = costs.byte(s, home);
        let goes_up = own & UP != 0;
        move |to| {
            let cost = costs.byte(to, home);
            let is_way = ranking.is_up(s, to) == goes_up && (goes_up || cost & UP == 0);
            // As in `Paths::candidates`: without a cost there, this is never so.
            is_way && (cost & HOPS) + 1 == own & HOPS
        }
    }

    /// Whether a port of a switch leads nearer.
    fn leads_by(&self, s: SwitchId, home: SwitchId, port: u8) -> bool {
        let leads = self.leads(s, home);
        self.ends[s].iter().any(|end| end.0 == port && leads(end.1))
    }

    /// Counts the ports that are known, then chooses the others; those of switches, whose packets are few, by themselves.
    fn complete(&mut self, places: &[Place], ports: &mut PortsOf) {
        let none: BySwitch<bool> = vec![false; self.ends.len()].into();
        let is_of_switch = |name: &Name| matches!(name.0, Who::Switch(_));
        let first = places.partition_point(|at| !is_of_switch(&at.name));
        for (of_switches, places) in [(false, &places[..first]), (true, &places[first..])] {
            self.load.raw.fill([0; 256]);
            let known = ports.iter().filter(|at| is_of_switch(at.0) == of_switches);
            known.for_each(|(_, ports)| self.count(ports, &none));
            self.choose(places, ports);
        }
    }

    /// Chooses the ports of these places that are not known.
    fn choose(&mut self, places: &[Place], ports: &mut PortsOf) {
        let mut order: Vec<SwitchId> = self.ends.keys().collect();
        for &Place { home, name, .. } in places {
            let Some(ports) = ports.get_mut(&name) else {
                continue;
            };
            let before = self.on_ways(ports);
            order.sort_by_key(|s| self.of.costs.byte(*s, home) & HOPS);
            for &s in &order {
                let load = |s: SwitchId, port: u8| self.load[s][usize::from(port)];
                let key = |&(port, to): &(u8, SwitchId)| {
                    // As they will be; the next switch's, if it comes on a way by this.
                    let own = load(s, port) + self.each[s][usize::from(port)];
                    // Home has no port; if one port leads there, all do.
                    let gains = u32::from(!before[to]) * self.each[to][usize::from(ports[to])];
                    let then = load(to, ports[to]) + gains;
                    (own + then, own, port)
                };
                let leads = self.leads(s, home);
                let nearer = self.ends[s].iter().copied().filter(|end| leads(end.1));
                if ports[s] == NO_PATH
                    && let Some((port, _)) = nearer.min_by_key(key)
                {
                    ports[s] = port;
                }
            }
            self.count(ports, &before);
        }
    }

    /// The switches on ways from switches with end nodes.
    fn on_ways(&self, ports: &BySwitch<u8>) -> BySwitch<bool> {
        let mut on_ways: BySwitch<bool> = vec![false; ports.len()].into();
        for source in ports.keys() {
            let mut next = Some(source).filter(|&s| !self.of.fabric.end_nodes_of(s).is_empty());
            while let Some(s) = next.filter(|&s| !on_ways[s] && ports[s] != NO_PATH) {
                on_ways[s] = true;
                next = self.ends[s]
                    .iter()
                    .find(|end| end.0 == ports[s])
                    .map(|end| end.1);
            }
        }
        on_ways
    }

    /// Counts the ports on ways, but for switches that were on ways before.
    fn count(&mut self, ports: &BySwitch<u8>, before: &BySwitch<bool>) {
        let on_ways = self.on_ways(ports);
        for s in on_ways.keys().filter(|&s| on_ways[s] && !before[s]) {
            let port = usize::from(ports[s]);
            self.load[s][port] += self.each[s][port];
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Options;
    use crate::tests::{links::rack, route};
    use dmodc_fabric::{Drained, Fabric, Guid, Lid, PortNumber, SwitchId, Tables};
    use fabrics::{Net, rebuilt, with_slow};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    /// The greatest number of hosts elsewhere that leaf 0 reaches by one port.
    fn most(tables: &Tables) -> usize {
        let ports: Vec<u8> = (10..18)
            .map(|lid| tables.get(SwitchId(0), Lid(lid)))
            .collect();
        let count = |port: &u8| ports.iter().filter(|other| *other == port).count();
        ports.iter().map(count).max().unwrap_or(0)
    }

    /// Digits alone leave one of three uplinks with more than its part where spines have one link and two.
    #[test]
    fn counting_is_even_where_widths_follow_no_rule() {
        let rack = rack([[1, 2, 1], [2, 1, 3]]);
        let forgets = Options {
            forgets: true,
            ..Options::default()
        };
        let [counted, digits] = [Options::default(), forgets].map(|o| route(&rack, &o, 1).1);
        assert_eq!(most(&counted), 3);
        assert!(digits != counted);
    }

    /// One spine with three links and four to leaves by turns: with a fourth port at each leaf, two hosts of three in a row
    /// had the same port, and shifts needed 4 links for 2.
    #[test]
    fn widths_by_turns_are_no_lost_links() {
        let links = [0, 1, 2, 3, 4, 5].map(|leaf| [(leaf, 6); 4]).concat();
        let hosts: Vec<u32> = (0..36).map(|host| host / 6).collect();
        let rack = Net::new(&links, &hosts).build();
        let fourth = [0, 2, 4].map(|leaf| (SwitchId(leaf), PortNumber(4)));
        let far = fourth.map(|(s, port)| rack.far(s, port).expect("a link"));
        let rack = rack.without(&[fourth, far].concat());
        let (_, tables) = route(&rack, &Options::default(), 1);
        let elsewhere = rack
            .end_nodes()
            .iter()
            .filter(|node| node.switch != SwitchId(0));
        let ports = elsewhere.map(|node| tables.get(SwitchId(0), node.lid));
        let ports: Vec<u8> = ports.collect();
        let differ =
            |three: &[u8]| three[0] != three[1] && three[0] != three[2] && three[1] != three[2];
        assert!(ports.windows(3).all(differ), "{ports:?}");
    }

    /// Loads by destinations that come by another spine left one link down with five of sixteen hosts, the other with one.
    #[test]
    fn only_ports_on_ways_count() {
        let widths = [
            (0, 2, 3),
            (0, 3, 4),
            (0, 4, 3),
            (1, 2, 4),
            (1, 3, 3),
            (1, 4, 4),
        ];
        let links = widths.map(|(leaf, spine, width)| vec![(leaf, spine); width]);
        let whole = Net::new(&links.concat(), &[[0; 16], [1; 16]].concat()).build();
        let lost = [(SwitchId(0), PortNumber(1)), (SwitchId(1), PortNumber(5))];
        let lost = lost.map(|(s, port)| [(s, port), whole.far(s, port).expect("a link")]);
        let options = Options {
            reference: Some(Arc::new(whole.clone())),
            ..Options::default()
        };
        let less = whole.without(&lost.concat());
        let (_, tables) = route(&less, &options, 1);
        let mut counts: BTreeMap<(SwitchId, u8), usize> = BTreeMap::new();
        for node in less.end_nodes() {
            let from = SwitchId(1 - node.switch.0);
            let up = PortNumber(tables.get(from, node.lid));
            let spine = less.far(from, up).expect("a spine").0;
            *counts.entry((from, up.0)).or_default() += 1;
            *counts
                .entry((spine, tables.get(spine, node.lid)))
                .or_default() += 1;
        }
        assert!(counts.values().all(|&count| count <= 4), "{counts:?}");
    }

    /// Else they took the next port on the ring: racks with one to three links at half the speed had A2A 1.067 times that of
    /// racks without these links, for 1.043.
    #[test]
    fn drained_and_dark_links_are_as_lost_ones() {
        let whole = rack([[1, 2, 1], [2, 1, 3]]);
        // The third leads to a spine that has no other.
        for (port, far, far_port) in whole.links_of(SwitchId(1)).take(2) {
            let ends = [(SwitchId(1), port), (far, far_port)];
            let with = |fabric: &Fabric, drained: bool| {
                let drained = drained.then_some(Drained {
                    switch: whole.guid(SwitchId(1)),
                    port: Some(port),
                });
                let options = Options {
                    reference: Some(Arc::new(whole.clone())),
                    drain: drained.into_iter().collect(),
                    ..Options::default()
                };
                route(fabric, &options, 1).1
            };
            let lost = with(&whole.without(&ends), false);
            assert!(with(&whole, true) == lost, "{port}");
            let slow = with_slow(&whole, &ends, "1xSDR");
            assert!(with(&slow, false) == lost, "{port}");
        }
    }

    /// By its GUID its LID was another destination, so ways to it moved; and at the next sweep, whose reference had the
    /// new GUID elsewhere in the order, ways to others as well.
    #[test]
    fn ways_to_a_replaced_box_stay() {
        let whole = rack([[1, 2, 1], [2, 1, 3]]);
        let before = route(&whole, &Options::default(), 1).1;
        for old in whole.switches().keys() {
            let guid = Guid(900);
            let now = rebuilt(&whole, |s, switch| {
                if s == old {
                    switch.guid = guid;
                }
            });
            let now = now.finish().0;
            let keys = BTreeMap::from([(guid, (whole.guid(old).0, 0))]);
            for reference in [whole.clone(), now.clone().with_keys(&keys)] {
                let options = Options {
                    reference: Some(Arc::new(reference)),
                    ..Options::default()
                };
                let after = route(&now, &options, 1).1;
                for s in whole.switches().keys() {
                    let here = if s == old { guid } else { whole.guid(s) };
                    let here = now.switch_by_guid(here).expect("a switch");
                    for (lid, ..) in whole.lids() {
                        let [was, is] = [before.get(s, lid), after.get(here, lid)];
                        assert_eq!(was, is, "{old:?} {s:?} {lid}");
                    }
                }
            }
        }
    }

    /// All was counted anew at the next sweep, whose reference had the new leaf.
    #[test]
    fn ways_stay_when_the_reference_has_a_new_leaf() {
        let widths = [[1, 2], [3, 1], [2, 3], [1, 3]];
        let links = (2..).zip(widths).flat_map(|(leaf, widths)| {
            let of_spine = (0..).zip(widths);
            of_spine.flat_map(move |(spine, width)| vec![(leaf, spine); width])
        });
        let links: Vec<(u32, u32)> = links.collect();
        let hosts: Vec<u32> = (0..32).map(|host| 2 + host / 8).collect();
        let whole = Net::new(&links, &hosts).build();
        let new = whole.guid(SwitchId(5));
        let whole = whole.with_keys(&BTreeMap::from([(new, (new.0, 1))]));
        let first = links.iter().copied().filter(|link| link.0 < 5);
        let less = Net::new(&first.collect::<Vec<_>>(), &hosts[..24]).build();
        let by = |reference: &Fabric| {
            let options = Options {
                reference: Some(Arc::new(reference.clone())),
                ..Options::default()
            };
            route(&whole, &options, 1).1
        };
        assert!(by(&less) == by(&whole));
    }

    /// On the circle three of the displaced fell on one port of a leaf; and the LIDs of switches, counted before, had two of
    /// one leaf meet.
    #[test]
    fn what_slow_links_give_up_goes_round_in_a_regular_rack() {
        let links: Vec<(u32, u32)> = (0..12)
            .flat_map(|leaf| [12, 13, 14, 15].map(|spine| (leaf, spine)))
            .collect();
        let hosts: Vec<u32> = (0..96).map(|host| host / 8).collect();
        let fabric = Net::new(&links, &hosts).build();
        let slow = [(0, 1), (0, 2)].map(|(s, port)| (SwitchId(s), PortNumber(port)));
        let fabric = with_slow(&fabric, &slow, "1xEDR");
        let (_, tables) = route(&fabric, &Options::default(), 1);
        let mut counts = [0; 13];
        for leaf in (1..12).map(SwitchId) {
            let hosts = fabric.end_nodes().iter().filter(|node| node.switch == leaf);
            let mut of_leaf = [0; 13];
            hosts.for_each(|node| of_leaf[usize::from(tables.get(SwitchId(0), node.lid))] += 1);
            assert_eq!(of_leaf.iter().max(), Some(&4), "{leaf:?}: {of_leaf:?}");
            counts
                .iter_mut()
                .zip(of_leaf)
                .for_each(|(all, of)| *all += of);
        }
        assert_eq!(counts[..5], [0, 0, 0, 44, 44]);
    }

    /// Of what a slow link between leaves gives up, a slow uplink took as much as a fast one.
    #[test]
    fn a_slow_port_counts_by_its_speed() {
        let links = [&[(0, 1); 4][..], &[(0, 2); 4], &[(1, 2); 4]].concat();
        let fabric = Net::new(&links, &[[0; 16], [1; 16]].concat()).build();
        let slow = [0, 1].map(|s| (1..=5).map(move |port| (SwitchId(s), PortNumber(port))));
        let fabric = with_slow(
            &fabric,
            &slow.into_iter().flatten().collect::<Vec<_>>(),
            "2xEDR",
        );
        let (_, tables) = route(&fabric, &Options::default(), 1);
        let others = fabric
            .end_nodes()
            .iter()
            .filter(|node| node.switch == SwitchId(1));
        let mut counts = [0; 9];
        others.for_each(|node| counts[usize::from(tables.get(SwitchId(0), node.lid))] += 1);
        assert!(
            (1..3).contains(&counts[5]) && counts[..5] == [0; 5],
            "{counts:?}"
        );
    }
}
