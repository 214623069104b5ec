//! `dmodc compare` with the stock OpenSM and ibsim on fabrics of a few switches.

#[path = "support/examples.rs"]
mod page;
#[path = "support/skip.rs"]
mod skip;
#[path = "support/slurm.rs"]
mod slurm;

use dmodc::netlist::{Equipment, Kind, Netlist};
use dmodc_lab::compare::{ThrowRow, read_throws};
use serde_json::Value;
use slurm::Slurm;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The folder where cargo has put `libdmodc.so` for this very build: beside the tool lies a link
/// that only `cargo build` renews.
fn plugin_dir() -> PathBuf {
    let bin = Path::new(env!("CARGO_BIN_EXE_dmodc"));
    bin.parent().expect("the tool is in a folder").join("deps")
}

fn fabric(name: &str) -> PathBuf {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    root.join("tests/data/fabrics").join(name)
}

fn compare(args: &[&str]) -> Output {
    command(args).output().expect("the tool runs")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dmodc"));
    command
        .args(["compare", "--permutations", "10", "--plugin-dir"])
        .arg(plugin_dir())
        .args(args);
    command
}

/// The row of an engine on the only fabric.
fn row<'a>(result: &'a Value, engine: &str) -> &'a Value {
    let rows = result["rows"].as_array().expect("rows");
    let mut rows = rows.iter().filter(|row| row["engine"] == engine);
    rows.next().expect("a row for every engine")
}

#[test]
fn engines_are_run_judged_and_refused() {
    let net = fabric("two-switches.netlist");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let out = dir.path().join("results");
    let out = out.to_str().expect("the path is plain text");
    let args = [
        net.to_str().expect("the path is plain text"),
        "--engines",
        "dmodc,ftree,minhop",
        "--json",
        "-o",
        out,
    ];
    let done = compare(&args);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    let result: Value = serde_json::from_slice(&done.stdout).expect("JSON");

    for engine in ["dmodc", "minhop"] {
        let row = row(&result, engine);
        assert_eq!(row["accepted"], true, "{row}");
        assert_eq!((&row["switches"], &row["nodes"]), (&2.into(), &9.into()));
        for key in [
            "no_route",
            "undelivered",
            "turns",
            "credit_loops",
            "host_credit_loops",
        ] {
            assert_eq!(row[key], 0, "{key} of {row}");
        }
        // Five and four hosts over three links.
        assert_eq!(row["a2a"], 2, "{row}");
        let (stage, run) = (&row["seconds"], &row["run_seconds"]);
        assert!(stage.as_f64() > Some(0.0) && stage.as_f64() < run.as_f64());
    }
    let ftree = row(&result, "ftree");
    assert_eq!(
        (&ftree["accepted"], &ftree["outcome"]),
        (&false.into(), &"refused".into())
    );
    let reason = ftree["reason"].as_str().expect("a reason");
    assert!(reason.contains("more than one root"), "{reason}");

    // A second comparison appends to the first.
    assert!(compare(&args).status.success());
    let csv = fs::read_to_string(dir.path().join("results/compare.csv")).expect("rows");
    assert_eq!(csv.lines().count(), 1 + 2 * 3, "{csv}");
}

/// On a complete tree, routes of minhop and sssp close a circle only together with those to and from switches.
#[test]
fn credit_loops_are_counted_by_kind_of_traffic() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (net, out, page) = (path("384.net"), path("results"), path("page.md"));
    let shape = "PGFT(3;8,6,8;1,4,6;1,1,1)";
    dmodc(&["generate", shape, "--seed", "1", "-o", &net]);
    let engines = ["--engines", "dmodc,minhop,sssp", "--json"];
    let done = compare(&[&[&*net, "-o", &out, "--markdown", &page], &engines[..]].concat());
    let result: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let csv = fs::read_to_string(dir.path().join("results/compare.csv")).expect("rows");
    let page = fs::read_to_string(&page).expect("a page");
    for (engine, between, among, all) in
        [("dmodc", 0, 0, 0), ("minhop", 0, 1, 1), ("sssp", 0, 1, 1)]
    {
        let row = row(&result, engine);
        assert_eq!(
            (&row["nodes"], &row["accepted"]),
            (&384.into(), &true.into())
        );
        let loops = [
            "host_credit_loops",
            "host_switch_credit_loops",
            "switch_credit_loops",
            "aggregation_credit_loops",
            "credit_loops",
        ];
        let loops = loops.map(|key| row[key].as_u64().expect("a count"));
        assert_eq!(loops, [0, between, among, 0, all], "{row}");
        let (a2a, exact) = (row["a2a"].as_u64(), row["exact"].as_u64());
        assert!(exact > Some(0) && exact <= a2a, "{row}");
        let line = csv
            .lines()
            .find(|line| line.contains(&format!(",{engine},")));
        let end = format!(",0,{between},{among},0,{}", exact.expect("a number"));
        assert!(line.expect("a row").ends_with(&end), "{csv}");
        let cells = format!("| {engine} | yes | 0 | 0 | ok | {between} | {among} | {all} |");
        assert!(page.contains(&cells), "{page}");
    }
}

/// With 60 links gone nue spreads the routes of few sources over many destinations, so that the risk says much more
/// than any permutation can do; and it has no loop from host to host, where minhop and sssp have one.
#[test]
fn risks_and_loops_on_a_tree_without_sixty_links() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (whole, net) = (path("whole.net"), path("less.net"));
    let shape = "PGFT(3;8,6,8;1,4,6;1,1,1)";
    dmodc(&["generate", shape, "--seed", "1", "-o", &whole]);
    dmodc(&[
        "degrade", &whole, "--links", "60", "--seed", "5", "-o", &net,
    ]);
    let done = compare(&[&net, "--engines", "dmodc,nue,minhop,sssp", "--json"]);
    let result: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let figures = |engine, keys: [&str; 2]| {
        let row = row(&result, engine);
        keys.map(|key| row[key].as_u64().expect("a number"))
    };
    let risks = ["dmodc", "nue"].map(|engine| figures(engine, ["a2a", "exact"]));
    assert_eq!(risks, [[48, 48], [160, 43]]);
    let of = ["host_credit_loops", "credit_loops"];
    let loops = ["dmodc", "nue", "minhop", "sssp"].map(|engine| figures(engine, of));
    assert_eq!(loops, [[0, 0], [0, 1], [1, 1], [1, 1]]);
}

#[test]
fn a_time_out_is_no_refusal() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let net = dir.path().join("net").display().to_string();
    // Stock OpenSM needs seconds for 2,592 nodes.
    dmodc(&["generate", "PGFT(2;36,72;1,36;1,1)", "-o", &net]);
    let done = compare(&[&net, "--engines", "minhop", "--limit", "1", "--json"]);
    let result: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let row = row(&result, "minhop");
    assert_eq!(
        (&row["accepted"], &row["outcome"], &row["reason"]),
        (
            &false.into(),
            &"timed out".into(),
            &"timed out after 1 s".into()
        )
    );
}

/// Runs the tool, asserts success, and returns its output.
fn dmodc(args: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_dmodc"))
        .args(args)
        .output()
        .expect("the tool runs");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{args:?}: {errors}");
    String::from_utf8(done.stdout).expect("plain text")
}

/// The whole chain: throws, a run that was cut, the page.
#[test]
fn throws_are_made_resumed_and_reported() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (net, out, io) = (path("tree.net"), path("results"), path("io.guids"));
    // 96 nodes, 14 switches above the leaves.
    dmodc(&[
        "generate",
        "PGFT(3;6,4,4;1,2,3;1,1,1)",
        "--seed",
        "5",
        "-o",
        &net,
    ]);
    let netlist = Netlist::read(Path::new(&net)).expect("our own netlist");
    let nodes = netlist.nodes.iter().filter(|n| n.kind == Kind::Ca);
    let guids = nodes
        .step_by(6)
        .map(|n| format!("{}\n", n.simulated_port_guid(1)));
    fs::write(&io, guids.collect::<String>()).expect("a file of GUIDs");
    let throw = |throws: &str| {
        let args = [
            &*net,
            "--engines",
            "dmodc,dmodc:paper,dmodc:reference+io,ftree,ftree+roots,minhop",
            "--degrade",
            "links",
            "--throws",
            throws,
            "--max-exponent",
            "3",
            "--io-guids",
            &io,
            "--jobs",
            "2",
            "-o",
            &out,
        ];
        let done = compare(&args);
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{errors}");
        let text = String::from_utf8(done.stdout).expect("plain text");
        assert!(
            text.contains(&format!("\n'dmodc report {out}' makes")),
            "{text}"
        );
        text
    };
    let first = |text: String| text.lines().next().map(str::to_owned).unwrap_or_default();

    let text = throw("2");
    for (engine, throws) in [("dmodc", "2"), ("ftree+roots", "2"), ("minhop", "2")] {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{engine} ")));
        let words: Vec<&str> = line
            .expect("a line for each engine")
            .split_whitespace()
            .collect();
        // Engine, throws, routed, A2A, RP, SP, milliseconds.
        assert_eq!(
            (words.len(), words[1], words[2]),
            (7, throws, throws),
            "{text}"
        );
    }
    assert_eq!(
        first(text),
        "tree: 2 throws, links removed, 18 rows appended"
    );
    let file = dir.path().join("results/throws-tree-links.csv");
    let whole = fs::read_to_string(&file).expect("rows");
    // Cut in the last row: that throw is made again for that engine, and one more for all.
    fs::write(&file, &whole[..whole.len() - 9]).expect("the file can be cut");
    assert_eq!(
        first(throw("3")),
        "tree: 3 throws, links removed, 7 rows appended"
    );
    assert_eq!(
        first(throw("3")),
        "tree: 3 throws, links removed, 0 rows appended"
    );

    let rows = read_throws(&file).expect("rows");
    assert_eq!(rows.len(), 4 * 6);
    let again = &rows[17];
    assert_eq!((again.throw, &*again.spec.to_string()), (2, "minhop"));
    assert!(rows.iter().any(|row| row.removed > 0));
    for row in &rows {
        let engine = row.spec.to_string();
        match &row.outcome {
            Ok(routed) => {
                assert_eq!((row.nodes, routed.risks.no_route), (96, 0), "{row:?}");
                assert!(routed.risks.cn2io.is_some() && routed.risks.sp_ftree.is_some());
                let ebb = routed.risks.ebb.expect("a percentage");
                assert!((1.0..=100.0).contains(&ebb) && routed.risks.credit_loops.is_some());
                assert!(routed.risks.host_credit_loops.is_some());
                assert!(routed.risks.exact.expect("a matching") <= routed.risks.a2a);
                assert!(
                    row.a2a_bound.expect("a bound") <= routed.risks.a2a,
                    "{row:?}"
                );
                let both = (routed.changed_blocks, routed.changed_entries);
                assert!(both.0 <= both.1, "entries are in blocks: {both:?}");
                // Changes are counted from the complete fabric.
                let expected = (row.throw > 0).then_some(row.removed > 0);
                let changed = routed.changed_blocks.map(|blocks| blocks > 0);
                assert_eq!(changed, expected, "{row:?}");
            }
            // As shipped, ftree takes no tree that lacks a link.
            Err(reason) => {
                assert!(engine == "ftree" && row.removed > 0, "{row:?}");
                assert!(reason.contains("not a fat-tree"), "{reason}");
            }
        }
    }

    assert!(dmodc(&["report", &out]).contains("3 figures"));
    let page = fs::read_to_string(dir.path().join("results/report.html")).expect("a page");
    for text in [
        "Static figures, not throughput",
        "tree: 3 throws, links removed</a> (3 connected)",
        "<h3>Engine by engine</h3>",
        "running quartiles",
        "(log)",
        "Fabric topology is not a fat-tree",
        "worst: ",
    ] {
        assert!(page.contains(text), "no {text:?}");
    }
    let summary = fs::read_to_string(dir.path().join("results/summary.md")).expect("tables");
    for text in [
        "\n| dmodc:paper | 0 | 0 | 0 | 0 / 0 / 0 / 0 / 0 |",
        "changed blocks |",
    ] {
        assert!(summary.contains(text), "no {text:?} in {summary}");
    }
    // All in one file: nothing is fetched.
    assert!(!page.contains("src=") && !page.contains("<link") && !page.contains("url("));
    for figure in ["risk-tree-links", "drawn-tree-links", "runtime"] {
        let svg = dir.path().join(format!("results/{figure}.svg"));
        let svg = fs::read_to_string(svg).expect("a figure");
        assert!(!svg.contains("00000000"), "numbers as people write them");
        let caption = concat!(
            "tree: links removed, 3 throws, seed 1; dmodc ",
            env!("CARGO_PKG_VERSION")
        );
        assert!(svg.contains(caption) || figure == "runtime", "{figure}");
        assert!(svg.contains("OpenSM 3.3.2"), "{figure}");
        let panels: Vec<&str> = svg.split("<svg x=").skip(1).collect();
        assert!(!panels.is_empty());
        for panel in panels {
            let (_, inner) = panel.split_once('>').expect("an element");
            let inner = inner.split("</svg>").next().expect("its contents");
            assert!(
                page.contains(inner) && inner.contains("<title>") || figure.starts_with("drawn")
            );
        }
    }
}

/// A folder with a tree of this shape and seed in `tree.net`.
fn tree(shape: &str, seed: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let net = dir.path().join("tree.net").display().to_string();
    dmodc(&["generate", shape, "--seed", seed, "-o", &net]);
    dir
}

/// Tables of a program stand beside those of OpenSM's engines, and engines have options of their own.
#[test]
fn programs_and_options_take_part() {
    let dir = tree("PGFT(3;6,4,4;1,2,3;1,1,1)", "5");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (net, out) = (path("tree.net"), path("results"));
    let tool = env!("CARGO_BIN_EXE_dmodc");
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let example = root.join("docs/examples/random-paths.py");
    let engines = [
        "dmodc",
        &format!("again=exec:{tool} route \"$1\" --lfts \"$2\""),
        &format!("random=exec:{}", example.display()),
        "dead=exec:echo no luck today; exit 3;",
        "none=lfts:nowhere",
        "nue",
        "nue:vls=0",
        "dfsssp:qos",
    ];
    let kept = path("kept");
    let throws = ["--degrade", "links", "--throws", "2", "--max-exponent", "4"];
    let throws = [&throws[..], &["--keep", &kept]].concat();
    let done = compare(
        &[
            &[&*net, "--engines", &engines.join(","), "-o", &out],
            &throws[..],
        ]
        .concat(),
    );
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let rows = read_throws(&dir.path().join("results/throws-tree-links.csv")).expect("rows");
    assert_eq!(rows.len(), 3 * engines.len());
    for of_throw in rows.chunks(engines.len()) {
        // Each name stands in its rows with all that belongs to it.
        let names: Vec<String> = of_throw
            .iter()
            .map(|row| format!("{:#}", row.spec))
            .collect();
        assert_eq!(names, engines);
        let risks = |at: usize| of_throw[at].outcome.as_ref().map(|routed| routed.risks);
        assert_eq!(risks(0), risks(1), "the same engine by another way");
        let random = risks(2).expect("tables of the example");
        assert_eq!(random.no_route, 0);
        let dead = risks(3).expect_err("no tables");
        assert_eq!(dead, "exit status: 3: no luck today");
        let missing = risks(4).expect_err("no tables");
        assert!(
            missing.contains("there is no nowhere/tree-links-"),
            "{missing}"
        );
        let lanes = |at| risks(at).map(|risks| (risks.lanes, risks.lane_credit_loops));
        assert_eq!(
            lanes(5),
            Ok((Some(1), Some(0))),
            "nue has one lane, and no loop"
        );
        let all_lanes = lanes(6).expect("tables of nue").0;
        assert!(all_lanes > Some(1), "{all_lanes:?}");
        assert_eq!(
            (lanes(6).unwrap().1, lanes(7).unwrap().1),
            (Some(0), Some(0))
        );
    }
    // What is kept is compared again: the same figures, but for the time and the lanes, which tables do not have.
    let again = ["dmodc", "nue:vls=0"]
        .map(|name| format!("{name}=lfts:{kept}"))
        .join(",");
    let args = [&net, "--engines", &again, "-o", &path("again")];
    let done = compare(&[&args[..], &throws[..6]].concat());
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let second = read_throws(&dir.path().join("again/throws-tree-links.csv")).expect("rows");
    assert_eq!(second.len(), 3 * 2);
    for row in &second {
        let is_same = |first: &&ThrowRow| {
            (first.throw, first.spec.to_string()) == (row.throw, row.spec.to_string())
        };
        let first = rows.iter().find(is_same).expect("the first of the two");
        assert_eq!(first.removal_seed, row.removal_seed);
        let figures = |row: &ThrowRow| {
            let routed = row.outcome.as_ref().expect("tables");
            let risks = routed.risks;
            (
                risks.a2a,
                risks.exact,
                risks.sp_dmodc,
                risks.credit_loops,
                routed.changed_entries,
            )
        };
        assert_eq!(figures(first), figures(row));
    }
    // And the netlist is that of the throw.
    let netlist = Netlist::read(&dir.path().join("kept/tree-links-2.net.gz")).expect("a netlist");
    assert_eq!(netlist.switches().count(), rows[rows.len() - 1].switches);
    // Programs alone, under the time limit.
    let done = compare(&[
        &net,
        "--engines",
        "late=exec:sleep 60;",
        "--limit",
        "1",
        "--json",
    ]);
    let result: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(
        row(&result, "late=exec:sleep 60;")["reason"],
        "timed out after 1 s"
    );
    // OpenSM is asked what it knows.
    let done = compare(&[&net, "--engines", "minhop:no_such_thing"]);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        errors.contains("OpenSM has no option 'no_such_thing'"),
        "{errors}"
    );
}

/// Who stops a study sees what is done.
#[test]
fn a_study_that_is_stopped_shows_what_is_done() {
    let dir = tree("PGFT(3;6,4,4;1,2,3;1,1,1)", "5");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (net, out) = (path("tree.net"), path("results"));
    let study = [
        "--engines",
        "minhop",
        "--degrade",
        "links",
        "--throws",
        "10000",
    ];
    let mut child = command(&[&[&*net, "-o", &out], &study[..]].concat())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the tool runs");
    let file = dir.path().join("results/throws-tree-links.csv");
    let rows = || {
        fs::read_to_string(&file)
            .unwrap_or_default()
            .lines()
            .count()
    };
    while rows() < 4 {
        assert!(matches!(child.try_wait(), Ok(None)), "it has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    // A background job of a shell ignores the interrupt.
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.signal(), Some(15));
    let text = String::from_utf8(done.stdout).expect("plain text");
    let (_, line) = text.split_once("\nminhop ").expect("its line");
    let throws = line.split_whitespace().next().expect("a number");
    // One more may be written while the table is.
    let written = rows() - 2;
    assert!(
        [written, written - 1]
            .map(|n| n.to_string())
            .contains(&throws.to_owned()),
        "{text}"
    );
    assert!(
        text.starts_with("stopped; the same command goes on\nmedians "),
        "{text}"
    );
}

/// lash breaks its loops with lanes, which it gives to routes of its own tables alone.
#[test]
fn lanes_are_those_of_the_engine() {
    let dir = tree("PGFT(3;6,4,4;1,2,3;1,1,1)", "5");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (net, out) = (path("tree.net"), path("results"));
    let throws = ["--degrade", "links=10", "--throws", "4", "-o", &out];
    let done = compare(&[&[&*net, "--engines", "lash,minhop"], &throws[..]].concat());
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    let rows = read_throws(&dir.path().join("results/throws-tree-links.csv")).expect("rows");
    let of = |engine: &str| {
        let of = rows.iter().filter(|row| row.spec.to_string() == engine);
        let risks: Vec<_> = of
            .map(|row| row.outcome.as_ref().expect("tables").risks)
            .collect();
        let loops = risks
            .iter()
            .filter(|risks| risks.host_credit_loops > Some(0));
        let on_lanes = risks
            .iter()
            .filter(|risks| risks.lane_credit_loops > Some(0));
        let lanes = risks.iter().map(|risks| risks.lanes).max();
        (loops.count(), on_lanes.count(), lanes.expect("rows"))
    };
    assert_eq!(
        (of("lash"), of("minhop")),
        ((2, 0, Some(3)), (2, 2, Some(1)))
    );
}

/// A study in parts, by the job of docs/examples, has the rows of one in one piece.
#[test]
fn parts_make_the_rows_of_the_whole() {
    in_parts(|job, args, _| {
        for task in ["1", "2"] {
            let done = Command::new("bash")
                .arg(job)
                .args(args)
                .env("PATH", path_with_the_tool())
                .env("SLURM_ARRAY_TASK_ID", task)
                .env("SLURM_ARRAY_TASK_COUNT", "2")
                .output()
                .expect("bash runs");
            assert!(
                done.status.success(),
                "{}",
                String::from_utf8_lossy(&done.stderr)
            );
        }
        true
    });
}

/// The same as an array in a real Slurm: two tasks side by side on one node.
#[test]
fn an_array_in_slurm_makes_the_rows_of_the_whole() {
    in_parts(|job, args, dir| {
        let Some(slurm) = Slurm::start(dir) else {
            return false;
        };
        let done = slurm
            .command("sbatch")
            .args(["--wait", "--array=1-2", "--output=task-%a.out"])
            .arg(job)
            .args(args)
            .env("PATH", path_with_the_tool())
            .output()
            .expect("sbatch runs");
        let text = |name: &str| fs::read_to_string(dir.join(name)).unwrap_or_default();
        assert!(
            done.status.success(),
            "{}\n{}{}{}",
            String::from_utf8_lossy(&done.stderr),
            text("task-1.out"),
            text("task-2.out"),
            slurm.words(),
        );
        true
    });
}

fn path_with_the_tool() -> String {
    let tool = Path::new(env!("CARGO_BIN_EXE_dmodc"));
    let folder = tool.parent().expect("a folder").display();
    format!("{folder}:{}", std::env::var("PATH").expect("a path"))
}

/// Compares the rows of a study in one piece with those of two tasks of the job, which `run` makes of the job, its
/// arguments and a folder; it says whether it has.
fn in_parts(run: impl FnOnce(&Path, &[&str], &Path) -> bool) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let net = fabric("two-switches.netlist");
    let net = net.to_str().expect("the path is plain text");
    let (whole, parts) = (path("whole"), path("parts"));
    let study = [
        "--degrade",
        "links",
        "--throws",
        "3",
        "--max-exponent",
        "1.5",
    ];
    let engines = ["--engines", "dmodc,minhop"];
    let job =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("docs/examples/slurm-array.sh");
    let plugin = plugin_dir().display().to_string();
    let own = [net, &parts, "--permutations", "10", "--plugin-dir", &plugin];
    if !run(&job, &[&own[..], &study, &engines].concat(), dir.path()) {
        return;
    }
    let done = compare(&[&[net, "-o", &whole][..], &study, &engines].concat());
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    // Without the times.
    let rows = |file: &str| {
        let mut rows = read_throws(&dir.path().join(file)).expect("rows");
        for row in &mut rows {
            if let Ok(routed) = &mut row.outcome {
                (routed.lid_matrices, routed.fwd_tables) = Default::default();
            }
        }
        rows
    };
    let expected = rows("whole/throws-two-switches-links.csv");
    let [first, second] =
        ["1", "2"].map(|part| rows(&format!("parts/throws-two-switches-links-{part}-of-2.csv")));
    // The complete fabric is in each.
    assert_eq!((first.len(), second.len()), (2 * 2, 3 * 2));
    assert_eq!(first[..2], second[..2]);
    let mut all = [&first[..], &second[2..]].concat();
    all.sort_by_key(|row| row.throw);
    assert_eq!(all, expected);
    // One report of all.
    dmodc(&["report", &parts]);
    dmodc(&["report", &whole]);
    let summary = |folder: &str| {
        let text = fs::read_to_string(dir.path().join(folder).join("summary.md"));
        let text = text.expect("tables");
        assert!(text.contains(", 3 throws, "), "{text}");
    };
    summary("parts");
    summary("whole");
}

/// Links become slow, and OpenSM finds them throttled.
#[test]
fn throws_of_slow_links_have_risks_over_capacity() {
    let dir = tree("PGFT(3;4,4,3;1,2,3;1,1,1)", "2");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (net, out) = (path("tree.net"), path("results"));
    let throw = |degrade: &str, throws: &str| {
        let mut args = vec![&*net, "--degrade", degrade, "--throws", throws];
        args.extend(["-o", &out, "--engines"]);
        args.push("dmodc,dmodc:ignore,minhop,dfsssp,dfsssp:avoid,nue:avoid");
        let done = compare(&args);
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        (
            done.status.code(),
            String::from_utf8_lossy(&done.stdout).into_owned() + &errors,
        )
    };
    let (code, text) = throw("slow=1,2", "2");
    assert!(code == Some(0) && text.contains("over capacity"), "{text}");
    assert_eq!(throw("planes=1", "1").0, Some(0));
    // Other numbers are another series.
    assert_eq!(throw("slow=2,3", "2").0, Some(2));
    let of = |what| read_throws(&dir.path().join(format!("results/throws-tree-{what}.csv")));
    let rows = [of("slow").expect("rows"), of("planes").expect("rows")].concat();
    assert_eq!(rows.len(), 6 * (3 + 2));
    for row in rows {
        let engine = row.spec.to_string();
        let routed = match &row.outcome {
            Ok(routed) => routed,
            // All links of a switch are throttled.
            Err(_) => {
                let avoids = row.equipment == Equipment::Planes && engine.ends_with(":avoid");
                assert!(avoids && row.throw > 0, "{row:?}");
                continue;
            }
        };
        let risks = &routed.risks;
        let bound = row.a2a_bound_capacity.is_some();
        assert_eq!(
            (bound, risks.a2a_capacity.is_some()),
            (row.throw > 0, row.throw > 0)
        );
        if row.throw > 0 {
            let over = [
                risks.a2a_capacity,
                risks.rp_capacity,
                risks.sp_dmodc_capacity,
                risks.exact_capacity,
            ];
            let plain = [Some(risks.a2a), Some(risks.rp), risks.sp_dmodc, risks.exact];
            assert!(
                over.iter().zip(plain).all(|(o, p)| *o >= p.map(f64::from)),
                "{row:?}"
            );
            assert!(row.a2a_bound_capacity <= risks.a2a_capacity, "{row:?}");
            assert!(risks.exact_capacity <= risks.a2a_capacity, "{row:?}");
            // Who knows of speeds routes otherwise.
            let knows = ["dmodc", "dfsssp:avoid", "nue:avoid"].contains(&&*engine);
            let changed = routed.changed_blocks.expect("LIDs stay") > 0;
            assert_eq!(changed, knows, "{row:?}");
        }
    }
    dmodc(&["report", &out]);
    let summary = fs::read_to_string(dir.path().join("results/summary.md")).expect("tables");
    for text in [
        "### 48 end nodes, links at a quarter\n",
        "1 throws, 1 of them connected. Medians at 0 (1) / 1–9 (1) planes at half.",
        " A2A over capacity | worst permutation | worst permutation over capacity |",
    ] {
        assert!(summary.contains(text), "no {text:?} in {summary}");
    }
}

/// The examples of docs/operations.md with this mark, in a folder with the capture that they are of.
fn operations(mark: &str) -> (PathBuf, Vec<page::Example>, TempDir) {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fabric = root.join("tests/data/production/leaf-to-leaf-8sw.ibnetdiscover");
    fs::copy(fabric, folder.path().join("fabric.net")).expect("the capture");
    let page = root.join("docs/operations.md");
    let examples = page::examples(&page, mark);
    assert!(!examples.is_empty());
    (page, examples, folder)
}

/// The examples of docs/operations.md that need OpenSM.
#[test]
fn the_examples_of_operations_print_what_it_shows() {
    let (page, mut examples, folder) = operations("console opensm");
    for example in &mut examples {
        // The plugin of this build.
        let plugin = plugin_dir();
        example.command += &format!(" --plugin-dir {}", plugin.display());
    }
    page::run(&page, &examples, folder.path());
}

/// ibsim and OpenSM, started by hand in one shell.
#[test]
fn the_rehearsal_of_operations_prints_what_it_shows() {
    let (page, examples, folder) = operations("console rehearsal");
    let socket = folder.path().file_name().expect("a name");
    let mut script = format!(
        "trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT
        export PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin IBSIM_SOCKNAME={} LD_LIBRARY_PATH={}\n",
        socket.display(),
        plugin_dir().display()
    );
    let mut shown = Vec::new();
    let line = examples[0].line;
    for example in examples {
        script += &(example.command + "\n");
        shown.extend(example.shown);
    }
    fs::write(folder.path().join("script"), script).expect("a script");
    // Nothing of it outlives the test, nor waits for ever.
    let command = "exec setpriv --pdeathsig TERM timeout --kill-after 5 60 bash script".into();
    let whole = page::Example {
        line,
        command,
        shown,
    };
    page::run(&page, &[whole], folder.path());
}

/// All but --degrade has a default.
#[test]
fn throws_need_no_more_than_a_word() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let args = [
        "--degrade",
        "switches",
        "--throws",
        "2",
        "--engines",
        "minhop,dmodc",
    ];
    let done = command(&args)
        .arg(fabric("two-switches.netlist"))
        .current_dir(dir.path())
        .output()
        .expect("the tool runs");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    let rows = read_throws(&dir.path().join("results/throws-two-switches-switches.csv"));
    assert_eq!(rows.expect("rows").len(), 2 * 3);
}

#[test]
fn a_typing_error_is_bad_usage() {
    let net = fabric("two-switches.netlist");
    let net = net.to_str().expect("the path is plain text");
    for (option, value, told) in [
        ("--engines", "dmodc,ftre", "there is no engine 'ftre'"),
        ("--engines", "dmodc:papr", "'papr' is no option of Dmodc"),
        ("--engines", "ftree+io+roots", "then maybe '+roots'"),
        (
            "--degrade",
            "cables",
            "'cables' is none of 'switches', 'links', 'slow', 'planes'",
        ),
        ("--degrade", "slow=1,0", "'0' is no number of pieces"),
    ] {
        let done = compare(&[net, option, value]);
        assert_eq!(done.status.code(), Some(2));
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(errors.contains(told), "{errors}");
    }
}

#[test]
fn a_missing_plugin_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let tool = dir.path().join("dmodc");
    // Not by `fs::copy`: what other tests start meanwhile would hold the file open for writing.
    let copied = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_dmodc"))
        .arg(&tool)
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    let said = dir.path().to_str().expect("the path is plain text");
    // It is missing in the given folder; beside the tool and where the loader looks.
    for (args, told) in [
        (&["--plugin-dir", said][..], "libdmodc.so: No such file"),
        (&[], "OpenSM does not load libdmodc.so"),
        (
            &["--degrade", "links", "-o", said],
            "OpenSM does not load libdmodc_lab.so",
        ),
    ] {
        let done = Command::new(&tool)
            .arg("compare")
            .arg(fabric("two-switches.netlist"))
            .args(args)
            .env_remove("LD_LIBRARY_PATH")
            .output()
            .expect("the tool runs");
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(
            done.status.code() == Some(2) && errors.contains(told),
            "{errors}"
        );
    }
}
