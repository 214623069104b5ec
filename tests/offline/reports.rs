//! `dmodc report` of rows that are made by hand.

use crate::support::*;

/// A row of a series of links on a fabric of 48 nodes.
fn row(throw: u32, engine: &str, unreachable: u32, no_route: u32, a2a: u32, exact: u32) -> String {
    let gone = 10 * throw;
    format!(
        "small,14,48,links,4,1,{throw},{gone},{unreachable},{engine},1,{no_route},{a2a},3,1,1,,,0,9,\
         1000,dmodc 0.1.0; OpenSM 3.3.23,,6,86.17,0,,0,1,2,0,0,1,{exact}\n"
    )
}

const HEADER: &str = "fabric,switches,nodes,degrade,max_exponent,seed,throw,removed,unreachable_pairs,\
    engine,accepted,no_route,a2a,rp,sp_ftree,sp_dmodc,cn2io,changed_blocks,lid_matrices_us,\
    fwd_tables_us,permutations,versions,reason,a2a_bound,ebb,credit_loops,changed_entries,\
    host_credit_loops,host_switch_credit_loops,switch_credit_loops,aggregation_credit_loops,\
    lane_credit_loops,lanes,exact\n";

/// The page and the tables in short.
fn report(rows: &[String]) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("throws-small-links.csv");
    std::fs::write(file, HEADER.to_owned() + &rows.concat()).unwrap();
    ok(&["report", path(dir.path())]);
    let text = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    (text("report.html"), text("summary.md"))
}

#[test]
fn throws_without_an_up_down_path_have_a_block_of_their_own() {
    let (page, summary) = report(&[
        row(0, "dmodc", 0, 0, 6, 6),
        row(0, "sssp", 0, 0, 9, 7),
        row(1, "dmodc", 0, 0, 8, 8),
        row(1, "sssp", 0, 0, 9, 4),
        row(2, "dmodc", 3, 0, 40, 30),
        row(2, "sssp", 3, 0, 20, 10),
        row(3, "dmodc", 1, 0, 60, 50),
        row(3, "sssp", 1, 12, 5, 5),
    ]);
    let line = |begin: &str| summary.lines().find(|l| l.starts_with(begin)).unwrap();
    let cells = |begin: &str| line(begin).matches('|').count();
    assert_eq!(cells("| *bound* |"), cells("| engine | refused |"));
    assert!(line("| *bound* |").starts_with("| *bound* | | | | | | 6 / 6 |"));
    has(&summary, "Medians at 0 (1) / 10–99 (1) links removed.");
    // The throw with all paths, and the two without, each by itself.
    has(
        &summary,
        "| sssp | 0 | 0 | 0 | 0 / 0 / 3 / 3 / 0 | 1 | 9 / 9 | 7 / 4 |",
    );
    has(
        &summary,
        "In 2 more some pair of leaves has no up-down path.",
    );
    has(&summary, "| dmodc | 2 | 50 | 40 |");
    has(&summary, "| sssp | 1 | 20 | 10 |");
    has(
        &page,
        "Throws in which some pair of leaves has no up-down path: 2<",
    );
    has(&page, "<tr><th>sssp</th><td>1</td><td>20</td><td>10</td>");
}

#[test]
fn engines_are_held_against_each_other() {
    let (page, summary) = report(&[
        row(0, "dmodc", 0, 0, 6, 6),
        row(1, "dmodc", 0, 0, 8, 8),
        row(1, "sssp", 0, 0, 9, 4),
        row(1, "nue", 0, 0, 8, 9),
        row(2, "dmodc", 0, 0, 7, 7),
        row(2, "sssp", 0, 0, 7, 7),
        row(3, "dmodc", 0, 0, 9, 9),
        row(3, "sssp", 0, 0, 7, 7),
    ]);
    // The median of one throw is told from those of three.
    assert!(page.contains("<th>10–99 (3)</th>"), "{page}");
    has(&page, "<tr><th>nue</th><td>–</td><td>8 (1)</td></tr>");
    // A2A of 1 to 3: better, equal, worse; nue in one of them.
    let (_, matrix) = page.split_once("<summary>A2A</summary>").unwrap();
    let (matrix, _) = matrix.split_once("</details>").unwrap();
    for row in [
        "<tr><th>dmodc</th><td></td><td>1 / 1 / 1</td><td>0 / 1 / 0</td></tr>",
        "<tr><th>sssp</th><td>1 / 1 / 1</td><td></td><td>0 / 0 / 1</td></tr>",
        "<tr><th>nue</th><td>0 / 1 / 0</td><td>1 / 0 / 0</td><td></td></tr>",
    ] {
        assert!(matrix.contains(row), "{matrix}");
    }
    for text in [page, summary] {
        let sides = ["goal", "best or equal"].map(|word| text.contains(word));
        assert_eq!(sides, [false; 2], "the report takes nobody's side");
    }
    // Two engines with one line: that behind is wider.
    let twins =
        ["sssp", "dfsssp"].map(|engine| (1..=3).map(|n| row(n, engine, 0, 0, 9 + n, 7)).collect());
    let (page, _) = report(&(twins as [Vec<String>; 2]).concat());
    let width = |engine: &str| {
        let title = format!("<title>{engine}, running median<");
        let (svg, _) = page.split_once(&title).unwrap();
        let (_, width) = svg.rsplit_once("stroke-width=\"").unwrap();
        width.split('"').next().unwrap().to_owned()
    };
    assert_eq!((&*width("sssp"), &*width("dfsssp")), ("2", "6"));
}

/// A logarithmic axis has a place for none, beside that for one.
#[test]
fn nothing_changed_is_not_one_block() {
    let none = |n| row(n, "sssp", 0, 0, 9, 7).replace(",1,1,,,", ",1,1,,0,");
    let (page, _) = report(&[none(1), none(2), none(3)]);
    let (_, panel) = page.split_once("changed blocks\n").unwrap();
    let (panel, _) = panel.split_once("</svg>").unwrap();
    // One of each axis.
    assert_eq!(panel.matches("\n0\n</text>").count(), 2, "{panel}");
}

/// Two series of one name are not mixed.
#[test]
fn rows_of_two_fabrics_are_not_one_series() {
    let of = |throw, fabric: &str| {
        let row = row(throw, "sssp", 0, 0, 9, 7);
        format!("{},,,,,,,,,{fabric}\n", row.trim_end())
    };
    let dir = tempfile::tempdir().unwrap();
    let report = |rows: [String; 3]| {
        let file = dir.path().join("throws-small-links.csv");
        let header = dmodc_lab::compare::HEADER.join(",") + "\n";
        std::fs::write(file, header + &rows.concat()).unwrap();
    };
    report([of(1, "a - -"), of(2, ""), of(3, "a b -")]);
    ok(&["report", path(dir.path())]);
    report([of(1, "a - -"), of(2, ""), of(3, "b - -")]);
    let told = fails(2, &["report", path(dir.path())]);
    assert!(told.contains("two fabrics with the name 'small'"), "{told}");
}

/// Of medians that look the same, both are the best.
#[test]
fn the_best_is_the_best_as_shown() {
    let ebb = |throw, engine, ebb: &str| row(throw, engine, 0, 0, 9, 7).replace("86.17", ebb);
    let (page, _) = report(&[
        ebb(1, "sssp", "50.10"),
        ebb(2, "sssp", "50.20"),
        ebb(1, "nue", "50.20"),
        ebb(2, "nue", "50.20"),
        ebb(1, "dmodc", "50.00"),
        ebb(2, "dmodc", "50.00"),
    ]);
    let (_, table) = page.split_once("<h3>ebb, %, by decade").unwrap();
    let (table, _) = table.split_once("</table>").unwrap();
    assert_eq!(table.matches("<td><b>50.2</b></td>").count(), 2, "{table}");
    // One size of fabrics: times are a table, and no line.
    assert!(page.contains("<h2>Time over nodes</h2>") && !page.contains("end nodes (log)"));
}

/// The table of `dmodc compare --degrade` has the medians of the report.
#[test]
fn medians_tell_over_how_many_throws_they_are() {
    let rows = [
        row(1, "dmodc", 0, 0, 8, 8),
        row(2, "dmodc", 0, 0, 9, 8),
        row(1, "sssp", 0, 0, 5, 4),
        row(2, "sssp", 0, 3, 5, 4),
        row(3, "dmodc", 2, 0, 99, 9),
    ];
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, HEADER.to_owned() + &rows.concat()).unwrap();
    let rows = dmodc_lab::compare::read_throws(file.path()).unwrap();
    let specs = ["dmodc", "sssp"].map(|name| name.parse().unwrap());
    let text = dmodc_lab::report::medians(&rows, &specs);
    let words: Vec<&str> = text.split_whitespace().collect();
    has(&words.join(" "), " dmodc 3 2 8.5 ");
    has(&words.join(" "), " sssp 2 1 5 (1) ");
}
