//! One row by position: runs of consecutive NIDs with the same candidates, written without a division for each NID
//! (paper, equations (3) and (4)).

use super::candidates::CandidatesUp;
use super::inputs::Inputs;
use super::port_choice::{Choices, GroupSet, Table};
use super::switch_view::SwitchView;
use std::ops::Range;

/// One row by position, as if nothing were below the switch.
pub struct RowUp<'w> {
    /// The inputs of all rows.
    pub inputs: &'w Inputs,
    /// The switch's view of the costs.
    pub view: SwitchView<'w>,
    /// Its candidates.
    pub candidates: &'w CandidatesUp,
    /// The choices made so far.
    pub choices: &'w mut Choices,
    /// The row, by position.
    pub row: &'w mut [u8],
}

impl RowUp<'_> {
    /// Writes the whole row: all slots by the usual candidates, then other columns by their own, then singles.
    pub fn write(&mut self) {
        let inputs = self.inputs;
        let destinations = &inputs.destinations;
        let mut usual = GroupSet::default();
        (0..self.view.up.len()).for_each(|i| usual.put(i, true));
        self.write_among(usual, 0, 0..destinations.slots());
        // Neighbouring columns with the same candidates make one run of nodes.
        let (mut column_before, mut run) = (0, 0..0);
        for (column, nids) in destinations.runs() {
            if self.candidates.is_usual(*column) {
                continue;
            }
            let next = column_before + 1 == *column && !self.candidates.differs(*column);
            if run.is_empty() || !(next || column_before == *column) || run.end != nids.start {
                self.write_numbers(column_before, run.start, run);
                run = nids.start..nids.start;
            }
            column_before = *column;
            run.end = nids.end;
        }
        self.write_numbers(column_before, run.start, run);
        self.write_singles();
    }

    /// Writes destinations with a number of their own, with one division each where there is a choice.
    fn write_singles(&mut self) {
        let destinations = &self.inputs.destinations;
        let ports = match destinations.offsets() {
            1 => self.candidates.ports(),
            _ => &[],
        };
        let divider = self.inputs.divider(self.view.switch);
        for single in destinations.singles() {
            let number = single.number;
            if !ports.is_empty() && self.candidates.is_usual(single.column) {
                self.row[single.position] = ports[number / divider % ports.len()];
            } else {
                self.write_numbers(single.column, single.position, number..number + 1);
            }
        }
    }

    /// Writes the entries of consecutive numbers, at the positions from `position` on, by the candidates for a column.
    fn write_numbers(&mut self, column: usize, position: usize, numbers: Range<usize>) {
        let Some(port) = self.candidates.only_port(column) else {
            return self.write_among(self.candidates.of(column), position, numbers);
        };
        let destinations = &self.inputs.destinations;
        for offset in 0..destinations.offsets() {
            self.row[offset * destinations.block() + position..][..numbers.len()].fill(port);
        }
    }

    /// Writes the entries of consecutive numbers by given candidates.
    fn write_among(&mut self, set: GroupSet, position: usize, numbers: Range<usize>) {
        let inputs = self.inputs;
        let switch = self.view.switch;
        let divider = inputs.divider(switch);
        let (offsets, block) = (inputs.destinations.offsets(), inputs.destinations.block());
        let ports = self.candidates.ports();
        if offsets == 1 && !ports.is_empty() {
            let out = &mut self.row[position..][..numbers.len()];
            return fill(out, &self.choices.plain(set, ports), numbers.start, divider);
        }
        let groups = self.view.groups;
        let paths = inputs.nominal.path_dividers[switch as usize];
        let candidates = || self.view.groups(set).copied().collect();
        let choice = self.choices.of(set, paths, candidates);
        for offset in 0..offsets {
            let out = &mut self.row[offset * block + position..][..numbers.len()];
            if let Some(table) = choice.table(groups, offset, offsets) {
                fill(out, &table, numbers.start, divider);
                continue;
            }
            for (entry, t) in out.iter_mut().zip(numbers.clone()) {
                *entry = choice.port(groups, t / divider, offset);
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
    // The number of entries written from the table; the rest repeats them.
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
