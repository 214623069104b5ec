//! Looks at the fabric again and again; after each change, routes, checks and logs as the plugin does in a sweep.

use super::discovery::{Commands, content};
use crate::cmd::args::Routing;
use crate::cmd::proof::proven;
use crate::failure::Failure;
use dmodc_core::Engine;
use dmodc_fabric::{Fabric, Guid, Lid, Tables};
use dmodc_formats::drain;
use dmodc_formats::files::{Stamp, stamp};
use dmodc_formats::lft::{Dump, diff};
use dmodc_formats::netlist::{Kind, Names, Netlist, Node};
use dmodc_watch::sweeps::{
    File, Findings, Metrics, Planned, ReferenceFile, Role, Source, Sweep, host_pairs,
};
use jiff::Timestamp;
use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use typed_index_collections::TiVec;

/// The most discoveries in a row if much of the fabric is gone in one.
const LOOKS: usize = 3;

/// Looks at the fabric again and again.
pub struct Follower {
    pub commands: Commands,
    routing: Routing,
    /// The percentage of hosts or switches that may be gone at once.
    max_loss: f64,
    engine: Engine,
    reference: Option<ReferenceFile>,
    findings: Findings,
    metrics: Option<(Metrics, File)>,
    last: Option<Routed>,
    /// The input of the last look; `None` if the next look must route.
    pub basis: Option<Basis>,
    /// The time of the last good look.
    good: Option<SystemTime>,
    stale: Option<SystemTime>,
    /// The last log line about failures.
    last_message: String,
    /// The last log line about the master.
    last_of_master: String,
}

/// The input of tables: the text of the discovery, and the stamps of files.
type Basis = (Vec<u8>, Vec<Option<Stamp>>);

pub enum Look {
    Same,
    /// Another host manages the subnet.
    NotMaster,
    New(Box<Routed>, Basis),
}

/// The tables of a look.
pub struct Routed {
    pub planned: Planned,
    pub names: Names,
    pub tables: Tables,
    /// The highest LID that a port of the fabric has.
    pub highest: Lid,
    pub sweep: Sweep,
}

struct Seen {
    text: Vec<u8>,
    netlist: Netlist,
    fabric: Fabric,
    names: Names,
    /// Time to make the fabric from the text.
    parsing: Duration,
}

impl Follower {
    pub fn new(
        commands: Commands,
        mut routing: Routing,
        max_loss: f64,
        metrics: Option<PathBuf>,
    ) -> Result<Follower, Failure> {
        let engine = routing.engine()?;
        let source = routing.routed_as.reference.take();
        let source = source.map(|file| Source::from(&*file)).unwrap_or_default();
        Ok(Follower {
            engine,
            reference: ReferenceFile::new(&source, routing.routed_as.faults),
            commands,
            routing,
            max_loss,
            findings: Findings::default(),
            metrics: metrics.map(|file| (Metrics::default(), File::new(file))),
            last: None,
            basis: None,
            good: None,
            stale: None,
            last_message: String::new(),
            last_of_master: String::new(),
        })
    }

    /// Looks at the fabric and routes it, unless another host manages the subnet. Before it routes, it passes the
    /// highest LID to `tell_highest`.
    pub fn look(&mut self, tell_highest: impl FnOnce(Lid)) -> Result<Look, Failure> {
        let stamps = self.stamps();
        let Some(seen) = self.see(&stamps)? else {
            return Ok(Look::Same);
        };
        if !self.is_master(&seen) {
            self.basis = None;
            return Ok(Look::NotMaster);
        }
        let (fabric, names) = (seen.fabric, seen.names);
        let start = Instant::now() - seen.parsing;
        let highest = highest(&seen.netlist, self.routing.lmc).unwrap_or(fabric.max_lid());
        if fabric.switches().is_empty() {
            return Err(Failure::no_tables(&self.commands.discover));
        }
        tell_highest(highest);
        let mut options = self.routing.options(&seen.netlist, &fabric, &names)?;
        if let Some(reference) = &mut self.reference {
            options.reference = reference.fabric_for(&fabric);
        }
        options.forgets = self.reference.is_none();
        let read = start.elapsed();
        let plan = self.engine.plan(&fabric, &options)?;
        let planned = Planned {
            fabric,
            plan,
            options,
            out: Vec::new(),
            multicast: TiVec::new(),
        };
        let fabric = &planned.fabric;
        let (tables, filled) = self.engine.tables(fabric, &planned.plan)?;
        let written = Instant::now();
        let (plan, options) = (&planned.plan, &planned.options);
        proven(&self.engine, fabric, plan, options, &tables)?;
        let proof = written.elapsed();
        let last = self.last.as_ref();
        let before = last.map(|l| Dump::from_tables(&l.planned.fabric, &l.tables));
        let now = Dump::from_tables(fabric, &tables);
        let changed = diff(&before.unwrap_or_default(), &now).blocks();
        let sweep = Sweep::new(&planned, (filled, proof), (start, read), changed);
        let routed = Routed {
            planned,
            names,
            tables,
            highest,
            sweep,
        };
        Ok(Look::New(Box::new(routed), (seen.text, stamps)))
    }

    /// Keeps new tables, which are now where OpenSM reads them, for the next look; logs the findings.
    pub fn settle(&mut self, routed: Box<Routed>, basis: Basis) {
        let (planned, names) = (&routed.planned, &routed.names);
        let drain = &planned.options.drain;
        let uses = drain::uses(&planned.fabric, drain, |s| routed.tables.row(s));
        for used in &uses {
            // The follower does not see when OpenSM sends the tables: it never says that a cable may be pulled.
            let use_in_file =
                used.describe(|s| names.switches[s].clone(), |_, port| port.to_string());
            log::info!("{use_in_file} (written, not yet confirmed)");
        }
        if let Some(reference) = &mut self.reference {
            reference.keep(planned, || planned.names(names), |_, job| job());
        }
        let file = self.reference.as_ref();
        let found = self.findings.look(names, planned, file);
        if let Some((metrics, _)) = &mut self.metrics {
            metrics.routed(&routed.sweep);
            metrics.drained(&uses);
            metrics.next.read = Some(SystemTime::now());
            metrics.next.found = found;
            metrics.next.pairs = host_pairs(planned);
            metrics.swept(true);
        }
        self.basis = Some(basis);
        self.last = Some(*routed);
    }

    /// For a good look whose tables OpenSM has: the tables are no longer stale.
    pub fn succeed(&mut self) {
        self.good = Some(SystemTime::now());
        if let Some(since) = self.stale.take() {
            let since = time(since);
            log::info!("no longer stale: the tables were stale since {since}");
        }
        self.last_message.clear();
    }

    /// For a look that has failed, or whose tables could not be written: the old tables stay, and are stale.
    pub fn fail(&mut self, what: &str) {
        self.basis = None;
        if let Some((metrics, _)) = &mut self.metrics {
            metrics.refused();
        }
        self.lag(&format!("not routed: {what}"));
    }

    /// Keeps that OpenSM's tables are stale, and since when; logs why, once.
    pub fn lag(&mut self, what: &str) {
        let last = self.good.unwrap_or_else(SystemTime::now);
        let since = *self.stale.get_or_insert(last);
        if self.last_message != what {
            log::error!("{what}");
            log::error!("the tables are stale since {}", time(since));
            self.last_message = what.to_owned();
        }
    }

    /// Logs, once, that another host manages the subnet, and drops the last look.
    pub fn stand_by(&mut self) {
        self.log_master("another host's OpenSM is master: waiting until it is this one's");
        (self.stale, self.last) = (None, None);
        self.findings = Findings::default();
        if let Some((metrics, _)) = &mut self.metrics {
            metrics.set_role(Role::Standby);
        }
    }

    /// Writes the file of `--metrics`, if it is due or there is news.
    pub fn write_metrics(&mut self, news: bool) {
        let stale = self.stale;
        if let Some((metrics, file)) = &mut self.metrics
            && (news || file.is_due())
        {
            file.write(&metrics.text_since(stale));
        }
    }

    /// The stamps of the files that tables depend on.
    fn stamps(&self) -> Vec<Option<Stamp>> {
        let reference = self.reference.as_ref().map(|r| r.path.clone());
        let files = self.routing.paths().chain(&reference);
        files.map(|file| stamp(file)).collect()
    }

    /// Discovers the fabric; `None` if it and the files are unchanged. If much is gone, looks again, until two
    /// looks agree or little is gone.
    fn see(&self, stamps: &[Option<Stamp>]) -> Result<Option<Seen>, Failure> {
        let until = Instant::now() + self.commands.limit;
        let text = self.commands.discover(until)?;
        let is_same = |text: &[u8]| {
            let basis = self.basis.as_ref();
            basis.is_some_and(|(old, then)| content(old).eq(content(text)) && then == stamps)
        };
        if is_same(&text) {
            return Ok(None);
        }
        let mut seen = self.parsed(text)?;
        for _ in 1..LOOKS {
            let Some(loss) = self.loss(&seen.fabric) else {
                return Ok(Some(seen));
            };
            log::warn!("{loss} are gone at once: looking again");
            let text = self.commands.discover(until)?;
            if is_same(&text) {
                log::info!("they are there again");
                return Ok(None);
            }
            let again = self.parsed(text)?;
            if again.fabric == seen.fabric {
                return Ok(Some(again));
            }
            seen = again;
        }
        match self.loss(&seen.fabric) {
            Some(loss) => Err(Failure::discovery(format!(
                "{LOOKS} looks differ, and in the last one {loss} are gone"
            ))),
            None => Ok(Some(seen)),
        }
    }

    fn parsed(&self, text: Vec<u8>) -> Result<Seen, Failure> {
        let start = Instant::now();
        let name = Path::new("discovery");
        let netlist = self.routing.reading.netlist_text(name, &text)?;
        let fabric = netlist.to_fabric(self.routing.lmc);
        let (fabric, names) = fabric.map_err(Failure::lids(name))?;
        Ok(Seen {
            text,
            netlist,
            fabric,
            names,
            parsing: start.elapsed(),
        })
    }

    /// The hosts and switches that are gone since the last look, if more than `--max-loss`.
    fn loss(&self, now: &Fabric) -> Option<String> {
        let last = &self.last.as_ref()?.planned.fabric;
        let lost = |guids: fn(&Fabric) -> HashSet<Guid>| {
            let (before, now) = (guids(last), guids(now));
            (before.difference(&now).count(), before.len())
        };
        let hosts = lost(|of| of.end_nodes().iter().map(|n| n.guid).collect());
        let switches = lost(|of| of.switches().iter().map(|s| s.guid).collect());
        let is_much = |(gone, of): (usize, usize)| gone as f64 * 100.0 > of as f64 * self.max_loss;
        let ((h, hosts_of), (s, switches_of)) = (hosts, switches);
        let is_much = is_much(hosts) || is_much(switches);
        is_much.then(|| format!("{h} of {hosts_of} hosts and {s} of {switches_of} switches"))
    }

    /// Whether this host's OpenSM manages the subnet; `true` if unknown.
    fn is_master(&mut self, seen: &Seen) -> bool {
        let here = self.commands.is_master_here(&seen.text, &seen.netlist);
        match &here {
            Ok(true) => self.log_master("this host's OpenSM is master"),
            Ok(false) => {}
            Err(reason) => self.log_master(&format!(
                "the master is unknown ({reason}): going on as if it is here"
            )),
        }
        here.unwrap_or(true)
    }

    /// Logs `message` about the master, unless it is the last one logged.
    fn log_master(&mut self, message: &str) {
        if self.last_of_master != message {
            log::info!("{message}");
            self.last_of_master = message.to_owned();
        }
    }
}

/// The highest LID of a netlist, with LMCs counted; `None` if it has no LIDs.
fn highest(netlist: &Netlist, lmc: Option<u8>) -> Option<Lid> {
    let of_node = |node: &Node| match node.kind {
        Kind::Switch => vec![(node.lid, node.lmc)],
        _ => (node.ports.iter().map(|p| (p.lid, lmc.unwrap_or(p.lmc)))).collect(),
    };
    let lids = netlist.nodes.iter().flat_map(of_node);
    let lids = lids.filter(|(lid, _)| *lid != Lid(0));
    let last = |(lid, lmc): (Lid, u8)| Lid(lid.0.saturating_add((1 << lmc) - 1));
    lids.map(last).max()
}

/// A time as text, UTC.
fn time(at: SystemTime) -> impl Display {
    let time = Timestamp::try_from(at).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S UTC")
}
