//! The runbook of docs/operations.md, step by step, on one fabric: what log, metrics, alerts and `dmodc status` say at
//! each step, how many entries change, and which pairs of hosts lose packets. `make rehearsal` prints the table of 648
//! nodes.

mod stage;
mod versions;

use crate::alerts::assert_fires;
use crate::forced::forced;
use crate::storm::cables::Cables;
use crate::storm::live::Live;
use crate::storm::measured::{Measured, Row};
use crate::storm::measures::{self, Step};
use crate::storm::{NODES_100, NODES_648};
use crate::support::opensm::plugin_dir;
use crate::support::*;
use dmodc_core::Ranking;
use dmodc_formats::netlist::Kind;
use stage::{Manager, with_depot};
use std::fs;
use std::time::Duration;

const PLUGIN: &str = "libdmodc.so";
const LIMIT: Duration = Duration::from_secs(20);
/// The figure that says when the file was written.
const WRITTEN: &str = "dmodc_last_write_timestamp_seconds ";

/// The entries that changed, and those that had to: the pairs of switch and LID whose old port leads nearer no more.
fn changed(step: &Step) -> Vec<(String, f64)> {
    let ranking = Ranking::new(step.after.0, &Options::default());
    let found = forced(step.before, step.after, |a, b| ranking.is_up(a, b));
    let counts = [found.changed(), found.own + found.forced];
    let [all, least] = counts.map(|count| count.entries as f64);
    vec![("changed".into(), all), ("least".into(), least)]
}

/// The pairs of hosts that lost packets in a step.
fn lost(row: &Row) -> f64 {
    row.figure("hurt") + row.figure("cut")
}

/// The entries that changed, in brackets those that had to, and the pairs that lost packets.
fn cells(row: &Row) -> String {
    let [changed, least, pairs] = ["changed", "least", "pairs"].map(|column| row.figure(column));
    format!("{changed} ({least}) | {} of {pairs}", lost(row))
}

struct Rehearsal<'n> {
    fabric: Measured<'n>,
    manager: Manager,
    /// The figures of its metrics before the step.
    before: String,
}

impl<'n> Rehearsal<'n> {
    fn managed(&mut self, (what, shows): Said, by: &Manager, sm: impl FnOnce(&mut Live) -> OpenSm) {
        if self.manager.metrics != by.metrics {
            self.before.clear();
        }
        self.manager = by.clone();
        self.step((what, shows), |f| f.managed_by(what, &by.places, sm));
    }

    fn happens(&mut self, (what, shows): Said, change: impl FnOnce(&mut Cables)) {
        self.step((what, shows), |f| {
            f.happens(what, change);
        });
    }

    /// Makes a step, and asserts what it shows.
    fn step(&mut self, (what, shows): Said, act: impl FnOnce(&mut Measured<'n>)) {
        let shows: Vec<&str> = shows.split('|').map(str::trim).collect();
        let (metric, rest) = shows[1].split_once(' ').expect("a value");
        let (description, value) = rest.rsplit_once(' ').unwrap_or(("", rest));
        let alerts: Vec<&str> = shows[2].split_whitespace().collect();
        let (code, words) = shows[3].split_once(' ').expect("words");

        let (from, pid) = (self.fabric.live.log_len(), self.fabric.live.watch.sm.pid());
        let steps = self.fabric.rows.len();
        act(&mut self.fabric);
        let row = self.fabric.rows[steps..].last();
        let sm = &self.fabric.live.watch.sm;
        let from = if sm.pid() == pid { from } else { 0 };
        let mut line = String::new();
        if row.is_some() {
            let text = format!("dmodc: {}", shows[0]);
            sm.files.wait_for(from, &text);
            let log = sm.files.log_after(from);
            let found = log.lines().rfind(|line| line.contains(&text));
            line = found
                .and_then(|line| line.split_once("dmodc: "))
                .expect("a line")
                .1
                .into();
        }

        let (start, end) = (format!("dmodc_{metric}"), format!(" {value}"));
        let is_it = |line: &str| {
            line.starts_with(&start) && line.contains(description) && line.ends_with(&end)
        };
        let read = || fs::read_to_string(&self.manager.metrics).unwrap_or_default();
        let is_new = |text: &String| read_at(text) != read_at(&self.before) || row.is_none();
        let shown = || Some(read()).filter(|text| is_new(text) && text.lines().any(is_it));
        let shown = process::poll(LIMIT, shown);
        let figures = shown.unwrap_or_else(|| panic!("{what}: no {metric}: {}", read()));
        let folder = self.fabric.live.sim.dir();
        assert_fires(folder, [&self.before, &figures], row.is_none(), &alerts);
        if row.is_none() {
            // OpenSM has ended, and two minutes pass.
            let mut lines = figures.lines();
            let at = lines
                .find_map(|line| line.strip_prefix(WRITTEN))
                .expect("a time");
            let then: f64 = at.parse().expect("seconds");
            let later = figures.replace(at, &(then - 120.0).to_string());
            fs::write(&self.manager.metrics, later).expect("written");
        }
        let mut status = tool(["status", "--conf", "none", "--metrics"]);
        status
            .arg(&self.manager.metrics)
            .arg("--log")
            .arg(sm.files.log_path());
        status.env(
            "OSM_CACHE_DIR",
            self.manager.places.parent().expect("a folder"),
        );
        let [said, _] = ends(&mut status, code.parse().expect("a code"));
        assert!(said.contains(words), "{what}: no {words:?}: {said}");
        let verdict = cut(said.lines().next_back().unwrap_or_default(), 40);

        let cells = row.map_or("- | -".into(), cells);
        let (line, alerts) = (cut(&line, 60), alerts.join(", "));
        println!(
            "| {what} | `{line}` | `{metric}` {value} | {alerts} | {code}: {verdict} | {cells} |"
        );
        self.before = figures;
    }
}

/// A step, and what it shows: `log line | metric [description] value | alerts | exit code of status, and its words`.
type Said<'s> = (&'s str, &'s str);

/// When Dmodc read the fabric, by its metrics.
fn read_at(figures: &str) -> Option<&str> {
    let mut lines = figures.lines();
    lines.find(|line| line.starts_with("dmodc_last_read_timestamp_seconds"))
}

fn cut(text: &str, most: usize) -> String {
    let cut: String = text.chars().take(most).collect();
    let end = if cut.len() < text.len() { "…" } else { "" };
    cut + end
}

fn end(live: &Live) {
    let pid = live.watch.sm.pid();
    process::signal(pid, "TERM");
    let is_gone =
        || fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |s| s.contains(") Z "));
    wait_until(LIMIT, is_gone, || live.watch.log_end());
}

fn rehearse(shape: &str) {
    const SPINE: &str = "L3-4";
    let net = Net::write(with_depot(shape, SPINE));
    let nodes = &net.netlist.nodes;
    let [spine, new] = [SPINE, "L3-4 new"].map(|name| ::fabrics::node_at(&net.netlist, name));
    let is_leaf = |n: u32| nodes[n as usize].description.starts_with("L1-");
    let leaf = (0..nodes.len() as u32).rev().find(|&n| is_leaf(n));
    let leaf = leaf.expect("a leaf");
    let mut late = Vec::new();
    let fabric = Measured::start(
        "updn",
        &net,
        |cables| {
            assert_ne!(leaf, cables.home_switch());
            late = cables.cables_of(|n| n == leaf);
            cables.unplug(&late);
        },
        &[changed, measures::lost],
    );
    let sim = &fabric.live.sim;
    fs::write(sim.dir().join("drain"), "").expect("written");
    let [first, second] = [0, 5].map(|host| Manager::new(&net, sim, host, &plugin_dir()));
    let cables = &fabric.live.cables;
    let of_spine = cables.cables_of(|n| n == spine);
    let others =
        cables.cables_of(|n| n == cables.home_switch() || nodes[n as usize].kind == Kind::Ca);
    let mut uplinks = cables.cables_of(is_leaf).into_iter();
    let cable = uplinks
        .find(|cable| !others.contains(cable))
        .expect("an uplink");
    let (size, links) = (net.netlist.switches().count() - 3, of_spine.len());
    let well = |log: &str, size: usize| format!("{log} | switches {size} | | 0 whole");
    let [routed, back] = ["routed", "back:"].map(|log| well(log, size));
    let mut r = Rehearsal {
        fabric,
        manager: first.clone(),
        before: String::new(),
    };
    let start = |live: &mut Live| {
        end(live);
        OpenSm::launch(&live.sim, &first.config(9, 700))
    };
    println!(
        "| step | log | metric | alert | status | entries (least) | pairs that lose packets |"
    );
    println!("|---|---|---|---|---|--:|--:|");
    r.managed(("Dmodc takes over from updn", &routed), &first, start);
    let shows = "lost: | missing_uplinks 1 | DmodcUplinksMissing | 1 uplinks missing";
    r.happens(("a cable dies", shows), |c| c.unplug(&[cable]));
    r.happens(("it is back", &back), |c| c.plug(&[cable]));
    let shows = "lost: | switch_lost L3-4 1 | DmodcSwitchLost | 1 1 switch lost: L3-4";
    r.happens(("a spine dies", shows), |c| c.unplug(&of_spine));
    r.happens(("it is back", &back), |c| c.plug(&of_spine));
    r.fabric.drain(&[spine]);
    let shows = "drained: switch 'L3-4': empty | drained 1 | | 0 1, empty";
    r.happens(("it is drained", shows), |_| ());
    let pulled = well("lost:", size - 1);
    r.happens(("it is pulled", &pulled), |c| c.unplug(&of_spine));
    // The line still names the place.
    let options = r.fabric.options.as_mut().expect("Dmodc's");
    options.drain[0].switch = nodes[new as usize].guid;
    let slow = format!("| switch_slow L3-4 new {links} | DmodcSwitchSlow | 1 slow link");
    let place = (
        "a slower box is in its place",
        &*format!("replaces: {slow}"),
    );
    r.happens(place, |c| c.take_place(&of_spine, [spine, new]));
    r.fabric.drain(&[]);
    r.happens(("its line is removed", &format!("routed {slow}")), |_| ());
    r.happens(("the first box is back", &well("replaces:", size)), |c| {
        c.unplug(&of_spine);
        c.take_place(&of_spine, [new, spine]);
    });
    let added = well("new:", size + 1);
    r.happens(("a leaf is added", &added), |c| c.plug(&late));

    // In ibsim a port that was unplugged for a moment no longer says that a manager is there.
    let shows = &*well("routed", size + 1);
    r.managed(("the master is restarted", shows), &first, start);
    let seen = "routed | other_managers 1 | | 0 1 other subnet manager";
    let (mut standby, what) = (None, "a standby is started");
    let stands_by = |live: &mut Live| {
        standby = Some(second.stand_by(&live.sim, 3, 700));
        live.change(|_| ())
    };
    r.step((what, seen), |f| {
        f.step(what, stands_by);
    });
    let standby = standby.expect("started");
    fs::copy(&first.places, &second.places).expect("copied");
    standby.files.wait_until_quiet();
    let shows = "| master 1 | DmodcOpensmSilent | 2 cannot tell";
    r.step(("the master is killed", shows), |f| {
        process::signal(f.live.watch.sm.pid(), "KILL");
    });
    let shows = "routed | other_managers 0 | | 0 not safe to reboot";
    r.managed(("the standby takes over", shows), &second, |_| standby);
    let sim = &r.fabric.live.sim;
    let _other = first.stand_by(sim, 1, 60_000);
    let folder = sim.dir().join("new");
    fs::create_dir(&folder).expect("a folder");
    fs::copy(plugin_dir().join(PLUGIN), folder.join(PLUGIN)).expect("copied");
    let upgraded = Manager::new(&net, sim, 5, &folder);
    for (what, manager) in [("both are restarted", &second), ("a new plugin", &upgraded)] {
        r.managed((what, seen), manager, |live| {
            end(live);
            OpenSm::launch(&live.sim, &manager.config(3, 700))
        });
    }
    // Only what dies, and what comes back, costs packets.
    for row in r.fabric.rows {
        let lost = lost(&row);
        let may_lose = ["dies", "back"].iter().any(|word| row.what.contains(word));
        assert!(may_lose || lost == 0.0, "{}: {lost} pairs", row.what);
    }
}

#[test]
fn the_runbook() {
    rehearse(NODES_100);
}

#[test]
#[ignore = "long: make rehearsal"]
fn the_runbook_on_648_nodes() {
    rehearse(NODES_648);
}
