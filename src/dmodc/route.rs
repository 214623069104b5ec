//! Routes: every entry of every forwarding table (paper, section III.B).
//!
//! Work is done per (switch, leaf) rather than per node: the candidate groups are the same for all
//! nodes of a leaf, and where all switches above lead equally well, for all leaves in a row. Runs
//! of consecutive NIDs are then written without a division, and put into LID order at the end.
//!
//! It is done once for all switches that route alike (module `sharing`): first the rows that are
//! shared are computed, in parallel, then the rows of all switches are written, in parallel, each
//! once: as a copy of a shared row and what is the switch's own, or from the ground up.

use super::choice::{Choice, Choices, Table};
use super::cost::{Costs, INFINITE};
use super::destinations::Destinations;
use super::detour::Detours;
use super::groups::Groups;
use super::sharing::{Part, Sharing};
use super::view::{Survey, View};
use crate::fabric::{Fabric, Lid};
use crate::lft::NO_PATH;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

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

/// What a thread keeps from row to row, and from sweep to sweep.
#[derive(Default)]
pub struct Scratch {
    /// A row by place.
    places: Vec<u8>,
    survey: Survey,
    choices: Choices,
    /// Candidates by hand: detours.
    detour: Choice,
}

/// Memory for routes that is kept from sweep to sweep: to touch it first costs more than routing.
pub struct RouteMemory {
    /// One for each thread.
    scratch: Vec<Mutex<Scratch>>,
    /// The shared rows, one after the other.
    shared: Mutex<Vec<u8>>,
}

impl RouteMemory {
    /// Memory for so many threads.
    pub fn new(threads: usize) -> Self {
        RouteMemory {
            scratch: std::iter::repeat_with(Mutex::default)
                .take(threads)
                .collect(),
            shared: Mutex::default(),
        }
    }

    /// Does jobs on the threads of the pool that this runs on, each with its own scratch. A thread
    /// that other work keeps away is not waited for.
    fn share_out<T: Send>(
        &self,
        jobs: impl Iterator<Item = T> + Send,
        work: impl Fn(T, &mut Scratch) + Sync,
    ) {
        let jobs = Mutex::new(jobs);
        let take_part = || {
            let thread = rayon::current_thread_index().expect("this runs on the pool");
            let mut scratch = lock(&self.scratch[thread]);
            loop {
                let next = lock(&jobs).next();
                let Some(job) = next else { break };
                work(job, &mut scratch);
            }
        };
        rayon::scope(|scope| {
            for _ in 1..self.scratch.len() {
                scope.spawn(|_| take_part());
            }
            take_part();
        });
    }
}

/// A panic while it was held leaves nothing behind that is read again.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// How many rows a thread takes at a time.
const ROWS_AT_A_TIME: usize = 8;

impl Router<'_> {
    /// Writes the rows of all switches, all entries up to the highest LID.
    pub fn write(&self, rows: &mut [&mut [u8]], memory: &RouteMemory) {
        let width = self.fabric.max_lid().index() + 1;
        let mut shared = lock(&memory.shared);
        shared.resize(width * self.sharing.rows().len(), NO_PATH);
        let jobs = self.sharing.rows().iter().zip(shared.chunks_mut(width));
        memory.share_out(jobs, |(&(switch, part), row), scratch| {
            self.compute(switch, part, scratch);
            self.destinations.by_lid(&scratch.places, row);
        });
        // Those that copy the same row one after the other, while it is at hand.
        let mut jobs: Vec<_> = (0u32..)
            .zip(rows)
            .map(|(switch, row)| (self.sharing.source(switch), switch, row))
            .collect();
        jobs.sort_unstable_by_key(|&(source, switch, _)| (source.map(|(row, _)| row), switch));
        memory.share_out(jobs.chunks_mut(ROWS_AT_A_TIME), |jobs, scratch| {
            for (source, switch, row) in jobs {
                let source = source.map(|(row, part)| (&shared[row * width..][..width], part));
                self.write_row(*switch, &mut row[..width], source, scratch);
            }
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

    fn divider(&self, switch: u32) -> usize {
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

/// Writes one row by place.
struct Writer<'w> {
    all: &'w Router<'w>,
    switch: u32,
    view: View<'w>,
    survey: &'w Survey,
    choices: &'w mut Choices,
    places: &'w mut [u8],
}

impl Writer<'_> {
    /// Writes what is on leaves with the same candidates, and the leaves themselves.
    fn write_leaves(&mut self, columns: Range<usize>, nids: Range<usize>) {
        if !columns.is_empty() {
            let port_zero = self.all.destinations.port_zero(columns.start);
            let mut chosen = self.choose(columns.start);
            chosen.write(nids.start, nids);
            chosen.write(port_zero, columns);
        }
    }

    /// Writes switches of one rank with the same candidates. `first` is the first column of the rank.
    fn write_switches(&mut self, columns: Range<usize>, first: usize) {
        let port_zero = self.all.destinations.port_zero(columns.start);
        let positions = columns.start - first..columns.end - first;
        self.choose(columns.start).write(port_zero, positions);
    }

    /// Chooses among the candidates for a column.
    fn choose(&mut self, column: usize) -> Chosen<'_> {
        let (all, survey) = (self.all, self.survey);
        let how = match survey.only_port(&self.view, column) {
            Some(port) => How::Port(port),
            None => {
                let set = survey.candidates(&self.view, column);
                let ports = survey.up_ports();
                if all.destinations.offsets() == 1 && !set.down && !ports.is_empty() {
                    How::Table(self.choices.plain(set, ports))
                } else {
                    let ways = all.path_dividers[self.switch as usize];
                    How::Choice(self.choices.of(set, ways, || self.view.groups(set)))
                }
            }
        };
        Chosen {
            all,
            divider: all.divider(self.switch),
            how,
            places: self.places,
        }
    }
}

/// The choice for some columns, and the row to write it to.
struct Chosen<'w> {
    all: &'w Router<'w>,
    divider: usize,
    how: How<'w>,
    places: &'w mut [u8],
}

/// How a port is chosen.
enum How<'w> {
    /// It is always the same.
    Port(u8),
    /// By a table, for ports of one LID each.
    Table(Option<Table<'w>>),
    /// By the closed form.
    Choice(&'w mut Choice),
}

impl Chosen<'_> {
    /// Writes the places from `place` on, of consecutive NIDs.
    fn write(&mut self, place: usize, nids: Range<usize>) {
        let destinations = self.all.destinations;
        let (offsets, block) = (destinations.offsets(), destinations.block());
        match &mut self.how {
            How::Port(port) => {
                for offset in 0..offsets {
                    self.places[offset * block + place..][..nids.len()].fill(*port);
                }
            }
            How::Table(None) => {}
            How::Table(Some(table)) => {
                let out = &mut self.places[place..][..nids.len()];
                fill(out, table, nids.start, self.divider);
            }
            How::Choice(choice) => {
                let groups = self.all.groups;
                for offset in 0..offsets {
                    let out = &mut self.places[offset * block + place..][..nids.len()];
                    if let Some(table) = choice.table(groups, offset, offsets) {
                        fill(out, &table, nids.start, self.divider);
                        continue;
                    }
                    for (entry, t) in out.iter_mut().zip(nids.clone()) {
                        *entry = choice.port(groups, t / self.divider, offset);
                    }
                }
            }
        }
    }
}

/// Writes the ports of consecutive NIDs from `first` on: `table[⌊t/Π⌋ mod period]`.
fn fill(out: &mut [u8], table: &Table, first: usize, divider: usize) {
    let &Table { ports, period } = table;
    let mut at = match divider {
        1 => first % period,
        _ => first / divider % period,
    };
    // What is written by hand; the rest repeats it.
    let mut done;
    if divider == 1 {
        let ahead = ports.len() - at;
        done = match out.len() <= ahead {
            true => out.len(),
            false => ahead / period * period,
        };
        out[..done].copy_from_slice(&ports[at..at + done]);
    } else {
        done = out.len().min(period.saturating_mul(divider));
        let (head, rest) = out[..done].split_at_mut((divider - first % divider).min(done));
        head.fill(ports[at]);
        for part in rest.chunks_mut(divider) {
            at = if at + 1 == period { 0 } else { at + 1 };
            part.fill(ports[at]);
        }
    }
    while done < out.len() {
        let more = done.min(out.len() - done);
        out.copy_within(..more, done);
        done += more;
    }
}
