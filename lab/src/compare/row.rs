//! The table: a row for each fabric and engine, as CSV for programs and as Markdown for people.

use super::engine_spec::EngineSpec;
use crate::sim::NoTables;
use dmodc::analysis::CheckReport;
use std::fmt::Write;
use std::time::Duration;

/// Credit loops of all traffic on one lane, and by kind of traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loops {
    /// Of all routes.
    pub all: usize,
    /// Of the routes from host to host.
    pub hosts: usize,
    /// Of those between hosts and switches, both ways.
    pub hosts_switches: usize,
    /// Of those from switch to switch.
    pub switches: usize,
    /// Of those to and from aggregation nodes.
    pub aggregation: usize,
}

impl Loops {
    /// The loops that a check has found.
    pub fn new(report: &CheckReport) -> Loops {
        Loops {
            all: report.credit_loops.count,
            hosts: report.host_credit_loops.count,
            hosts_switches: report.host_switch_credit_loops.count,
            switches: report.switch_credit_loops.count,
            aggregation: report.aggregation_credit_loops.count,
        }
    }
}

/// The measures of an engine's tables.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figures {
    /// Switches that OpenSM found.
    pub switches: usize,
    /// End nodes that OpenSM found.
    pub nodes: usize,
    /// Pairs of leaves with no up-down path: the fabric's fault.
    pub unreachable_pairs: usize,
    /// Ordered pairs of end nodes (aggregation nodes aside) whose route does not arrive.
    pub no_route: u64,
    /// Pairs not delivered though there is an up-down path.
    pub undelivered: u64,
    /// Routes that turn from down to up, by Dmodc's ranks.
    pub turns: u64,
    /// Routes longer than the shortest up-down path, by Dmodc's ranks.
    pub nonminimal: u64,
    /// Credit loops.
    pub loops: Loops,
    /// Congestion risk of all to all.
    pub a2a: u32,
    /// The worst permutation.
    pub exact: u32,
    /// Congestion risk of random permutations, the median.
    pub rp: u32,
    /// Congestion risk of shift permutations, the maximum.
    pub sp: u32,
    /// The least A2A that the links between levels allow.
    pub a2a_bound: Option<u32>,
    /// Effective bisection bandwidth in percent. More is better.
    pub ebb: Option<f64>,
}

/// The result of an engine.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// It routed the fabric.
    Accepted(Figures),
    /// It made no tables, and why.
    NoTables(NoTables),
}

/// One engine on one fabric.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Name of the fabric.
    pub fabric: String,
    /// Its switches, as OpenSM found them; those of the netlist if the engine refused.
    pub switches: usize,
    /// Its end nodes, likewise. OpenSM does not look behind a CA, so it misses a second plane.
    pub nodes: usize,
    /// The engine.
    pub spec: EngineSpec,
    /// Its result.
    pub verdict: Verdict,
    /// Time of the engine's stage, if the log has both ends of it.
    pub stage: Option<Duration>,
    /// Time of the whole run of OpenSM.
    pub whole: Duration,
    /// Random permutations.
    pub permutations: u32,
    /// Seed of the random permutations.
    pub seed: u64,
}

/// The first line of a CSV file of rows.
pub fn csv_header() -> &'static str {
    "fabric,switches,nodes,engine,accepted,unreachable_pairs,no_route,undelivered,turns,\
     nonminimal,credit_loops,a2a,rp,sp,seconds,run_seconds,permutations,seed,version,reason,\
     a2a_bound,ebb,host_credit_loops,host_switch_credit_loops,switch_credit_loops,\
     aggregation_credit_loops,exact\n"
}

impl Row {
    /// The row as a line of CSV.
    pub fn csv(&self) -> String {
        let (figures, reason) = match &self.verdict {
            Verdict::Accepted(f) => (
                format!(
                    "1,{},{},{},{},{},{},{},{},{}",
                    f.unreachable_pairs,
                    f.no_route,
                    f.undelivered,
                    f.turns,
                    f.nonminimal,
                    f.loops.all,
                    f.a2a,
                    f.rp,
                    f.sp
                ),
                String::new(),
            ),
            Verdict::NoTables(why) => ("0,,,,,,,,,".to_owned(), why.to_string()),
        };
        let later = match &self.verdict {
            Verdict::Accepted(f) => format!(
                "{},{},{},{},{},{},{}",
                bound(f),
                ebb(f),
                f.loops.hosts,
                f.loops.hosts_switches,
                f.loops.switches,
                f.loops.aggregation,
                f.exact
            ),
            Verdict::NoTables(_) => ",,,,,,".into(),
        };
        let stage = self
            .stage
            .map_or(String::new(), |t| format!("{:.6}", t.as_secs_f64()));
        format!(
            "{},{},{},{},{figures},{stage},{:.3},{},{},{},{},{later}\n",
            quoted(&self.fabric),
            self.switches,
            self.nodes,
            quoted(&format!("{:#}", self.spec)),
            self.whole.as_secs_f64(),
            self.permutations,
            self.seed,
            env!("CARGO_PKG_VERSION"),
            quoted(&reason),
        )
    }

    /// What the check found, in a few words. Turns and detours count for Dmodc only, which promises none.
    fn check(&self, f: &Figures) -> String {
        let ours = self.spec.is_dmodc();
        let findings = [
            (f.undelivered, "undelivered", true),
            (f.turns, "turns", ours),
            (f.nonminimal, "not minimal", ours),
            (f.loops.hosts as u64, "credit loops", true),
        ];
        let found: Vec<String> = findings
            .iter()
            .filter(|(count, _, counts)| *counts && *count > 0)
            .map(|(count, name, _)| format!("{name}: {count}"))
            .collect();
        match found.is_empty() {
            true => "ok".into(),
            false => found.join(", "),
        }
    }

    fn markdown(&self) -> String {
        let stage = self
            .stage
            .map_or(String::new(), |t| format!("{:.1}", t.as_secs_f64() * 1e3));
        match &self.verdict {
            Verdict::Accepted(f) => format!(
                "| {} | yes | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {stage} |",
                self.spec,
                f.unreachable_pairs,
                f.no_route,
                self.check(f),
                f.loops.hosts_switches,
                f.loops.switches,
                f.loops.all,
                f.a2a,
                bound(f),
                f.exact,
                f.rp,
                f.sp,
                ebb(f)
            ),
            Verdict::NoTables(why) => format!(
                "| {} | {} | | | {} | | | | | | | | | | {stage} |",
                self.spec,
                why.word(),
                why.to_string().replace('|', "\\|")
            ),
        }
    }
}

fn bound(f: &Figures) -> String {
    f.a2a_bound.map_or(String::new(), |bound| bound.to_string())
}

fn ebb(f: &Figures) -> String {
    f.ebb.map_or(String::new(), |ebb| format!("{ebb:.1}"))
}

/// A field of CSV, in quotes where it needs them.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.into(),
    }
}

/// The text above the tables.
const LEGEND: &str = "\
# Routing engines on fabrics of many shapes

Each engine ran alone in the stock OpenSM (`-R ENGINE,no_fallback`) on the fabric simulated by ibsim;
the tables are those that OpenSM dumped, measured as by `dmodc check` and `dmodc analyze`. `+roots` means
that the engine was given a `root_guid_file` with the switches at the top; `dmodc:paper` is Dmodc with
`dmodc.faults=paper`.

- *unreachable leaf pairs*: no up-down path, by Dmodc's ranks; *node pairs with no route*: ordered
  pairs of end nodes whose route does not arrive. These take no part in the figures that follow.
- *check*: undelivered pairs, and credit loops of the routes from host to host; for Dmodc down-up turns and
  detours, too. Where an engine made no tables, why.
- *hosts and switches*, *switches*: credit loops of the routes between hosts and the LIDs of switches, and of
  those from switch to switch; *all*: of all routes together, aggregation nodes included: what `dmodc check` fails.
  All credit loops here are of one lane, those of engines that break theirs with several lanes (dfsssp, lash), too.
- *A2A*, *RP*, *SP*: congestion risk of all to all, of random permutations (median) and of shift
  permutations (maximum, in the order of Dmodc's topological NIDs). Less is better. *bound*: the least A2A
  that the links between levels, and those of a switch that has hosts above the leaves, allow to routes that are
  balanced by destination, by Dmodc's ranks; routes that turn can have less. *worst*: the most flows that any
  permutation sends over one port, of which A2A is a bound.
- *ebb*: effective bisection bandwidth in percent. More is better.
- *ms*: the engine's stage by OpenSM's log, the sending of the first blocks included, in milliseconds.
";

/// The rows as tables in Markdown, one for each fabric, with a legend.
pub fn markdown(rows: &[Row]) -> String {
    let mut text = LEGEND.to_owned();
    for of_fabric in rows.chunk_by(|a, b| a.fabric == b.fabric) {
        let first = &of_fabric[0];
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "\n### {}: {} switches, {} end nodes\n\n\
             | engine | accepted | unreachable leaf pairs | node pairs with no route | check \
             | hosts and switches | switches | all | A2A | bound | worst | RP | SP | ebb | ms |\n\
             |---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
            first.fabric, first.switches, first.nodes
        );
        for row in of_fabric {
            text += &row.markdown();
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::throw_row::tests::is_documented;
    use super::*;

    fn row(engine: &str, verdict: Verdict) -> Row {
        Row {
            fabric: "PGFT(1;2;1;1)".into(),
            switches: 1,
            nodes: 2,
            spec: engine.parse().unwrap(),
            verdict,
            stage: Some(Duration::from_millis(7)),
            whole: Duration::from_millis(1500),
            permutations: 10,
            seed: 1,
        }
    }

    const FIGURES: Figures = Figures {
        switches: 1,
        nodes: 2,
        unreachable_pairs: 0,
        no_route: 0,
        undelivered: 0,
        turns: 4,
        nonminimal: 0,
        loops: Loops {
            all: 2,
            hosts: 1,
            hosts_switches: 3,
            switches: 4,
            aggregation: 0,
        },
        a2a: 9,
        exact: 7,
        rp: 3,
        sp: 1,
        a2a_bound: Some(8),
        ebb: Some(61.25),
    };

    /// Splits a line of CSV at the commas outside quotes.
    fn fields(line: &str) -> usize {
        let mut inside = false;
        let commas = line.chars().filter(|&c| {
            inside ^= c == '"';
            c == ',' && !inside
        });
        commas.count() + 1
    }

    #[test]
    fn lines_of_csv_have_the_headers_fields() {
        let accepted = row("sssp", Verdict::Accepted(FIGURES)).csv();
        let why = NoTables::Refused("no \"roots\", none".into());
        let refused = row("ftree", Verdict::NoTables(why)).csv();
        assert_eq!(fields(&accepted), fields(csv_header()));
        assert_eq!(fields(&refused), fields(csv_header()));
        assert!(
            refused.ends_with("\"no \"\"roots\"\", none\",,,,,,,\n"),
            "{refused}"
        );
    }

    #[test]
    fn every_column_is_documented() {
        for column in csv_header().trim_end().split(',') {
            assert!(is_documented(column), "{column}");
        }
    }

    #[test]
    fn a_time_out_is_told_from_a_refusal() {
        let late = row(
            "nue",
            Verdict::NoTables(NoTables::TimedOut(Duration::from_secs(300))),
        );
        assert!(late.csv().ends_with(",timed out after 300 s,,,,,,,\n"));
        assert!(
            late.markdown()
                .contains("| timed out | | | timed out after 300 s |")
        );
        let refused = row("nue", Verdict::NoTables(NoTables::Refused("odd".into())));
        assert!(refused.markdown().contains("| refused | | | odd |"));
    }

    #[test]
    fn turns_are_held_against_dmodc_alone() {
        let line = |engine| row(engine, Verdict::Accepted(FIGURES)).markdown();
        assert!(
            line("sssp")
                .contains("| credit loops: 1 | 3 | 4 | 2 | 9 | 8 | 7 | 3 | 1 | 61.2 | 7.0 |")
        );
        assert!(line("dmodc").contains("| turns: 4, credit loops: 1 | 3 |"));
    }

    #[test]
    fn each_fabric_has_its_table() {
        let mut rows = vec![row("dmodc", Verdict::Accepted(FIGURES)); 2];
        rows[1].fabric = "other".into();
        assert_eq!(markdown(&rows).matches("###").count(), 2);
    }
}
