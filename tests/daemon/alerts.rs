//! The alert rules on whole production fabrics: what Dmodc writes for them under OpenSM, kept up for hours,
//! fires no alert, but for cables that are missing by all siblings.

use crate::long;
use crate::metrics::{metrics_file, wait_for_use, with_reference};
use crate::promtool::promtool;
use crate::support::*;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What is known to be missing, by file: GUIDs of switches that lack one uplink.
const LACKING: [(&str, &[&str]); 3] = [
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

/// The netlists in a folder, the rings aside, which Dmodc refuses.
fn netlists(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        crate::skip::skipped(format_args!("no folder {}", folder.display()));
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_tree = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".ibnetdiscover") && !name.starts_with("ring")
    };
    paths.filter(is_tree).collect()
}

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
fn whole_production_fabrics_are_quiet() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let here = netlists(&root.join("tests/data/production"));
    assert!(here.len() >= 5);
    let shared = netlists(&root.join("../shared/topologies"));
    let is_new = |path: &PathBuf| {
        here.iter()
            .all(|known| known.file_name() != path.file_name())
    };
    let others: Vec<PathBuf> = shared.into_iter().filter(is_new).collect();
    let is_long = long::runs("production fabrics of more than 20 switches");
    let is_small = |path: &&PathBuf| fs::metadata(path).expect("a file").len() < 50_000;
    let all = here.iter().chain(&others);
    for path in all.filter(|path| is_long || is_small(path)) {
        let net = Net::open(path.clone());
        let name = path.file_stem().expect("a name").to_string_lossy();
        let lacking = LACKING.iter().find(|(of, _)| *of == name);
        for reference in [true, false] {
            let sim = Ibsim::start(&net.path);
            let (file, config) = match reference {
                true => with_reference(&sim, net.path.display()),
                false => metrics_file(&sim, Config::dmodc()),
            };
            let sm = OpenSm::start(&sim, &config.log_flags("0x03"));
            wait_for_use(&file, true);
            let figures = fs::read_to_string(&file).expect("figures");
            let lacking = lacking.filter(|_| !reference).map_or(&[][..], |(_, of)| of);
            let lacking: Vec<(&str, u32)> = lacking.iter().map(|guid| (*guid, 1)).collect();
            assert_quiet(sim.dir(), &figures, &lacking);
            assert!(sm.stop());
        }
    }
}
