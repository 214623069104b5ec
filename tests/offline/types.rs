//! Node types: what it gains to number I/O nodes by themselves.

use dmodc::analysis::Traffic;
use dmodc::dmodc::{Engine, NodeType, NodeTypes, Options};
use dmodc::fabric::Guid;
use dmodc::lft::Tables;
use dmodc::netlist::generate::{Order, Pgft, build};

/// An I/O node at the last port of each leaf: a fixed stride of NIDs, which all meet at one uplink
/// of every leaf unless they are numbered by themselves.
#[test]
fn io_nodes_at_regular_places_are_spread_by_themselves() {
    let shape: Pgft = "PGFT(3;6,4,4;1,6,4;1,1,1)".parse().expect("a shape");
    let netlist = build(&shape.into(), Order::default());
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    let io_guids: Vec<Guid> = fabric
        .end_nodes()
        .iter()
        .filter(|node| node.port == 6)
        .map(|node| node.guid)
        .collect();
    let typed = Options {
        io_guids,
        ..Options::default()
    };
    let types = NodeTypes::new(&typed);
    let is = |kind: NodeType| {
        let (types, nodes) = (&types, fabric.end_nodes());
        move |n: u32| types.of(nodes[n as usize].guid) == kind
    };
    assert_eq!(types.of(typed.io_guids[0]), NodeType::Io);

    let engine = Engine::new(1).expect("a thread");
    let risk = |options: &Options| {
        let plan = engine.plan(&fabric, options).expect("a tree");
        let mut tables = Tables::for_fabric(&fabric);
        engine
            .fill(&fabric, &plan, &mut tables.rows_mut())
            .expect("tables that fit");
        let order = engine.plan(&fabric, &typed).expect("a tree");
        let traffic = Traffic::new(&fabric, &tables, order.order());
        let (cn2io, io2cn) = (
            traffic.type_to_type(is(NodeType::Compute), is(NodeType::Io), &|_| ()),
            traffic.type_to_type(is(NodeType::Io), is(NodeType::Compute), &|_| ()),
        );
        (cn2io.value, io2cn.value)
    };
    let (plain, by_type) = (risk(&Options::default()), risk(&typed));
    // Without types all five compute nodes of a leaf leave by the same uplink.
    assert_eq!(plain.0, 5);
    assert_eq!(by_type.0, 2);
    assert!(by_type.1 <= plain.1);
}
