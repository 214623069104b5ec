//! Whole production fabrics under OpenSM: their tables are those that Dmodc makes offline, and deliver. And the alert rules:
//! what Dmodc writes for them, kept up for hours, fires no alert, but for cables that are missing by all siblings.

use crate::long;
use crate::metrics::{metrics_file, wait_for_use, with_reference};
use crate::promtool::promtool;
use crate::support::*;
use crate::tables;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The production fabrics that are trees, and what is known to be missing: GUIDs of switches that lack one uplink.
const PRODUCTION: [(&str, &[&str]); 5] = [
    ("small-2sw", &[]),
    ("irregular-11sw", &[]),
    ("director-174sw", &["0xec0d9a030025cc20"]),
    (
        "gpu-cluster-206sw",
        &[
            "0x043f720300ce53d2",
            "0x043f720300ce5532",
            "0x043f720300ce5b32",
            "0x043f720300ce5bd2",
        ],
    ),
    ("leaf-to-leaf-8sw", &["0xf452140300115da0"]),
];

/// The rules on these figures, which do not change for three hours: no alert but for switches that lack so many
/// uplinks.
pub fn assert_quiet(folder: &Path, figures: &str, lacking: &[(&str, u32)]) {
    let rules = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .join("packaging/prometheus/dmodc.rules.yml");
    let rules = fs::read_to_string(rules).expect("the rules");
    let mut test = String::from(
        "rule_files: [rules.yml]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n",
    );
    for line in figures.lines().filter(|line| !line.starts_with('#')) {
        let (series, value) = line.rsplit_once(' ').expect("a value");
        // promtool's clock begins at 0.
        let values = match series {
            "dmodc_last_write_timestamp_seconds" => "0+60x180".to_owned(),
            // A build that is not optimised takes some 20 times as long.
            "dmodc_sweep_seconds" if cfg!(debug_assertions) => {
                let seconds: f64 = value.parse().expect("seconds");
                format!("{}x180", seconds / 20.0)
            }
            _ => format!("{value}x180"),
        };
        let _ = writeln!(
            test,
            "      - {{ series: {}, values: '{values}' }}",
            quoted(series)
        );
    }
    test += "    promql_expr_test:\n      - expr: ALERTS\n        eval_time: 3h\n";
    test += "        exp_samples:";
    test += if lacking.is_empty() { " []\n" } else { "\n" };
    for (guid, count) in lacking {
        let series = figures.lines().find(|line| {
            line.starts_with("dmodc_missing_uplinks{")
                && line.contains(guid)
                && line.ends_with(&format!(" {count}"))
        });
        let series = series.unwrap_or_else(|| panic!("{guid} does not lack {count} uplinks"));
        let labels = series.split(['{', '}']).nth(1).expect("labels");
        let alert = format!(
            "ALERTS{{alertname=\"DmodcUplinksMissing\",alertstate=\"firing\",severity=\"warning\",{labels}}}"
        );
        let _ = writeln!(
            test,
            "          - {{ labels: {}, value: 1 }}",
            quoted(&alert)
        );
    }
    for (name, text) in [("rules.yml", &rules), ("test.yml", &test)] {
        fs::write(folder.join(name), text).expect("written");
    }
    promtool(folder, &["test", "rules", "test.yml"], b"");
}

/// A text as YAML has it between single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[test]
fn whole_production_fabrics_are_routed_and_quiet() {
    let is_long = long::runs("production fabrics of more than 20 switches");
    for (name, lacking) in PRODUCTION {
        let net = Net::production(&format!("{name}.ibnetdiscover"));
        if !is_long && net.netlist.switches().count() > 20 {
            continue;
        }
        for reference in [true, false] {
            let sim = Ibsim::start(&net.path);
            let (file, config) = match reference {
                true => with_reference(&sim, net.path.display()),
                false => metrics_file(&sim, Config::dmodc()),
            };
            // With a reference, no dumps.
            let flags = if reference { "0x03" } else { "0x43" };
            let sm = OpenSm::start(&sim, &config.log_flags(flags));
            wait_for_use(&file, true);
            if !reference {
                let offline = tables::assert_same(&net, &sm.files, 0);
                let report = offline.check(&sm.files.lfts());
                // In one fabric, hosts hang off two spines that no up-down path joins.
                let count = usize::from(name == "gpu-cluster-206sw");
                assert_eq!(offline.plan.unreachable().count, count, "{name}");
                assert_eq!(report.unreachable_pairs, count, "{name}");
            }
            let figures = fs::read_to_string(&file).expect("figures");
            let lacking = lacking.iter().filter(|_| !reference);
            let lacking: Vec<(&str, u32)> = lacking.map(|guid| (*guid, 1)).collect();
            assert_quiet(sim.dir(), &figures, &lacking);
            assert!(sm.stop());
        }
    }
}
