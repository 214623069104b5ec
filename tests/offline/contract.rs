//! Nobody reads what the tool prints: no failure, and no message. The rest of the contract is in `tests/data/answers`.

use crate::support::*;

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let routed = Routed::shape("PGFT(2;30,30;1,10;1,1)");
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    for args in [
        &["generate", "PGFT(2;30,30;1,10;1,1)"][..],
        &["degrade", net, "--links", "2", "--seed", "1"],
        &["degrade", net, "--links", "2", "--seed", "1", "--list"],
        &["route", net],
        &["route", net, "--json"],
        &["route", net, "--lfts", "-"],
        &["check", net, lfts],
        &["analyze", net, lfts, "--permutations", "1"],
        &["diff", lfts, lfts],
        &["trace", net, lfts, "node-0", "node-899"],
        &["wiring", net],
        &["export", net, "dot"],
        &["draw", net, "-o", "-"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ] {
        for stderr_too in [false, true] {
            let mut child = start(args);
            drop(child.stdout.take());
            if stderr_too {
                drop(child.stderr.take());
            }
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{args:?}: {:?}", output.status);
            assert_eq!(stderr(&output), "", "{args:?}");
        }
    }
    for args in [&["route", "no-such-file"][..], &["no-such-command"]] {
        let mut child = start(args);
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(2), "{args:?}");
    }
}
