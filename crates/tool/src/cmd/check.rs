//! `dmodc check`: delivery and credit loops of tables; turns and detours.

use super::args::RoutedAs;
use super::between::{Change, Order};
use super::proof::Proof;
use super::several::{in_one, one_after_another, parts_json, parts_text};
use super::tables::{Input, Judged};
use super::{drained, left_out};
use crate::failure::{Failure, Outcome};
use crate::input::input;
use crate::output::{add, print, print_json};
use dmodc_analysis::{ChannelId, Channels, CheckReport, Tally, check};
use dmodc_core::{Engine, Ranking};
use dmodc_fabric::Tables;
use dmodc_formats::drain::{self, Use};
use dmodc_watch::wiring::wiring_warnings;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// The number of wiring warnings to print.
const NAMED: usize = 10;

/// Check the forwarding tables of any routing engine
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc route fabric.net --lfts - | dmodc check fabric.net -
  dmodc check opensm-subnet.lst opensm-lfts.dump --json

Every end node and every switch's port 0 sends to every LID. A (source, LID) pair arrives, is left
out, or is undelivered. A pair is left out if no links join it; or if it has no up-down path and the
tables omit it on purpose: the source's switch has entry 255 for the LID, and no entry that arrives for
another LID at the destination's switch. Left out pairs are named by host. Any other pair that does not arrive is
undelivered: a loop, a wrong port, a missing entry. Credit loops are cycles of the channel dependency
graph on virtual lane 0: of all routes, and by kind of traffic: from host to host, between hosts and
the LIDs of switches, among switches, to and from aggregation nodes.

Remarks: turns (up again after down) and routes longer than the shortest up-down path, counted by
(source switch, LID), where there is an up-down path. Without one a route has to turn, and counts
as turned. Routes through a switch that LFTS does not have are not judged.

Which way is up follows from Dmodc's ranks: give --reference, --faults and the GUID files as the
tables were routed with.

Of several fabrics in NET that no link joins and that have LIDs in common, each is judged alone. Without
--lmc, and with none in NET, the LMC is that of the tables. LIDs of the tables that no port has are
counted: nobody judged them.

--from follows the packets between end nodes while the tables of OLD, on the fabric as it is now, give way to
those of LFTS: block by block in the order in which OpenSM sends them, or, with --order any, in each
mixture of old and new entries. A pair stands if OLD delivers it, and is dropped if LFTS then does not;
else it is cut, and loses packets anyway until its new entries are there. A packet meets a hole (no entry),
a dead link (or the port of another host), goes in a circle, or waits on a cycle of the channel dependencies
of all mixtures.

--proof also proves the tables by local facts, as Dmodc proves its own, with code that shares nothing with the
check: each entry's port is up and leads to a switch with an entry, or home; a path that has gone down goes
on down, or its turn up closes no cycle with the dependencies of all paths; and no entry is missing, but
between switches without an up-down path. It names the first entry that is wrong.

Exit code 0 if nothing is undelivered or in a credit loop, every host in NET is at a switch, and, if asked
for, the proof passes and no pair that stands is harmed or dropped; else 1.")]
pub struct Args {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    routed_as: RoutedAs,
    /// Virtual ports beside NET, as ibdiagnet2.vports or ibdiagnet2.db_csv
    #[arg(long, value_name = "F", value_parser = input())]
    vports: Option<PathBuf>,
    /// Follow packets while these tables give way to LFTS
    #[arg(long, value_name = "OLD", value_parser = input())]
    from: Option<PathBuf>,
    /// The order in which the new entries arrive: block by block as OpenSM sends them, or any
    #[arg(
        long,
        value_name = "blocks|any",
        default_value = "blocks",
        hide_possible_values = true,
        requires = "from"
    )]
    order: Order,
    /// Prove the tables
    #[arg(long)]
    proof: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let all = args.input.load(args.vports.as_deref())?;
    let old = args.from.as_deref().map(|old| args.input.reading.dump(old));
    let old = old.transpose()?;
    let old = |judged: &Judged| -> Result<Option<Tables>, Failure> {
        let dumped = args.from.as_deref().zip(old.as_ref());
        let tables = |(path, dump)| (args.input).tables(path, dump, &judged.fabric, all.len() == 1);
        dumped.map(tables).transpose()
    };
    let shown: Vec<Shown> = (all.iter())
        .map(|judged| Shown::new(judged, &args, old(judged)?.as_ref(), start))
        .collect::<Result<_, Failure>>()?;
    let texts = || shown.iter().map(|one| (&one.judged.fabric, one.text()));
    match args.json {
        true => print_json(&in_one(shown.iter().map(Shown::json).collect()))?,
        false => print(one_after_another(texts().collect()))?,
    };
    Ok(ExitCode::from(u8::from(!shown.iter().all(Shown::passed))))
}

/// All tallies: key, name, tally.
fn findings(report: &CheckReport) -> [(&'static str, &'static str, &Tally); 9] {
    [
        ("no_entry", "no entry", &report.no_entry),
        ("wrong_port", "wrong port", &report.wrong_port),
        ("looping", "loop", &report.looping),
        ("turns", "turn down-up", &report.turns),
        ("nonminimal", "not minimal", &report.nonminimal),
        ("turned", "turned", &report.turned),
        ("left_out", "left out", &report.left_out),
        ("roots_apart", "roots apart", &report.roots_apart),
        ("unjudged", "not judged", &report.unjudged),
    ]
}

/// The credit loops by kind of traffic; of aggregation nodes only if they have some.
pub fn loops(report: &CheckReport) -> Vec<(&'static str, usize)> {
    let mut loops = vec![
        ("  host to host", report.host_credit_loops.count),
        (
            "  hosts and switches",
            report.host_switch_credit_loops.count,
        ),
        ("  among switches", report.switch_credit_loops.count),
    ];
    if report.aggregation_credit_loops.count > 0 {
        loops.push(("  aggregation nodes", report.aggregation_credit_loops.count));
    }
    loops
}

/// The result of the check, and its time.
struct Shown<'a> {
    judged: &'a Judged,
    ranking: Ranking,
    warnings: Vec<String>,
    report: CheckReport,
    /// Undelivered pairs and credit loops of the LIDs of virtual ports, and of hosts beside them.
    virtual_undelivered: u64,
    uses: Vec<Use>,
    change: Option<Change>,
    proof: Option<Proof>,
    seconds: f64,
}

impl<'a> Shown<'a> {
    fn new(
        judged: &'a Judged,
        args: &Args,
        old: Option<&Tables>,
        start: Instant,
    ) -> Result<Shown<'a>, Failure> {
        let (fabric, rest) = (&judged.fabric, judged.options.clone());
        let (reading, as_now) = (args.input.reading, (fabric, &judged.names));
        let options = (args.routed_as).options(reading, as_now, &judged.netlist, rest)?;
        // A fabric that is no tree has ranks, but no plan.
        let ranking = match Engine::new(0)?.plan(fabric, &options) {
            Ok(plan) => plan.ranking().clone(),
            Err(_) => Ranking::new(fabric, &options),
        };
        let report = |tables| check(fabric, tables, |a, b| ranking.is_up(a, b));
        let defects = |tables| {
            let report: CheckReport = report(tables);
            report.undelivered() + report.credit_loops.count as u64
        };
        Ok(Shown {
            report: report(&judged.tables),
            virtual_undelivered: judged.virtual_tables.iter().map(defects).sum(),
            uses: drain::uses(fabric, &options.drain, |s| judged.tables.row(s)),
            change: old.map(|old| Change::new(old, judged, args.order)),
            proof: args.proof.then(|| Proof::find(judged, &ranking)),
            seconds: start.elapsed().as_secs_f64(),
            warnings: wiring_warnings(fabric, &ranking, |s| judged.switch(s)),
            judged,
            ranking,
        })
    }

    /// Whether nothing fails, and no host is left out of the check.
    fn passed(&self) -> bool {
        self.report.passed()
            && self.judged.without_switch.is_empty()
            && self.virtual_undelivered == 0
            && self.change.as_ref().is_none_or(Change::passed)
            && self.proof.as_ref().is_none_or(Proof::passed)
    }

    fn json(&self) -> Value {
        let Shown { judged, report, .. } = self;
        let Judged { fabric, names, .. } = judged;
        let tally = |t: &Tally| {
            let first: Vec<_> = t.first.iter().map(|r| judged.route(r)).collect();
            json!({ "pairs": t.pairs, "node_pairs": t.node_pairs, "routes": t.routes, "first": first })
        };
        let details = findings(report).map(|(key, _, t)| (key, tally(t)));
        let mut object = json!({
            "nodes": fabric.end_nodes().len(),
            "switches": fabric.switches().len(),
            "links": fabric.switch_links(),
            "lids": fabric.lid_count(),
            "pairs": report.checked.pairs,
            "routes": report.checked.routes,
            "credit_loop": self.credit_loop(),
            "unreachable_pairs": report.unreachable_pairs,
            "unjudged": report.unjudged.pairs,
            "turned": report.turned.routes,
            "left_out": report.left_out.routes,
            "left_out_pairs": left_out::json(fabric, names, &report.left_out_ends),
            "details": Value::from_iter(details),
            "wiring": self.warnings,
            "drained": drained::json(names, fabric, &self.uses),
            "passed": self.passed(),
            "seconds": self.seconds,
        });
        for (key, count) in report.counts() {
            object[key] = json!(count);
        }
        let apart = Some(judged.without_switch.clone()).filter(|apart| !apart.is_empty());
        add(&mut object, "hosts_without_switch", apart);
        add(&mut object, "parts", parts_json(fabric));
        let change = self.change.as_ref().map(Change::json);
        add(&mut object, "change", change);
        add(&mut object, "proof", self.proof.as_ref().map(Proof::json));
        if judged.virtual_lids > 0 {
            object["virtual_lids"] = json!(judged.virtual_lids);
            object["virtual_undelivered"] = json!(self.virtual_undelivered);
        }
        let without_owner = Some(judged.without_owner).filter(|&lids| lids > 0);
        add(&mut object, "lids_without_owner", without_owner);
        object
    }

    /// The channels of one credit loop, by name.
    fn credit_loop(&self) -> Vec<String> {
        let channels = Channels::new(&self.judged.fabric);
        let example = self.report.credit_loops.example.iter();
        let name = |&channel: &ChannelId| self.judged.channel(channels.get(channel));
        example.map(name).collect()
    }

    fn text(&self) -> String {
        let Shown { judged, report, .. } = self;
        let Judged { fabric, names, .. } = judged;
        let mut text = String::new();
        let mut line = |what: &str, count: u64| text += &format!("{what:<26}  {count:>12}\n");
        line("switches", fabric.switches().len() as u64);
        line("end nodes", fabric.end_nodes().len() as u64);
        line("links between switches", fabric.switch_links() as u64);
        line("LIDs", fabric.lid_count() as u64);
        line("pairs checked", report.checked.pairs);
        line("undelivered pairs", report.undelivered());
        let findings = findings(report);
        for (_, name, tally) in &findings[..3] {
            line(&format!("  {name}"), tally.pairs);
        }
        line("credit loops", report.credit_loops.count as u64);
        for (kind, loops) in loops(report) {
            line(kind, loops as u64);
        }
        line("down-up turns", report.turns.routes);
        line("not minimal", report.nonminimal.routes);
        line("unreachable pairs", report.unreachable_pairs as u64);
        if report.unjudged.pairs > 0 {
            line("pairs not judged", report.unjudged.pairs);
        }
        line("turned", report.turned.routes);
        line("left out", report.left_out.routes);
        text += &format!("{:<26}  {:>12.3}\n", "seconds", self.seconds);
        text += &format!("ranks: {}\n", self.ranking);
        for warning in self.warnings.iter().take(NAMED) {
            text += &format!("wiring: {warning}\n");
        }
        if self.warnings.len() > NAMED {
            text += &format!("wiring: .. {} such places in all\n", self.warnings.len());
        }
        // The first three tallies are defects, the next two remarks.
        for (_, name, tally) in &findings[..5] {
            for route in &tally.first {
                text += &format!("{name}: {}\n", judged.route(route));
            }
            if tally.routes > tally.first.len() as u64 {
                text += &format!("{name}: .. {} routes in all\n", tally.routes);
            }
        }
        for &(a, b) in &report.first_unreachable {
            let (a, b) = (judged.switch(a), judged.switch(b));
            text += &format!("no up-down path: {a} -- {b}\n");
        }
        text += &left_out::text(fabric, names, &report.left_out_ends);
        for channel in self.credit_loop() {
            text += &format!("credit loop: {channel}\n");
        }
        if report.no_entry.routes > 0 {
            text += "an up-down path is one by these ranks: give --reference, --faults and GUID files as the \
                     tables were routed with\n";
        }
        text += &parts_text(fabric);
        if judged.virtual_lids > 0 {
            let (lids, lost) = (judged.virtual_lids, self.virtual_undelivered);
            text += &format!(
                "virtual ports: {lids} LIDs of their own, {lost} undelivered pairs and credit loops\n"
            );
        }
        let apart = &judged.without_switch;
        if !apart.is_empty() {
            let count = apart.len();
            text += &format!("not judged: {count} hosts without a switch in the file\n");
            for host in apart.iter().take(NAMED) {
                text += &format!("  {host}\n");
            }
        }
        if judged.without_owner > 0 {
            text += &format!(
                "not judged: {} LIDs of the tables, which no port of the file has: of virtual ports (--vports), of \
                 another LMC (--lmc), or stale\n",
                judged.without_owner
            );
        }
        text += &self.change.as_ref().map_or_else(String::new, Change::text);
        if let Some(proof) = &self.proof {
            text += &proof.text(judged);
        }
        let verdict = if self.passed() { "passed" } else { "FAILED" };
        text + verdict + "\n" + &drained::text(names, &self.uses)
    }
}
