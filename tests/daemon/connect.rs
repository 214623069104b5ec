//! Pairs without an up-down path, under OpenSM: the stock diagnostics follow their detours.

use crate::support::*;
use dmodc_formats::netlist::Kind;
use std::collections::BTreeSet;

/// With links lost, ibqueryerrors reads from a host on every leaf all counters that it reads under updn, by detours.
#[test]
fn ibqueryerrors_has_no_failure_that_updn_has_not() {
    let whole = Net::pgft("PGFT(3;2,3,3;1,3,3;1,1,1)");
    let net = whole.without_links(4, 1);
    let mut leaves = BTreeSet::new();
    let hosts = net.netlist.nodes.iter().filter(|n| n.kind == Kind::Ca);
    let hosts = hosts.filter(|host| leaves.insert(host.ports[0].peer));
    let hosts: Vec<&str> = hosts.map(|host| &*host.id).collect();
    let failures = |config: &Config| -> Vec<BTreeSet<String>> {
        let sim = Ibsim::start(&net.path);
        let sm = OpenSm::start(&sim, config);
        let failures = hosts
            .iter()
            .map(|host| tools::ibqueryerrors(&sim, &sm.files, host));
        failures.collect()
    };
    let (ours, updn) = (
        failures(&Config::dmodc()),
        failures(&Config::engines("updn")),
    );
    for (ours, updn) in ours.iter().zip(&updn) {
        assert!(ours.is_subset(updn), "{ours:#?}\n{updn:#?}");
    }
    let without = failures(&Config::dmodc().options("dmodc.on_unreachable=partial"));
    assert!(without.iter().any(|failed| !failed.is_empty()));
}

/// Two hosts on two different spines, with no switch above both, reach each other by detours, which ibtracert follows.
#[test]
fn hosts_on_two_spines_reach_each_other() {
    let mut sketch = Sketch::switches(4, 6);
    let hosts = [(); 2].map(|_| {
        let spine = sketch.switch();
        (0..4).for_each(|leaf| sketch.link(leaf, spine));
        sketch.host(spine)
    });
    let net = sketch.net();
    let sim = Ibsim::start(&net.path);
    let files = opensm::route(&sim, &Config::dmodc());
    let offline = files.assert_routed(&Options::default());
    assert!(offline.assert_clean(&files.lfts()).turned.routes > 0);
    assert!(offline.plan.connections().turned > 0);
    assert_eq!(offline.plan.connections().left_out, 0);
    let numbered = offline::with_lids_of(&net.netlist, &files);
    let [a, b] = hosts.map(|host| numbered.nodes[host as usize].ports[0].lid.0);
    for (from, to) in [(a, b), (b, a)] {
        let route = tools::ibtracert(&sim, &files, from, to);
        assert!(route.contains("To ca"), "{route}");
    }
    let routed = files.log_lines("dmodc: routed ").concat();
    let turned = format!(" turned={} left_out=0", offline.plan.connections().turned);
    assert!(routed.contains(&turned), "{routed}");
    files.assert_errors(&[]);
    tools::ibdmchk(&sim, &files);
}
