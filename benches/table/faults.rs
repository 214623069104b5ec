//! What a fault costs in blocks of 64 LIDs that have to be sent to the switches: the tables that each
//! engine makes in the stock OpenSM before and after.

use super::support;
use dmodc::compare::{Contestant, Copied, Outcome, Relay};
use dmodc::netlist::{Kind, Netlist, Node};
use std::error::Error;
use std::fmt::Write as _;

/// One engine and one fault.
pub struct Sent {
    pub fabric: &'static str,
    pub fault: &'static str,
    pub engine: String,
    /// Blocks to send when it comes, and when it is repaired; `None` where the engine refuses.
    pub blocks: Option<[usize; 2]>,
}

/// Runs the engines on a complete fabric and on it with one fault after the other.
pub fn measure(
    name: &'static str,
    whole: &Netlist,
    engines: &[Contestant],
    relay: &Relay,
) -> Result<Vec<Sent>, Box<dyn Error>> {
    let tables = |netlist: &Netlist| -> Result<Vec<Option<Copied>>, Box<dyn Error>> {
        let outcomes = relay.route(netlist, engines)?.outcomes;
        Ok(outcomes.into_iter().map(routed).collect())
    };
    let before = tables(whole)?;
    let (link, switch) = (support::LINKS_SEED, support::SWITCHES_SEED);
    let faults = [
        ("a link", whole.without_links(1, link)?.0),
        ("a switch", whole.without_switches(1, switch, false)?.0),
        ("a pod", whole.without_nodes(&pod(whole))),
    ];
    let mut sent = Vec::new();
    for (fault, netlist) in faults {
        for ((engine, before), after) in engines.iter().zip(&before).zip(tables(&netlist)?) {
            let both = before.as_ref().zip(after.as_ref());
            sent.push(Sent {
                fabric: name,
                fault,
                engine: engine.to_string(),
                blocks: both.map(|(old, new)| [new.changed_blocks(old), old.changed_blocks(new)]),
            });
        }
    }
    Ok(sent)
}

fn routed(outcome: Outcome) -> Option<Copied> {
    match outcome {
        Outcome::Routed(tables, _) => Some(tables),
        Outcome::Refused(_) => None,
    }
}

/// The first leaf, the switches above it, and all leaves below those.
fn pod(netlist: &Netlist) -> Vec<u32> {
    let peers = |node: &Node| node.ports.iter().map(|p| p.peer).collect::<Vec<u32>>();
    let is_switch = |&i: &u32| netlist.nodes[i as usize].kind == Kind::Switch;
    let is_leaf = |i: &u32| {
        let node = &netlist.nodes[*i as usize];
        is_switch(i) && peers(node).iter().any(|peer| !is_switch(peer))
    };
    let all = 0..netlist.nodes.len() as u32;
    let first = all
        .clone()
        .find(is_leaf)
        .expect("some switch has end nodes");
    let mut pod = peers(&netlist.nodes[first as usize]);
    pod.retain(is_switch);
    let above = pod.clone();
    pod.extend(
        above
            .iter()
            .flat_map(|&s| peers(&netlist.nodes[s as usize])),
    );
    pod.retain(|i| above.contains(i) || is_leaf(i));
    pod
}

/// All of them, as Markdown.
pub fn table(sent: &[Sent]) -> String {
    let mut text =
        "| fabric | fault | engine | blocks sent when it comes | when it is repaired |\n\
                    |---|---|---|--:|--:|\n"
            .to_owned();
    for s in sent {
        let refused = || ["refused".into(), String::new()];
        let [comes, repaired] = s.blocks.map_or_else(refused, |b| b.map(|b| b.to_string()));
        let (fabric, fault, engine) = (s.fabric, s.fault, &s.engine);
        let _ = writeln!(
            text,
            "| {fabric} | {fault} | {engine} | {comes} | {repaired} |"
        );
    }
    text
}

/// The same, one figure a line.
pub fn csv(sent: &[Sent]) -> String {
    let mut text = "fabric,fault,engine,blocks_when_it_comes,blocks_when_repaired\n".to_owned();
    for s in sent {
        let [comes, repaired] = s.blocks.map_or([String::new(), String::new()], |blocks| {
            blocks.map(|b| b.to_string())
        });
        let (fabric, fault, engine) = (s.fabric, s.fault, &s.engine);
        let _ = writeln!(text, "{fabric},{fault},{engine},{comes},{repaired}");
    }
    text
}
