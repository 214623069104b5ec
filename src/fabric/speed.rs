//! Link speeds: width and rate, such as `4xHDR`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The rate of one lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rate {
    /// 2.5 Gb/s on the wire.
    Sdr,
    /// 5 Gb/s.
    Ddr,
    /// 10 Gb/s.
    Qdr,
    /// 10.3125 Gb/s, with a leaner line code.
    Fdr10,
    /// 14.0625 Gb/s.
    Fdr,
    /// 25.78125 Gb/s.
    Edr,
    /// 53.125 Gb/s.
    Hdr,
    /// 106.25 Gb/s.
    Ndr,
    /// 212.5 Gb/s.
    Xdr,
}

/// All rates, with name, data rate in Mb/s, and the whole Gb/s that programs write for them.
const RATES: [(Rate, &str, u32, u32); 9] = [
    (Rate::Sdr, "SDR", 2_000, 2),
    (Rate::Ddr, "DDR", 4_000, 5),
    (Rate::Qdr, "QDR", 8_000, 10),
    // As a number it cannot be told from QDR.
    (Rate::Fdr10, "FDR10", 10_000, 0),
    (Rate::Fdr, "FDR", 13_636, 14),
    (Rate::Edr, "EDR", 25_000, 25),
    (Rate::Hdr, "HDR", 50_000, 50),
    (Rate::Ndr, "NDR", 100_000, 100),
    (Rate::Xdr, "XDR", 200_000, 200),
];

/// The widths of links, by their bits in PortInfo.
const WIDTHS: [u8; 5] = [1, 4, 8, 12, 2];

impl Rate {
    /// Data rate of a lane in Mb/s, one direction, without the line code.
    pub const fn mbps(self) -> u32 {
        RATES[self as usize].2
    }

    /// The rate that programs write as a number of Gb/s: on the wire (`14.0625`, `53.125`) or rounded (`14`, `50`).
    pub fn of_gbps(text: &str) -> Option<Rate> {
        let gbps: u32 = text.split('.').next()?.parse().ok()?;
        let on_wire = match gbps {
            53 => 50,
            106 => 100,
            212 => 200,
            other => other,
        };
        let known = RATES.iter().filter(|&&(.., whole)| whole > 0);
        let found = known.copied().find(|&(.., whole)| whole == on_wire);
        found.map(|(rate, ..)| rate)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(RATES[*self as usize].1)
    }
}

/// A text that is no speed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "'{0}' is no speed: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, with 1x, 2x, 4x, 8x or 12x"
)]
pub struct NoSpeed(pub String);

impl FromStr for Rate {
    type Err = NoSpeed;

    fn from_str(text: &str) -> Result<Rate, NoSpeed> {
        let mut rates = RATES.iter();
        let found = rates.find(|(_, name, ..)| text.eq_ignore_ascii_case(name));
        found
            .map(|&(rate, ..)| rate)
            .ok_or_else(|| NoSpeed(text.into()))
    }
}

/// Width and rate of a link, or unknown. A speed made of a data rate alone has any width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Speed(u32);

/// The bits of the lanes in a [`Speed`], above the data rate.
const LANES: u32 = 24;

impl Speed {
    /// An unknown speed.
    pub const UNKNOWN: Speed = Speed(0);

    /// This many lanes of a rate.
    pub const fn new(lanes: u8, rate: Rate) -> Speed {
        Speed(((lanes as u32) << LANES) | (lanes as u32 * rate.mbps()))
    }

    /// The speed in PortInfo: LinkWidthActive, LinkSpeedActive, whether FDR10 is active, LinkSpeedExtActive
    /// (0 where the port has none), and LinkSpeedExtActive2 (likewise).
    pub fn of_port_info(width: u8, speed: u8, fdr10: bool, extended: u8, extended_2: u8) -> Speed {
        let rate = match (extended_2, extended, speed) {
            (1, ..) => Rate::Xdr,
            (0, 1, _) => Rate::Fdr,
            (0, 2, _) => Rate::Edr,
            (0, 4, _) => Rate::Hdr,
            (0, 8, _) => Rate::Ndr,
            (0, 0, 1) => Rate::Sdr,
            (0, 0, 2) => Rate::Ddr,
            (0, 0, 4) if fdr10 => Rate::Fdr10,
            (0, 0, 4) => Rate::Qdr,
            _ => return Speed::UNKNOWN,
        };
        match WIDTHS.get(width.trailing_zeros() as usize) {
            Some(&lanes) if width.is_power_of_two() => Speed::new(lanes, rate),
            _ => Speed::UNKNOWN,
        }
    }

    /// Data rate in Mb/s, one direction; 0 if it is unknown.
    pub const fn mbps(self) -> u32 {
        self.0 & ((1 << LANES) - 1)
    }

    /// Number of lanes: 1, 2, 4, 8 or 12; 0 if it is unknown.
    pub const fn lanes(self) -> u8 {
        (self.0 >> LANES) as u8
    }

    /// The rate of a lane, if lanes and rate are known.
    pub fn rate(self) -> Option<Rate> {
        let of_lane = self.mbps().checked_div(self.lanes().into())?;
        let mut rates = RATES.iter();
        let found = rates.find(|&&(_, _, mbps, _)| mbps == of_lane);
        found.map(|&(rate, ..)| rate)
    }

    /// Whether it is known.
    pub const fn is_known(self) -> bool {
        self.mbps() > 0
    }

    /// The fastest speed that is at most this part, with no more lanes and no higher rate; of several the one
    /// with fewer lanes at the same rate. `None` if there is none.
    pub fn part(self, part: f64) -> Option<Speed> {
        let most = f64::from(self.mbps()) * part;
        let rates = RATES.iter().map(|&(rate, ..)| rate);
        let rates = rates.filter(|rate| Some(*rate) <= self.rate());
        let all = rates.flat_map(|rate| WIDTHS.map(|lanes| Speed::new(lanes, rate)));
        let fit = all.filter(|s| s.lanes() <= self.lanes() && f64::from(s.mbps()) <= most);
        fit.max_by_key(|speed| (speed.mbps(), speed.rate()))
    }

    /// The speed of a link by its two ends: the lesser, or the known one.
    pub fn of_both_ends(self, other: Speed) -> Speed {
        match (self.mbps(), other.mbps()) {
            (0, _) => other,
            (_, 0) => self,
            _ => self.min(other),
        }
    }
}

impl Ord for Speed {
    /// By data rate.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_lanes = self.0.cmp(&other.0);
        self.mbps().cmp(&other.mbps()).then(by_lanes)
    }
}

impl PartialOrd for Speed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<u32> for Speed {
    /// A data rate in Mb/s (below 2^24), of any width.
    fn from(mbps: u32) -> Speed {
        Speed(mbps & ((1 << LANES) - 1))
    }
}

impl fmt::Display for Speed {
    /// Writes `4xHDR`; a data rate alone as a number, an unknown speed as nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.rate(), self.mbps()) {
            (Some(rate), _) => write!(f, "{}x{rate}", self.lanes()),
            (None, 0) => Ok(()),
            (None, mbps) => write!(f, "{} Gb/s", f64::from(mbps) / 1000.0),
        }
    }
}

impl fmt::Debug for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{self}'")
    }
}

impl FromStr for Speed {
    type Err = NoSpeed;

    /// Reads `4xHDR`.
    fn from_str(text: &str) -> Result<Speed, NoSpeed> {
        let none = || NoSpeed(text.into());
        let (lanes, rate) = text.split_once(['x', 'X']).ok_or_else(none)?;
        let lanes: u8 = lanes.parse().map_err(|_| none())?;
        let rate: Rate = rate.parse().map_err(|_| none())?;
        let known = WIDTHS.contains(&lanes).then_some(Speed::new(lanes, rate));
        known.ok_or_else(none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, EndNode, Fabric, Guid, Lid, Merged, NodeKind};

    #[test]
    fn names_are_read_back_and_carry_what_they_should() {
        for (at, (rate, name, mbps, _)) in RATES.into_iter().enumerate() {
            assert_eq!(rate as usize, at);
            for lanes in WIDTHS {
                let speed = Speed::new(lanes, rate);
                assert_eq!(speed.mbps(), u32::from(lanes) * mbps);
                assert_eq!((speed.lanes(), speed.rate()), (lanes, Some(rate)));
                assert_eq!(speed.to_string(), format!("{lanes}x{name}"));
                assert_eq!(speed.to_string().parse(), Ok(speed));
            }
        }
        assert_eq!("12XXdr".parse(), Ok(Speed::new(12, Rate::Xdr)));
        for text in [
            "", "4x", "xHDR", "3xHDR", "4xGDR", "4 HDR", "-1xHDR", "4x??", "??QDR",
        ] {
            assert_eq!(text.parse::<Speed>(), Err(NoSpeed(text.into())));
        }
    }

    #[test]
    fn port_info_is_read_as_the_specification_has_it() {
        let of = Speed::of_port_info;
        for (speed, text) in [
            (of(2, 1, false, 0, 0), "4xSDR"),
            (of(1, 2, false, 0, 0), "1xDDR"),
            (of(8, 4, false, 0, 0), "12xQDR"),
            (of(2, 4, true, 0, 0), "4xFDR10"),
            (of(2, 4, false, 1, 0), "4xFDR"),
            (of(4, 4, false, 2, 0), "8xEDR"),
            (of(16, 4, true, 4, 0), "2xHDR"),
            (of(2, 0, false, 8, 0), "4xNDR"),
            (of(2, 4, false, 8, 1), "4xXDR"),
            (of(2, 4, false, 0, 1), "4xXDR"),
            // Neither a width nor a speed that is active, or several.
            (of(0, 1, false, 0, 0), ""),
            (of(3, 1, false, 0, 0), ""),
            (of(32, 1, false, 0, 0), ""),
            (of(2, 0, false, 0, 0), ""),
            (of(2, 3, false, 0, 0), ""),
            (of(2, 4, false, 3, 0), ""),
            (of(2, 4, false, 4, 2), ""),
        ] {
            assert_eq!(speed.to_string(), text);
        }
    }

    #[test]
    fn a_part_has_fewer_lanes_first() {
        for (of, part, expected) in [
            ("4xHDR", 0.25, "1xHDR"),
            ("4xHDR", 0.5, "2xHDR"),
            ("4xHDR", 0.75, "2xHDR"),
            ("4xEDR", 0.9, "4xFDR"),
            ("12xQDR", 0.34, "4xQDR"),
            ("1xEDR", 0.25, "1xDDR"),
            ("4xHDR", 0.02, "1xDDR"),
            ("1xSDR", 0.9, ""),
        ] {
            let of: Speed = of.parse().expect("a speed");
            let found = of.part(part).unwrap_or_default();
            assert_eq!(found.to_string(), expected, "{of} {part}");
        }
        assert_eq!(Speed::UNKNOWN.part(0.5), None);
        assert_eq!(Speed::from(1000).part(0.5), None);
    }

    /// Switches 1 and 2 joined at their ports 2, each with a host on port 1; if it is cut, without the link and
    /// without the host of switch 2.
    fn fast(host: &str, link: [&str; 2], is_cut: bool) -> Fabric {
        let mut b = Builder::default();
        let switches = [1, 2].map(|guid| b.switch(Guid(guid), Lid(guid as u16), 0, 4));
        let speed = |text: &str| text.parse().unwrap_or(Speed::UNKNOWN);
        for (near, of) in [(0, link[0]), (1, link[1])] {
            b.speed(switches[near], 2, speed(of));
        }
        if !is_cut {
            b.link((switches[0], 2), (switches[1], 2));
        }
        for &switch in &switches[..if is_cut { 1 } else { 2 }] {
            b.end_node(EndNode {
                guid: Guid(10 + u64::from(switch)),
                lid: Lid(10 + switch as u16),
                lmc: 0,
                kind: NodeKind::Ca,
                switch,
                port: 1,
            });
            b.speed(switch, 1, speed(host));
        }
        b.finish().0
    }

    /// The speeds of ports 1 and 2 of both switches, and of one that leads nowhere.
    fn speeds(fabric: &Fabric) -> [String; 5] {
        let ports = [(0, 1), (0, 2), (1, 1), (1, 2), (1, 3)];
        ports.map(|(s, port)| fabric.link_speed(s, port).to_string())
    }

    #[test]
    fn speeds_go_where_their_links_go() {
        let (now, reference) = (
            fast("1xHDR", ["", ""], true),
            fast("4xHDR", ["4xHDR", "4xHDR"], false),
        );
        let mut merged = Merged::new(&now, &reference);
        assert_eq!(speeds(&merged.there), ["1xHDR", "", "", "", ""]);
        let found = speeds(&merged.nominal);
        assert_eq!(found, ["1xHDR", "4xHDR", "4xHDR", "4xHDR", ""]);
        merged.forget(&[[(0, 2), (1, 2)]]);
        let found = speeds(&merged.nominal);
        assert_eq!(found, ["1xHDR", "", "4xHDR", "", ""]);
        // One side alone knows speeds.
        let dark = fast("", ["", ""], true);
        let found = Merged::new(&dark, &reference);
        assert_eq!(speeds(&found.nominal), ["", "4xHDR", "4xHDR", "4xHDR", ""]);
        let (mut arranged, _) = fast("2xHDR", ["4xHDR", "4xHDR"], false).arranged(&[1, 0]);
        arranged.add_expected([&[(3, 0, 3)][..]].into_iter());
        let found = speeds(&arranged);
        assert_eq!(found, ["2xHDR", "4xHDR", "2xHDR", "4xHDR", ""]);
        assert_eq!((arranged.speed(0, 3), arranged.speed(2, 3)), (0, 0));
    }
}
