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
    // As a number, FDR10 cannot be distinguished from QDR.
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

/// Lanes and rate of a link, or unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Speed(Option<(u8, Rate)>);

impl Speed {
    /// An unknown speed.
    pub const UNKNOWN: Speed = Speed(None);

    /// This many lanes of a rate.
    pub const fn new(lanes: u8, rate: Rate) -> Speed {
        Speed(Some((lanes, rate)))
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
    pub fn mbps(self) -> u32 {
        let mbps = |(lanes, rate): (u8, Rate)| u32::from(lanes) * rate.mbps();
        self.0.map_or(0, mbps)
    }

    /// Number of lanes: 1, 2, 4, 8 or 12; 0 if it is unknown.
    pub fn lanes(self) -> u8 {
        self.0.map_or(0, |(lanes, _)| lanes)
    }

    /// The rate of a lane, if it is known.
    pub fn rate(self) -> Option<Rate> {
        self.0.map(|(_, rate)| rate)
    }

    /// Whether the speed is known.
    pub fn is_known(self) -> bool {
        self.0.is_some()
    }

    /// The fastest speed within this part of the data rate, with no more lanes and no higher lane rate; of equal data
    /// rates the speed with fewer lanes. `None` if there is none.
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
        let known = [self, other].into_iter().filter(|speed| speed.is_known());
        known.min().unwrap_or_default()
    }
}

impl Ord for Speed {
    /// By data rate.
    fn cmp(&self, other: &Self) -> Ordering {
        (self.mbps(), self.lanes()).cmp(&(other.mbps(), other.lanes()))
    }
}

impl PartialOrd for Speed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Speed {
    /// Writes `4xHDR`; an unknown speed as nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .map_or(Ok(()), |(lanes, rate)| write!(f, "{lanes}x{rate}"))
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

    #[test]
    fn names_and_rates_agree_and_read_back() {
        for (rate, name, mbps, _) in RATES {
            for lanes in WIDTHS {
                let speed = Speed::new(lanes, rate);
                assert_eq!(speed.mbps(), u32::from(lanes) * mbps);
                assert_eq!(speed.to_string(), format!("{lanes}x{name}"));
                assert_eq!(speed.to_string().parse(), Ok(speed));
            }
        }
        assert_eq!("12XXdr".parse(), Ok(Speed::new(12, Rate::Xdr)));
        for text in ",4x,xHDR,3xHDR,4xGDR,4 HDR,-1xHDR,4x??,??QDR".split(',') {
            assert_eq!(text.parse::<Speed>(), Err(NoSpeed(text.into())));
        }
    }

    /// The plugin's tests cover the other speeds.
    #[test]
    fn port_info_is_read_as_the_specification_has_it() {
        let of = |width, speed, extended| Speed::of_port_info(width, speed, false, extended, 0);
        for (speed, text) in [
            (of(2, 1, 0), "4xSDR"),
            (of(8, 4, 0), "12xQDR"),
            (of(2, 4, 1), "4xFDR"),
            (of(4, 4, 2), "8xEDR"),
            // No valid width or speed, or several.
            (of(0, 1, 0), ""),
            (of(3, 1, 0), ""),
            (of(32, 1, 0), ""),
            (of(2, 0, 0), ""),
            (of(2, 3, 0), ""),
            (of(2, 4, 3), ""),
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
    }
}
