//! Bands: destinations for which the same links exist, and their routes.

use super::steps::step;
use crate::dmodc::paths::{INFINITE, UP};
use crate::dmodc::routes::{Inputs, RouteMemory};
use crate::dmodc::threads::Threads;
use crate::fabric::Fabric;
use crate::lft::NO_PATH;
use std::ops::Range;

/// The routes that differ from the routes of the first band. Each band costs one computation of all costs and rows.
#[derive(Clone, Debug, Default)]
pub struct Bands {
    /// The inputs of the bands after the first.
    further: Vec<Inputs>,
    /// By position in a row: 0 for the first band, or one more than the position in `further`.
    band: Vec<u8>,
}

impl Bands {
    /// Collects the bands after the first, each with its steps. `detours` has the switches that are targets of detours.
    pub fn new(
        first: &Inputs,
        further: Vec<(Range<usize>, Inputs)>,
        detours: impl Iterator<Item = u32>,
    ) -> Self {
        let mut bands = Bands::default();
        if further.is_empty() {
            return bands;
        }
        let destinations = &first.destinations;
        let mut has_detours = vec![false; first.nominal.costs.switches()];
        detours.for_each(|s| has_detours[first.nominal.costs.column(s)] = true);
        let of_step = |step: usize| {
            let mut steps = further.iter().map(|(steps, _)| steps);
            let of_step = steps.position(|steps| steps.contains(&step));
            of_step.map_or(0, |i| i as u8 + 1)
        };
        bands.band = destinations.by_number(|number, offset| of_step(step(number + offset)));
        for (number, (_, inputs)) in (1u8..).zip(&further) {
            for column in contradictions(first, inputs, &has_detours) {
                for position in destinations.positions_behind(column) {
                    let band = &mut bands.band[position];
                    *band = if *band == number { 0 } else { *band };
                }
            }
        }
        bands.further = further.into_iter().map(|(_, inputs)| inputs).collect();
        bands
    }

    /// The entries of a switch for all destinations that it reaches going up, by position: the entries of the first
    /// band, overwritten with the entries of the others.
    pub fn row_up(&self, first: &Inputs, switch: u32) -> Vec<u8> {
        let mut row = first.row_up(switch);
        for (number, inputs) in (1u8..).zip(&self.further) {
            overlay(&mut row, &inputs.row_up(switch), &self.band, number);
        }
        row
    }

    /// Writes the entries of the further bands over rows with the entries of the first band.
    pub fn write(
        &self,
        fabric: &Fabric,
        place: impl Fn(u32) -> u32 + Copy,
        rows: &mut [&mut [u8]],
        memory: &RouteMemory,
        threads: &Threads,
    ) {
        let Some(first) = self.further.first() else {
            return;
        };
        let width = fabric.max_lid().index() + 1;
        let mut band = vec![0; width];
        first.destinations.by_lid(&self.band, &mut band);
        for (number, inputs) in (1u8..).zip(&self.further) {
            let mut tables = vec![vec![NO_PATH; width]; rows.len()];
            let mut own: Vec<&mut [u8]> = tables.iter_mut().map(Vec::as_mut_slice).collect();
            inputs.write(fabric, place, &mut own, memory, threads);
            let rows = rows.iter_mut().zip(&tables).collect();
            threads.for_each(rows, |(row, of_band)| {
                overlay(row, of_band, &band, number);
            });
        }
    }
}

/// Writes the entries of a band over a row, but no entry without a path.
fn overlay(row: &mut [u8], of_band: &[u8], bands: &[u8], number: u8) {
    for (entry, (&band, &port)) in row.iter_mut().zip(bands.iter().zip(of_band)) {
        if band == number && port != NO_PATH {
            *entry = port;
        }
    }
}

/// The columns for which entries of a band contradict other entries. A switch without a path in the band keeps the
/// entry of the first band: that leads down, but to a switch that goes up in this band. Or a switch goes down in the
/// first band and up in this one, and the column has detours, which rely on the way down.
fn contradictions(first: &Inputs, band: &Inputs, has_detours: &[bool]) -> Vec<usize> {
    let (first, band) = (first.present(), band.present());
    let width = first.costs.switches();
    let goes_up = |byte: u8| byte != INFINITE && byte & UP != 0;
    let mut found = vec![false; width];
    for s in 0..width as u32 {
        let (whole, less) = (first.costs.row(s), band.costs.row(s));
        for column in (0..width).filter(|&c| whole[c] & UP == 0 && less[c] & UP != 0) {
            let mut below = first.groups.down(s).iter().map(|g| g.remote);
            found[column] |= match goes_up(less[column]) {
                true => has_detours[column],
                false => below.any(|n| {
                    first.costs.row(n)[column] + 1 == whole[column]
                        && goes_up(band.costs.row(n)[column])
                }),
            };
        }
    }
    (0..width).filter(|&c| found[c]).collect()
}
