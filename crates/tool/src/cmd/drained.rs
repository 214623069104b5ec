//! The use of drained links, printed alike by all subcommands.

use dmodc_fabric::{Fabric, PortNumber, SwitchId};
use dmodc_formats::drain::Use;
use dmodc_formats::netlist::Names;
use serde_json::{Value, json};

pub fn lines(names: &Names, uses: &[Use]) -> Vec<String> {
    let name = |s: SwitchId| names.switches[s].clone();
    let port = |s, port| names.port(s, port);
    uses.iter().map(|one| one.describe(name, port)).collect()
}

pub fn text(names: &Names, uses: &[Use]) -> String {
    let lines = lines(names, uses).into_iter();
    lines.map(|line| line + "\n").collect()
}

/// For programs: switch and port at both ends (`null` for a whole switch), the remaining routes and hosts.
pub fn json(names: &Names, fabric: &Fabric, uses: &[Use]) -> Value {
    let end = |s: SwitchId, port: Option<PortNumber>| {
        let guid = fabric.switches()[s].guid.to_string();
        json!({ "guid": guid, "name": names.switches[s], "port": port.map(|port| port.0) })
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
