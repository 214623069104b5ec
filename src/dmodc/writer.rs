//! One row by place: runs of consecutive NIDs with the same candidates, written without a division
//! for each (paper, equations (3) and (4)).

use super::choice::{Choice, Choices, GroupSet, Table};
use super::route::Router;
use super::survey::Survey;
use super::view::View;
use std::ops::Range;

/// Writes one row by place.
pub struct Writer<'w> {
    /// What all rows are computed from.
    pub all: &'w Router<'w>,
    /// Whose row this is.
    pub switch: u32,
    /// What it sees.
    pub view: View<'w>,
    /// The same, for all columns.
    pub survey: &'w Survey,
    /// The choices made so far.
    pub choices: &'w mut Choices,
    /// The row.
    pub places: &'w mut [u8],
}

impl Writer<'_> {
    /// Writes all that is on leaves, and the leaves, by the usual candidates.
    pub fn write_usual(&mut self, leaves: usize, nids: usize) {
        if let Some(set) = self.survey.usual(&self.view) {
            let port_zero = self.all.destinations.port_zero(0);
            let mut chosen = self.choose_among(set);
            chosen.write(0, 0..nids);
            chosen.write(port_zero, 0..leaves);
        }
    }

    /// Writes what is on leaves with the same candidates, and the leaves themselves.
    pub fn write_leaves(&mut self, columns: Range<usize>, nids: Range<usize>) {
        if !columns.is_empty() {
            let port_zero = self.all.destinations.port_zero(columns.start);
            let mut chosen = self.choose(columns.start);
            chosen.write(nids.start, nids);
            chosen.write(port_zero, columns);
        }
    }

    /// Writes switches of one rank with the same candidates. `first` is the first column of the rank.
    pub fn write_switches(&mut self, columns: Range<usize>, first: usize) {
        let port_zero = self.all.destinations.port_zero(columns.start);
        let positions = columns.start - first..columns.end - first;
        self.choose(columns.start).write(port_zero, positions);
    }

    /// Chooses among the candidates for a column.
    pub fn choose(&mut self, column: usize) -> Chosen<'_> {
        match self.survey.only_port(&self.view, column) {
            Some(port) => Chosen {
                all: self.all,
                divider: self.all.divider(self.switch),
                how: How::Port(port),
                places: self.places,
            },
            None => self.choose_among(self.survey.candidates(&self.view, column)),
        }
    }

    /// Chooses among candidates.
    fn choose_among(&mut self, set: GroupSet) -> Chosen<'_> {
        let all = self.all;
        let ports = self.survey.up_ports();
        let how = if all.destinations.offsets() == 1 && !set.down && !ports.is_empty() {
            How::Table(self.choices.plain(set, ports))
        } else {
            let ways = all.path_dividers[self.switch as usize];
            How::Choice(self.choices.of(set, ways, || self.view.groups(set)))
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
pub struct Chosen<'w> {
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
    Table(Table<'w>),
    /// By the closed form.
    Choice(&'w mut Choice),
}

impl Chosen<'_> {
    /// Writes the places from `place` on, of consecutive NIDs.
    pub fn write(&mut self, place: usize, nids: Range<usize>) {
        let destinations = self.all.destinations;
        let (offsets, block) = (destinations.offsets(), destinations.block());
        match &mut self.how {
            How::Port(port) => {
                for offset in 0..offsets {
                    self.places[offset * block + place..][..nids.len()].fill(*port);
                }
            }
            How::Table(table) => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_what_the_closed_form_says_wherever_it_starts() {
        let ports: Vec<u8> = (1..=254).collect();
        let periods = [1, 2, 23, 63, 64, 65, 100, 200, 254];
        let few = if cfg!(miri) { 2 } else { periods.len() };
        for period in periods.into_iter().take(few) {
            let mut set = GroupSet::default();
            (0..period).for_each(|i| set.put(i, true));
            let mut choices = Choices::default();
            let table = choices.plain(set, &ports);
            for divider in [1, 3, 24] {
                for first in 0..2 * period {
                    for length in [1, 24, 90, 700] {
                        let mut out = vec![0; length];
                        fill(&mut out, &table, first, divider);
                        let closed = (first..).map(|t| ports[t / divider % period]);
                        assert!(
                            out.iter().copied().eq(closed.take(length)),
                            "period {period}, divider {divider}, from {first}, {length} NIDs"
                        );
                    }
                }
            }
        }
    }
}
