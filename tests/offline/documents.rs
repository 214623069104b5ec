//! The documents are complete and short: docs/troubleshooting.md explains every message of Dmodc in OpenSM's log, every
//! link between the pages leads to a file, all pages together have less than 12,000 words, and examples print what the
//! page shows.

#[path = "../support/examples.rs"]
mod page;

use crate::promtool::promtool;
use crate::support::{has, root};
use std::fs;
use std::path::PathBuf;

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder of the project");
    let paths = entries.map(|e| e.expect("an entry").path());
    let has_it = |p: &PathBuf| p.extension().is_some_and(|e| e == extension);
    paths.filter(has_it).collect()
}

fn pages() -> Vec<PathBuf> {
    let folders = ". crates/python docker docs docs/decisions docs/results opensm-patch packaging \
                   packaging/prometheus tests/data tests/data/production";
    let folders = folders.split_whitespace();
    folders.flat_map(|folder| files(folder, "md")).collect()
}

/// The string literal that `source` begins with, blanks before it skipped.
fn literal(source: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = source.trim_start().strip_prefix('"')?.chars().peekable();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' if chars.peek() == Some(&'\n') => {
                while chars.next_if(|c| c.is_whitespace()).is_some() {}
            }
            '\\' => text.extend(chars.next()),
            c => text.push(c),
        }
    }
}

/// The longest piece of a format that is the same in all its messages.
fn fixed_part(format: &str) -> String {
    let pieces = format.split('{').map(|p| p.split('}').next_back());
    let pieces = pieces.map(|p| p.unwrap_or_default().trim());
    let longest = pieces.max_by_key(|p| p.len()).unwrap_or_default();
    longest.trim_start_matches("of ").to_owned()
}

#[test]
fn every_message_is_explained() {
    let page = fs::read_to_string(root().join("docs/troubleshooting.md")).expect("the page");
    let folders = "src src/ffi crates/watch/src/sweeps crates/tool/src/cmd/follow".split(' ');
    let mut sources: Vec<PathBuf> = folders.flat_map(|folder| files(folder, "rs")).collect();
    for file in "core/src/engine core/src/options fabric/src/builder formats/src/netlist/guids \
                 tool/src/cmd/follow"
        .split_whitespace()
    {
        sources.push(root().join(format!("crates/{file}.rs")));
    }
    let mut messages = 0;
    for source in sources {
        let text = fs::read_to_string(&source).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for start in ["log::error!(", "log::warn!(", "#[error(", "complain("] {
            for format in code.split(start).skip(1).filter_map(literal) {
                let fixed = fixed_part(&format);
                messages += usize::from(!fixed.is_empty());
                let source = source.display();
                assert!(
                    page.contains(&fixed),
                    "{source}: {format:?} is not explained"
                );
            }
        }
    }
    assert!(messages > 20, "only {messages} messages found");
}

/// Prometheus accepts the alert rules, and they fire when they should.
#[test]
fn alert_rules_hold() {
    let folder = root().join("packaging/prometheus");
    promtool(&folder, &["check", "rules", "dmodc.rules.yml"], b"");
    promtool(&folder, &["test", "rules", "dmodc.test.yml"], b"");
    // Dmodc writes every metric that a rule uses, and the page explains it.
    let rules = fs::read_to_string(folder.join("dmodc.rules.yml")).expect("rules");
    let page = fs::read_to_string(folder.join("README.md")).expect("the page");
    let source =
        fs::read_to_string(root().join("crates/watch/src/sweeps/metrics/mod.rs")).expect("a file");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = 0;
    let words = rules.split(|c| !is_word(c));
    for name in words.filter(|word| word.starts_with("dmodc_")) {
        let is_explained = page.contains(&format!("`{name}`"));
        assert!(is_explained, "the page does not explain {name}");
        let bare = name.trim_start_matches("dmodc_").trim_end_matches("_total");
        assert!(source.contains(bare), "nothing writes {name}");
        names += 1;
    }
    assert!(names > 7, "only {names} names found");
}

/// Each table begins with a header, since a row after an empty line is plain text; and each link leads to a file.
#[test]
fn tables_and_links_of_all_pages_hold() {
    let (mut tables, mut links) = (0, 0);
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, l)| l.starts_with('|')) {
            if at > 0 && !lines[at - 1].starts_with('|') {
                let below = lines.get(at + 1).is_some_and(|l| l.starts_with("|-"));
                assert!(below, "{}:{}: {line}", page.display(), at + 1);
                tables += 1;
            }
        }
        for target in text.split("](").skip(1) {
            let target = target.split([')', '#']).next().unwrap();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            links += 1;
            let path = page.parent().expect("a folder").join(target);
            assert!(path.exists(), "{}: no {target}", page.display());
        }
    }
    assert!(tables > 10 && links > 10, "{tables} tables, {links} links");
}

/// A word has a letter. Blocks of commands, outputs and drawings have none, nor have tables that commands print: those
/// of docs/fabrics.md, which are indented, and of docs/results/tables.md.
#[test]
fn all_pages_have_less_than_12000_words() {
    let mut words = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let prose = text.split("```").step_by(2).flat_map(str::lines);
        let printed = if page.ends_with("results/tables.md") {
            "|"
        } else {
            "    "
        };
        let prose = prose.filter(|line| !line.starts_with(printed));
        let is_word = |word: &&str| word.contains(char::is_alphabetic);
        let count = |line: &str| line.split([' ', '|']).filter(is_word).count();
        words += prose.map(count).sum::<usize>();
    }
    assert!((6000..12000).contains(&words), "{words} words");
}

/// All files have the present version, and the changelog has a section for it.
#[test]
fn the_version_is_the_same_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    for (page, line) in [
        ("CHANGELOG.md", "\n## VERSION\n"),
        ("packaging/switching.md", " dmodc: VERSION for OpenSM "),
        ("crates/python/Cargo.toml", "\nversion = \"VERSION\"\n"),
        ("CITATION.cff", "\nversion: VERSION\n"),
    ] {
        let text = fs::read_to_string(root().join(page)).expect("a page");
        let line = line.replace("VERSION", version);
        assert!(text.contains(&line), "{page} has no {line:?}");
    }
}

/// The examples of docs/operations.md print what the page shows.
#[test]
fn the_examples_of_operations_print_what_it_shows() {
    let (page, examples, folder) = page::operations("console");
    let commands: Vec<&str> = examples.iter().map(|e| &*e.command).collect();
    let text = commands.join("\n");
    for subcommand in
        "route check analyze degrade diff trace whatif wiring suspects events export draw"
            .split(' ')
    {
        has(&text, &format!("dmodc {subcommand} "));
    }
    page::run(&page, &examples, folder.path());
    assert!(folder.path().join("hurt.html").exists());
}
