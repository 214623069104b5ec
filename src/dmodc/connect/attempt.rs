//! Everyone in need served, over turns at more and more switches.

use super::bits::Set;
use super::hubs::{hubs, turn_by_planes, turn_in_cone};
use super::need::{KINDS, Need};
use super::search::{Search, Target};
use super::turns::{Turns, position};
use crate::dmodc::paths::{INFINITE, Paths, UP};
use crate::dmodc::routes::SwitchView;
use crate::fabric::Lid;
use std::collections::BTreeMap;

/// So many neighbours are looked at, at most: some 0.2 s. What is tried only for the sake of a few ends at a
/// quarter of it.
const WORK: u64 = 8_000_000;
/// So much where only what is not traffic of hosts is left out.
const OTHERS: u64 = 200_000;
/// So many switches to turn at are tried in a row without a gain.
const TRIES: usize = 8;
/// So many targets side by side go by the same of equally near detours, where hosts are not in need.
const ALIKE: usize = 8;

/// What is asked of the routes.
pub struct Entries<'e> {
    /// The LIDs behind a switch, its own last.
    pub lids: &'e dyn Fn(u32) -> Vec<Lid>,
    /// LIDs behind a switch that nobody has now.
    pub absent: &'e dyn Fn(u32) -> Vec<Lid>,
    /// What is behind a switch, its own LID last: the place in a row, the LID there, 0 where nobody is, and whether the
    /// place is there whoever comes and goes.
    pub places: &'e dyn Fn(u32) -> Vec<(usize, Lid, bool)>,
    /// The entries of a switch for all that it reaches going up, by place.
    pub row: &'e dyn Fn(u32) -> Vec<u8>,
    /// The paths that entries are by, one after the other.
    pub paths: &'e [&'e Paths],
}

/// Detours to some LIDs of a switch, as (switch, next switch).
pub type Detours = (Vec<Lid>, Vec<(u32, u32)>);

/// The detours over the turns at some switches.
pub struct Attempt<'a> {
    /// Per need: for all LIDs, those together that have the same detours; the last LID among the last.
    pub found: Vec<Vec<Detours>>,
    /// Per need: who is left out.
    pub left: Vec<Need>,
    /// The turns taken.
    pub turns: Turns,
    /// Whether it took too much work and was ended.
    pub cut_short: bool,
    paths: &'a Paths,
    /// The paths over all links, drained ones too: turns are checked against them.
    all: &'a Paths,
    needs: &'a [Need],
    entries: &'a Entries<'a>,
    /// Per switch that is turned at: by which of its groups that lead up it goes on, by LID. Nothing if
    /// detours have to go on by all.
    known: Option<BTreeMap<u32, Vec<u8>>>,
}

impl<'a> Attempt<'a> {
    /// Turns plane by plane if hosts are in need. If that leaves anybody out, or there are no planes, turns at
    /// one switch after the other, with one or another first, and takes what leaves out fewest of the
    /// greatest need, and so on.
    pub fn best([paths, all]: [&'a Paths; 2], needs: &'a [Need], entries: &'a Entries<'a>) -> Self {
        let mut search = Search::new(paths, all);
        let mut turns = Turns::new(paths.costs.switches());
        let by_planes = turn_by_planes(all, needs, &mut turns);
        let mut begin = |skip: Option<usize>| {
            let turns = match skip {
                None => turns.clone(),
                Some(_) => Turns::new(paths.costs.switches()),
            };
            let mut attempt = Attempt {
                found: vec![Vec::new(); needs.len()],
                left: needs.to_vec(),
                turns,
                cut_short: false,
                paths,
                all,
                needs,
                entries,
                known: skip.is_none().then(BTreeMap::new),
            };
            attempt.run(&mut search, skip.unwrap_or(0));
            (attempt, search.work)
        };
        let (mut best, mut work) = begin((!by_planes).then_some(0));
        for skip in usize::from(!by_planes)..TRIES {
            let hosts_are_served = best.counts()[0] == 0;
            let most = if hosts_are_served { OTHERS } else { WORK / 4 };
            if best.counts() == [0; KINDS] || (skip > 0 && work > most) {
                break;
            }
            let other;
            (other, work) = begin(Some(skip));
            if other.counts() < best.counts() {
                best = other;
            }
        }
        best
    }

    /// Serves everyone over the turns that are taken and then, while somebody is left out, over those in one
    /// more cone: the first is that of a switch which so many others come before.
    fn run(&mut self, search: &mut Search, skip: usize) {
        self.serve(search);
        let mut skip = skip;
        while self.serve_more(search, skip) && (self.counts()[0] > 0 || search.work < OTHERS) {
            skip = 0;
        }
    }

    /// Serves those left out over the turns in one more cone. Whether that helped anybody.
    fn serve_more(&mut self, search: &mut Search, skip: usize) -> bool {
        if self.cut_short || self.counts() == [0; KINDS] {
            return false;
        }
        let mut tries = 0;
        let urgent = self.urgent();
        for hub in hubs(self.all, &self.left).into_iter().skip(skip) {
            if tries == TRIES || (tries > 0 && search.work > WORK / 4) {
                break;
            }
            let before = self.turns.clone();
            if turn_in_cone(self.all, &mut self.turns, hub, |s| urgent[s as usize]) {
                if self.serve(search) {
                    return true;
                }
                self.turns = before;
                tries += 1;
            }
        }
        false
    }

    /// The switches whose hosts have no detour to other hosts, or from them.
    fn urgent(&self) -> Vec<bool> {
        let costs = &self.paths.costs;
        let mut urgent = vec![false; costs.switches()];
        for need in &self.left {
            for (column, _) in need.from.iter().filter(|(_, kind)| *kind == 0) {
                urgent[costs.switch(*column as usize) as usize] = true;
                urgent[need.to as usize] = true;
            }
        }
        urgent
    }

    /// Serves those left out over the turns that are taken. Whether that helped anybody.
    fn serve(&mut self, search: &mut Search) -> bool {
        if self.turns.hubs().next().is_none() {
            return false;
        }
        if let Some(known) = &mut self.known {
            let is_leaf = |&s: &u32| self.paths.costs.column(s) < self.paths.costs.leaves();
            for hub in self.turns.hubs().filter(is_leaf) {
                let row = || positions(self.all, hub, &(self.entries.row)(hub));
                known.entry(hub).or_insert_with(row);
            }
        }
        search.forget();
        let mut helped = false;
        for (number, need) in self.needs.iter().enumerate() {
            if self.left[number].from.is_empty() {
                continue;
            }
            if search.work > WORK {
                self.cut_short = true;
                break;
            }
            let (found, missing) = self.serve_one(search, need, number);
            if missing.len() < self.left[number].from.len() {
                let is_missing = |from: &(u32, u8)| missing.binary_search(&from.0).is_ok();
                self.left[number].from = need.from.iter().copied().filter(is_missing).collect();
                self.found[number] = found;
                helped = true;
            }
        }
        helped
    }

    /// Serves all in need of a detour to one switch. Returns the columns of those left out: if one class of
    /// LIDs leaves anybody out, that is everyone.
    fn serve_one(
        &self,
        search: &mut Search,
        need: &Need,
        number: usize,
    ) -> (Vec<Detours>, Vec<u32>) {
        let columns: Vec<u32> = need.from.iter().map(|&(column, _)| column).collect();
        let column = self.paths.costs.column(need.to);
        let classes = self.classes(need.to);
        let one_class = classes.len() == 1;
        let mut found = Vec::new();
        for (place, lids) in classes {
            let onward = |s: u32| match self.known.as_ref().and_then(|known| known.get(&s)) {
                None if std::ptr::eq(self.paths, self.all) && self.entries.paths.len() == 1 => {
                    Set(SwitchView::new(self.paths, s).candidates(column).bits)
                }
                None => {
                    let mut onward = Set::default();
                    for paths in self.entries.paths {
                        let view = SwitchView::new(paths, s);
                        let candidates = view.groups(view.candidates(column));
                        let at = candidates.filter_map(|g| position(self.all, s, g.remote));
                        at.for_each(|i| onward.put(i));
                    }
                    onward
                }
                Some(row) => Set::of(row[place].into()),
            };
            let target = Target {
                to: need.to,
                onward: &onward,
                number: match self.known {
                    Some(_) => number,
                    None => number / ALIKE,
                },
                turns: &self.turns,
            };
            let (steps, missing) = search.run(&target, &columns);
            if !lids.is_empty() {
                found.push((lids, steps));
            }
            if one_class {
                return (found, missing);
            }
            if !missing.is_empty() {
                return (Vec::new(), columns);
            }
        }
        (found, Vec::new())
    }

    /// The LIDs of a switch, those together that go on alike from all switches that are turned at, with a place of
    /// theirs; all, if that is not known. Empty slots count as well: what becomes of the others does not depend on
    /// who is there.
    fn classes(&self, to: u32) -> Vec<(usize, Vec<Lid>)> {
        let Some(known) = &self.known else {
            let lids = (self.entries.lids)(to);
            return vec![(0, [lids, (self.entries.absent)(to)].concat())];
        };
        let hubs = self
            .turns
            .hubs()
            .filter(|&hub| goes_up(self.paths, hub, to));
        let rows: Vec<&Vec<u8>> = hubs.filter_map(|hub| known.get(&hub)).collect();
        let mut classes: Vec<(usize, Vec<Lid>)> = Vec::new();
        // Backward, so that the last class has the last LID. An absent node without a slot goes with others, if any
        // go on as it does.
        for (place, lid, stays) in (self.entries.places)(to).into_iter().rev() {
            let alike = |class: &&mut (usize, Vec<Lid>)| {
                let mut rows = rows.iter();
                rows.all(|row| row[class.0] == row[place])
            };
            let lids = (lid != Lid(0)).then_some(lid);
            match classes.iter_mut().find(alike) {
                Some(class) => class.1.extend(lids),
                None if stays => classes.push((place, lids.into_iter().collect())),
                None => {}
            }
        }
        classes.reverse();
        classes
    }

    /// How many are left out, by kind.
    fn counts(&self) -> [usize; KINDS] {
        let mut counts = [0; KINDS];
        for &(_, kind) in self.left.iter().flat_map(|need| &need.from) {
            counts[usize::from(kind)] += 1;
        }
        counts
    }
}

/// Whether a switch has an up-down path to another that goes up first.
fn goes_up(paths: &Paths, from: u32, to: u32) -> bool {
    let byte = paths.costs.byte(from, to);
    byte != INFINITE && byte & UP != 0
}

/// For each entry of a switch the position of its port's group among those that lead up; 255 where it goes
/// elsewhere.
fn positions(paths: &Paths, switch: u32, row: &[u8]) -> Vec<u8> {
    let mut of_port = [u8::MAX; 256];
    for (i, group) in paths.groups.up(switch).iter().enumerate() {
        for &port in paths.groups.ports(group) {
            of_port[usize::from(port)] = i as u8;
        }
    }
    row.iter().map(|&port| of_port[usize::from(port)]).collect()
}
