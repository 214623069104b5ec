//! `SIGHUP` with other options in OpenSM's file: OpenSM takes some up, others only when it starts.

use crate::support::*;
use std::fs;

const TREE: &str = "PGFT(2;4,6;1,4;1,1)";

/// A field of Dmodc's last sweep line.
pub fn last(sm: &OpenSm, name: &str) -> String {
    sm.files.swept(0, name).pop().expect("Dmodc has routed")
}

#[test]
fn some_changed_options_are_taken_up_and_others_need_a_restart() {
    let sim = Ibsim::start(&Net::pgft(TREE).path);
    let sm = OpenSm::start(&sim, &Config::dmodc());
    let file = sm.files.path("opensm.conf");
    let first = fs::read_to_string(&file).expect("OpenSM's options");
    sm.resweep();
    assert_eq!(
        (last(&sm, "faults"), last(&sm, "turned")),
        ("stable".into(), "0".into())
    );

    let other = format!("{first}event_plugin_options dmodc.faults=paper\nconnect_roots TRUE\n");
    fs::write(&file, other).expect("written");
    sm.resweep();
    assert_eq!(
        last(&sm, "faults"),
        "stable",
        "the plugin has its options from the start"
    );
    let connected = Options {
        connect_roots: true,
        ..Options::default()
    };
    let offline = sm.files.assert_routed(&connected);
    let report = offline.assert_clean(&sm.files.lfts());
    // Six pairs of spines, both ways.
    assert_eq!(report.turned.routes, 12, "{report:#?}");
    assert_eq!(last(&sm, "turned"), "12", "connect_roots is taken up");

    // OpenSM keeps an option whose line is gone, until the file sets another value.
    fs::write(&file, &first).expect("written");
    sm.resweep();
    assert_ne!(last(&sm, "turned"), "0");
    fs::write(&file, format!("{first}connect_roots FALSE\n")).expect("written");
    sm.resweep();
    assert_eq!(last(&sm, "turned"), "0");
    sm.files.assert_routed(&Options::default());
    assert!(sm.stop());
}
