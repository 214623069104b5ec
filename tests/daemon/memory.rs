//! The plugin's memory, watched by valgrind inside the stock OpenSM.
//!
//! All data of OpenSM that the plugin reads and writes lies in blocks that OpenSM allocates, so valgrind finds an
//! access beside a table of OpenSM as well as one beside the plugin's own data.

use crate::metrics::metrics_file;
use crate::storm::{NODES_100, Storm};
use crate::support::*;

/// Asserts that valgrind finds no wrong access except known ones of ibsim's client library, and no leak of the plugin
/// except the memory that the queues of the thread pool keep for each thread until the process ends.
fn assert_none_of_ours(xml: Vec<u8>) {
    let text = String::from_utf8(xml).expect("plain text");
    let has_ended = text.contains("</valgrindoutput>");
    assert!(has_ended, "valgrind has come to its end");
    // Whether a function of this library is in the finding's call stack.
    let is_of = |finding: &str, library: &str| finding.contains(&format!("/{library}.so<"));
    for finding in text.split("<error>").skip(1) {
        let is_ours = is_of(finding, "libdmodc");
        let is_known = match finding.contains("<kind>Leak_") {
            true => !is_ours || finding.contains("<fn>crossbeam_"),
            // ibsim's client library reads beyond its own messages, and sends bytes that it has not set. No other wrong
            // access is allowed.
            false => !is_ours && is_of(finding, "libumad2sim"),
        };
        assert!(is_known, "{finding}");
    }
}

#[test]
fn no_error_and_no_leak_in_a_few_sweeps() {
    let (net, mut sim) = Net::simulated(FIGURE_1);
    let (_, config) = metrics_file(&sim, Config::dmodc().lmc(1));
    let sm = OpenSm::start(&sim, &config.under_valgrind());
    let (node, port) = net.switch_link();
    for _ in 0..2 {
        sim.unlink(node, port);
        sm.resweep();
        sim.relink(node, port);
        sm.resweep();
    }
    assert!(sm.files.routed() > 4);
    let files = sm.stop_for_files().expect("OpenSM ends in good order");
    assert_none_of_ours(files.read("findings.xml"));
}

#[test]
#[ignore = "long: make memcheck"]
fn no_error_and_no_leak_in_a_storm() {
    let storm = Storm {
        shape: NODES_100,
        rounds: 200,
        warm: 8,
        under_valgrind: true,
    };
    let (_, found) = storm.run("dmodc");
    assert_none_of_ours(found.expect("it ran under valgrind"));
}
