//! The LIDs that tables have beyond those of a fabric's file: of an LMC that the file does not give, or of ports that
//! it does not have.

use super::read::Dump;
use dmodc_fabric::{Fabric, Lid, NO_PATH, NodeId, NodeKind, PortNumber, Tables, lid_range};
use std::collections::HashMap;
use typed_index_collections::TiVec;

/// By LID, whether it is one of these.
fn set(lids: impl Iterator<Item = Lid>) -> TiVec<Lid, bool> {
    let mut set: TiVec<Lid, _> = vec![false; Lid::UNICAST_MAX.index() + 1].into();
    lids.for_each(|lid| set[lid] = true);
    set
}

impl Dump {
    /// The LIDs with a port at some switch of a fabric.
    fn routed(&self, fabric: &Fabric) -> TiVec<Lid, bool> {
        let switches = self.switches.iter();
        let own = switches.filter(|dumped| fabric.switch_by_guid(dumped.guid).is_some());
        let entries = own.flat_map(|dumped| &dumped.entries);
        let routed = entries.filter(|(lid, port)| *port != NO_PATH && lid.is_unicast());
        set(routed.map(|(lid, _)| *lid))
    }

    /// The LMC of the hosts by these tables, if it is above 0. `fabric` has the base LIDs alone, `with` the LIDs of an
    /// LMC: the LIDs that have entries are those of that fabric, all of them; or else, the greatest LMC for which
    /// all hosts' LIDs fit, have entries, and belong to no other port.
    pub fn lmc(&self, fabric: &Fabric, with: impl Fn(u8) -> Option<Fabric>) -> Option<u8> {
        if self.without_owner(fabric).is_empty() {
            return None;
        }
        let routed = self.routed(fabric);
        let is_whole = |lmc: &u8| {
            with(*lmc).is_some_and(|fabric| {
                let mut lids = fabric.lids().filter(|(.., port)| *port != PortNumber::ZERO);
                lids.all(|(lid, ..)| routed[lid]) && self.without_owner(&fabric).is_empty()
            })
        };
        if let Some(lmc) = (1..=7).find(is_whole) {
            return Some(lmc);
        }
        let owned = owned(fabric);
        let hosts = || {
            let nodes = fabric.end_nodes().iter();
            nodes.filter(|node| node.kind == NodeKind::Ca)
        };
        let fits = |lmc: u8| {
            hosts().all(|node| {
                let is_aligned = node.lid.0.trailing_zeros() >= lmc.into();
                let further = lid_range(node.lid, lmc).into_iter().flatten().skip(1);
                let further = further.map(Lid).filter(|&lid| !owned[lid] && routed[lid]);
                node.lmc == 0 && is_aligned && further.count() == (1 << lmc) - 1
            })
        };
        let is_any = hosts().next().is_some();
        (1..=7).rev().find(|lmc| is_any && fits(*lmc))
    }

    /// The LIDs with entries that belong to no port of a fabric.
    pub fn without_owner(&self, fabric: &Fabric) -> Vec<Lid> {
        let (routed, owned) = (self.routed(fabric), owned(fabric));
        let lids = routed.keys().filter(|&lid| routed[lid] && !owned[lid]);
        lids.collect()
    }

    /// The tables of a fabric with further LIDs in the place of their end nodes' LIDs: the first of each node, the
    /// second, and so on.
    pub fn in_place(
        &self,
        tables: &Tables,
        fabric: &Fabric,
        lids: &[(Lid, NodeId)],
    ) -> Vec<Tables> {
        let mut layers: Vec<Vec<(Lid, Lid)>> = Vec::new();
        let mut count: HashMap<NodeId, usize> = HashMap::new();
        for &(lid, node) in lids {
            let at = count.entry(node).or_insert(0);
            if layers.len() == *at {
                layers.push(Vec::new());
            }
            layers[*at].push((lid, fabric.end_nodes()[node].lid));
            *at += 1;
        }
        let layer = |layer: Vec<(Lid, Lid)>| {
            let mut tables = tables.clone();
            for dumped in &self.switches {
                let Some(index) = fabric.switch_by_guid(dumped.guid) else {
                    continue;
                };
                let ports = fabric.switches()[index].ports;
                for &(lid, base) in &layer {
                    let found = dumped.entries.binary_search_by_key(&lid, |(lid, _)| *lid);
                    let port = found.map_or(NO_PATH, |at| dumped.entries[at].1);
                    tables.row_mut(index)[base] = if port <= ports { port } else { NO_PATH };
                }
            }
            tables
        };
        layers.into_iter().map(layer).collect()
    }

    /// The tables of a fabric's switches alone.
    pub fn only(&self, fabric: &Fabric) -> Dump {
        let mut dump = self.clone();
        (dump.switches).retain(|dumped| fabric.switch_by_guid(dumped.guid).is_some());
        dump
    }
}

/// By LID, whether a port of a fabric has it.
fn owned(fabric: &Fabric) -> TiVec<Lid, bool> {
    set(fabric.lids().map(|(lid, ..)| lid))
}
