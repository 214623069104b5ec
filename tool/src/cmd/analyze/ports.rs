//! All ports between switches, as CSV.

use super::super::tables::Judged;
use super::worst_permutation;
use dmodc::analysis::{Traffic, Worked};

/// The columns of `--ports`. Each pattern of programs adds two.
const PORTS: &str = "switch_guid,switch,port,to_guid,to,to_port,speed,sources,destinations,risk,exact,\
    capacity,exact_capacity";

pub fn ports(judged: &Judged, traffic: &Traffic, worked: &[(String, Worked)]) -> Vec<u8> {
    let ends = traffic.ends_by_channel(&|_| ());
    let exact = worst_permutation(traffic, &[], true).by_channel;
    let mut csv = csv::Writer::from_writer(Vec::new());
    let fabric = &judged.fabric;
    let guid = |s: u32| fabric.switches()[s as usize].guid.to_string();
    let name = |s: u32| judged.names.switches[s as usize].clone();
    let rows = (0u32..).zip(traffic.channels().iter()).map(|(number, c)| {
        let (sources, destinations) = ends[number as usize];
        let exact = exact[number as usize].unwrap_or_default();
        let capacity = traffic.channels().capacity(number);
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
        for (_, worked) in worked {
            let rate = worked.least_rates[number as usize];
            row.push(worked.flows.by_channel[number as usize].to_string());
            row.push(rate.map_or_else(String::new, |rate| rate.to_string()));
        }
        row
    });
    let mut header: Vec<String> = PORTS.split(',').map(str::to_owned).collect();
    for (pattern, _) in worked {
        header.extend([format!("{pattern}_flows"), format!("{pattern}_rate")]);
    }
    for row in [header].into_iter().chain(rows) {
        csv.write_record(row).expect("memory can be written");
    }
    csv.into_inner().expect("memory can be written")
}
