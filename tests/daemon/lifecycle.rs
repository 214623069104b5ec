//! Events in the life of an OpenSM besides faults: requests to sweep or to route, the change of the master to another
//! OpenSM and back, and the rotation of the log.

use crate::metrics::{self, Metrics};
use crate::storm::truth::Truth;
use crate::support::*;
use dmodc_core::Engine;
use dmodc_formats::netlist::Kind;
use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(20);

/// Asserts that every switch of the simulator holds Dmodc's table of the fabric.
fn assert_routed(sim: &mut Ibsim, net: &Net) {
    let nodes = &net.netlist.nodes;
    let home = nodes.iter().position(|n| n.kind == Kind::Ca);
    let truth = Truth::read(sim, &net.netlist, home.expect("a CA") as u32);
    truth.assert_routed(&Engine::new(1).expect("a thread"), &Options::default());
}

/// `resweep heavy` and `reroute` call the engine, the latter without a discovery; `resweep light` does not where
/// nothing has changed.
#[test]
fn sweeps_and_routes_on_request() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|l| l.local_addr());
    let port = free.expect("a free port").port();
    let (net, mut sim) = Net::simulated(FIGURE_1);
    let config = Config::dmodc().line("console loopback");
    let sm = OpenSm::start(&sim, &config.line(format!("console_port {port}")));
    let console = process::poll(LIMIT, || {
        TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()
    });
    let mut console = console.expect("OpenSM has a console");
    for request in ["resweep heavy", "reroute", "resweep light", "reroute"] {
        let before = sm.files.routed();
        writeln!(console, "{request}").expect("OpenSM reads its console");
        let limit = match request {
            "resweep light" => Duration::from_secs(1),
            _ => LIMIT,
        };
        let called = process::poll(limit, || (sm.files.routed() > before).then_some(()));
        assert_eq!(called.is_some(), limit == LIMIT, "{}", sm.files.log());
        assert_routed(&mut sim, &net);
    }
    assert!(sm.stop());
}

/// Starts an OpenSM of higher priority, several times if needed, until it takes over from the master.
///
/// If it polls before the master has handed over, it sends a trap and waits for a TrapRepress. ibsim drops every
/// TrapRepress, and umad2sim has no timeouts: the new OpenSM never comes up then, and the old one is master again when
/// the new one has gone. `None` if the master never handles the trap: it waits for a reply that ibsim has dropped.
fn take_over(low: &OpenSm, start: impl Fn() -> OpenSm) -> Option<OpenSm> {
    for _ in 0..5 {
        let from = low.files.log_len();
        let high = start();
        let stands_by = || low.files.log_after(from).contains("Entering STANDBY state");
        process::poll(LIMIT / 4, || stands_by().then_some(()))?;
        let is_up = || high.files.log().contains("SUBNET UP").then_some(());
        // Not a multiple of the time between polls: a poll on its way would be lost.
        if process::poll(LIMIT / 4, is_up).is_some() {
            high.files.wait_until_quiet();
            return Some(high);
        }
        let from = low.files.log_len();
        drop(high);
        low.files.wait_for_sweep(from);
    }
    panic!("no OpenSM takes over:\n{}", low.files.log());
}

/// The OpenSM of higher priority is master; the other routes when the first dies, and hands over when it is back. Both
/// make the same tables.
#[test]
fn another_opensm_takes_over_and_gives_back() {
    assert!((0..3).any(|_| take_over_and_give_back().is_some()));
}

fn take_over_and_give_back() -> Option<()> {
    let (net, mut sim) = Net::simulated(FIGURE_1);
    let hosts = sim.hosts().to_vec();
    let config = |priority: u8, host: usize| {
        let config = Config::dmodc().run_at(&hosts[host]);
        let config = config.line(format!("sm_priority {priority}"));
        let config = config.line("sminfo_polling_timeout 600");
        config.line("polling_retry_number 2")
    };
    let (high_figures, high_config) = metrics::named(&sim, config(9, 0), "high.prom");
    let (low_figures, low_config) = metrics::named(&sim, config(3, 5), "low.prom");
    let high = OpenSm::start(&sim, &high_config);
    let first = high.files.lfts();
    let low = OpenSm::launch(&sim, &low_config);
    low.files.wait_for(0, "Entering STANDBY state");
    metrics::wait_for_role(&high_figures, true);
    metrics::wait_for_role(&low_figures, false);
    assert_eq!(low.files.routed(), 0, "it stands by");

    // The master dies without a handover, and a link goes before the standby has noticed. Both have to be quiet before:
    // umad2sim never times out, so OpenSM would wait for ever for the dead one's reply to a poll, or for a MAD of a
    // discovery that is lost with the link.
    high.files.wait_until_quiet();
    low.files.wait_until_quiet();
    let (node, port) = net.switch_link();
    drop(high);
    sim.unlink(node, port);
    low.files.wait_for(0, "Entering MASTER state");
    low.files.wait_for(0, "SUBNET UP");
    assert!(low.files.routed() > 0);
    assert_routed(&mut sim, &net);
    sim.relink(node, port);
    low.resweep();
    assert!(low.files.lfts() == first, "both make the same tables");

    // The file of an OpenSM that is standby again has no figures of the fabric, but is still renewed.
    let mastered = metrics::wait_for_role(&low_figures, true);
    let high = take_over(&low, || OpenSm::launch(&sim, &high_config))?;
    let figures = metrics::wait_for_role(&low_figures, false);
    let sweeps = |m: &Metrics| m.get("dmodc_sweeps_total");
    assert!(sweeps(&figures) >= sweeps(&mastered) && sweeps(&mastered) > 0.0);
    let renewed = || {
        let written = |m: &Metrics| m.get("dmodc_last_write_timestamp_seconds");
        (written(&Metrics::read(&low_figures)) > written(&figures)).then_some(())
    };
    assert!(process::poll(2 * LIMIT, renewed).is_some());
    let figures = metrics::wait_for_role(&high_figures, true);
    assert_eq!(figures.get("dmodc_other_managers"), 1.0);
    assert!(high.files.routed() > 0);
    assert!(high.files.lfts() == first, "the tables did not return");
    assert_routed(&mut sim, &net);
    assert!(low.stop() && high.stop());
    Some(())
}

/// The README's `grep` shows the sweep's lines at once, also where OpenSM keeps its own in memory. As logrotate does, the
/// log is moved away, and OpenSM gets a signal: Dmodc's lines go to the new log.
#[test]
fn no_line_is_kept_back_and_the_log_is_rotated() {
    for flush in ["TRUE", "FALSE"] {
        let (net, mut sim) = Net::simulated(FIGURE_1);
        let config = Config::dmodc().line(format!("force_log_flush {flush}"));
        let sm = OpenSm::launch(&sim, &config.log_flags("0x03"));
        sm.files.wait_for(0, "is ready");
        sm.files.wait_for(0, "dmodc: routed ");
        sm.files.wait_until_quiet();
        let (log, old) = (sm.files.log_path(), sm.files.path("opensm.log.1"));
        fs::rename(&log, &old).expect("the log can be moved");
        process::signal(sm.pid(), "USR1");
        wait_until(LIMIT, || log.exists(), || "OpenSM opens a new log".into());
        let size = || fs::metadata(&old).expect("the old log is there").len();
        let before = size();
        let (node, port) = net.switch_link();
        sim.unlink(node, port);
        sm.hang_up();
        sm.files.wait_for(0, "dmodc: routed ");
        sm.files.wait_for(0, "dmodc: lost: ");
        // Amid a sweep OpenSM cancels a thread that may hold a lock of ibsim's client library, and that library's end
        // waits for the lock for ever (1 of 100 times beside other load).
        sm.files.wait_until_quiet();
        assert_eq!(size(), before, "nothing goes to the old log");
        assert!(sm.stop());
    }
}
