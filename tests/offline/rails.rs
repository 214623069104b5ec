//! `wiring` on servers with several ports.

use crate::support::*;
use std::collections::BTreeMap;

/// How many units there are, servers in each, and ports at each server.
const SHAPE: [usize; 3] = [2, 8, 4];

/// A server's port: server, number.
type Port = (usize, usize);

/// Where a port is: its leaf, and the port there.
type Place = (usize, usize);

/// A fabric of leaves below two spines, a leaf for each rail of each unit, on which the ports of servers sit.
fn fabric(at: &BTreeMap<Port, Place>, name: impl Fn(Port) -> String) -> String {
    let leaves = SHAPE[0] * SHAPE[2];
    let (mut net, mut hosts) = (String::new(), String::new());
    for leaf in 0..leaves {
        net += &format!("Switch 20 \"l{leaf}\" # \"leaf {leaf}\"\n");
        for (&(server, port), &(_, number)) in at.iter().filter(|(_, place)| place.0 == leaf) {
            let guid = 0x1000 * (server + 1) + port;
            net += &format!("[{number}] \"h{guid:x}\"[1]({guid:x})\n");
            let name = name((server, port));
            hosts += &format!("caguid=0x{guid:x}\nCa 1 \"h{guid:x}\" # \"{name}\"\n");
            hosts += &format!("[1]({guid:x}) \"l{leaf}\"[{number}]\n");
        }
        for spine in 0..2 {
            net += &format!("[{}] \"s{spine}\"[{}]\n", 19 + spine, leaf + 1);
        }
    }
    for spine in 0..2 {
        net += &format!("Switch {leaves} \"s{spine}\" # \"spine {spine}\"\n");
        for leaf in 0..leaves {
            net += &format!("[{}] \"l{leaf}\"[{}]\n", leaf + 1, 19 + spine);
        }
    }
    net + &hosts
}

/// Each port on the leaf of its rail in the unit of its server.
fn on_rails() -> BTreeMap<Port, Place> {
    let [units, servers, rails] = SHAPE;
    let server = |unit: usize, n: usize| unit * servers + n;
    let ports = (0..units).flat_map(|unit| (0..servers).map(move |n| (unit, n)));
    let ports = ports.flat_map(|(unit, n)| (0..rails).map(move |rail| (unit, n, rail)));
    ports
        .map(|(unit, n, rail)| ((server(unit, n), rail), (unit * rails + rail, n + 1)))
        .collect()
}

/// Leaves in pairs, with either port of a server on either: no rails.
fn in_pairs() -> BTreeMap<Port, Place> {
    let mut at = on_rails();
    at.retain(|&(_, rail), _| rail < 2);
    for (&(server, _), place) in &mut at {
        place.0 ^= server & 1;
    }
    at
}

fn called((server, port): Port) -> String {
    format!("node{:03} mlx5_{port}", server + 1)
}

/// What `wiring` says of a fabric, without GUIDs.
fn told(at: &BTreeMap<Port, Place>, name: impl Fn(Port) -> String) -> Vec<String> {
    let output = dmodc_with_input(&["wiring", "-"], fabric(at, name).as_bytes());
    assert_eq!(stderr(&output), "");
    let text = String::from_utf8(output.stdout).unwrap();
    let word = |word: &&str| !word.starts_with("0x");
    let line = |line: &str| line.split(' ').filter(word).collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = text.lines().map(line).collect();
    let count = format!("{} differences", lines.len() - 1);
    assert_eq!(lines.pop(), Some(count));
    assert_eq!(output.status.code(), Some(i32::from(!lines.is_empty())));
    lines
}

/// Two cables of one server swapped, and two of servers in different units.
#[test]
fn swapped_cables_are_told_with_the_leaves_where_they_should_be() {
    let mut at = on_rails();
    assert_eq!(told(&at, called), [""; 0]);
    let swap = |at: &mut BTreeMap<Port, Place>, one: Port, two: Port| {
        let places = (at[&one], at[&two]);
        at.insert(one, places.1);
        at.insert(two, places.0);
    };
    swap(&mut at, (2, 0), (2, 3));
    let lines = told(&at, called);
    let wrong = |device, leaf, found, port, main| {
        format!(
            "wrong rail: 'node003 mlx5_{device}' -- 'leaf {leaf}', found 'node003 mlx5_{device}' -- \
             'leaf {found}' [{port}]: 7 such servers have mlx5_{main} there"
        )
    };
    assert_eq!(lines, [wrong(3, 3, 0, 3, 0), wrong(0, 0, 3, 3, 3)]);
    // Of any two servers on different rails; on the same rail nobody could tell.
    let [units, servers, rails] = SHAPE;
    for n in 0..units * servers {
        let one = (n, n % rails);
        let two = ((5 * n + 3) % (units * servers), (n + 1) % rails);
        let mut at = on_rails();
        swap(&mut at, one, two);
        let lines = told(&at, called);
        assert_eq!(lines.len(), 2, "{lines:?}");
        for port in [one, two] {
            let leaf = on_rails()[&port].0;
            let expected = format!("wrong rail: '{}' -- 'leaf {leaf}', found", called(port));
            let is_told = lines.iter().any(|line| line.starts_with(&expected));
            assert!(is_told, "{expected}: {lines:?}");
        }
    }
}

#[test]
fn servers_with_two_ports_know_where_each_belongs() {
    let mut at = on_rails();
    at.retain(|&(_, rail), _| rail < 2);
    assert_eq!(told(&at, called), [""; 0]);
    at.insert((4, 0), (1, 5));
    at.insert((4, 1), (0, 5));
    let lines = told(&at, called);
    assert_eq!(lines.len(), 2, "{lines:?}");
    has(&lines[0], "'node005 mlx5_1' -- 'leaf 1', found");
}

/// A port at the leaf of another one of its server, in a fabric that has no rails.
#[test]
fn two_ports_at_one_switch_are_told_where_others_have_one() {
    let mut at = in_pairs();
    assert_eq!(told(&at, called), [""; 0]);
    at.insert((4, 1), (0, 12));
    let lines = told(&at, called);
    let expected = "same switch: 'node005 mlx5_1' -- 'leaf 0' [12]: 'node005 mlx5_0' is there at [5]; 7 such \
                    servers have one port there";
    assert_eq!(lines, [expected]);
}

/// What is meant so: all servers of a leaf with both ports on it; a server of another kind; a server with a port
/// more than others; names that say nothing.
#[test]
fn what_may_be_meant_is_not_told() {
    let together = |server: usize| {
        let mut at = on_rails();
        at.retain(|&(_, rail), _| rail < 2);
        for (&(of, rail), place) in &mut at {
            if of >= server {
                *place = (place.0 & !1, 2 * (of % SHAPE[1]) + rail + 1);
            }
        }
        at
    };
    assert_eq!(told(&together(0), called), [""; 0]);
    assert_eq!(told(&together(SHAPE[1]), called), [""; 0]);

    // A login node beside nodes.
    let mut at = on_rails();
    at.insert((4, 0), (3, 12));
    at.insert((4, 3), (3, 13));
    let login = |(server, port): Port| match server {
        4 => format!("login1 mlx5_{port}"),
        _ => called((server, port)),
    };
    assert_eq!(told(&at, login), [""; 0]);
    assert!(!told(&at, called).is_empty());

    // A server of another model, which numbers its ports otherwise.
    let model = |(server, port): Port| match server {
        4 => called((server, port + 4)),
        _ => called((server, port)),
    };
    assert_eq!(told(&on_rails(), model), [""; 0]);
    let nobody = |(_, port): Port| format!("localhost mlx5_{port}");
    assert_eq!(told(&at, nobody), [""; 0]);

    // A third port.
    let mut at = in_pairs();
    at.insert((4, 2), (0, 12));
    assert_eq!(told(&at, called), [""; 0]);
}

/// Eight ports of each rail on each of two leaves, which two spines join: four of them to each spine.
#[test]
fn a_pattern_within_each_rail() {
    let dir = tempfile::tempdir().unwrap();
    let (net, lfts) = (dir.path().join("net"), dir.path().join("lfts"));
    std::fs::write(&net, fabric(&on_rails(), called)).unwrap();
    let (net, lfts) = (path(&net), path(&lfts));
    ok(&["route", net, "--lfts", lfts]);
    let args = ["analyze", net, lfts, "--patterns", "a2a,rails"];
    let found = json(&args);
    assert_eq!(found["a2a"], 8);
    let rails = found["rails"]["alone"].as_array().unwrap();
    assert_eq!(rails.len(), SHAPE[2]);
    for (number, rail) in rails.iter().enumerate() {
        assert_eq!(rail["rail"], format!("mlx5_{number}"));
        assert_eq!(rail["nodes"], SHAPE[0] * SHAPE[1]);
        for pattern in ["a2a", "sp"] {
            assert_eq!(rail[pattern]["risk"], 4, "{rail}");
            let port = rail[pattern]["port"].as_str().unwrap();
            // The leaves of rail 1, for example, are the second and the sixth.
            let leaves = [number, number + SHAPE[2]].map(|leaf| format!("'leaf {leaf}'"));
            assert!(leaves.iter().any(|leaf| port.contains(leaf)), "{port}");
        }
    }
    // No two rails share a port.
    assert_eq!(found["rails"]["at_once"]["risk"], 4);
    let text = ok(&args);
    has(&text, "\nmlx5_2 A2A of 16                   4  0x");
    // Where nobody has rails.
    let other = Routed::shape(FIGURE_1);
    let args = ["analyze", &*other.net, &*other.lfts, "--patterns", "rails"];
    assert!(fails(2, &args).contains("needs a fabric with rails"));
}
