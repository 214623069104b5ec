//! `dmodc compare` with the stock OpenSM and ibsim on fabrics of a few switches.

#[path = "../support/golden.rs"]
mod golden;
#[path = "../support/examples.rs"]
mod page;

use crate::support::opensm::plugin_dir;
use crate::support::{done, ends, root, tool};
use dmodc_formats::netlist::Netlist;
use dmodc_lab::compare::{Real, ThrowRow, read_throws};
use serde_json::Value;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Two switches of five and four hosts, with three links.
fn two_switches() -> PathBuf {
    root().join("tests/data/fabrics/two-switches.netlist")
}

/// Runs a comparison that must succeed; returns its standard output.
fn compared(args: &str) -> String {
    done(&mut command(args))
}

#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in {text}");
}

#[track_caller]
fn has_all(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| has(text, part));
}

fn command(args: &str) -> Command {
    command_of(&args.split_whitespace().collect::<Vec<_>>())
}

fn command_of(args: &[&str]) -> Command {
    let mut command = tool(&["compare", "--permutations", "10", "--plugin-dir"]);
    command.arg(plugin_dir()).args(args);
    command
}

fn dmodc(args: &str) -> String {
    done(tool(&[]).args(args.split_whitespace()))
}

/// A temporary folder. With [`Study::new`] it has a tree of a shape and seed in `tree.net`.
struct Study(TempDir);

impl Study {
    fn empty() -> Study {
        Study(tempfile::tempdir().expect("a temporary folder"))
    }

    fn new(shape: &str, seed: u32) -> Study {
        let study = Study::empty();
        let net = study.path("tree.net");
        dmodc(&format!("generate {shape} --seed {seed} -o {net}"));
        study
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn rows(&self, name: &str) -> Vec<ThrowRow> {
        read_throws(&self.0.path().join(name)).expect("rows")
    }
}

/// 96 nodes, 14 switches above the leaves.
const NODES_96: &str = "PGFT(3;6,4,4;1,2,3;1,1,1)";

/// On 96 hosts with links removed: a second run makes only the rows that are missing; `report` makes the page.
#[test]
fn throws_are_made_resumed_and_reported() {
    let study = Study::new(NODES_96, 5);
    let [net, out] = ["tree.net", "results"].map(|name| study.path(name));
    let throw = |throws: u32| {
        let engines = "dmodc,dmodc:paper,dmodc:reference,ftree,ftree+roots,minhop";
        let series = format!("--degrade links --throws {throws} --max-exponent 3 --jobs 2");
        let text = compared(&format!("{net} --engines {engines} {series} -o {out}"));
        has(&text, &format!("\n'dmodc report {out}' makes"));
        text
    };
    let first = |text: String| text.lines().next().map(str::to_owned).unwrap_or_default();

    let text = throw(2);
    for engine in ["dmodc", "ftree+roots", "minhop"] {
        let begin = format!("{engine} ");
        let line = text.lines().find(|line| line.starts_with(&begin));
        let line = line.expect("a line for each engine");
        let words: Vec<&str> = line.split_whitespace().collect();
        // Engine, throws, routed, A2A, RP, SP, milliseconds.
        assert_eq!((words.len(), words[1], words[2]), (7, "2", "2"), "{text}");
    }
    let appended = |throws: u32, rows: u32| {
        format!("tree: {throws} throws, links removed, {rows} rows appended")
    };
    assert_eq!(first(text), appended(2, 18));
    let file = study.path("results/throws-tree-links.csv");
    let whole = fs::read_to_string(&file).expect("rows");
    // The last row is cut: `compare` repeats that throw for that engine alone, and makes one more throw for all six.
    fs::write(&file, &whole[..whole.len() - 9]).expect("the file can be cut");
    assert_eq!(first(throw(3)), appended(3, 7));
    assert_eq!(first(throw(3)), appended(3, 0));

    let rows = study.rows("results/throws-tree-links.csv");
    assert_eq!(rows.len(), 4 * 6);
    let again = &rows[17];
    assert_eq!((again.throw, &*again.engine.to_string()), (2, "minhop"));
    assert!(rows.iter().any(|row| row.removed > 0));
    for row in &rows {
        let engine = row.engine.to_string();
        if !row.accepted {
            // Without roots, ftree refuses a tree that lacks a link.
            assert!(engine == "ftree" && row.removed > 0, "{row:?}");
            assert!(row.reason.contains("not a fat-tree"), "{}", row.reason);
            continue;
        }
        assert_eq!((row.nodes, row.no_route), (96, Some(0)), "{row:?}");
        assert!(row.sp_ftree.is_some());
        let ebb = row.ebb.expect("a percentage").0;
        assert!((1.0..=100.0).contains(&ebb) && row.credit_loops.is_some());
        assert!(row.host_credit_loops.is_some());
        let a2a = row.a2a.expect("a risk");
        let [exact, bound] = [row.exact, row.a2a_bound].map(|figure| figure.expect("a figure"));
        assert!(exact <= a2a && bound <= a2a, "{row:?}");
        let both = (row.changed_blocks, row.changed_entries);
        assert!(both.0 <= both.1, "entries are in blocks: {both:?}");
        // Changes are counted against the tables of the complete fabric, throw 0.
        let expected = (row.throw > 0).then_some(row.removed > 0);
        let changed = row.changed_blocks.map(|blocks| blocks > 0);
        assert_eq!(changed, expected, "{row:?}");
    }

    assert!(dmodc(&format!("report {out}")).contains(": 1 figures"));
    let page = study.text("results/report.html");
    has_all(
        &page,
        &[
            "Static figures, not throughput",
            "tree: 3 throws, links removed</a> (3 connected)",
            "<h3>Engine by engine</h3>",
            "running quartiles",
            "(log)",
            "Fabric topology is not a fat-tree",
            "<h3>changed blocks, by decade of faults</h3>",
            "<h3>No tables, pairs left out, credit loops</h3>",
        ],
    );
    // The page is one file: a browser fetches nothing else.
    assert!(!page.contains("src=") && !page.contains("<link") && !page.contains("url("));
    assert!(
        page.contains("<title>") && !page.contains("00000000"),
        "numbers as people write them"
    );
    has_all(
        &page,
        &[concat!("dmodc ", env!("CARGO_PKG_VERSION")), "OpenSM 3.3.2"],
    );
}

/// `compare` also takes tables from programs (`exec:`) and files (`lfts:`), and OpenSM's engines with options.
#[test]
fn programs_and_options_take_part() {
    let study = Study::new(NODES_96, 5);
    let [net, out, kept] = ["tree.net", "results", "kept"].map(|name| study.path(name));
    let tool = env!("CARGO_BIN_EXE_dmodc");
    let example = root().join("docs/examples/random-paths.py");
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
    let series = "--degrade links --throws 2 --max-exponent 4";
    let throws = format!("{net} -o {out} {series} --keep {kept} --engines");
    let engines_of_all = engines.join(",");
    let args: Vec<&str> = throws.split(' ').chain([&*engines_of_all]).collect();
    done(&mut command_of(&args));
    let rows = study.rows("results/throws-tree-links.csv");
    assert_eq!(rows.len(), 3 * engines.len());
    // A second run recognises all rows as its own, also where two engines make the same tables.
    done(&mut command_of(&args));
    assert_eq!(study.rows("results/throws-tree-links.csv"), rows);
    for of_throw in rows.chunks(engines.len()) {
        // Each row has the full name of its engine, with options and command.
        let names = of_throw.iter().map(|row| format!("{:#}", row.engine));
        assert_eq!(names.collect::<Vec<_>>(), engines);
        // Dmodc as a program has the same row, except for name, times and program.
        let again = ThrowRow {
            engine: of_throw[0].engine.clone(),
            of: of_throw[0].of.clone(),
            lid_matrices_us: of_throw[0].lid_matrices_us,
            fwd_tables_us: of_throw[0].fwd_tables_us,
            ..of_throw[1].clone()
        };
        assert_eq!(again, of_throw[0], "the same engine by another way");
        assert_eq!(of_throw[2].no_route, Some(0), "tables of the example");
        assert_eq!(of_throw[3].reason, "exit status: 3: no luck today");
        let missing = &of_throw[4].reason;
        has(missing, "there is no nowhere/tree-links-");
        let lanes = |at: usize| (of_throw[at].lanes, of_throw[at].lane_credit_loops);
        // By default nue uses one lane and closes no credit loop.
        assert_eq!(lanes(5), (Some(1), Some(0)));
        assert!(lanes(6).0 > Some(1), "{:?}", lanes(6));
        assert_eq!((lanes(6).1, lanes(7).1), (Some(0), Some(0)));
    }
    // The tables in the `--keep` folder, read by `lfts:`, have the same figures. Tables contain no times and no lanes.
    let again = format!("dmodc=lfts:{kept},nue:vls=0=lfts:{kept}");
    let folder = study.path("again");
    compared(&format!("{net} --engines {again} -o {folder} {series}"));
    let second = study.rows("again/throws-tree-links.csv");
    assert_eq!(second.len(), 3 * 2);
    for row in &second {
        let is_same = |first: &&ThrowRow| {
            (first.throw, first.engine.to_string()) == (row.throw, row.engine.to_string())
        };
        let first = rows.iter().find(is_same).expect("the first of the two");
        assert_eq!(first.removal_seed, row.removal_seed);
        let figures = |row: &ThrowRow| {
            assert!(row.accepted, "{row:?}");
            let risks = (row.a2a, row.exact, row.sp_dmodc);
            (risks, row.credit_loops, row.changed_entries)
        };
        assert_eq!(figures(first), figures(row));
    }
    // The netlist in the `--keep` folder is the fabric of the throw.
    let netlist = Netlist::read(Path::new(&study.path("kept/tree-links-2.net.gz")));
    let switches = netlist.expect("a netlist").switches().count();
    assert_eq!(switches, rows[rows.len() - 1].switches);
    // A comparison of programs alone kills a program at the time limit.
    let late = "late=exec:sleep 60;";
    let args = [&net, "--limit", "1", "--json", "--engines", late];
    let text = done(&mut command_of(&args));
    let result: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(result["rows"][0]["reason"], "timed out after 1 s");
}

/// Rows belong to the content of fabric, programs and tables: `compare` adds none where a file has changed.
#[test]
fn rows_of_other_files_are_not_continued() {
    let study = Study::new(NODES_96, 5);
    let names = ["tree.net", "results", "my.sh", "other", "kept"];
    let [net, out, program, other, kept] = names.map(|name| study.path(name));
    let write = |file: &str, text: &str| fs::write(file, text).expect("a file");
    let told = |args: &str, code: i32, text: &str| {
        let args = format!("{args} --degrade links=1,2 --throws 2 -o {out}");
        // `@` stands for a blank inside a command.
        let words: Vec<String> = args.split(' ').map(|word| word.replace('@', " ")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        has(&ends(&mut command_of(&words), code).concat(), text);
    };
    let script = format!("exec {} route $1 --lfts $2\n", env!("CARGO_BIN_EXE_dmodc"));
    write(&program, &script);
    let mine = format!("{net} --engines my=exec:sh@{program}");
    let engines = format!("{net} --engines minhop,dmodc,kept=lfts:{kept}");
    told(&engines, 0, "9 rows appended");
    told(&engines, 0, "0 rows appended");
    told(&mine, 0, "3 rows appended");
    // Another fabric of the same name, alone and beside the first.
    fs::create_dir(&other).expect("a folder");
    let other = format!("{other}/tree.net");
    dmodc(&format!("degrade {net} --links 5 --seed 7 -o {other}"));
    let alone = engines.replace(&net, &other);
    told(&alone, 2, "another fabric of the name");
    let both = format!("{other} {engines}");
    told(&both, 2, "two fabrics have the name 'tree'");
    // The same fabric, with a comment added to its file.
    let text = fs::read_to_string(&net).expect("the fabric");
    write(&net, &format!("# again\n{text}"));
    told(&engines, 0, "0 rows appended");
    // A program with other content, one with another name, tables where there were none.
    write(&program, &format!("{script}# another\n"));
    told(&mine, 2, "are of other files than");
    let bash = mine.replace(":sh", ":bash");
    told(&bash, 2, "its rows of 'my' are of my=exec:sh");
    fs::create_dir(&kept).expect("a folder");
    write(&format!("{kept}/tree-links-1-kept.lfts"), "");
    told(&engines, 2, "are of other files than");
    // The rows of another version of Dmodc stay, and the output names that version.
    let file = study.path("results/throws-tree-links.csv");
    let rows = fs::read_to_string(&file).expect("rows");
    let ours = concat!(",dmodc ", env!("CARGO_PKG_VERSION"), ";");
    write(&file, &rows.replace(ours, ",dmodc 0.0.1;"));
    let both = format!("{net} --engines minhop,dmodc");
    told(&both, 0, "rows of Dmodc by dmodc 0.0.1");
}

/// A study that a signal stops prints the table of the throws that are done; the same command continues it.
#[test]
fn a_stopped_study_shows_its_finished_rows() {
    let study = Study::new(NODES_96, 5);
    let [net, out] = ["tree.net", "results"].map(|name| study.path(name));
    let args = format!("{net} -o {out} --engines minhop --degrade links --throws 10000");
    let child = command(&args).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("the tool runs");
    let file = study.path("results/throws-tree-links.csv");
    let text = || fs::read_to_string(&file).unwrap_or_default();
    let rows = || text().lines().count();
    while rows() < 4 {
        assert!(matches!(child.try_wait(), Ok(None)), "it has ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    // TERM, not INT: a background job of a shell ignores INT.
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.signal(), Some(15));
    let text = String::from_utf8(done.stdout).expect("plain text");
    let (_, line) = text.split_once("\nminhop ").expect("its line");
    let throws = line.split_whitespace().next().expect("a number");
    // `compare` may write one more row while it prints the table.
    let written = rows() - 2;
    let possible = [written, written - 1].map(|n| n.to_string());
    assert!(possible.contains(&throws.to_owned()), "{text}");
    let begin = "stopped; the same command goes on\nmedians ";
    assert!(text.starts_with(begin), "{text}");
}

/// A study in two parts, run at the same time by the Slurm job of docs/examples, has the same rows as the study in one
/// piece.
#[test]
fn an_array_makes_the_rows_of_the_whole() {
    let study = Study::empty();
    let [whole, parts] = ["whole", "parts"].map(|name| study.path(name));
    let (net, plugin) = (two_switches(), plugin_dir());
    let (net, plugin) = (net.display(), plugin.display());
    let series = "--degrade links --throws 3 --max-exponent 1.5 --engines dmodc,minhop";
    let args = format!("{net} {parts} --permutations 10 --plugin-dir {plugin} {series}");
    let tools = Path::new(env!("CARGO_BIN_EXE_dmodc")).parent();
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", tools.expect("a folder").display());
    let task = |number: &str| {
        let mut task = Command::new(root().join("docs/examples/slurm-array.sh"));
        task.args(args.split(' ')).env("PATH", &path);
        task.env("SLURM_ARRAY_TASK_ID", number);
        done(task.env("SLURM_ARRAY_TASK_COUNT", "2"))
    };
    std::thread::scope(|scope| {
        for number in ["1", "2"] {
            scope.spawn(move || task(number));
        }
    });
    compared(&format!("{net} -o {whole} {series}"));
    // The rows without their times.
    let rows = |file: &str| {
        let mut rows = study.rows(file);
        for row in &mut rows {
            (row.lid_matrices_us, row.fwd_tables_us) = (None, None);
        }
        rows
    };
    let expected = rows("whole/throws-two-switches-links.csv");
    let part = |part| rows(&format!("parts/throws-two-switches-links-{part}-of-2.csv"));
    let [first, second] = [1, 2].map(part);
    // Each part begins with the complete fabric.
    assert_eq!((first.len(), second.len()), (2 * 2, 3 * 2));
    assert_eq!(first[..2], second[..2]);
    let mut all = [&first[..], &second[2..]].concat();
    all.sort_by_key(|row| row.throw);
    assert_eq!(all, expected);
    // `report` joins the parts of a folder.
    for folder in [parts, whole] {
        dmodc(&format!("report {folder}"));
        has(
            &study.text(&format!("{folder}/report.html")),
            ": 3 throws, ",
        );
    }
}

/// With slow links rows have risks over capacity too. Only engines that use speeds change their tables.
#[test]
fn throws_of_slow_links_have_risks_over_capacity() {
    let study = Study::new("PGFT(3;4,4,3;1,2,3;1,1,1)", 2);
    let [net, out] = ["tree.net", "results"].map(|name| study.path(name));
    let throw = |degrade: &str| {
        let engines = "--engines dmodc,dmodc:ignore,minhop,dfsssp,dfsssp:avoid,nue:avoid";
        let series = format!("--degrade {degrade} --throws 2");
        command(&format!("{net} {series} -o {out} {engines}"))
    };
    has(&done(&mut throw("slow=1,2")), "over capacity");
    // Other numbers of slow links are another series, which this folder refuses.
    ends(&mut throw("slow=2,3"), 2);
    let rows = study.rows("results/throws-tree-slow.csv");
    assert_eq!(rows.len(), 6 * 3);
    for row in rows {
        let engine = row.engine.to_string();
        assert!(row.accepted, "{row:?}");
        for figure in [row.a2a_bound_capacity, row.a2a_capacity] {
            assert_eq!(figure.is_some(), row.throw > 0);
        }
        if row.throw > 0 {
            for (over, risk) in [
                (row.a2a_capacity, row.a2a),
                (row.rp_capacity, row.rp),
                (row.sp_dmodc_capacity, row.sp_dmodc),
                (row.exact_capacity, row.exact),
            ] {
                assert!(over >= risk.map(|risk| Real(risk.into())), "{row:?}");
            }
            assert!(row.a2a_bound_capacity <= row.a2a_capacity, "{row:?}");
            assert!(row.exact_capacity <= row.a2a_capacity, "{row:?}");
            // Slow links change the tables of the engines that use speeds, and of no other.
            let knows = ["dmodc", "dfsssp:avoid", "nue:avoid"].contains(&&*engine);
            let changed = row.changed_blocks.expect("LIDs stay") > 0;
            assert_eq!(changed, knows, "{row:?}");
        }
    }
    dmodc(&format!("report {out}"));
    let page = study.text("results/report.html");
    has_all(
        &page,
        &[
            ": links at a quarter</h2>\n<p>48 end nodes, ",
            "2 throws, links at a quarter</a> (2 connected)",
            "<h3>A2A over capacity, by decade of faults</h3>",
            "<h3>worst permutation over capacity, by decade of faults</h3>",
        ],
    );
}

/// The examples of docs/operations.md that need OpenSM print what the page shows.
#[test]
fn the_examples_of_operations_print_what_it_shows() {
    let (page, mut examples, folder) = page::operations("console opensm");
    for example in &mut examples {
        // The tool loads the plugin of this build.
        let plugin = plugin_dir();
        example.command += &format!(" --plugin-dir {}", plugin.display());
    }
    page::run(&page, &examples, folder.path());
}

/// The rehearsal of docs/operations.md, ibsim and OpenSM started by hand in one shell, prints what the page shows.
#[test]
fn the_rehearsal_of_operations_prints_what_it_shows() {
    let (page, examples, folder) = page::operations("console rehearsal");
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
    // No process of the script outlives the test or waits for ever.
    let command = "exec setpriv --pdeathsig TERM timeout --kill-after 5 60 bash script".into();
    let whole = page::Example {
        line,
        command,
        shown,
    };
    page::run(&page, &[whole], folder.path());
}

/// The commands in `tests/data/answers-opensm` print what these files show.
#[test]
fn commands_print_the_golden_output() {
    golden::answers("answers-opensm");
}
