//! The paper's experiment (section IV): equipment removed at random, every engine on what is left.
//!
//! Throw `n` of a seed removes `a = floor(2^(m u) - 1)` switches or links from the complete fabric,
//! with `u` uniform in [0, 1) and `m` the series' exponent, so that throws spread evenly over the
//! decades of `a`. Throw 0 removes nothing. A throw depends on the fabric, the series and its own
//! number alone: throws can be made in any order, by different runs, for one engine or for many.
//!
//! All engines of a throw route the same fabric in the same OpenSM (see [`super::relay`]) and
//! are judged by the tables that it holds. Shifts are taken in two orders: that of OpenSM's ftree,
//! told the roots, on the complete fabric, as in the paper; and that of Dmodc's topological NIDs on
//! the fabric at hand.

use super::CompareError;
use super::contestant::Contestant;
use super::drawing::Drawing;
use super::judge::{self, Orders, Risks, Scale};
use super::portrait::{Portrait, WorstPort};
use super::relay::{Answer, Copied, Outcome, Relay};
use super::throw_row::{Routed, ThrowRow};
use crate::analysis::Traffic;
use crate::dmodc::{Engine, Options};
use crate::fabric::{Fabric, Guid, Lid};
use crate::lft::{Tables, parse_order};
use crate::netlist::{Kind, Netlist, NotEnough};
use crate::random::Random;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// What is removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Equipment {
    /// Switches that carry no end nodes.
    Switches,
    /// Links between switches.
    Links,
}

impl fmt::Display for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Equipment::Switches => "switches",
            Equipment::Links => "links",
        })
    }
}

impl FromStr for Equipment {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "switches" => Ok(Equipment::Switches),
            "links" => Ok(Equipment::Links),
            _ => Err(format!("'{s}' is neither 'switches' nor 'links'")),
        }
    }
}

/// What the throws of a series have in common.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name of the fabric.
    pub fabric: String,
    /// What is removed.
    pub equipment: Equipment,
    /// The paper's `m`: up to 2^m - 1 pieces go.
    pub max_exponent: f64,
    /// Of all that is random but the permutations.
    pub seed: u64,
    /// The permutations by which tables are judged.
    pub scale: Scale,
    /// Port GUIDs of I/O nodes, if any.
    pub io: Vec<Guid>,
}

impl Series {
    /// How much throw `number` removes, and the seed of the removal.
    pub fn removal(&self, number: u32) -> (usize, u64) {
        let mut random = Random::stream(self.seed, number.into());
        let u = random.below(1 << 53) as f64 / (1u64 << 53) as f64;
        let seed = random.below(usize::MAX) as u64;
        match number {
            0 => (0, seed),
            _ => (((self.max_exponent * u).exp2() - 1.0) as usize, seed),
        }
    }

    /// The most that any throw can remove.
    pub fn most(&self) -> usize {
        (self.max_exponent.exp2() - 1.0) as usize
    }

    /// The throw to draw, of the first `throws` at a fabric: that which removes most, of those that
    /// remove a twentieth at most, or one piece; if there is one.
    pub fn worth_drawing(&self, netlist: &Netlist, throws: u32) -> Option<u32> {
        let pieces = match self.equipment {
            Equipment::Switches => netlist.removable_switches(false).len(),
            Equipment::Links => netlist.links_between_switches().len(),
        };
        let few = 1..=(pieces / 20).max(1);
        let drawable = (1..=throws).filter(|&n| few.contains(&self.removal(n).0));
        drawable.max_by_key(|&n| self.removal(n).0)
    }

    fn degraded(&self, netlist: &Netlist, count: usize, seed: u64) -> Result<Netlist, NotEnough> {
        Ok(match self.equipment {
            Equipment::Switches => netlist.without_switches(count, seed, false)?.0,
            Equipment::Links => netlist.without_links(count, seed)?.0,
        })
    }
}

/// A series on its fabric, with what is known of the complete fabric.
pub struct Thrower {
    series: Series,
    contestants: Vec<Contestant>,
    netlist: Netlist,
    relay: Relay,
    engine: Engine,
    lids: HashMap<Guid, Lid>,
    ftree_order: Vec<Guid>,
    complete: HashMap<Contestant, Copied>,
}

impl Thrower {
    /// Runs the contestants on the complete fabric, which later throws are compared with. The rows
    /// of this throw, number 0, come along.
    pub fn new(
        series: Series,
        mut netlist: Netlist,
        contestants: Vec<Contestant>,
        plugin_dir: &Path,
        limit: Duration,
    ) -> Result<(Thrower, Vec<ThrowRow>), CompareError> {
        series.degraded(&netlist, series.most(), 0)?;
        let relay = Relay::find(plugin_dir, limit)?.io(&series.io);
        // The node order of the paper's shifts.
        let ftree = "ftree+roots".parse().expect("it is a name");
        let answer = relay.route(&netlist, &[ftree])?;
        adopt(&mut netlist, &answer.lids);
        let (fabric, _) = netlist.to_fabric(None)?;
        let ftree_order = answer.ftree_order.and_then(|bytes| {
            let order = parse_order(&fabric, &bytes).ok()?;
            let guid = |node: u32| fabric.end_nodes()[node as usize].guid;
            Some(order.into_iter().map(guid).collect())
        });
        if ftree_order.is_none() {
            log::warn!("ftree refuses the complete fabric: there are no shifts in its order");
        }
        let mut thrower = Thrower {
            series,
            contestants,
            netlist,
            relay,
            engine: Engine::new(0)?,
            lids: answer.lids,
            ftree_order: ftree_order.unwrap_or_default(),
            complete: HashMap::new(),
        };
        let all = thrower.contestants.clone();
        let (answer, rows) = thrower.throw_for(0, &all)?;
        for (contestant, outcome) in all.into_iter().zip(answer.outcomes) {
            if let Outcome::Routed(copied, _) = outcome {
                thrower.complete.insert(contestant, copied);
            }
        }
        Ok((thrower, rows))
    }

    /// Makes a throw for some of the contestants.
    pub fn throw(
        &self,
        number: u32,
        contestants: &[Contestant],
    ) -> Result<Vec<ThrowRow>, CompareError> {
        Ok(self.throw_for(number, contestants)?.1)
    }

    fn throw_for(
        &self,
        number: u32,
        contestants: &[Contestant],
    ) -> Result<(Answer, Vec<ThrowRow>), CompareError> {
        let (removed, seed) = self.series.removal(number);
        let netlist = self.series.degraded(&self.netlist, removed, seed)?;
        let answer = self.relay.route(&netlist, contestants)?;
        let (fabric, _) = netlist.to_fabric(None)?;
        let plan = self.engine.plan(&fabric, &Options::default()).ok();
        let orders = Orders {
            ftree: self.ftree_order(&fabric),
            dmodc: plan.as_ref().map_or(vec![], |plan| plan.order().to_vec()),
        };
        // LIDs that moved would make blocks differ that no route has to do with.
        let same_lids = answer
            .lids
            .iter()
            .all(|(port, lid)| self.lids.get(port) == Some(lid));
        // Engines often agree: what they agree on is judged once.
        let mut judged: Vec<(Tables, Risks)> = Vec::new();
        let mut rows = Vec::new();
        for (contestant, outcome) in contestants.iter().zip(&answer.outcomes) {
            let outcome = match outcome {
                Outcome::Refused(reason) => Err(reason.clone()),
                Outcome::Routed(copied, callbacks) => {
                    let tables = copied.tables(&fabric);
                    let known = judged.iter().find(|(known, _)| *known == tables);
                    let risks = match known {
                        Some((_, risks)) => *risks,
                        None => {
                            let (io, scale) = (&self.series.io, &self.series.scale);
                            let risks = judge::risks(&fabric, &tables, &orders, io, scale);
                            judged.push((tables, risks));
                            risks
                        }
                    };
                    let complete = self.complete.get(contestant).filter(|_| same_lids);
                    Ok(Routed {
                        risks,
                        changed_blocks: complete.map(|complete| copied.changed_blocks(complete)),
                        lid_matrices: callbacks.lid_matrices,
                        fwd_tables: callbacks.fwd_tables,
                    })
                }
            };
            rows.push(ThrowRow {
                fabric: self.series.fabric.clone(),
                switches: netlist.switches().count(),
                nodes: fabric.end_nodes().len(),
                equipment: self.series.equipment,
                max_exponent: self.series.max_exponent,
                seed: self.series.seed,
                throw: number,
                removed,
                unreachable_pairs: plan.as_ref().map(|plan| plan.unreachable().count),
                contestant: contestant.clone(),
                outcome,
                permutations: self.series.scale.permutations,
                version: env!("CARGO_PKG_VERSION").into(),
                opensm: answer.version.clone(),
            });
        }
        Ok((answer, rows))
    }

    /// Makes a throw again, and says for each contestant which ports are its worst.
    pub fn portrait(&self, number: u32, worst: usize) -> Result<Portrait, CompareError> {
        let (complete, _) = self.netlist.to_fabric(None)?;
        let (removed, seed) = self.series.removal(number);
        let netlist = self.series.degraded(&self.netlist, removed, seed)?;
        let (fabric, _) = netlist.to_fabric(None)?;
        let drawing = Drawing::new(&complete, &self.ftree_order(&complete));
        let mut portrait = Portrait {
            fabric: self.series.fabric.clone(),
            equipment: self.series.equipment,
            throw: number,
            removed,
            switches: drawing.switches(&fabric),
            links: drawing.links(&fabric),
            ports: vec![],
        };
        let answer = self.relay.route(&netlist, &self.contestants)?;
        let order: Vec<u32> = (0..fabric.end_nodes().len() as u32).collect();
        for (contestant, outcome) in self.contestants.iter().zip(answer.outcomes) {
            let Outcome::Routed(copied, _) = outcome else {
                continue;
            };
            let traffic = Traffic::new(&fabric, &copied.tables(&fabric), &order);
            for (channel, risk) in traffic.all_to_all(&|_| ()).worst(worst) {
                let channel = traffic.channels().get(channel);
                let place = |switch: u32| drawing.place(fabric.switches()[switch as usize].guid);
                if let (Some(from), Some(to)) = (place(channel.from), place(channel.to)) {
                    portrait.ports.push(WorstPort {
                        from,
                        to,
                        risk,
                        contestant: contestant.clone(),
                    });
                }
            }
        }
        Ok(portrait)
    }

    /// ftree's order of the complete fabric, without the nodes that are gone.
    fn ftree_order(&self, fabric: &Fabric) -> Vec<u32> {
        let nodes = (0..).zip(fabric.end_nodes());
        let by_guid: HashMap<Guid, u32> = nodes.map(|(index, node)| (node.guid, index)).collect();
        let order = self.ftree_order.iter();
        order
            .filter_map(|guid| by_guid.get(guid).copied())
            .collect()
    }
}

/// Takes OpenSM's LIDs over. A port that OpenSM did not find keeps what it has.
fn adopt(netlist: &mut Netlist, lids: &HashMap<Guid, Lid>) {
    for node in &mut netlist.nodes {
        if node.kind == Kind::Switch {
            node.lid = lids.get(&node.guid).copied().unwrap_or(node.lid);
            continue;
        }
        let guid = node.guid;
        for port in &mut node.ports {
            let simulated = Guid(guid.0.wrapping_add(port.number.into()));
            port.lid = lids.get(&simulated).copied().unwrap_or(port.lid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(max_exponent: f64) -> Series {
        Series {
            fabric: "x".into(),
            equipment: Equipment::Links,
            max_exponent,
            seed: 3,
            scale: Scale {
                permutations: 1,
                seed: 1,
            },
            io: vec![],
        }
    }

    #[test]
    fn removals_follow_the_paper_s_law_and_the_seed() {
        let series = series(7.0);
        assert_eq!(series.most(), 127);
        assert_eq!(series.removal(0).0, 0);
        let counts: Vec<usize> = (1..=2000).map(|n| series.removal(n).0).collect();
        assert_eq!(
            counts,
            (1..=2000).map(|n| series.removal(n).0).collect::<Vec<_>>()
        );
        assert!(counts.iter().all(|&a| a <= 127));
        // a = 0 for u < 1/7, a < 15 for u < 4/7.
        let share = |below: usize| counts.iter().filter(|&&a| a < below).count() as f64 / 2000.0;
        assert!((share(1) - 1.0 / 7.0).abs() < 0.03, "{}", share(1));
        assert!((share(15) - 4.0 / 7.0).abs() < 0.04, "{}", share(15));
    }
}
