//! The use of drained links, printed alike by all subcommands.

use dmodc::drain::Use;
use dmodc::fabric::Fabric;
use dmodc::netlist::Names;
use serde_json::{Value, json};

pub fn text(names: &Names, uses: &[Use]) -> String {
    let name = |s: u32| names.switches[s as usize].clone();
    uses.iter().map(|one| one.describe(name) + "\n").collect()
}

/// For programs: switch and port at both ends (`null` for a whole switch), the remaining routes and hosts.
pub fn json(names: &Names, fabric: &Fabric, uses: &[Use]) -> Value {
    let end = |s: u32, port: Option<u8>| {
        let guid = fabric.switches()[s as usize].guid.to_string();
        json!({ "guid": guid, "name": names.switches[s as usize], "port": port })
    };
    let one = |used: &Use| {
        json!({
            "from": end(used.switch, used.link.map(|link| link.0)),
            "to": used.link.map(|(_, far, port)| end(far, Some(port))),
            "routes": used.routes,
            "other_routes": used.others,
            "hosts": used.hosts,
        })
    };
    uses.iter().map(one).collect()
}
