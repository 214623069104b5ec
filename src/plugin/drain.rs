//! Reads the file of `dmodc.drain` before each sweep, and logs the use of drained links.

use super::ffi::{Subnet, Switch};
use crate::dmodc::Drained;
use crate::drain::{Use, parse_leniently};
use crate::fabric::Fabric;
use crate::input;
use crate::sweeps::Called;
use std::collections::BTreeSet;
use std::path::Path;

/// The lines logged so far.
#[derive(Default)]
pub struct Drain {
    odd: BTreeSet<String>,
    uses: BTreeSet<String>,
}

impl Drain {
    /// Reads the file, if the option is set. Logs its oddities when they appear; an unreadable file drains nothing.
    pub fn look(
        &mut self,
        subnet: &Subnet<'_>,
        fabric: &Fabric,
        file: Option<&Path>,
    ) -> Vec<Drained> {
        let Some(file) = file else { return Vec::new() };
        let names = || {
            let live = fabric.switches().iter().map(|s| subnet.switch(s.guid));
            let names: Vec<String> = live
                .map(|live| live.map(Switch::name).unwrap_or_default())
                .collect();
            names
        };
        let read = input::read_plain(file);
        let read = read.and_then(|text| {
            let read = parse_leniently(fabric, &names(), &text);
            read.map_err(|fault| fault.in_file(file))
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
        let news = odd.difference(&self.odd);
        news.for_each(|line| log::error!("{line}"));
        self.odd = odd;
        drained
    }

    /// Logs the use of drained links, where it has changed.
    pub fn log_uses(&mut self, called: &dyn Called, uses: &[Use]) {
        let lines = uses.iter().map(|used| used.describe(|s| called.switch(s)));
        let uses: BTreeSet<String> = lines.collect();
        let news = uses.difference(&self.uses);
        news.for_each(|line| log::info!("{line}"));
        self.uses = uses;
    }
}
