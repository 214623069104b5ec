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
use super::destinations::Destinations;
use super::detour::Detours;
use super::groups::Groups;
use super::memory::{RouteMemory, Scratch};
use super::sharing::{Part, Sharing};
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

/// A thread takes so few of all rows at a time that each comes back for more about as often.
const TURNS: usize = 16;

impl Router<'_> {
    /// Writes the rows of all switches, all entries up to the highest LID.
    pub fn write(&self, rows: &mut [&mut [u8]], memory: &RouteMemory) {
        let width = self.fabric.max_lid().index() + 1;
        let most = rows.len().div_ceil(TURNS * memory.threads());
        // Those that share a row go together: it is computed where it is copied, and is at hand.
        let mut rows: Vec<Option<&mut [u8]>> =
            rows.iter_mut().map(|row| Some(&mut row[..width])).collect();
        let mut jobs: Vec<(u32, &mut [u8])> = (self.sharing.order().iter())
            .filter_map(|&switch| Some((switch, rows[switch as usize].take()?)))
            .collect();
        let source = |&(switch, _): &(u32, _)| self.sharing.source(switch);
        let alike = jobs.chunk_by_mut(|a, b| source(a).is_some() && source(a) == source(b));
        let jobs = alike.flat_map(|alike| alike.chunks_mut(most));
        memory.share_out(jobs, |jobs, scratch| {
            let shared = jobs.first().and_then(source);
            let mut row = std::mem::take(&mut scratch.shared);
            if let Some((first, part)) = shared {
                row.resize(width, NO_PATH);
                self.compute(first, part, scratch);
                self.destinations.by_lid(&scratch.places, &mut row);
            }
            let source = shared.map(|(_, part)| (&row[..], part));
            for (switch, row) in jobs {
                self.write_row(*switch, row, source, scratch);
            }
            scratch.shared = row;
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
        // Neighbouring columns with the same candidates make one run: of their nodes, and of their
        // switches.
        let (mut columns, mut run) = (0..0, 0..0);
        for (column, nids) in self.destinations.runs() {
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

    /// Writes one switch's row: from a shared one or from the ground up.
    fn write_row(
        &self,
        switch: u32,
        row: &mut [u8],
        source: Option<(&[u8], Part)>,
        scratch: &mut Scratch,
    ) {
        match source {
            None => {
                self.compute(switch, Part::Whole, scratch);
                self.destinations.by_lid(&scratch.places, row);
            }
            Some((shared, Part::Whole)) => row.copy_from_slice(shared),
            Some((shared, Part::Upward)) => {
                row.copy_from_slice(shared);
                self.patch_below(switch, row, scratch);
            }
        }
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
        self.patch_own(switch, row);
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
            row[node.lid.index()..][..1 << node.lmc].fill(node.port);
        }
        let own = &self.fabric.switches()[switch as usize];
        if own.lid != Lid(0) {
            row[own.lid.index()..][..1 << own.lmc].fill(0);
        }
    }
}
