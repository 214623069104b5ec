//! All ports that lead from switch to switch, as CSV.

use super::super::tables::Judged;
use super::worst_permutation;
use dmodc::analysis::Traffic;

/// The columns of `--ports`.
const PORTS: [&str; 11] = [
    "switch_guid",
    "switch",
    "port",
    "to_guid",
    "to",
    "to_port",
    "speed",
    "sources",
    "destinations",
    "risk",
    "exact",
];

/// A row for each port that leads from switch to switch.
pub fn ports(judged: &Judged, traffic: &Traffic) -> Vec<u8> {
    let ends = traffic.ends_by_channel(&|_| ());
    let exact = worst_permutation(traffic, &[], true);
    let mut csv = csv::Writer::from_writer(Vec::new());
    let fabric = &judged.fabric;
    let guid = |s: u32| fabric.switches()[s as usize].guid.to_string();
    let name = |s: u32| judged.names.switches[s as usize].clone();
    let rows = traffic.channels().iter().zip(ends).zip(exact.by_channel);
    let rows = rows.map(|((c, (sources, destinations)), exact)| {
        [
            guid(c.from),
            name(c.from),
            c.port.to_string(),
            guid(c.to),
            name(c.to),
            c.to_port.to_string(),
            fabric.link_speed(c.from, c.port).to_string(),
            sources.to_string(),
            destinations.to_string(),
            sources.min(destinations).to_string(),
            exact.unwrap_or_default().to_string(),
        ]
    });
    for row in [PORTS.map(str::to_owned)].into_iter().chain(rows) {
        csv.write_record(row).expect("memory can be written");
    }
    csv.into_inner().expect("memory can be written")
}
