//! Link speeds of netlists that people write for ibsim.
//!
//! A port line has the widths and speeds that are enabled at the port, as PortInfo has them, a bit each:
//! `w=1` is 1x, `w=3` is 1x and 4x, `s=7` is SDR to QDR, `e=4` is HDR. Lines such as `width=2` are for all
//! ports without their own. The link gets the most that both ends have. The defaults are 4x and SDR; a file
//! without any such option has no speeds.

use crate::fabric::Speed;
use crate::scan::Scan;

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
        let mut has_option = false;
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
                has_option = true;
            }
        }
        has_option.then_some(self)
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
