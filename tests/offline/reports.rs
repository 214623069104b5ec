//! The table of `dmodc compare --degrade` has the medians of the report, which is in `tests/data/answers/report.txt`.

use crate::support::*;

#[test]
fn medians_tell_over_how_many_throws_they_are() {
    let rows = std::fs::read_to_string(data("throws.csv")).unwrap();
    let (header, _) = rows.split_once('\n').unwrap();
    let row = |throw, engine, unreachable, no_route, a2a, exact| {
        format!(
            "\nsmall,14,48,links,4,1,{throw},{throw}0,{unreachable},{engine},1,{no_route},{a2a},3,1,1,,,0,9,\
             1000,dmodc 0.1.0; OpenSM 3.3.23,,6,86.17,0,,0,1,2,0,0,1,{exact}"
        )
    };
    let rows = [
        row(1, "dmodc", 0, 0, 8, 8),
        row(2, "dmodc", 0, 0, 9, 8),
        row(1, "sssp", 0, 0, 5, 4),
        row(2, "sssp", 0, 3, 5, 4),
        row(3, "dmodc", 2, 0, 99, 9),
    ];
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, header.to_owned() + &rows.concat() + "\n").unwrap();
    let rows = dmodc_lab::compare::read_throws(file.path()).unwrap();
    let specs = ["dmodc", "sssp"].map(|name| name.parse().unwrap());
    let text = dmodc_lab::report::medians(&rows, &specs);
    let words: Vec<&str> = text.split_whitespace().collect();
    has(&words.join(" "), " dmodc 3 2 8.5 ");
    has(&words.join(" "), " sssp 2 1 5 (1) ");
}
