//! The rows: one for each class of equal uplinks going up, then the entries below each switch.
//!
//! A row begins with the nominal port of every LID. A column in which all ports of the class lead nearer keeps them; in
//! any other an entry whose port does not lead nearer moves (module `choice`). Members of a class share this row. The
//! entries of what is below depend on the switch; they are shared where the same switches are at the same ports.
//!
//! Invariant: an entry leads nearer, going down where the destination can be reached going down only. Cost: a byte for
//! each class, group and column; then the entries that are displaced or below.

use super::choice::{Choice, Cycles};
use super::counted::Counted;
use super::down::Mirror;
use super::lack::lacks;
use super::open::Set;
use super::targets::Targets;
use super::ways::Ways;
use crate::ids::{ClassId, Column, SwitchId};
use crate::kinds::Class;
use crate::paper::write_own;
use crate::paths::HOPS;
use crate::threads::Threads;
use crate::tree::{Partition, mix};
use dmodc_fabric::{Fabric, NO_PATH};
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// What rows are made of.
pub struct Rows<'r> {
    pub fabric: &'r Fabric,
    pub ways: &'r Ways,
    pub targets: &'r Targets,
    pub counted: &'r Counted,
}

/// The rows of switches of one class.
struct Job<'r, 't> {
    class: ClassId,
    /// Switch, its class by what is below, and its row.
    rows: Vec<(SwitchId, ClassId, &'t mut [u8])>,
    displaced: &'r mut usize,
}

impl Rows<'_> {
    /// Writes all rows. Returns the number of displaced entries.
    pub fn write(&self, rows: &mut [&mut [u8]], threads: &Threads) -> usize {
        let cycles = Cycles::new(self.targets, &self.ways.classes);
        let below = self.alike_below();
        let key = |s: SwitchId| {
            let class = self.ways.classes.of_switch[s];
            let shares = !self.ways.classes.classes[class].ports.is_empty();
            // Without uplinks rows share what is below at most; with counted ports nothing.
            let apart = match (self.counted.is_empty(), shares) {
                (false, _) => s.0,
                (true, true) => 0,
                (true, false) => below.class(s).0,
            };
            (class, apart)
        };
        let width = self.fabric.max_lid().index() + 1;
        let mut order: Vec<_> = (0..).map(SwitchId).zip(rows.iter_mut()).collect();
        order.sort_by_key(|(s, _)| (key(*s), below.class(*s), *s));
        let mut jobs: Vec<(_, Vec<_>)> = Vec::new();
        for (s, row) in order {
            let key = key(s);
            if jobs.last().is_none_or(|job| job.0 != key) {
                jobs.push((key, Vec::new()));
            }
            let below = below.class(s);
            if let Some(job) = jobs.last_mut() {
                job.1.push((s, below, &mut row[..width]));
            }
        }
        // Where no expected port is dark, nothing is displaced: some switches have one way by design.
        let lacks = self.ways.classes.classes.iter().any(|class| class.lacks);
        let mut displaced = vec![0; jobs.len()];
        let jobs = jobs.into_iter().zip(&mut displaced);
        let jobs = jobs.map(|(((class, _), rows), displaced)| Job {
            class,
            rows,
            displaced,
        });
        threads.for_each(jobs.collect(), |job| self.write_class(&cycles, job));
        if lacks {
            displaced.into_iter().sum()
        } else {
            0
        }
    }

    /// Partitions the switches by the switches at their ports that lead down.
    fn alike_below(&self) -> Partition {
        let groups = &self.ways.paths.groups;
        let below = |s: SwitchId| {
            let down = groups.down(s).iter();
            down.map(|group| (group.remote, groups.ports(group)))
        };
        let hash = |s: SwitchId| {
            below(s).fold(0, |hash, (remote, ports)| {
                let hash = mix(hash, remote.0.into());
                ports
                    .iter()
                    .fold(hash, |hash, &port| mix(hash, u64::from(port)))
            })
        };
        let switches = groups.switches();
        Partition::new(switches.len(), switches, hash, |a, b| below(a).eq(below(b)))
    }

    fn write_class(&self, cycles: &Cycles, mut job: Job) {
        let class = &self.ways.classes.classes[job.class];
        let Some(first) = job.rows.first().map(|row| row.0) else {
            return;
        };
        let width = self.fabric.max_lid().index() + 1;
        let mut shared = cycles.row(class, width);
        if !class.ports.is_empty() {
            self.counted.write(first, &mut shared);
            *job.displaced = self.displace(job.class, &mut shared) * job.rows.len();
        }
        for alike in job.rows.chunk_by_mut(|a, b| a.1 == b.1) {
            let Some(((s, _, row), others)) = alike.split_first_mut() else {
                continue;
            };
            row.copy_from_slice(&shared);
            let mirrors = self.write_below(*s, row);
            for (other, _, copy) in others {
                if mirrors {
                    copy.copy_from_slice(&shared);
                    self.write_below(*other, copy);
                } else {
                    copy.copy_from_slice(row);
                }
            }
        }
        for (s, _, row) in &mut job.rows {
            write_own(self.fabric, *s, row);
        }
    }

    /// Moves the entries of a shared row whose port does not lead nearer. Returns how many.
    fn displace(&self, id: ClassId, row: &mut [u8]) -> usize {
        let class = &self.ways.classes.classes[id];
        let columns = Columns::new(self, class);
        if columns.partial.is_empty() {
            return 0;
        }
        let leaf_sets = columns.of_leaves();
        let lack = lacks(class, &self.ways.weights[id], &leaf_sets);
        let mut displaced = 0;
        let mut choices: Vec<Option<(Choice, [bool; 256])>> = Vec::new();
        choices.resize_with(columns.sets.len(), || None);
        // Counted once: with the columns compared at once below, 5 % of the routes of 8,640 nodes with faults.
        let have_several = columns.sets.iter().map(|(open, _)| open.len() > 1);
        let have_several: Vec<bool> = have_several.collect();
        for &column in &columns.partial {
            let at = columns.set_of[column] as usize;
            let open = columns.sets[at].0;
            let targets = self.targets.behind(column);
            if !have_several[at] {
                let port = open.iter().next().map_or(NO_PATH, |i| class.ports[i].port);
                targets
                    .iter()
                    .for_each(|target| row[target.lid.index()] = port);
                continue;
            }
            let (choice, is_open) = choices[at].get_or_insert_with(|| {
                let mut is_open = [false; 256];
                open.iter()
                    .for_each(|i| is_open[usize::from(class.ports[i].port)] = true);
                (Choice::up(class, open, &lack), is_open)
            });
            for target in targets {
                let entry = &mut row[target.lid.index()];
                if !is_open[usize::from(*entry)] {
                    let port = choice.displaced(target.number);
                    *entry = port.map_or(NO_PATH, |i| class.ports[i].port);
                    displaced += usize::from(target.is_there);
                }
            }
        }
        displaced
    }

    /// Writes the entries of destinations below a switch. Returns whether any way is mirrored.
    fn write_below(&self, s: SwitchId, row: &mut [u8]) -> bool {
        let (groups, costs) = (&self.ways.paths.groups, &self.ways.paths.costs);
        let own = costs.row(s);
        let down = groups.down(s);
        // By column: how many groups lead nearer, and the last of them.
        let mut nearer: TiVec<Column, (u8, u8)> = vec![(0, 0); own.len()].into();
        let mut add = |column: Column, at: u8| {
            nearer[column] = (nearer[column].0.saturating_add(1), at);
        };
        for (at, group) in (0u8..).zip(down) {
            add(costs.column(group.remote), at);
            let behind = costs.row(group.remote);
            for &column in costs.columns_below(group.remote) {
                if behind[column] + 1 == own[column] {
                    add(column, at);
                }
            }
        }
        let mut mirror = Mirror::new(self.fabric, self.ways, s);
        let mut mirrors = false;
        for &column in costs.columns_below(s) {
            let (count, last) = nearer[column];
            let ports = groups.ports(&down[usize::from(last)]);
            let targets = self.targets.behind(column);
            if let (1, &[port]) = (count, ports) {
                targets
                    .iter()
                    .for_each(|target| row[target.lid.index()] = port);
                continue;
            }
            mirrors = true;
            let to = costs.switch(column);
            let hops = own[column];
            let leads = |port: &u8| {
                let group = down.iter().find(|group| groups.ports(group).contains(port));
                let behind = group.and_then(|group| costs.hops_down(group.remote, to));
                behind.is_some_and(|behind| behind + 1 == hops)
            };
            for target in targets {
                let counted = self.counted.port(s, target.lid).filter(leads);
                row[target.lid.index()] = counted.unwrap_or_else(|| mirror.port(to, target.number));
            }
        }
        mirrors
    }
}

/// The open ports of a class in each column.
struct Columns {
    /// By column: the index of its set in `sets`.
    set_of: TiVec<Column, u32>,
    /// The distinct sets of open ports, and in how many leaf columns each occurs.
    sets: Vec<(Set, u32)>,
    /// The columns in which a port of the class does not lead nearer.
    partial: Vec<Column>,
}

impl Columns {
    fn new(rows: &Rows, class: &Class) -> Self {
        let (groups, costs) = (&rows.ways.paths.groups, &rows.ways.paths.costs);
        let least = costs.least_above(groups.up_class(class.first));
        let up = groups.up(class.first);
        // By eight groups and column: a bit for each group that leads nearer; and whether a port does not.
        let mut bits = vec![vec![0u8; least.len()]; up.len().div_ceil(8)];
        let is_partial = class.lacks || !rows.counted.is_empty();
        let mut partial = vec![u8::from(is_partial); least.len()];
        for (at, group) in up.iter().enumerate() {
            let expected = u8::from(!group.level);
            let behind = costs.row(group.remote).iter().zip(least);
            let of_group = bits[at / 8].iter_mut().zip(&mut partial);
            for ((bits, partial), (&cost, &least)) in of_group.zip(behind) {
                let is_nearer = u8::from(cost & HOPS == least);
                *bits |= is_nearer << (at % 8);
                *partial |= is_nearer ^ expected;
            }
        }
        let partial = (0..).map(Column).zip(partial);
        let partial = partial.filter(|&(_, is)| is != 0).map(|(at, _)| at);
        let partial: Vec<Column> = partial.collect();
        let mut columns = Columns {
            set_of: TiVec::new(),
            sets: Vec::new(),
            partial,
        };
        if columns.partial.is_empty() {
            return columns;
        }
        let group_of = class.ports.iter().map(|port| {
            let to = port.to?;
            up.iter().position(|group| group.remote == to)
        });
        let group_of: Vec<Option<usize>> = group_of.collect();
        let mut known: BTreeMap<Set, u32> = BTreeMap::new();
        // Neighbouring columns are mostly alike.
        let mut differs = vec![0; least.len()];
        for bits in &bits {
            for (differs, pair) in differs[1..].iter_mut().zip(bits.windows(2)) {
                *differs |= pair[0] ^ pair[1];
            }
        }
        for (column, differs) in differs.into_iter().enumerate() {
            let at = match columns.set_of.last() {
                Some(&at) if differs == 0 => at,
                _ => {
                    let mut nearer = Set::default();
                    for (byte, bits) in bits.iter().enumerate() {
                        nearer.add_byte(byte, bits[column]);
                    }
                    *known.entry(nearer).or_insert_with(|| {
                        let leads = |i: usize| group_of[i].is_some_and(|group| nearer.has(group));
                        columns.sets.push((Set::new(group_of.len(), leads), 0));
                        columns.sets.len() as u32 - 1
                    })
                }
            };
            columns.set_of.push(at);
            columns.sets[at as usize].1 += u32::from(Column::from(column) < costs.leaves());
        }
        columns
    }

    /// The sets that leaf columns have, ascending.
    fn of_leaves(&self) -> Vec<(Set, u32)> {
        let mut sets: Vec<(Set, u32)> = self.sets.iter().copied().filter(|set| set.1 > 0).collect();
        sets.sort_unstable();
        sets
    }
}
