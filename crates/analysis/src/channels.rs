//! Channels: the directed switch-to-switch ports, numbered densely.
//!
//! A link between two switches is two channels, one leaving each of its ports. A link between a switch and an end node
//! has no channel: downwards it carries one destination, upwards one source. Channel numbers ascend with (switch,
//! port), so counters are plain arrays, and all lists have the same order.

use dmodc_fabric::{Fabric, PortNumber, SwitchId, counted};
use typed_index_collections::{TiSlice, TiVec};

dmodc_fabric::index! {
    /// A channel of a fabric, in ascending (switch, port).
    ChannelId(u32)
}

/// A directed switch-to-switch port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The switch that it leaves.
    pub from: SwitchId,
    /// The port by which it leaves.
    pub port: PortNumber,
    /// The switch that it enters.
    pub to: SwitchId,
    /// The port by which it enters.
    pub to_port: PortNumber,
}

/// The other end of a switch port: another switch, by a channel; or nothing, for no such port, no link, or an end node.
pub type Hop = Option<(ChannelId, SwitchId)>;

/// The channels of a fabric, and the other end of each port.
#[derive(Debug)]
pub struct Channels {
    /// The place of each switch's ports in `hops`: the first, and the end.
    ports: TiVec<SwitchId, (u32, u32)>,
    hops: Vec<Hop>,
    channels: TiVec<ChannelId, Channel>,
    /// By channel; empty if all are alike.
    capacities: TiVec<ChannelId, f64>,
}

impl Channels {
    /// Numbers the channels of a fabric.
    pub fn new(fabric: &Fabric) -> Channels {
        let mut all = Channels {
            ports: TiVec::new(),
            hops: Vec::new(),
            channels: TiVec::new(),
            capacities: TiVec::new(),
        };
        for (from, switch) in fabric.switches().iter_enumerated() {
            let first = all.hops.len() as u32;
            for port in switch.port_numbers() {
                let Some((to, to_port)) = fabric.far(from, port) else {
                    all.hops.push(None);
                    continue;
                };
                let channel = all.channels.push_and_get_key(Channel {
                    from,
                    port,
                    to,
                    to_port,
                });
                all.hops.push(Some((channel, to)));
            }
            all.ports.push((first, all.hops.len() as u32));
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
        self.ports.len()
    }

    /// A channel.
    pub fn get(&self, channel: ChannelId) -> Channel {
        self.channels[channel]
    }

    /// Whether the channels differ in capacity.
    pub fn differ(&self) -> bool {
        !self.capacities.is_empty()
    }

    /// The capacity of a channel, as a part of the fastest channel's. A link of unknown speed gets the most common
    /// speed, of several the fastest.
    #[inline]
    pub fn capacity(&self, channel: ChannelId) -> f64 {
        let known = self.capacities.get(channel);
        known.copied().unwrap_or(1.0)
    }

    /// All channels in their order.
    pub fn iter(&self) -> impl Iterator<Item = Channel> + '_ {
        self.channels.iter().copied()
    }

    /// The indices of all channels.
    pub fn ids(&self) -> impl Iterator<Item = ChannelId> + use<> {
        self.channels.keys()
    }

    /// A list with a value for each channel.
    pub fn each<T: Clone>(&self, value: T) -> TiVec<ChannelId, T> {
        vec![value; self.len()].into()
    }

    /// The channels that leave a switch.
    pub fn of_switch(&self, switch: SwitchId) -> impl Iterator<Item = ChannelId> + '_ {
        let hops = self.hops_of(switch).iter().flatten();
        hops.map(|(channel, _)| *channel)
    }

    /// The other ends of the external ports of a switch.
    #[inline]
    fn hops_of(&self, switch: SwitchId) -> &[Hop] {
        let (from, to) = self.ports[switch];
        &self.hops[from as usize..to as usize]
    }

    /// Where a switch port leads: another switch, by a channel. Port 0 is the switch itself, without another end.
    #[inline]
    pub fn hop(&self, switch: SwitchId, port: PortNumber) -> Hop {
        if port == PortNumber::ZERO {
            return None;
        }
        self.hops_of(switch).get(port.offset()).copied().flatten()
    }

    /// The channel that leaves a switch by a port.
    pub fn by_port(&self, switch: SwitchId, port: PortNumber) -> Option<ChannelId> {
        self.hop(switch, port).map(|(channel, _)| channel)
    }
}

/// The capacity of each channel; empty if all are alike.
fn capacities(fabric: &Fabric, channels: &TiSlice<ChannelId, Channel>) -> TiVec<ChannelId, f64> {
    let speed = |c: &Channel| fabric.speed(c.from, c.port);
    let counts = counted(channels.iter().map(speed).filter(|&speed| speed > 0));
    let common = counts.iter().max_by_key(|&(_, count)| count);
    let (Some((&common, _)), Some((&fastest, _))) = (common, counts.last_key_value()) else {
        return TiVec::new();
    };
    if counts.len() < 2 {
        return TiVec::new();
    }
    let known = channels.iter().map(|c| match speed(c) {
        0 => common,
        speed => speed,
    });
    known.map(|s| f64::from(s) / f64::from(fastest)).collect()
}
