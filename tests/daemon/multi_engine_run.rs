//! Several engines in one OpenSM: each makes the same tables as alone.
//!
//! OpenSM's engines leave traces in its switches and ports (hop tables, path counts, private pointers). So all run in
//! one OpenSM here, each of them twice and after different ones, and all tables are compared with those of an OpenSM
//! that runs this engine and no other.

use crate::support::*;
use dmodc_fabric::{Guid, Lid, NO_PATH, Tables};
use dmodc_formats::lft::Dump;
use dmodc_formats::netlist::{Kind, Netlist};
use dmodc_lab::compare::{EngineSpec, MultiEngineRun, Outcome};
use dmodc_lab::sim::{self, NoTables};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);

/// The engines, with and without roots and a reference. They run in this order and back.
const ENGINES: [&str; 11] = [
    "dmodc",
    "ftree+roots",
    "dmodc:paper",
    "updn",
    "minhop",
    "sssp",
    "dmodc:reference",
    "nue",
    "updn+roots",
    "dfsssp",
    "ftree",
];

/// The tables of an OpenSM that runs this engine and no other; `None` if the engine refuses.
fn alone(net: &Net, whole: &Net, spec: &EngineSpec, roots: &[Guid]) -> Option<Tables> {
    let sim = Ibsim::start(&net.path);
    let files = sim::Files::new(&sim).expect("a folder for OpenSM");
    let mut config = sim::Config::engines(spec.engine());
    if spec.is_dmodc() {
        let options = spec.plugin_options(&whole.path);
        config = config.with_plugin(&opensm::plugin()).options(&options);
    }
    if spec.gets_roots {
        let text: String = roots.iter().map(|guid| format!("{guid}\n")).collect();
        let path = files.write("root", text).expect("written");
        config = config.line(format!("root_guid_file {}", path.display()));
    }
    // After a refusal OpenSM sweeps for ever.
    let mut opensm = files.start(&sim, &config, &["-o"]).expect("OpenSM runs");
    let is_refused = || files.log().contains("No routing engine able");
    let has_ended = || (is_refused() || opensm.ended().is_some()).then_some(());
    assert!(sim::poll(LIMIT, has_ended).is_some(), "{}", files.log());
    if is_refused() {
        return None;
    }
    let configured = format!(": {} tables configured", spec.engine());
    assert!(files.log().contains(&configured), "{}", files.log());
    let subnet = Netlist::read(&files.path("opensm-subnet.lst")).expect("OpenSM's dump");
    let (fabric, _) = subnet.to_fabric(None).expect("LIDs for all");
    let dump = Dump::read(&files.path("opensm-lfts.dump")).expect("OpenSM's dump");
    Some(dump.tables(&fabric).expect("tables of its own fabric"))
}

/// Routes a fabric in one OpenSM and in many, and compares. Returns the engines that refuse it, and the kinds of Dmodc
/// whose tables differ from the tables of plain Dmodc.
fn refusing(net: &Net, whole: &Net, top: &str) -> (Vec<String>, Vec<String>) {
    let (fabric, _) = net.netlist.to_fabric(None).expect("LIDs for all");
    let tops = net
        .netlist
        .switches()
        .filter(|s| s.description.starts_with(top));
    let roots: Vec<Guid> = tops.map(|s| s.guid).collect();
    let there: Vec<EngineSpec> = ENGINES.map(|name| name.parse().expect("a name")).into();
    let back = there.iter().rev();
    let order: Vec<EngineSpec> = there.iter().chain(back).cloned().collect();
    let runs = MultiEngineRun {
        whole: Some(whole.netlist.clone()),
        ..runs()
    };
    let answer = runs.route(&net.netlist, &order).expect("OpenSM runs");

    assert_eq!(answer.outcomes.len(), order.len());
    let plain = alone(net, whole, &there[0], &roots);
    let (mut refusing, mut unlike) = (Vec::new(), Vec::new());
    for (i, spec) in there.iter().enumerate() {
        let expected = alone(net, whole, spec, &roots);
        for run in [i, order.len() - 1 - i] {
            let tables = match &answer.outcomes[run] {
                Outcome::Routed(copied, ..) => Some(copied.tables(&fabric)),
                Outcome::NoTables(_) => None,
            };
            assert!(tables == expected, "{spec}, run {run}");
        }
        if expected.is_none() {
            refusing.push(spec.to_string());
        }
        if spec.is_dmodc() && expected != plain {
            unlike.push(spec.to_string());
        }
    }
    (refusing, unlike)
}

fn runs() -> MultiEngineRun {
    MultiEngineRun::new(opensm::plugin(), LIMIT)
}

// The netlists have LIDs, so that every OpenSM assigns the same.

#[test]
fn every_engine_s_tables_are_those_that_it_makes_alone() {
    let net = Net::pgft_with_lids(FIGURE_1);
    let (refusing, unlike) = refusing(&net, &net, "L3-");
    // The paper's rule orders switches by GUIDs, and numbers their LIDs by them.
    let by_guid = vec!["dmodc:paper".into()];
    assert_eq!((refusing, unlike), (vec![], by_guid));
}

#[test]
fn so_they_are_with_links_gone() {
    // A switch is gone that only the reference has.
    let whole = Net::pgft_with_lids("PGFT(2;8,12;1,4;1,2)");
    let (less, _) = whole
        .netlist
        .without_switches(1, 3, false)
        .expect("a switch");
    let net = Net::write(less).without_links(6, 3);
    let (refusing, unlike) = refusing(&net, &whole, "L2-");
    assert_eq!(refusing, ["ftree"]);
    assert_eq!(unlike, ["dmodc:paper", "dmodc:reference"]);
}

/// Without it, all engines left out every LID but the first of each port.
#[test]
fn engines_get_the_lmc_of_the_fabric() {
    let mut netlist = Net::pgft_with_lids("PGFT(2;2,3;1,2;1,1)").netlist;
    let hosts = netlist
        .nodes
        .iter_mut()
        .filter(|node| node.kind == Kind::Ca);
    for (port, lid) in hosts
        .flat_map(|node| &mut node.ports)
        .zip((64..).step_by(2))
    {
        (port.lid, port.lmc) = (Lid(lid), 1);
    }
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs for all");
    let order = ["dmodc", "updn"].map(|name| name.parse().expect("a name"));
    let answer = runs().route(&netlist, &order).expect("OpenSM runs");
    for outcome in &answer.outcomes {
        let Outcome::Routed(copied, ..) = outcome else {
            panic!("{outcome:?}");
        };
        let tables = copied.tables(&fabric);
        for s in fabric.switches().keys() {
            let mut lids = fabric.lids().filter(|(.., port)| port.0 != 0);
            assert!(lids.all(|(lid, ..)| tables.get(s, lid) != NO_PATH), "{s:?}");
        }
    }
}

#[test]
fn refusals_have_the_engine_s_own_reason() {
    let net = Net::pgft_with_lids("PGFT(2;4,6;1,4;1,1)").without_links(5, 2);
    let order = ["no-such-engine", "torus-2QoS", "dmodc", "minhop"];
    let order = order.map(|name| name.parse().expect("a name"));
    let answer = runs().route(&net.netlist, &order).expect("OpenSM runs");
    let reason = |i: usize| match &answer.outcomes[i] {
        Outcome::NoTables(NoTables::Refused(reason)) => &**reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(0), "OpenSM could not set it up");
    assert!(reason(1).contains("torus"), "{}", reason(1));
    for outcome in &answer.outcomes[2..] {
        assert!(matches!(outcome, Outcome::Routed(..)), "{outcome:?}");
    }
}
