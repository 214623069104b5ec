//! Reads the file of `dmodc.drain` before each sweep, and logs the use of drained links.
//!
//! Whoever reads "empty" pulls a cable. So the use is counted once OpenSM has had an answer to each table that it sent:
//! a switch beside a drained link that did not take its table may still send packets over it.

use super::ffi::{Subnet, Switch};
use super::tables::by_switch;
use dmodc_core::Options;
use dmodc_fabric::{Fabric, Lid, NO_PATH, PortNumber, SwitchId};
use dmodc_formats::drain::{Use, parse_lines, uses};
use dmodc_formats::input;
use dmodc_formats::netlist::{Names, PortLabels};
use dmodc_watch::sweeps::{DrainedNow, DrainedPlaces, Logged, first_few};
use std::collections::BTreeSet;
use std::path::Path;
use typed_index_collections::{TiSlice, TiVec};

/// Maximum number of switches without their tables that a line names.
const NAMED: usize = 3;

/// Maximum number of lines that drain nothing that the log names.
const NAMED_LINES: usize = 10;

/// The table of a switch for which OpenSM has none.
static NO_TABLE: [u8; Lid::UNICAST_MAX.0 as usize + 1] = [NO_PATH; Lid::UNICAST_MAX.0 as usize + 1];

/// The log lines about drained links, over all sweeps.
#[derive(Default)]
pub struct Drain {
    /// The file, or the reason why it is unreadable, at the last look.
    last: Option<Result<Vec<u8>, String>>,
    places: DrainedPlaces,
    /// How many lines of the file drain nothing, by fault; 1 if the file is unreadable.
    pub odd_lines: usize,
    odd: Logged,
    pub uses: Logged,
}

impl Drain {
    /// Reads the file, if the option is set. Logs odd lines when they appear, and what is out; an unreadable file
    /// drains nothing. `known` are fabrics with equipment that was there before.
    pub fn look(
        &mut self,
        subnet: &Subnet<'_>,
        fabric: &Fabric,
        file: Option<&Path>,
        known: &[&Fabric],
    ) -> DrainedNow {
        let Some(file) = file else {
            return DrainedNow::default();
        };
        let name = |switch: &dmodc_fabric::Switch| {
            let live = subnet.switch(switch.guid);
            live.map(Switch::name).unwrap_or_default()
        };
        let (now, odd) = match self.last.insert(read(file)) {
            Ok(text) => {
                let names: TiVec<SwitchId, String> = fabric.switches().iter().map(name).collect();
                let lines = parse_lines(fabric, &names, &PortLabels::new(), text);
                let mut now = self.places.look(fabric, lines, known);
                self.odd_lines = now.odd.len();
                let odd = now.odd.drain(..).take(NAMED_LINES);
                let odd: Vec<_> = odd.map(|o| o.in_file(file).to_string()).collect();
                (now, odd)
            }
            Err(e) => {
                self.odd_lines = 1;
                let line = format!("{e}; nothing is drained");
                (DrainedNow::default(), vec![line])
            }
        };
        let news = self.odd.news(odd);
        news.iter().for_each(|line| log::error!("{line}"));
        now
    }

    /// Whether the file has changed since the last look, if the option is set and there was one.
    pub fn is_changed(&self, file: Option<&Path>) -> bool {
        let Some(file) = file else { return false };
        self.last.as_ref().is_some_and(|last| *last != read(file))
    }
}

/// Counts the use of each drained link or switch of a fabric, with a line about each. OpenSM has sent the tables.
pub fn look_at_use(
    subnet: &Subnet<'_>,
    names: &Names,
    fabric: &Fabric,
    options: &Options,
) -> (Vec<Use>, BTreeSet<String>) {
    if options.drain.is_empty() {
        return Default::default();
    }
    // The tables as the switches have confirmed them, and as OpenSM was to set them.
    let tables = by_switch(fabric, subnet.sent_and_new_lfts());
    let tables = tables.map(|t| t.unwrap_or([&NO_TABLE; 2]));
    let tables: TiVec<SwitchId, [&[u8]; 2]> = tables.collect();
    // The entries that a switch has not confirmed: OpenSM clears a block when it sends it, and has it again with the
    // switch's answer.
    let last = fabric.max_lid().index();
    let late = |&s: &SwitchId| {
        let [sent, new] = tables[s];
        let pairs = sent.iter().zip(new).take(last + 1);
        pairs.filter(|(sent, new)| sent != new).count()
    };
    let row = |s: SwitchId| TiSlice::from_ref(tables[s][1]);
    let mut uses = uses(fabric, &options.drain, row);
    let name = |s: SwitchId| names.switches[s].clone();
    let port = |_, port: PortNumber| port.to_string();
    let lines = uses.iter_mut().map(|used| {
        let mut near = used.switches(fabric);
        // Nobody knows these entries: each may still be one over the drained link.
        used.routes += near.iter().map(late).sum::<usize>();
        near.retain(|s| late(s) > 0);
        match near.is_empty() {
            true => used.describe(name, port),
            false => {
                let names = near.into_iter().map(|s| format!("'{}'", name(s)));
                let (what, late) = (used.what(name, port), first_few(names, NAMED));
                let why = format!("OpenSM could not set the tables of {late}");
                format!("drained: {what}: not empty yet: {why}")
            }
        }
    });
    let lines = lines.collect();
    (uses, lines)
}

/// The file, or the reason why it is unreadable.
fn read(file: &Path) -> Result<Vec<u8>, String> {
    input::read_plain(file).map_err(|e| e.to_string())
}
