//! Routes any fabric at all, however senseless: no panic; every entry is "no path", port 0 or a port with a
//! link; every pair that can be routed arrives, without a needless turn or a credit loop.
//!
//! The bytes are read as a list of switches, links and end nodes; see [`fabric`].

#![no_main]

use dmodc_analysis::check;
use dmodc_core::{Engine, Faults, OnUnreachable, Options, RouteError};
use dmodc_fabric::{
    Builder, EndNode, Fabric, Guid, Lid, NO_PATH, NodeId, NodeKind, Peer, PortNumber, SwitchId,
    Tables,
};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(1).expect("a thread"));

fuzz_target!(|bytes: &[u8]| {
    let Some((&asked, bytes)) = bytes.split_first() else {
        return;
    };
    // With a reference, the next byte sets where the fabric's bytes end. The reference begins amid them, so it may
    // share much with the fabric, or nothing.
    let (bytes, reference) = match bytes.split_first() {
        Some((&at, bytes)) if asked & 64 != 0 => {
            let at = bytes.len() * usize::from(at) / 256;
            (&bytes[..at], Some(Arc::new(self::fabric(&bytes[at / 2..]))))
        }
        _ => (bytes, None),
    };
    let fabric = fabric(bytes);
    let options = Options {
        reference,
        ..options(asked, &fabric)
    };
    let plan = match ENGINE.plan(&fabric, &options) {
        Ok(plan) => plan,
        Err(RouteError::NotATree(cycle)) => return assert!(cycle.len() > 2),
        Err(other) => panic!("{other}"),
    };
    let mut tables = Tables::for_fabric(&fabric);
    // An entry that is not written stays 254, a port that no switch has here.
    tables.rows_mut().into_iter().for_each(|row| row.fill(254));
    match ENGINE.fill(&fabric, &plan, &mut tables.rows_mut()) {
        Ok(_) => {}
        Err(RouteError::Unreachable(count)) => return assert!(count > 0),
        Err(other) => panic!("{other}"),
    }
    for (index, switch) in fabric.switches().iter_enumerated() {
        for (lid, &port) in tables.row(index).iter_enumerated() {
            let leads = port == 0 || fabric.peer(index, PortNumber(port)) != Peer::None;
            assert!(
                leads || port == NO_PATH,
                "LID {lid} to port {port} of {}",
                switch.guid
            );
        }
    }
    let order = plan.order().len();
    assert_eq!(order, fabric.end_nodes().len());
    let ranking = plan.ranking();
    let report = check(&fabric, &tables, |a, b| ranking.is_up(a, b));
    // Routes may be longer than the shortest where the fabric is no PGFT: a switch that can route down does.
    let turns = report.turns.routes > 0 || report.credit_loops.count > 0;
    let sound = report.undelivered() == 0 && !turns;
    assert!(sound, "{fabric:#?}\n{report:#?}");
});

/// The options in the first byte.
fn options(asked: u8, fabric: &Fabric) -> Options {
    let guid = |s| fabric.switches().get(SwitchId(s)).map(|s| s.guid);
    let node = |n| fabric.end_nodes().get(NodeId(n)).map(|n| n.guid);
    let given = |bit: u8, guids: [Option<Guid>; 2]| match asked & bit {
        0 => Vec::new(),
        _ => guids.into_iter().flatten().collect(),
    };
    Options {
        on_unreachable: match asked & (1 | 32) {
            0 => OnUnreachable::Partial,
            1 => OnUnreachable::Fail,
            _ => OnUnreachable::Connect,
        },
        connect_roots: asked & 2 != 0,
        root_guids: given(4, [guid(0), guid(3)]),
        cn_guids: given(8, [node(0), node(2)]),
        io_guids: given(16, [node(1), node(2)]),
        faults: if asked & 128 != 0 {
            Faults::Paper
        } else {
            Faults::Stable
        },
        ..Options::default()
    }
}

/// Reads records of five bytes: a kind, and four bytes for its parts. Links and end nodes refer to the
/// switches before them; ports, LIDs and LMCs may be out of range or taken.
fn fabric(bytes: &[u8]) -> Fabric {
    let mut builder = Builder::default();
    let mut switches = 0;
    for record in bytes.as_chunks::<5>().0 {
        let &[kind, a, b, c, d] = record;
        let port = |s: u8, port| (SwitchId(u32::from(s) % switches), PortNumber(port));
        match kind % 4 {
            0 => {
                builder.switch(Guid(a.into()), Lid(b.into()), c % 9, d % 40);
                switches += 1;
            }
            _ if switches == 0 => {}
            1 | 2 => builder.link(port(a, b), port(c, d)),
            _ => builder.end_node(EndNode {
                guid: Guid(0x1000 + u64::from(c)),
                lid: Lid(u16::from(c) << (kind >> 6)),
                lmc: d % 9,
                kind: match d >> 6 {
                    0 => NodeKind::Router,
                    1 => NodeKind::Aggregation,
                    _ => NodeKind::Ca,
                },
                switch: port(a, b).0,
                port: PortNumber(b),
            }),
        }
    }
    builder.finish().0
}
