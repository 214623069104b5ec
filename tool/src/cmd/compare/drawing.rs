//! A throw as drawings: the complete fabric, one SVG for each engine.
//!
//! Removed links, all links of removed switches among them, are marked as missing, slow links as slow. Colours show the
//! risk of all to all by the engine's tables.

use crate::draw::{Drawn, Link, Scene, State, svg};
use crate::failure::Failure;
use dmodc::analysis::{Traffic, bound};
use dmodc::dmodc::{Engine, Options, Ranking};
use dmodc::fabric::Peer;
use dmodc::wiring::{Difference, End, Kind, slow_links};
use dmodc_lab::compare::{EngineSpec, Outcome, Repeated};

/// Draws a throw for each engine that made tables.
pub fn drawings(throw: &Repeated) -> Result<Vec<(EngineSpec, String)>, Failure> {
    let left = &throw.left;
    let engine = Engine::new(0)?;
    let drawn = Drawn::new(
        throw.complete.to_fabric(None)?,
        &engine,
        &Options::default(),
    );
    let Drawn {
        fabric: complete,
        names,
        ranking,
        ..
    } = &drawn;
    let mut scene = Scene {
        drawn: &drawn,
        differences: Vec::new(),
        // Switches have the same numbers in both fabrics only if none is gone.
        slow: match left.switches().len() == complete.switches().len() {
            true => slow_links(left, |switch| ranking.rank(switch), Some(complete)),
            false => Vec::new(),
        },
    };
    let guid = |switch: u32| complete.switches()[switch as usize].guid;
    let end = |(switch, port): (u32, u8)| End {
        name: names.switches[switch as usize].clone(),
        guid: guid(switch),
        port: Some(port),
    };
    let is_left = |link: &Link| {
        let (switch, port) = link[0];
        let switch = left.switch_by_guid(guid(switch));
        switch.is_some_and(|switch| matches!(left.peer(switch, port), Peer::Switch { .. }))
    };
    let gone = scene.links().into_iter().filter(|link| !is_left(link));
    scene.differences = gone
        .map(|link| Difference {
            kind: Kind::Missing,
            ends: link.map(end).into(),
            found: Vec::new(),
            reason: String::new(),
        })
        .collect();
    let ranks_left = Ranking::new(left, &Options::default());
    let bound = bound(left, |switch| ranks_left.rank(switch));
    let nodes: Vec<u32> = (0..complete.end_nodes().len() as u32).collect();
    let mut drawings = Vec::new();
    for (spec, outcome) in &throw.outcomes {
        if let Outcome::Routed(copied, ..) = outcome {
            let tables = copied.tables(complete);
            let risks = Traffic::new(complete, &tables, &nodes).all_to_all(&|_| ());
            let state = State {
                title: &format!("{spec}; {}", throw.title),
                fabric: complete,
                bound,
                drained: Vec::new(),
                routes: Some((&tables, &risks.by_channel)),
            };
            drawings.push((spec.clone(), svg(&scene, &state)));
        }
    }
    Ok(drawings)
}
