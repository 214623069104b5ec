//! Reads the file of `dmodc.drain` before each sweep, and logs the use of drained links.

use super::ffi::{Subnet, Switch};
use crate::dmodc::Drained;
use crate::drain::{Use, parse_leniently};
use crate::fabric::{self, Fabric};
use crate::input;
use crate::sweeps::{Called, Logged};
use std::collections::BTreeSet;
use std::path::Path;

/// The log lines about drained links, over all sweeps.
#[derive(Default)]
pub struct Drain {
    odd: Logged,
    uses: Logged,
}

impl Drain {
    /// Reads the file, if the option is set. Logs odd lines when they appear; an unreadable file drains nothing.
    pub fn look(
        &mut self,
        subnet: &Subnet<'_>,
        fabric: &Fabric,
        file: Option<&Path>,
    ) -> Vec<Drained> {
        let Some(file) = file else { return Vec::new() };
        let name = |switch: &fabric::Switch| {
            let live = subnet.switch(switch.guid);
            live.map(Switch::name).unwrap_or_default()
        };
        let read = input::read_plain(file).and_then(|text| {
            let names: Vec<String> = fabric.switches().iter().map(name).collect();
            parse_leniently(fabric, &names, &text).map_err(|fault| fault.in_file(file))
        });
        let (drained, odd) = match read {
            Ok(read) => {
                let odd = read.warnings.first().into_iter();
                let odd = odd.map(|fault| fault.in_file(file).to_string());
                (read.value, odd.collect())
            }
            Err(e) => {
                let line = format!("{e}; nothing is drained");
                (Vec::new(), BTreeSet::from([line]))
            }
        };
        let news = self.odd.news(odd);
        news.iter().for_each(|line| log::error!("{line}"));
        drained
    }

    /// Logs the use of each drained link or switch when it has changed.
    pub fn log_uses(&mut self, called: &dyn Called, uses: &[Use]) {
        let lines = uses.iter().map(|used| used.describe(|s| called.switch(s)));
        let news = self.uses.news(lines.collect::<BTreeSet<_>>());
        news.iter().for_each(|line| log::info!("{line}"));
    }
}
