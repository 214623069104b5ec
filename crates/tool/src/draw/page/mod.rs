//! The fabric as a page for a browser: one file, which fetches nothing.
//!
//! The page has the links with their loads, and the tables themselves, so that it can follow any packet. Tables are
//! rows of bytes by switch, columns by end node, then by switch. Neighbours in the order of places mostly have the
//! same entries, so the page stores the difference of a row from the row before, and of later tables from the first
//! tables; zlib packs all of it. All names are in the packed part, and the script takes them as text.

use super::matrix::{Block, Tab, tabs};
use super::scene::{Drawn, Link, Scene, State};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dmodc_analysis::Channels;
use dmodc_fabric::{
    Drained, Fabric, Guid, Lid, NO_PATH, NodeId, NodeKind, PortNumber, Speed, SwitchId, Tables,
    grouped,
};
use dmodc_formats::netlist::short_name;
use dmodc_lab::xml::escaped;
use dmodc_watch::wiring::{Difference, End, Far};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use typed_index_collections::TiVec;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The files of one script, in their order.
const SCRIPTS: [&str; 6] = [
    include_str!("data.js"),
    include_str!("ways.js"),
    include_str!("matrix.js"),
    include_str!("picture.js"),
    include_str!("select.js"),
    include_str!("panels.js"),
];

/// Writes the page of a fabric. The states are before and after a change, or one alone.
///
/// # Errors
/// If the writer fails.
pub fn page(scene: &Scene, states: &[State], title: &str, out: &mut dyn Write) -> io::Result<()> {
    let page = Page::new(scene);
    let mut data = ZlibEncoder::new(Vec::new(), Compression::default());
    serde_json::to_writer(&mut data, &page.json(states, title))?;
    let mut parts = vec![("data".to_owned(), data.finish()?)];
    let mut first = None;
    for (at, state) in (0..).zip(states) {
        if let Some((tables, _)) = state.routes {
            let rows = page.rows(state.fabric, tables);
            parts.push((format!("tables-{at}"), packed(&rows, first.as_deref())?));
            first.get_or_insert(rows);
        }
    }
    let (head, tail) = PAGE.split_once("{{data}}").expect("the page has data");
    let head = head.replace("{{style}}", STYLE);
    out.write_all(head.replace("{{title}}", &escaped(title)).as_bytes())?;
    for (id, bytes) in parts {
        let text = STANDARD.encode(bytes);
        writeln!(
            out,
            "<script type=\"text/plain\" id=\"{id}\">{text}</script>"
        )?;
    }
    let tail = tail.replace("{{script}}", &SCRIPTS.join("\n"));
    out.write_all(tail.as_bytes())
}

/// Packs rows of one length: the bits of each row that differ from the row before, or from the same row of the first
/// tables.
fn packed(rows: &[Vec<u8>], first: Option<&[Vec<u8>]>) -> io::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let nothing = vec![NO_PATH; rows.first().map_or(0, Vec::len)];
    let mut known = &nothing;
    for (at, row) in rows.iter().enumerate() {
        known = first.map_or(known, |first| &first[at]);
        let changed: Vec<u8> = row.iter().zip(known).map(|(a, b)| a ^ b).collect();
        packed.write_all(&changed)?;
        known = row;
    }
    packed.finish()
}

/// The page's numbering: switches in the order of their places, end nodes in the order of the drawing.
struct Page<'a> {
    scene: &'a Scene<'a>,
    /// Per switch: its number.
    switch: TiVec<SwitchId, usize>,
    /// The end nodes by number.
    hosts: Vec<NodeId>,
    links: Vec<Link>,
}

impl Page<'_> {
    fn new<'a>(scene: &'a Scene) -> Page<'a> {
        let drawn = scene.drawn;
        let mut switch: TiVec<SwitchId, _> = vec![0; drawn.places.len()].into();
        for (at, &s) in drawn.places.iter().enumerate() {
            switch[s] = at;
        }
        let named: HashSet<NodeId> = drawn.order.iter().copied().collect();
        let all = drawn.fabric.end_nodes().keys();
        let rest = all.filter(|node| !named.contains(node));
        Page {
            scene,
            switch,
            hosts: drawn.order.iter().copied().chain(rest).collect(),
            links: scene.links(),
        }
    }

    /// The entries of some tables: for each switch its entries for the end nodes, then its entries for the switches.
    fn rows(&self, fabric: &Fabric, tables: &Tables) -> Vec<Vec<u8>> {
        let (own, places) = (&self.scene.drawn.fabric, &self.scene.drawn.places);
        let hosts = self.hosts.iter().map(|&node| own.end_nodes()[node].lid);
        let lids = hosts.chain(places.iter().map(|&s| own.switches()[s].lid));
        let lids: Vec<Lid> = lids.collect();
        let entry = |s: SwitchId, lid: Lid| match lid {
            Lid(0) => NO_PATH,
            lid => tables.get(s, lid),
        };
        let row = |&s: &SwitchId| match fabric.switch_by_guid(own.switches()[s].guid) {
            Some(s) => lids.iter().map(|&lid| entry(s, lid)).collect(),
            None => vec![NO_PATH; lids.len()],
        };
        places.iter().map(row).collect()
    }

    fn json(&self, states: &[State], title: &str) -> Value {
        let drawn = self.scene.drawn;
        let (fabric, names) = (&drawn.fabric, &drawn.names);
        let (ranking, places) = (&drawn.ranking, &drawn.places);
        let by_place =
            |of: &dyn Fn(SwitchId) -> Value| -> Value { places.iter().map(|&s| of(s)).collect() };
        let by_host =
            |of: &dyn Fn(NodeId) -> Value| -> Value { self.hosts.iter().map(|&n| of(n)).collect() };
        let by_link = |of: &dyn Fn(&Link) -> u32| -> Value { self.links.iter().map(of).collect() };
        let switch = |s: SwitchId| &fabric.switches()[s];
        let node = |n: NodeId| &fabric.end_nodes()[n];
        let number = |s: SwitchId| self.switch[s] as u32;
        let (mut names_of, mut numbers): (Vec<String>, BTreeMap<Speed, usize>) = Default::default();
        let mut speed = |s: SwitchId, port: PortNumber| {
            let speed = fabric.link_speed(s, port);
            *numbers.entry(speed).or_insert_with(|| {
                names_of.push(speed.to_string());
                names_of.len() - 1
            })
        };
        let links = self.links.iter();
        let link_speeds: Vec<usize> = links.map(|[(s, port), _]| speed(*s, *port)).collect();
        let hosts = self.hosts.iter().map(|&n| node(n));
        let host_speeds: Vec<usize> = hosts.map(|n| speed(n.switch, n.port)).collect();
        let labels = |s: SwitchId| {
            let label = |port| Some((port, &**names.labels.get(&(s, PortNumber(port)))?));
            let labels = (1..=switch(s).ports).filter_map(label);
            json!(labels.collect::<BTreeMap<u8, &str>>())
        };
        let block = |block: Block| {
            let numbers = |of: Vec<SwitchId>| of.into_iter().map(number).collect::<Value>();
            json!({
                "rows": numbers(block.rows), "columns": numbers(block.columns), "stray": block.stray,
            })
        };
        let tab = |tab: Tab| {
            let blocks: Value = tab.blocks.into_iter().map(block).collect();
            json!({ "low": tab.low, "high": tab.high, "blocks": blocks })
        };
        let tabs = tabs(self.scene, &self.links, &self.switch).into_iter();
        json!({
            "title": title,
            "by": concat!("dmodc ", env!("CARGO_PKG_VERSION")),
            "switches": {
                "name": by_place(&|s| json!(names.switches[s])),
                "short": by_place(&|s| json!(short_name(&names.switches[s]))),
                "labels": by_place(&|s| labels(s)),
                "guid": by_place(&|s| json!(switch(s).guid.to_string())),
                "lid": by_place(&|s| json!(switch(s).lid.0)),
                "ports": by_place(&|s| json!(switch(s).ports)),
                "rank": by_place(&|s| json!(ranking.rank(s))),
            },
            "hosts": {
                "name": by_host(&|n| json!(names.end_nodes[n])),
                "guid": by_host(&|n| json!(node(n).guid.to_string())),
                "node": by_host(&|n| json!(names.node_guids[n].to_string())),
                "lid": by_host(&|n| json!(node(n).lid.0)),
                "lmc": by_host(&|n| json!(node(n).lmc)),
                "at": by_host(&|n| json!(number(node(n).switch))),
                "port": by_host(&|n| json!(node(n).port.0)),
                "kind": by_host(&|n| json!(match node(n).kind {
                    NodeKind::Ca => "",
                    NodeKind::Router => "router",
                    NodeKind::Aggregation => "aggregation node",
                })),
                "speed": host_speeds,
            },
            "links": {
                "a": by_link(&|[(a, _), _]| number(*a)),
                "p": by_link(&|[(_, p), _]| p.0.into()),
                "b": by_link(&|[_, (b, _)]| number(*b)),
                "q": by_link(&|[_, (_, q)]| q.0.into()),
                "speed": link_speeds,
            },
            "speeds": names_of,
            "tabs": tabs.map(tab).collect::<Value>(),
            "found": self.found(),
            "suspects": self.suspects(),
            "planned": self.scene.is_planned,
            "states": states.iter().map(|state| self.state(state)).collect::<Value>(),
        })
    }

    /// The oddities, as `dmodc wiring` prints them.
    fn found(&self) -> Vec<Value> {
        let Drawn { fabric, names, .. } = self.scene.drawn;
        let differences = &self.scene.differences;
        let slow = self
            .scene
            .slow
            .iter()
            .map(|slow| slow.difference(fabric, names));
        let slow: Vec<Difference> = slow.collect();
        let guids = self.hosts.iter().map(|&n| names.node_guids[n]);
        let hosts: BTreeMap<Guid, Vec<usize>> = grouped(guids.zip(0..));
        let end = |end: &End| {
            let switch = fabric.switch_by_guid(end.guid).map(|s| self.switch[s]);
            json!({ "name": end.name, "guid": end.guid.to_string(), "port": end.port.map(|port| port.0), "switch": switch,
                    "hosts": hosts.get(&end.guid) })
        };
        let ends = |ends: &[End]| ends.iter().map(end).collect::<Vec<_>>();
        let value = |d: &Difference| {
            json!({
                "kind": d.kind.to_string(), "ends": ends(&d.ends), "found": ends(&d.found),
                "reason": d.reason,
            })
        };
        let mut found: Vec<Value> = differences.iter().chain(&slow).map(value).collect();
        // Of a server with several ports, only the slow port.
        let near = self.scene.slow.iter();
        for (found, slow) in found[differences.len()..].iter_mut().zip(near) {
            if let Far::Host(node) = slow.far {
                let at = self.hosts.iter().position(|&n| n == node);
                found["ends"][1]["hosts"] = json!(at.into_iter().collect::<Vec<_>>());
            }
        }
        found
    }

    /// Suspect links, each with its reason.
    fn suspects(&self) -> Value {
        let one = |(drained, reason): &(Drained, String)| {
            let ends = Drained::ends(&self.scene.drawn.fabric, std::slice::from_ref(drained));
            let links = which(&self.links, &|link| ends.binary_search(&link[0]).is_ok());
            json!({ "links": links, "reason": reason })
        };
        self.scene.suspects.iter().map(one).collect()
    }

    fn state(&self, state: &State) -> Value {
        let own = &self.scene.drawn.fabric;
        // Per switch of the scene: its number in the state's fabric.
        let then: TiVec<SwitchId, Option<SwitchId>> = (own.switches().keys())
            .map(|s| state.fabric.switch_by_guid(own.guid(s)))
            .collect();
        let channels = Channels::new(state.fabric);
        let channel = |(s, port): (SwitchId, PortNumber)| channels.by_port(then[s]?, port);
        let drained = |&(s, port): &(SwitchId, PortNumber)| {
            let end = then[s].map(|s| (s, port));
            end.is_some_and(|end| state.drained.binary_search(&end).is_ok())
        };
        let links = |of: &dyn Fn(&Link) -> bool| which(&self.links, of);
        let is_there = |node: NodeId| {
            let node = &own.end_nodes()[node];
            let there = then[node.switch].into_iter();
            let mut there = there.flat_map(|s| state.fabric.end_nodes_of(s));
            there.any(|n| (n.guid, n.port) == (node.guid, node.port))
        };
        let risks = state.routes.map(|(_, risks)| {
            let risk = |end| channel(end).map(|channel| risks[channel]);
            let both = self.links.iter().flatten();
            both.map(|&end| risk(end)).collect::<Vec<_>>()
        });
        let unknown = state.routes.map_or(&[][..], |(tables, _)| tables.unknown());
        let of_place = |s: &SwitchId| then[*s];
        let places = |of: &dyn Fn(&SwitchId) -> bool| which(&self.scene.drawn.places, of);
        json!({
            "title": state.title,
            "bound": state.bound,
            "risk": risks,
            "drained": links(&|link| link.iter().any(drained)),
            "gone": {
                "switches": places(&|s| of_place(s).is_none()),
                "links": links(&|link| channel(link[0]).is_none()),
                "hosts": which(&self.hosts, &|&n| !is_there(n)),
            },
            "unknown": places(&|s| of_place(s).is_some_and(|s| unknown.contains(&s))),
        })
    }
}

/// The positions of the elements for which `is` holds.
fn which<T>(all: &[T], is: &dyn Fn(&T) -> bool) -> Vec<usize> {
    (0..all.len()).filter(|&at| is(&all[at])).collect()
}
