//! All ports between switches, as CSV.

use super::super::tables::Judged;
use super::worst_permutation;
use dmodc_analysis::{Traffic, Workload};
use dmodc_fabric::SwitchId;

/// The columns of `--ports`. Pairs add two.
const PORTS: &str = "switch_guid,switch,port,to_guid,to,to_port,speed,sources,destinations,risk,exact,\
    capacity,exact_capacity";

pub fn ports(judged: &Judged, traffic: &Traffic, pairs: Option<&Workload>) -> Vec<u8> {
    let ends = traffic.ends_by_channel(&|_| ());
    let exact = worst_permutation(traffic, &[], true).by_channel;
    let mut csv = csv::Writer::from_writer(Vec::new());
    let fabric = &judged.fabric;
    let guid = |s: SwitchId| fabric.guid(s).to_string();
    let name = |s: SwitchId| judged.names.switches[s].clone();
    let channels = traffic.channels();
    let rows = channels.ids().zip(channels.iter()).map(|(id, c)| {
        let (sources, destinations) = ends[id];
        let exact = exact[id].unwrap_or_default();
        let capacity = channels.capacity(id);
        let mut row = vec![
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
            exact.to_string(),
            capacity.to_string(),
            (f64::from(exact) / capacity).to_string(),
        ];
        if let Some(pairs) = pairs {
            let rate = pairs.least_rates[id];
            row.push(pairs.flows.by_channel[id].to_string());
            row.push(rate.map_or_else(String::new, |rate| rate.to_string()));
        }
        row
    });
    let mut header: Vec<String> = PORTS.split(',').map(str::to_owned).collect();
    if pairs.is_some() {
        header.extend(["pairs_flows", "pairs_rate"].map(str::to_owned));
    }
    for row in [header].into_iter().chain(rows) {
        csv.write_record(row).expect("memory can be written");
    }
    csv.into_inner().expect("memory can be written")
}
