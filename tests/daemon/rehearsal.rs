//! The runbook of docs/operations.md, step by step, on one fabric: what log, metrics, alerts and `dmodc status` say at
//! each step, how many entries change, and which pairs of hosts lose packets. `make rehearsal` prints the table of 648
//! nodes.

use crate::alerts::assert_fires;
use crate::forced::forced;
use crate::reference::at_port;
use crate::storm::cables::Cables;
use crate::storm::live::Live;
use crate::storm::measured::{Measured, Row};
use crate::storm::measures::{self, Step};
use crate::storm::{NODES_100, NODES_648};
use crate::support::opensm::plugin_dir;
use crate::support::*;
use dmodc_core::Ranking;
use dmodc_fabric::Guid;
use dmodc_formats::netlist::{Kind, Netlist, Node, Port};
use dmodc_lab::sim::Plugin;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PLUGIN: &str = "libdmodc.so";
/// Steps in which no pair may lose a packet.
const DRAINED: &str = "it is drained";
const PULLED: &str = "it is pulled";
const RESTARTED: &str = "the master is restarted";
const AGAIN: &str = "both are restarted";
const UPGRADED: &str = "a new plugin";

const LIMIT: Duration = Duration::from_secs(20);

/// What a step shows, as `log line | metric [description] value | alerts | exit code of status, and its words`.
struct Shows<'s> {
    log: String,
    metric: &'s str,
    description: &'s str,
    value: &'s str,
    alerts: Vec<&'s str>,
    status: (i32, &'s str),
}

impl<'s> Shows<'s> {
    fn new(text: &'s str) -> Self {
        let mut parts = text.split('|').map(str::trim);
        let mut part = || parts.next().expect("four parts");
        let log = format!("dmodc: {}", part());
        let (metric, rest) = part().split_once(' ').expect("a value");
        let (description, value) = rest.rsplit_once(' ').unwrap_or(("", rest));
        let alerts = part().split_whitespace().collect();
        let (code, words) = part().split_once(' ').expect("words");
        Shows {
            log,
            metric,
            description,
            value,
            alerts,
            status: (code.parse().expect("a code"), words),
        }
    }
}

/// The entries that changed, and those that had to: the pairs of switch and LID whose old port leads nearer no more.
fn changed(step: &Step) -> Vec<(String, f64)> {
    let ranking = Ranking::new(step.after.0, &Options::default());
    let found = forced(step.before, step.after, |a, b| ranking.is_up(a, b));
    let counts = [found.changed(), found.own + found.forced];
    let [all, least] = counts.map(|count| count.entries as f64);
    vec![("changed".into(), all), ("least".into(), least)]
}

struct Rehearsal<'n> {
    fabric: Measured<'n>,
    /// The master's metrics, and the figures that they had before the step.
    metrics: PathBuf,
    before: String,
    /// The folder of its files that stay.
    folder: PathBuf,
}

impl<'n> Rehearsal<'n> {
    fn new(fabric: Measured<'n>, manager: &Manager) -> Self {
        println!(
            "| step | log | metric | alert | status | entries (least) | pairs that lose packets |"
        );
        println!("|---|---|---|---|---|--:|--:|");
        Rehearsal {
            fabric,
            metrics: manager.metrics.clone(),
            folder: manager.folder.clone(),
            before: String::new(),
        }
    }

    /// A step to another OpenSM.
    fn managed(
        &mut self,
        what: &str,
        shows: &str,
        manager: &Manager,
        sm: impl FnOnce(&mut Live) -> OpenSm,
    ) {
        if self.metrics != manager.metrics {
            self.before.clear();
        }
        (self.metrics, self.folder) = (manager.metrics.clone(), manager.folder.clone());
        self.step(what, shows, |f| f.managed_by(what, &manager.places, sm));
    }

    /// A step with cables.
    fn happens(&mut self, what: &str, shows: &str, change: impl FnOnce(&mut Cables)) {
        self.step(what, shows, |fabric| {
            fabric.happens(what, change);
        });
    }

    /// Makes a step, and asserts what it shows.
    fn step(&mut self, what: &str, shows: &str, act: impl FnOnce(&mut Measured<'n>)) {
        let shows = Shows::new(shows);
        let (from, pid) = (self.fabric.live.log_len(), self.fabric.live.watch.sm.pid());
        let steps = self.fabric.rows.len();
        act(&mut self.fabric);
        let files = &self.fabric.live.watch.sm.files;
        let is_new = self.fabric.live.watch.sm.pid() != pid;
        let from = if is_new { 0 } else { from };
        let has_ended = self.fabric.rows.len() == steps;
        if !has_ended {
            files.wait_for(from, &shows.log);
        }
        let log = files.log_after(from);
        let mut lines = log.lines().filter(|line| line.contains(&shows.log));
        let line = lines.next_back().unwrap_or_default();
        let line = line.split_once("dmodc: ").map_or("", |(_, text)| text);

        let name = shows.metric;
        let is_it = |line: &str| {
            let is_of = line.starts_with(&format!("dmodc_{name}"));
            is_of
                && line.contains(shows.description)
                && line.ends_with(&format!(" {}", shows.value))
        };
        let read = || fs::read_to_string(&self.metrics).unwrap_or_default();
        let is_new = |text: &String| read_at(text) != read_at(&self.before) || has_ended;
        let shown = || Some(read()).filter(|text| is_new(text) && text.lines().any(is_it));
        let shown = process::poll(LIMIT, shown);
        let figures = shown.unwrap_or_else(|| panic!("{what}: no {:?}: {}", name, read()));
        let folder = self.fabric.live.sim.dir();
        assert_fires(folder, [&self.before, &figures], has_ended, &shows.alerts);
        if has_ended {
            // Two minutes later.
            let name = "dmodc_last_write_timestamp_seconds";
            let later = figures.lines().map(|line| match line.split_once(' ') {
                Some((series, at)) if series == name => {
                    let at: f64 = at.parse().expect("a time");
                    format!("{name} {}\n", at - 120.0)
                }
                _ => format!("{line}\n"),
            });
            fs::write(&self.metrics, later.collect::<String>()).expect("written");
        }
        let (code, words) = shows.status;
        let mut status = tool(&["status", "--conf", "none", "--metrics"]);
        status.arg(&self.metrics).arg("--log").arg(files.log_path());
        status.env("OSM_CACHE_DIR", &self.folder);
        let [said, _] = ends(&mut status, code);
        assert!(said.contains(words), "{what}: no {words:?}: {said}");
        let verdict = said.lines().next_back().unwrap_or_default();

        let row = self.fabric.rows[steps..].last();
        let cell = |of: &dyn Fn(&Row) -> String| row.map_or("-".into(), of);
        let number = |row: &Row, column| row.figure(column) as u64;
        let cells = [
            what.into(),
            format!("`{}`", cut(line, 70)),
            format!("`{name}` {}", shows.value),
            shows.alerts.join(", "),
            format!("{code}: {}", cut(verdict, 60)),
            cell(&|row| format!("{} ({})", number(row, "changed"), number(row, "least"))),
            cell(&|row| {
                format!(
                    "{} of {}",
                    number(row, "hurt") + number(row, "cut"),
                    number(row, "pairs")
                )
            }),
        ];
        println!("| {} |", cells.join(" | "));
        self.before = figures;
    }
}

/// When Dmodc read the fabric, by its metrics.
fn read_at(figures: &str) -> Option<&str> {
    let mut lines = figures.lines();
    lines.find(|line| line.starts_with("dmodc_last_read_timestamp_seconds"))
}

fn cut(text: &str, most: usize) -> String {
    let cut: String = text.chars().take(most).collect();
    if cut.len() < text.len() {
        cut + "…"
    } else {
        cut
    }
}

/// The fabric; beside it a box that can take the place of a switch, with links of one lane, in a depot of its own.
fn with_depot(shape: &str, spine: &str) -> Netlist {
    let mut netlist = Net::pgft(shape).netlist;
    let place = netlist.nodes.iter().position(|n| n.description == spine);
    let place = place.expect("a spine") as u32;
    for (index, node) in (0..).zip(&mut netlist.nodes) {
        for port in &mut node.ports {
            // Its links have one lane or four.
            let is_of_place = index == place || port.peer == place;
            port.link = if is_of_place { "w=3" } else { "" }.into();
        }
    }
    let first = netlist.nodes.len() as u32;
    for (name, guid, peer) in [("new", 0xaa, first + 1), ("depot", 0xbb, first)] {
        let old = &netlist.nodes[place as usize];
        let ports = old.ports.iter().map(|port| Port {
            peer,
            peer_port: port.number,
            link: "w=1".into(),
            ..port.clone()
        });
        let node = Node {
            ports: ports.collect(),
            guid: Guid(guid),
            id: format!("S-{name}"),
            description: format!("{spine} {name}"),
            ..old.clone()
        };
        netlist.nodes.push(node);
    }
    netlist
}

/// An OpenSM with Dmodc at a host.
struct Manager {
    folder: PathBuf,
    metrics: PathBuf,
    places: PathBuf,
    config: Config,
}

impl Manager {
    fn new(net: &Net, sim: &Ibsim, host: usize, plugin: &Path) -> Manager {
        let at = |name: String| sim.dir().join(name);
        let (metrics, folder) = (at(format!("{host}.prom")), at(host.to_string()));
        fs::create_dir_all(&folder).expect("a folder");
        let (file, drain) = (metrics.display(), at("drain".into()));
        let options = format!("dmodc.metrics={file} dmodc.drain={}", drain.display());
        let plugin = Plugin::in_dir(plugin).unwrap_or_else(|e| panic!("{e}"));
        let config = Config::engines("dmodc").with_plugin(&plugin);
        let config = config
            .options(&options)
            .cache_dir(&folder)
            .log_flags("0x03");
        Manager {
            places: folder.join(at_port(net, host)),
            config: config.run_at(&sim.hosts()[host]),
            metrics,
            folder,
        }
    }

    fn config(&self, priority: u8, polls: u32) -> Config {
        // One poll: one on its way when the master dies gets no reply here, and no timeout.
        let config = self.config.clone().line(format!("sm_priority {priority}"));
        let config = config.line(format!("sminfo_polling_timeout {polls}"));
        config.line("polling_retry_number 1")
    }
}

/// Ends the OpenSM that manages the fabric.
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
    let find = |name: &str| nodes.iter().position(|n| n.description == name);
    let find = |name: &str| find(name).expect("a switch") as u32;
    let (spine, new) = (find(SPINE), find("L3-4 new"));
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
            late.iter().for_each(|&cable| cables.unplug(cable));
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
    let unplug = |of: &mut Cables| of_spine.iter().for_each(|&cable| of.unplug(cable));
    let plug = |of: &mut Cables| of_spine.iter().for_each(|&cable| of.plug(cable));
    let (size, links) = (net.netlist.switches().count() - 3, of_spine.len());
    let well = |log: &str, size: usize| format!("{log} | switches {size} | | 0 whole");
    let mut r = Rehearsal::new(fabric, &first);
    let start = |live: &mut Live| {
        end(live);
        OpenSm::launch(&live.sim, &first.config(9, 700))
    };
    let shows = well("routed", size);
    r.managed("Dmodc takes over from updn", &shows, &first, start);
    let shows = "lost: | missing_uplinks 1 | DmodcUplinksMissing | 1 uplinks missing";
    r.happens("a cable dies", shows, |c| c.unplug(cable));
    r.happens("it is back", &well("back: ", size), |c| c.plug(cable));
    let shows = "lost: | switch_lost L3-4 1 | DmodcSwitchLost | 1 1 switch lost: L3-4";
    r.happens("a spine dies", shows, unplug);
    r.happens("it is back", &well("back: ", size), plug);
    r.fabric.drain(&[spine]);
    let shows = "drained: switch 'L3-4': empty | drained 1 | | 0 1, empty";
    r.happens(DRAINED, shows, |_| ());
    r.happens(PULLED, &well("lost: ", size - 1), unplug);
    // The line still names the place.
    let options = r.fabric.options.as_mut().expect("Dmodc's");
    options.drain[0].switch = nodes[new as usize].guid;
    let shows = format!("replaces: | switch_slow L3-4 new {links} | DmodcSwitchSlow | 1 slow link");
    r.happens("a slower box is in its place", &shows, |c| {
        c.take_place(&of_spine, [spine, new])
    });
    r.fabric.drain(&[]);
    let shows = format!("routed | switch_slow L3-4 new {links} | DmodcSwitchSlow | 1 slow link");
    r.happens("its line is removed", &shows, |_| ());
    r.happens("the first box is back", &well("replaces: ", size), |c| {
        unplug(c);
        c.take_place(&of_spine, [new, spine]);
    });
    let plug_leaf = |c: &mut Cables| late.iter().for_each(|&cable| c.plug(cable));
    r.happens("a leaf is added", &well("new: ", size + 1), plug_leaf);

    // In ibsim a port that was unplugged for a moment no longer says that a manager is there.
    let shows = well("routed", size + 1);
    r.managed(RESTARTED, &shows, &first, start);
    let seen = "routed | other_managers 1 | | 0 1 other subnet manager";
    let mut standby = None;
    r.step("a standby is started", seen, |f| {
        f.step("a standby is started", |live| {
            let sm = OpenSm::launch(&live.sim, &second.config(3, 700));
            sm.files.wait_for(0, "Entering STANDBY state");
            standby = Some(sm);
            live.change(|_| ())
        });
    });
    let standby = standby.expect("started");
    fs::copy(&first.places, &second.places).expect("copied");
    standby.files.wait_until_quiet();
    let shows = "| master 1 | DmodcOpensmSilent | 2 cannot tell";
    r.step("the master is killed", shows, |f| {
        process::signal(f.live.watch.sm.pid(), "KILL");
    });
    let shows = "routed | other_managers 0 | | 0 not safe to reboot";
    r.managed("the standby takes over", shows, &second, |_| standby);
    let sim = &r.fabric.live.sim;
    let other = OpenSm::launch(sim, &first.config(1, 60_000));
    other.files.wait_for(0, "Entering STANDBY state");
    let folder = sim.dir().join("new");
    fs::create_dir(&folder).expect("a folder");
    fs::copy(plugin_dir().join(PLUGIN), folder.join(PLUGIN)).expect("copied");
    let upgraded = Manager::new(&net, sim, 5, &folder);
    for (what, manager) in [(AGAIN, &second), (UPGRADED, &upgraded)] {
        r.managed(what, seen, manager, |live| {
            end(live);
            OpenSm::launch(&live.sim, &manager.config(3, 700))
        });
    }
    for row in r.fabric.rows {
        let lost = row.figure("hurt") + row.figure("cut");
        let is_planned = [DRAINED, PULLED, RESTARTED, AGAIN, UPGRADED].contains(&&*row.what);
        assert!(!is_planned || lost == 0.0, "{}: {lost} pairs", row.what);
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
