//! The stock diagnostics.

use super::ibsim::Ibsim;
use super::opensm::Files;
use super::process::{self, Finished};
use super::tool::has;
use std::collections::BTreeSet;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs a diagnostic at a host.
fn client(
    host: &str,
    sim: &Ibsim,
    files: &Files,
    program: &'static str,
    args: &[&str],
) -> Finished {
    let mut command = sim.client(program, host, sim.dir());
    command.args(args);
    process::run(command, &files.path(&format!("{program}.out")), LIMIT)
}

/// Runs a diagnostic at a host; returns what it prints, if it has this word. These answer over the routes: `ibtracert`
/// between two LIDs, `smpquery nodeinfo` and `perfquery` of one; `saquery` asks OpenSM's SA.
#[track_caller]
pub fn asked(
    host: &str,
    (sim, files): (&Ibsim, &Files),
    line: &'static str,
    lids: &[u16],
    word: &str,
) -> String {
    let (program, rest) = line.split_once(' ').unwrap_or((line, ""));
    let lids: Vec<String> = lids.iter().map(u16::to_string).collect();
    let lids = lids.iter().map(String::as_str);
    let args: Vec<&str> = rest.split_whitespace().chain(lids).collect();
    let done = client(host, sim, files, program, &args);
    let has_answered = done.success() && done.output.contains(word);
    assert!(has_answered, "{program} {args:?}:\n{}", done.output);
    done.output
}

/// The last host: OpenSM, at the first host, is remote.
pub fn last(sim: &Ibsim) -> &str {
    sim.hosts().last().expect("there is a host")
}

/// With more threads, OpenSM 3.3.23 drops a Set of an SMInfoRecord without a reply, for which
/// osmtest waits.
pub const OSMTEST: &str = "single_thread TRUE";

/// The flows of osmtest: `c` makes an inventory, `v` validates it, `m` is multicast, `e` events.
///
/// The options leave out tests of what ibsim does not simulate, which fail with every engine:
/// `-d1`, path records (replies of several packets arrive cut, since the kernel's RMPP is missing);
/// `-M 2`, groups of other programs; flow `a`, a query with a wrong SM_Key, which the kernel has to
/// time out. OpenSM must run with [`OSMTEST`].
pub fn osmtest(sim: &Ibsim, files: &Files) {
    let inventory = files.path("osmtest.dat");
    let inventory = inventory.to_str().expect("the path is plain text");
    for flow in ["c", "v", "m", "e"] {
        let args = ["-d1", "-M", "2", "-i", inventory, "-f", flow];
        let done = client(last(sim), sim, files, "osmtest", &args);
        assert!(
            done.success() && done.output.contains("PASS"),
            "osmtest -f {flow}:\n{}\n{}",
            done.output,
            files.log()
        );
    }
}

/// The ports that ibqueryerrors, run at a host, cannot read: its lines with "failed".
pub fn ibqueryerrors(sim: &Ibsim, files: &Files, host: &str) -> BTreeSet<String> {
    let done = client(host, sim, files, "ibqueryerrors", &[]);
    let failed = done.output.lines().filter(|line| line.contains("failed"));
    failed.map(str::to_owned).collect()
}

/// Checks OpenSM's dumps with ibdmchk: every CA pair is routed, and there is no credit loop.
///
/// The exit status does not count: Debian's ibdmchk crashes at its end, after the last line of
/// output. The LMC is not passed: with one, ibdmchk expects LIDs to start at 1, where OpenSM starts
/// at 2^lmc, and refuses the dumps of any engine. So it checks the base LIDs.
pub fn ibdmchk(sim: &Ibsim, files: &Files) {
    let mut command = process::program("ibdmchk")
        .command(sim.dir())
        .expect("`make programs` installs ibutils");
    for (option, file) in [
        ("-s", "opensm-subnet.lst"),
        ("-f", "opensm.fdbs"),
        ("-m", "opensm.mcfdbs"),
    ] {
        command.arg(option).arg(files.path(file));
    }
    let done = process::run(command, &files.path("ibdmchk.out"), LIMIT);
    let text = &done.output;
    let hosts = sim.hosts().len();
    let paths = hosts * (hosts - 1);
    has(text, &format!("-I- Scanned:{paths} CA to CA paths"));
    has(text, "-I- no credit loops found");
    assert!(!text.contains("-E-"), "{text}");
}
