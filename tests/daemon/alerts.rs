//! Whole production fabrics under OpenSM: the tables are those that Dmodc makes offline, and deliver. And Dmodc's
//! metrics of them, constant for three hours, fire no alert rule, except for uplinks that all siblings have.

use crate::long;
use crate::metrics::{Metrics, metrics_file, wait_for_use, when, with_reference};
use crate::promtool::promtool;
use crate::support::*;
use crate::tables;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The production fabrics that are trees, and the GUIDs of switches that are known to lack one uplink. On the third, two
/// more leaves lack one, but of four siblings two have it: that tells nothing.
const PRODUCTION: [(&str, &[&str]); 5] = [
    ("small-2sw", &[]),
    ("irregular-11sw", &[]),
    ("director-174sw", &["0xec0d9a030025cc20"]),
    (
        "gpu-cluster-206sw",
        &["0x043f720300ce53d2", "0x043f720300ce5bd2"],
    ),
    ("leaf-to-leaf-8sw", &["0xf452140300115da0"]),
];

/// Asserts that figures that stay constant for three hours fire no alert, except these: each by the figure that fires
/// it, the GUID of a switch and the figure's value.
pub fn assert_quiet(folder: &Path, figures: &str, fired: &[(&str, &str, u32)]) {
    let constant = series([figures, figures], false);
    let figures = samples(figures);
    let alerts = fired.iter().map(|(figure, guid, count)| {
        let is_it = |(series, value): &(&&str, &String)| {
            let is_of = series.starts_with(&format!("dmodc_{figure}{{")) && series.contains(guid);
            is_of && **value == count.to_string()
        };
        let series = figures.iter().find(is_it);
        let (series, _) = series.unwrap_or_else(|| panic!("no {figure} {count} of {guid}"));
        let labels = series.split(['{', '}']).nth(1).expect("labels");
        let name = match *figure {
            "part_lost" => "DmodcSwitchLost",
            _ => "DmodcUplinksMissing",
        };
        let alert = format!(
            "ALERTS{{alertname=\"{name}\",alertstate=\"firing\",severity=\"warning\",{labels}}}"
        );
        json!({"labels": alert, "value": 1})
    });
    assert_alerts(folder, constant, "ALERTS", alerts.collect());
}

/// A sign of life; promtool's clock begins at 0.
const LAST_WRITE: &str = "dmodc_last_write_timestamp_seconds";

/// The samples of a file, by series.
fn samples(figures: &str) -> BTreeMap<&str, String> {
    let lines = figures.lines().filter(|line| !line.starts_with('#'));
    let samples = lines.filter_map(|line| line.rsplit_once(' '));
    let value = |(series, value): (&'_ str, &'_ str)| match series {
        // A build that is not optimised takes some 20 times as long.
        "dmodc_sweep_seconds" if cfg!(debug_assertions) => {
            let seconds: f64 = value.parse().expect("seconds");
            (seconds / 20.0).to_string()
        }
        _ => value.to_owned(),
    };
    samples.map(|sample| (sample.0, value(sample))).collect()
}

/// The series of figures that have been the first for half an hour and the second for two and a half. Of an OpenSM that
/// `has_ended` they stay as they are. A sample every five minutes: with one every minute promtool takes three times as
/// long.
fn series(figures: [&str; 2], has_ended: bool) -> Vec<Value> {
    let [before, now] = figures.map(samples);
    let all: BTreeSet<&str> = before.keys().chain(now.keys()).copied().collect();
    let series = all.into_iter().map(|series| {
        let [before, now] = [&before, &now].map(|of| of.get(series).map_or("_", |value| value));
        let values = match (series, has_ended) {
            (LAST_WRITE, false) => "0+300x36".to_owned(),
            (LAST_WRITE, true) => "0+300x6 1800x29".to_owned(),
            _ => format!("{before}x6 {now}x29"),
        };
        json!({"series": series, "values": values})
    });
    series.collect()
}

/// Asserts that such figures fire these alerts, each once.
pub fn assert_fires(folder: &Path, figures: [&str; 2], has_ended: bool, alerts: &[&str]) {
    let fired = alerts.iter().map(|name| {
        let labels = format!("{{alertname=\"{name}\"}}");
        json!({"labels": labels, "value": 1})
    });
    let expr = "count by (alertname) (ALERTS{alertstate=\"firing\"})";
    assert_alerts(folder, series(figures, has_ended), expr, fired.collect());
}

/// Asserts by promtool what an expression has after three hours.
fn assert_alerts(folder: &Path, series: Vec<Value>, expr: &str, samples: Vec<Value>) {
    let rules = root().join("packaging/prometheus/dmodc.rules.yml");
    fs::copy(rules, folder.join("rules.yml")).expect("copied");
    // JSON is YAML.
    let test = json!({
        "rule_files": ["rules.yml"],
        "evaluation_interval": "5m",
        "tests": [{
            "interval": "5m",
            "input_series": series,
            "promql_expr_test": [{"expr": expr, "eval_time": "3h", "exp_samples": samples}],
        }],
    });
    fs::write(folder.join("test.yml"), test.to_string()).expect("written");
    promtool(folder, &["test", "rules", "test.yml"], b"");
}

#[test]
fn whole_production_fabrics_are_routed_and_quiet() {
    let is_long = long::runs("production fabrics of more than 20 switches");
    for (name, lacking) in PRODUCTION {
        let net = Net::production(name);
        if !is_long && net.netlist.switches().count() > 20 {
            continue;
        }
        for reference in [true, false] {
            let sim = Ibsim::start(&net.path);
            let (file, config) = match reference {
                true => with_reference(&sim, net.path.display()),
                false => metrics_file(&sim, Config::dmodc()),
            };
            // OpenSM dumps its tables only without a reference.
            let flags = if reference { "0x03" } else { "0x43" };
            let sm = OpenSm::start(&sim, &config.log_flags(flags));
            wait_for_use(&file, true);
            if !reference {
                let offline = tables::assert_same(&net, &sm.files, 0);
                let report = offline.assert_clean(&sm.files.lfts());
                // In one fabric, hosts hang off two spines that no up-down path joins.
                let count = usize::from(name == "gpu-cluster-206sw");
                assert_eq!(offline.plan.unreachable().count, count, "{name}");
                assert_eq!(report.unreachable_pairs, count, "{name}");
            }
            let lacking = lacking.iter().filter(|_| !reference);
            let fired = lacking.map(|guid| ("missing_uplinks", *guid, 1));
            let fired: Vec<_> = fired.collect();
            // On a busy machine OpenSM can miss an answer of ibsim, and sweeps again.
            let lacks = |m: &Metrics, guid: &str| m.value_of("dmodc_missing_uplinks", guid) == 1.0;
            when(&file, |m| fired.iter().all(|(_, guid, _)| lacks(m, guid)));
            let figures = fs::read_to_string(&file).expect("figures");
            assert_quiet(sim.dir(), &figures, &fired);
            assert!(sm.stop());
        }
    }
}
