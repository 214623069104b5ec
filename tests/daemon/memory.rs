//! The plugin's memory, watched by valgrind inside the stock OpenSM.
//!
//! Everything of OpenSM's that the plugin reads and writes lies in blocks of OpenSM's own, so an
//! entry written beside a table would be found as well as one read of our own.

use crate::metrics::metrics_file;
use crate::storm::{Memory, NODES_100, Storm};
use crate::support::*;

/// What valgrind found, one text for each finding.
struct Findings(Vec<String>);

impl Findings {
    fn parse(xml: Vec<u8>) -> Findings {
        let text = String::from_utf8(xml).expect("plain text");
        assert!(
            text.contains("</valgrindoutput>"),
            "valgrind has come to its end"
        );
        let found = text.split("<error>").skip(1);
        Findings(found.map(str::to_owned).collect())
    }

    /// Wants no wrong access but those that are known of others, and nothing of ours left behind
    /// but what the queues of the thread pool keep for each thread until the process ends.
    fn assert_none_of_ours(&self) {
        let (leaks, errors): (Vec<&String>, Vec<_>) =
            self.0.iter().partition(|e| e.contains("<kind>Leak_"));
        // ibsim's client library reads beyond its own messages, and sends bytes that it has not
        // set. Nobody else does anything wrong.
        let known = |e: &&&String| is_of(e, "libumad2sim") && !is_of(e, "libdmodc");
        let others: Vec<_> = errors.iter().filter(|e| !known(e)).collect();
        assert!(others.is_empty(), "{others:#?}");
        let mut ours = leaks.iter().filter(|e| is_of(e, "libdmodc"));
        let lost = ours.find(|e| !e.contains("<fn>crossbeam_"));
        assert!(lost.is_none(), "{lost:#?}");
    }
}

/// Whether a function of this library is in the finding's call stack.
fn is_of(finding: &str, library: &str) -> bool {
    finding.contains(&format!("/{library}.so<"))
}

#[test]
fn no_error_and_no_leak_in_a_few_sweeps() {
    let net = Net::pgft(FIGURE_1);
    let mut sim = Ibsim::start(&net.path);
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
    Findings::parse(files.read("findings.xml")).assert_none_of_ours();
}

#[test]
#[ignore = "long: make memcheck"]
fn no_error_and_no_leak_in_a_storm() {
    let storm = Storm {
        name: "100-valgrind",
        shape: NODES_100,
        rounds: 200,
        warm: 8,
        memory: Memory::Valgrind,
    };
    let (_, found) = storm.run("dmodc");
    Findings::parse(found.expect("it ran under valgrind")).assert_none_of_ours();
}
