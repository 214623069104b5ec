//! `dmodc.metrics` under a running OpenSM: the file agrees with the log and the fabric, after healthy sweeps, with
//! links gone, and where Dmodc refuses; and it is whole at any moment.

use crate::promtool::promtool;
use crate::support::*;
use dmodc_core::PHASES;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

/// Four leaves with six links up each, to six spines.
pub const TREE: &str = "PGFT(2;3,4;1,6;1,1)";

/// The metric names that the page explains: the names in every file, those that a master adds, and those that a master
/// adds for which Dmodc has routed.
fn names() -> [BTreeSet<String>; 3] {
    let page = root().join("packaging/prometheus/README.md");
    let page = fs::read_to_string(page).expect("the page");
    let (always, master) = page
        .split_once("\nWhile this OpenSM is master:\n")
        .expect("three lists");
    let (master, routed) = master
        .split_once("\nOnce Dmodc has routed as master:\n")
        .expect("three lists");
    [always, master, routed].map(|text| {
        let rows = text.lines().filter(|line| line.starts_with("- `dmodc_"));
        let names = rows.flat_map(|row| row.split(':').next().expect("names").split('`'));
        let names = names.filter(|name| name.starts_with("dmodc_"));
        names.map(str::to_owned).collect()
    })
}

/// A file that Prometheus reads: the value of each series.
pub struct Metrics(BTreeMap<String, f64>);

impl Metrics {
    /// Reads a file. Asserts that every name has its type and none is missing; the names of a master are all there or
    /// none, and only if this OpenSM is master.
    pub fn read(path: &Path) -> Metrics {
        let text = fs::read_to_string(path).expect("the file is there");
        let mut types: Vec<&str> = Vec::new();
        let mut series = BTreeMap::new();
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("# TYPE ") {
                types.push(head.split(' ').next().expect("a name"));
            } else if !line.starts_with("# HELP ") {
                let (name, value) = line.rsplit_once(' ').expect("a value");
                let of = name.split('{').next().expect("a name");
                assert_eq!(types.last(), Some(&of), "{text}");
                let value = value.parse().expect("a number");
                assert_eq!(series.insert(name.to_owned(), value), None, "{text}");
            }
        }
        let [mut names, of_master, of_routed] = names();
        if series.contains_key("dmodc_engine_in_use") {
            assert_eq!(series["dmodc_master"], 1.0, "{text}");
            names.extend(of_master);
            if series.contains_key("dmodc_switches") {
                names.extend(of_routed);
            }
        }
        let found: BTreeSet<String> = types.iter().map(|&name| name.to_owned()).collect();
        assert!(
            text.ends_with('\n') && found == names && found.len() == types.len(),
            "{text}"
        );
        Metrics(series)
    }

    /// As [`Metrics::read`]; promtool checks the file too.
    fn checked(path: &Path) -> Metrics {
        let folder = path.parent().expect("a folder");
        promtool(
            folder,
            &["check", "metrics"],
            &fs::read(path).expect("the file is there"),
        );
        Metrics::read(path)
    }

    pub fn get(&self, name: &str) -> f64 {
        *self.0.get(name).unwrap_or_else(|| panic!("no {name}"))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub fn missing(&self, guid: &str) -> f64 {
        self.value_of("dmodc_missing_uplinks", guid)
    }

    /// A figure of a switch.
    pub fn value_of(&self, name: &str, guid: &str) -> f64 {
        let prefix = format!("{name}{{guid=\"{guid}\"");
        let found = self.0.iter().find(|(name, _)| name.starts_with(&prefix));
        *found.expect("a series for each switch").1
    }

    /// The number of samples of a figure.
    pub fn count(&self, name: &str) -> usize {
        let of_it = |series: &&str| series.split('{').next() == Some(name);
        self.names().filter(of_it).count()
    }

    pub fn all_missing(&self) -> f64 {
        let all = self.0.iter();
        all.filter(|(name, _)| name.starts_with("dmodc_missing_uplinks"))
            .map(|(_, value)| value)
            .sum()
    }
}

/// Waits for a file that fulfils a condition: another thread than OpenSM's writes it.
pub fn when(path: &Path, says: impl Fn(&Metrics) -> bool) -> Metrics {
    let read = || path.exists().then(|| Metrics::read(path)).filter(&says);
    let found = process::poll(Duration::from_secs(20), read);
    found.unwrap_or_else(|| panic!("{}", fs::read_to_string(path).expect("the file is there")))
}

/// Waits for a file that shows whether its OpenSM is master.
pub fn wait_for_role(path: &Path, is_master: bool) -> Metrics {
    when(path, |m| m.get("dmodc_master") == f64::from(is_master))
}

/// Waits for a file that shows whether Dmodc's tables are in use.
pub fn wait_for_use(path: &Path, in_use: bool) -> Metrics {
    let is = |m: &Metrics| m.0.get("dmodc_engine_in_use") == Some(&f64::from(in_use));
    when(path, is)
}

pub fn metrics_file(sim: &Ibsim, config: Config) -> (PathBuf, Config) {
    named(sim, config, "dmodc.prom")
}

/// As [`metrics_file`], with a file of this name.
pub fn named(sim: &Ibsim, config: Config, name: &str) -> (PathBuf, Config) {
    let path = sim.dir().join(name);
    let config = config.options(&format!("dmodc.metrics={}", path.display()));
    (path, config)
}

/// Dmodc with a metrics file and a reference.
pub fn with_reference(sim: &Ibsim, reference: impl Display) -> (PathBuf, Config) {
    let path = sim.dir().join("dmodc.prom");
    let options = format!(
        "dmodc.metrics={} dmodc.reference={reference}",
        path.display()
    );
    (path, Config::dmodc().options(&options))
}

fn field(sm: &OpenSm, name: &str) -> f64 {
    sm.files.last(name).parse().expect("a number")
}

#[test]
fn the_metrics_agree_with_the_log_and_the_fabric() {
    let (net, mut sim) = Net::simulated(TREE);
    let (path, config) = metrics_file(&sim, Config::dmodc());
    let sm = OpenSm::start(&sim, &config);
    let leaf = net.other_leaves().next().expect("another leaf");
    let up: Vec<PortNumber> = net.uplinks(leaf).map(|port| port.number).collect();
    let guid = leaf.guid.to_string();

    let sweeps = sm.files.routed() as f64;
    when(&path, |m| m.get("dmodc_sweeps_total") == sweeps);
    wait_for_use(&path, true);
    let whole = Metrics::checked(&path);
    for (name, of_log) in [
        ("dmodc_switches", "switches"),
        ("dmodc_nodes", "nodes"),
        ("dmodc_lids", "lids"),
        ("dmodc_ranks", "ranks"),
        ("dmodc_displaced_entries", "displaced"),
        ("dmodc_turned_pairs", "turned"),
        ("dmodc_left_out_pairs", "left_out"),
    ] {
        assert_eq!(whole.get(name), field(&sm, of_log), "{name}");
    }
    for phase in PHASES {
        let seconds = whole.get(&format!("dmodc_phase_seconds{{phase=\"{phase}\"}}"));
        let micros = field(&sm, &format!("{phase}_us"));
        assert_eq!((seconds * 1e6).floor(), micros, "{phase}");
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let age = now.expect("a clock").as_secs_f64() - whole.get("dmodc_last_sweep_timestamp_seconds");
    assert!((0.0..60.0).contains(&age), "{age}");
    assert_eq!(whole.value_of("dmodc_leaf_hosts", &guid), 3.0);
    assert_eq!(whole.get("dmodc_refusals_total"), 0.0);
    assert_eq!(whole.all_missing(), 0.0);

    let sweeps = || {
        let mut sweep =
            |change: fn(&mut Ibsim, &str, PortNumber), ports: &[PortNumber], missing, switches| {
                let ports = ports.iter();
                ports.for_each(|&port| change(&mut sim, &leaf.id, port));
                sm.resweep();
                when(&path, |m| {
                    m.all_missing() == missing && m.get("dmodc_switches") == switches
                })
            };
        let hurt = sweep(Ibsim::unlink, &up[..1], 1.0, 10.0);
        assert_eq!(hurt.missing(&guid), 1.0);
        let lines = sm.files.log_lines("missing, by the reference: ");
        assert!(lines.iter().any(|line| line.contains(&guid)), "{lines:?}");
        sweep(Ibsim::relink, &up[..1], 0.0, 10.0);
        // The whole switch is gone: one sample, not one for each of its links and hosts.
        let gone = sweep(Ibsim::unlink, &up, 0.0, 9.0);
        let lost = |m: &Metrics| {
            ["switch", "part", "host"].map(|what| m.count(&format!("dmodc_{what}_lost")))
        };
        assert_eq!(gone.value_of("dmodc_switch_lost", &guid), 1.0);
        assert_eq!(lost(&gone), [1, 1, 0]);
        let back = sweep(Ibsim::relink, &up, 0.0, 10.0);
        assert_eq!(lost(&back), [0; 3]);
        // A spine is gone: its leaves lack nothing else. And a host.
        let spine = net.node("L2-3");
        sim.unlink_all(spine);
        sim.unlink(&leaf.id, PortNumber(1));
        sm.resweep();
        let gone = when(&path, |m| m.get("dmodc_switches") == 9.0);
        assert_eq!((lost(&gone), gone.all_missing()), ([1, 1, 1], 0.0));
        assert_eq!(
            gone.value_of("dmodc_part_lost", &spine.guid.to_string()),
            1.0
        );
        sim.relink_all(spine);
        sim.relink(&leaf.id, PortNumber(1));
        sm.resweep();
        when(&path, |m| {
            lost(m) == [0; 3] && m.get("dmodc_switches") == 10.0
        });
    };
    // Meanwhile this thread reads all the time: every file is whole.
    let reads = thread::scope(|scope| {
        let sweeps = scope.spawn(sweeps);
        let mut reads = 0;
        while !sweeps.is_finished() {
            Metrics::read(&path);
            reads += 1;
            thread::sleep(Duration::from_millis(1));
        }
        sweeps.join().map(|()| reads)
    });
    let reads = reads.expect("the sweeps were as they should");
    assert!(reads > 100, "{reads}");
    let last = Metrics::checked(&path);
    // The same on one screen, by the files that OpenSM's configuration names.
    let conf = sm.files.path("opensm.conf");
    let folder = sm.files.path("");
    let said = done(
        tool(["status", "--conf"])
            .arg(conf)
            .env("OSM_CACHE_DIR", folder),
    );
    for words in [
        "role       master for ",
        " ago, by Dmodc, in ",
        "fabric     10 switches, 12 ports of hosts; whole\n",
        "standby    none: this host is not safe to reboot\n",
        "log        no error ",
        "\nwell\n",
    ] {
        has(&said, words);
    }
    let blocks: f64 = last.get("dmodc_changed_blocks_total");
    assert!(blocks > whole.get("dmodc_changed_blocks_total"));
    sm.files.assert_errors(&[]);
}

/// A series appears with its first true value: a file never has fewer switches or nodes than there are, also not in
/// OpenSM's first seconds.
#[test]
fn no_figure_is_shown_before_it_is_true() {
    let net = Net::pgft(NODES_648);
    let switches = net.netlist.switches().count() as f64;
    let sim = Ibsim::start(&net.path);
    for _ in 0..2 {
        let (path, config) = metrics_file(&sim, Config::dmodc());
        let sm = OpenSm::launch(&sim, &config);
        let figures = || {
            let metrics = path.exists().then(|| Metrics::read(&path))?;
            let switches = *metrics.0.get("dmodc_switches")?;
            Some([switches, metrics.get("dmodc_nodes")])
        };
        let first = process::poll(Duration::from_secs(40), figures);
        assert_eq!(first, Some([switches, 648.0]), "{}", sm.files.log());
        assert!(sm.stop());
        fs::remove_file(&path).expect("removed");
    }
}

/// The time of OpenSM's last packet goes on while it sweeps lightly, and stops when OpenSM waits for an answer for
/// ever, as it does when ibsim is stopped: its file is written all the same.
#[test]
fn an_opensm_that_hangs_is_seen_to_hang() {
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let (path, config) = metrics_file(&sim, Config::dmodc().line("sweep_interval 1"));
    let sm = OpenSm::start(&sim, &config);
    let written = |m: &Metrics| m.get("dmodc_last_write_timestamp_seconds");
    let active = |m: &Metrics| m.get("dmodc_last_activity_timestamp_seconds");
    let first = wait_for_use(&path, true);
    assert_eq!(first.get("dmodc_sweep_interval_seconds"), 1.0);
    // The file is written every 15 seconds.
    let moved = when(&path, |m| written(m) > written(&first) + 10.0);
    assert!(active(&moved) > written(&moved) - 5.0);
    process::signal(sim.id(), "STOP");
    let stands = when(&path, |m| written(m) > written(&moved) + 10.0);
    assert!(active(&stands) < written(&stands) - 10.0);
    process::signal(sim.id(), "CONT");
    when(&path, |m| active(m) > active(&stands) + 10.0);
    assert!(sm.stop());
}

#[test]
fn a_refusal_and_the_engine_that_routes_instead_are_in_the_metrics() {
    let net = sketch::ring(5);
    let mut sim = Ibsim::start(&net.path);
    // No engine routes instead.
    let (path, config) = metrics_file(&sim, Config::dmodc());
    let sm = OpenSm::launch(&sim, &config);
    let refused = wait_for_use(&path, false);
    assert!(refused.get("dmodc_refusals_total") > 0.0);
    drop(sm);
    fs::remove_file(&path).expect("removed");
    let (path, config) = metrics_file(&sim, Config::dmodc_or("minhop"));
    let sm = OpenSm::start(&sim, &config);
    wait_for_use(&path, false);
    let refused = Metrics::checked(&path);
    let refusals = refused.get("dmodc_refusals_total");
    assert!(refusals > 0.0 && refused.get("dmodc_sweeps_total") == refusals);
    // Nothing is told of a fabric that Dmodc has never routed.
    assert!(refused.names().all(|name| name != "dmodc_switches"));
    let (node, port) = net.switch_link();
    sim.unlink(node, port);
    sm.resweep();
    wait_for_use(&path, true);
    let routed = Metrics::checked(&path);
    assert_eq!(routed.get("dmodc_switches"), 5.0);
    // The fabric is a tree now, and Dmodc routes it.
    sm.files.assert_routed(&Options::default());
    sim.relink(node, port);
    sm.resweep();
    wait_for_use(&path, false);
    let again = Metrics::checked(&path);
    assert!(again.get("dmodc_refusals_total") > routed.get("dmodc_refusals_total"));
    // The figures are those of the last sweep that Dmodc routed.
    assert_eq!(again.get("dmodc_switches"), 5.0);
}
