//! Routes: every entry of every forwarding table (paper, section III.B).
//!
//! Work is done per (switch, leaf) rather than per node: the candidate groups are the same for all
//! nodes of a leaf, and where all switches above lead equally well, for all leaves in a row. Runs
//! of consecutive NIDs are then written without a division, and put into LID order at the end.
//!
//! It is done once for all switches that route alike (module `sharing`), one class of them after the
//! other, in parallel: the row that they share is computed, and each switch's row is written once, as
//! a copy of it and what is the switch's own. What shares with no other is computed by itself.

use super::cost::{Costs, INFINITE};
use super::crew::Muster;
use super::destinations::Destinations;
use super::detour::Detours;
use super::groups::Groups;
use super::memory::{RouteMemory, Scratch};
use super::sharing::{Part, Sharing, differing};
use super::view::View;
use super::writer::Writer;
use crate::fabric::{Fabric, Lid};
use crate::lft::NO_PATH;

/// What all rows are computed from.
pub struct Router<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// Its port groups.
    pub groups: &'a Groups,
    /// Its costs.
    pub costs: &'a Costs,
    /// Ways around the up-down rule, where asked for.
    pub detours: &'a Detours,
    /// Π of every switch.
    pub dividers: &'a [u32],
    /// Different ways below every switch.
    pub path_dividers: &'a [u32],
    /// What is routed to.
    pub destinations: &'a Destinations,
    /// Which switches route alike.
    pub sharing: &'a Sharing,
}

/// Several threads divide a class of more rows than this: the row that it shares takes about as long
/// to compute as these to copy.
const ROWS_AT_A_TIME: usize = 32;

impl Router<'_> {
    /// Writes the rows of all switches, all entries up to the highest LID.
    pub fn write(&self, rows: &mut [&mut [u8]], memory: &RouteMemory, muster: &Muster<'_>) {
        let width = self.fabric.max_lid().index() + 1;
        let most = match muster.threads() {
            1 => rows.len().max(1),
            _ => ROWS_AT_A_TIME,
        };
        // Those that share a row go together: it is computed where it is copied, and is at hand.
        let mut rows: Vec<Option<&mut [u8]>> =
            rows.iter_mut().map(|row| Some(&mut row[..width])).collect();
        let mut jobs: Vec<(u32, &mut [u8])> = (self.sharing.order().iter())
            .filter_map(|&switch| Some((switch, rows[switch as usize].take()?)))
            .collect();
        let source = |&(switch, _): &(u32, _)| self.sharing.source(switch);
        let row_of = |job: &(u32, _)| source(job).map(|(first, _)| first);
        let alike = jobs.chunk_by_mut(|a, b| row_of(a).is_some() && row_of(a) == row_of(b));
        let jobs = alike.flat_map(|alike| alike.chunks_mut(most));
        muster.share_out(jobs, |jobs, thread| {
            let scratch = &mut *memory.of(thread);
            let mut shared = std::mem::take(&mut scratch.shared);
            if let Some((first, part)) = jobs.first().and_then(source) {
                shared.resize(width, NO_PATH);
                self.compute(first, part, scratch);
                self.destinations.by_lid(&scratch.places, &mut shared);
            }
            for job in jobs {
                let source = source(job);
                let (switch, row) = job;
                match source {
                    None => {
                        self.compute(*switch, Part::Whole, scratch);
                        self.destinations.by_lid(&scratch.places, row);
                    }
                    Some((first, part)) => {
                        row.copy_from_slice(&shared);
                        match part {
                            Part::Whole => {}
                            Part::Upward => self.patch_below(*switch, row, scratch),
                            Part::Near => self.patch_differing(*switch, first, row, scratch),
                        }
                    }
                }
                self.patch_detours(*switch, row, scratch);
                self.patch_own(*switch, row);
            }
            scratch.shared = shared;
        });
    }

    /// Computes a row by place. Its own LIDs get what another switch in its place would have.
    fn compute(&self, switch: u32, part: Part, scratch: &mut Scratch) {
        let Scratch {
            places,
            survey,
            choices,
            ..
        } = scratch;
        let view = View::new(self.groups, self.costs, switch);
        survey.take(&view, part);
        choices.clear();
        self.destinations.clear(places);
        let mut writer = Writer {
            all: self,
            switch,
            view,
            survey,
            choices,
            places,
        };
        // All by the usual candidates, then what has others. Neighbouring columns with the same
        // candidates make one run: of their nodes, and of their switches.
        writer.write_usual(self.costs.leaves(), self.destinations.on_leaves());
        let (mut columns, mut run) = (0..0, 0..0);
        for (column, nids) in self.destinations.runs() {
            if writer.survey.is_usual(*column) {
                continue;
            }
            let next = columns.end == *column && !writer.survey.differs(*column);
            let again = columns.end == *column + 1;
            if !(next || again) || run.end != nids.start {
                writer.write_leaves(columns, run);
                columns = *column..*column;
                run = nids.start..nids.start;
            }
            columns.end = *column + 1;
            run.end = nids.end;
        }
        writer.write_leaves(columns, run);
        for rank in self.destinations.ranks() {
            let mut start = rank.start;
            for column in rank.clone() {
                if column + 1 == rank.end || writer.survey.differs(column + 1) {
                    writer.write_switches(start..column + 1, rank.start);
                    start = column + 1;
                }
            }
        }
        for &(column, nid) in self.destinations.singles() {
            writer.choose(column).write(nid, nid..nid + 1);
        }
    }

    /// Writes the entries of all that is below the switch.
    fn patch_below(&self, switch: u32, row: &mut [u8], scratch: &mut Scratch) {
        let Scratch {
            survey, choices, ..
        } = scratch;
        let view = View::new(self.groups, self.costs, switch);
        let ways = self.path_dividers[switch as usize];
        let divider = self.divider(switch);
        survey.find_ways_down(&view);
        choices.clear();
        for column in self.costs.columns_below(switch).iter().map(|&c| c as usize) {
            match survey.only_port(&view, column) {
                Some(port) => {
                    for lid in self.destinations.lids_behind(column) {
                        row[lid.index()] = port;
                    }
                }
                None => {
                    let set = survey.candidates(&view, column);
                    let choice = choices.of(set, ways, || view.groups(set));
                    let port = |t, offset| choice.port(self.groups, t / divider, offset);
                    self.patch_column(column, row, port);
                }
            }
        }
    }

    /// Writes the entries of what lies behind the groups that a top switch has and another does not,
    /// and of what lies behind those that the other has.
    fn patch_differing(&self, switch: u32, other: u32, row: &mut [u8], scratch: &mut Scratch) {
        let view = View::new(self.groups, self.costs, switch);
        let ways = self.path_dividers[switch as usize];
        let divider = self.divider(switch);
        scratch.choices.clear();
        for remote in differing(self.groups, switch, other) {
            let below = self.costs.columns_below(remote).iter();
            let own = self.costs.column(remote);
            for column in below.map(|&column| column as usize).chain([own]) {
                let set = view.candidates(column);
                let choice = scratch.choices.of(set, ways, || view.groups(set));
                let port = |t, offset| choice.port(self.groups, t / divider, offset);
                self.patch_column(column, row, port);
            }
        }
    }

    /// Writes the entries of what can only be reached by a way around the up-down rule.
    fn patch_detours(&self, switch: u32, row: &mut [u8], scratch: &mut Scratch) {
        let ways = self.path_dividers[switch as usize];
        for column in self.detours.columns() {
            if self.costs.row(switch)[column] == INFINITE {
                let groups = self.detours.candidates(self.groups, switch, column);
                scratch.detour.set(ways, groups);
                let q = self.destinations.position(column) / self.divider(switch);
                let place = self.destinations.port_zero(column);
                self.patch(place, row, |offset| {
                    scratch.detour.port(self.groups, q, offset)
                });
            }
        }
    }

    /// Writes the entries of all that is on the switch of a column, and of the switch itself:
    /// `port` tells the output port by NID and offset.
    fn patch_column(&self, column: usize, row: &mut [u8], port: impl Fn(usize, usize) -> u8) {
        let (runs, singles) = self.destinations.of_column(column);
        for nid in runs.iter().flat_map(|run| run.clone()) {
            self.patch(nid, row, |offset| port(nid, offset));
        }
        for &(_, nid) in singles {
            self.patch(nid, row, |offset| port(nid, offset));
        }
        let position = self.destinations.position(column);
        let port_zero = self.destinations.port_zero(column);
        self.patch(port_zero, row, |offset| port(position, offset));
    }

    /// Writes the entries of the LIDs of one place.
    fn patch(&self, place: usize, row: &mut [u8], port: impl Fn(usize) -> u8) {
        let (lid, lmc) = self.destinations.lid(place);
        if lid != Lid(0) {
            for offset in 0..1 << lmc {
                row[lid.index() + offset] = port(offset);
            }
        }
    }

    /// Π of a switch.
    pub fn divider(&self, switch: u32) -> usize {
        self.dividers[switch as usize] as usize
    }

    /// The end nodes on the switch itself, and its own port 0.
    fn patch_own(&self, switch: u32, row: &mut [u8]) {
        for node in &self.fabric.end_nodes()[self.fabric.end_nodes_of(switch)] {
            match node.lmc {
                0 => row[node.lid.index()] = node.port,
                lmc => row[node.lid.index()..][..1 << lmc].fill(node.port),
            }
        }
        let own = &self.fabric.switches()[switch as usize];
        if own.lid != Lid(0) {
            row[own.lid.index()..][..1 << own.lmc].fill(0);
        }
    }
}
