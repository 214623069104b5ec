//! Link speeds of netlists that people write for ibsim.
//!
//! A port line has the widths and speeds that are enabled at the port, as PortInfo has them, a bit each:
//! `w=1` is 1x, `w=3` is 1x and 4x, `s=7` is SDR to QDR, `e=4` is HDR. Lines such as `width=2` are for all
//! ports without their own. The link gets the most that both ends have. The defaults are 4x and SDR; a file
//! without any such option has no speeds.

use crate::fabric::Speed;
use crate::netlist::scan::Scan;

/// The widths and speeds enabled at a port.
#[derive(Clone, Copy)]
pub struct Enabled {
    width: u8,
    speed: u8,
    extended: u8,
}

impl Default for Enabled {
    fn default() -> Self {
        Enabled {
            width: 2,
            speed: 1,
            extended: 0,
        }
    }
}

impl Enabled {
    /// Takes a line for all ports; false if it is none.
    pub fn assignment(&mut self, line: &[u8]) -> bool {
        let mut scan = Scan(line);
        let fields: [(&[u8], &mut u8); 3] = [
            (b"width", &mut self.width),
            (b"speed", &mut self.speed),
            (b"extspeed", &mut self.extended),
        ];
        let field = fields.into_iter().find(|(key, _)| scan.eat(key));
        let Some((_, field)) = field else {
            return false;
        };
        let value = scan.blanks().eat(b"=").then(|| scan.blanks().c_number());
        let value = value.flatten().and_then(|value| u8::try_from(value).ok());
        *field = value.unwrap_or(*field);
        value.is_some()
    }

    /// With the options of a port line, if it has any.
    pub fn with_options(mut self, text: &[u8]) -> Option<Enabled> {
        let mut is_told = false;
        for word in text.split(|b| b.is_ascii_whitespace() || *b == b',') {
            let mut scan = Scan(word);
            let fields: [(&[u8], &mut u8); 3] = [
                (b"w=", &mut self.width),
                (b"s=", &mut self.speed),
                (b"e=", &mut self.extended),
            ];
            let field = fields.into_iter().find(|(key, _)| scan.eat(key));
            if let Some((_, field)) = field
                && let Some(Ok(value)) = scan.c_number().map(u8::try_from)
            {
                *field = value;
                is_told = true;
            }
        }
        is_told.then_some(self)
    }

    /// The most that is enabled.
    pub fn most(self) -> Speed {
        let width = [8, 4, 2, 16, 1]
            .into_iter()
            .find(|bit| self.width & bit > 0);
        let highest = |mask: u8| mask.checked_ilog2().map_or(0, |bit| 1 << bit);
        Speed::of_port_info(
            width.unwrap_or(0),
            highest(self.speed & 7),
            false,
            highest(self.extended & 15),
            0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_that_is_enabled_counts() {
        let most = |text: &str| {
            let enabled = Enabled::default().with_options(text.as_bytes());
            enabled.map(|enabled| enabled.most().to_string())
        };
        for (text, link) in [
            ("w=1", "1xSDR"),
            ("w=3,s=7", "4xQDR"),
            (" s=2 w=11 ", "12xDDR"),
            ("w=0x13 e=7", "4xHDR"),
            ("w=17 e=2", "2xEDR"),
            ("e=0", "4xSDR"),
            ("w=0", ""),
            ("v=1 w=1", "1xSDR"),
        ] {
            assert_eq!(most(text).as_deref(), Some(link), "{text}");
        }
        for text in ["", "4xHDR", "w=", "w=x", "width=1", "v=1", "w=300"] {
            assert_eq!(most(text), None, "{text}");
        }
        let mut all = Enabled::default();
        for (line, is_told) in [
            ("width=1", true),
            ("extspeed = 0x2", true),
            ("speed=", false),
            ("widths of ports", false),
            ("speedy", false),
        ] {
            assert_eq!(all.assignment(line.as_bytes()), is_told, "{line}");
        }
        assert_eq!(all.most().to_string(), "1xEDR");
    }
}
