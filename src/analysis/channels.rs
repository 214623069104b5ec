//! Channels: the directed switch-to-switch ports, numbered densely.
//!
//! A link between two switches is two channels, one leaving each of its ports. A link between a switch and an end node
//! has no channel: downwards it carries one destination, upwards one source. Channel numbers ascend with (switch,
//! port), so counters are plain arrays, and all lists have the same order.

use crate::fabric::{Fabric, counted};

/// A directed switch-to-switch port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The switch that it leaves.
    pub from: u32,
    /// The port by which it leaves.
    pub port: u8,
    /// The switch that it enters.
    pub to: u32,
    /// The port by which it enters.
    pub to_port: u8,
}

/// The other end of a switch port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hop {
    /// No other switch: no such port, no link, or an end node.
    Nothing,
    /// Another switch, by a channel.
    Switch {
        /// The channel's number.
        channel: u32,
        /// The switch's index.
        to: u32,
    },
}

/// The channels of a fabric, and the other end of each port.
#[derive(Debug)]
pub struct Channels {
    /// The index of each switch's first port in `hops`, and the end.
    first: Vec<u32>,
    hops: Vec<Hop>,
    channels: Vec<Channel>,
    /// By channel; empty if all are alike.
    capacities: Vec<f64>,
}

impl Channels {
    /// Numbers the channels of a fabric.
    pub fn new(fabric: &Fabric) -> Channels {
        let mut all = Channels {
            first: vec![0],
            hops: Vec::new(),
            channels: Vec::new(),
            capacities: Vec::new(),
        };
        for from in 0..fabric.switches().len() as u32 {
            for port in 1..=fabric.switches()[from as usize].ports {
                let Some((to, to_port)) = fabric.far(from, port) else {
                    all.hops.push(Hop::Nothing);
                    continue;
                };
                let channel = all.channels.len() as u32;
                all.hops.push(Hop::Switch { channel, to });
                all.channels.push(Channel {
                    from,
                    port,
                    to,
                    to_port,
                });
            }
            all.first.push(all.hops.len() as u32);
        }
        all.capacities = capacities(fabric, &all.channels);
        all
    }

    /// Number of channels.
    pub fn len(&self) -> usize {
        self.channels.len()
    }

    /// Whether there are no channels: at most one switch, or no links between switches.
    pub fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// Number of switches.
    pub fn switches(&self) -> usize {
        self.first.len() - 1
    }

    /// The channel with this number.
    pub fn get(&self, channel: u32) -> Channel {
        self.channels[channel as usize]
    }

    /// Whether the channels differ in capacity.
    pub fn differ(&self) -> bool {
        !self.capacities.is_empty()
    }

    /// The capacity of a channel, as a part of the fastest channel's. A link of unknown speed gets the most common
    /// speed, of several the fastest.
    #[inline]
    pub fn capacity(&self, channel: u32) -> f64 {
        let known = self.capacities.get(channel as usize);
        known.copied().unwrap_or(1.0)
    }

    /// All channels in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Channel> + '_ {
        self.channels.iter().copied()
    }

    /// The channels that leave a switch, by number.
    pub fn of_switch(&self, switch: u32) -> impl Iterator<Item = u32> + '_ {
        let (from, to) = (self.first[switch as usize], self.first[switch as usize + 1]);
        let hops = self.hops[from as usize..to as usize].iter();
        hops.filter_map(|hop| match *hop {
            Hop::Switch { channel, .. } => Some(channel),
            _ => None,
        })
    }

    /// The other end of port `port` of switch `switch`. Port 0 is the switch itself, without another end.
    #[inline]
    pub fn hop(&self, switch: u32, port: u8) -> Hop {
        let (from, to) = (self.first[switch as usize], self.first[switch as usize + 1]);
        if port == 0 || u32::from(port) > to - from {
            return Hop::Nothing;
        }
        self.hops[(from + u32::from(port) - 1) as usize]
    }
}

/// The capacity of each channel; empty if all are alike.
fn capacities(fabric: &Fabric, channels: &[Channel]) -> Vec<f64> {
    let speed = |c: &Channel| fabric.speed(c.from, c.port);
    let counts = counted(channels.iter().map(speed).filter(|&speed| speed > 0));
    let common = counts.iter().max_by_key(|&(_, count)| count);
    let (Some((&common, _)), Some((&fastest, _))) = (common, counts.last_key_value()) else {
        return Vec::new();
    };
    if counts.len() < 2 {
        return Vec::new();
    }
    let known = channels.iter().map(|c| match speed(c) {
        0 => common,
        speed => speed,
    });
    known.map(|s| f64::from(s) / f64::from(fastest)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Net, with_speeds};
    use super::*;

    #[test]
    fn capacities_are_parts_of_the_fastest() {
        let of = |speeds: [&str; 4]| {
            let net = Net::new(&[(0, 1), (0, 1), (0, 1), (0, 1)], &[0]).build();
            let channels = Channels::new(&with_speeds(net, |_, port| match port {
                1..=4 => speeds[usize::from(port) - 1],
                _ => "1xSDR",
            }));
            assert!(channels.capacity(1) == channels.capacity(5));
            let all = (0..4).map(|c| channels.capacity(c)).collect::<Vec<_>>();
            (channels.differ(), all)
        };
        let alike = (false, vec![1.0; 4]);
        assert_eq!(of(["", "", "", ""]), alike);
        assert_eq!(of(["4xHDR", "4xHDR", "2xNDR", "4xHDR"]), alike);
        // A link of unknown speed gets the only known speed.
        assert_eq!(of(["4xHDR", "", "4xHDR", ""]), alike);
        let found = of(["4xHDR", "", "1xHDR", "1xHDR"]);
        assert_eq!(found, (true, vec![1.0, 0.25, 0.25, 0.25]));
    }
}
