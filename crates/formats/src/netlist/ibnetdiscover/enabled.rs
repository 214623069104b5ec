//! Link speeds of netlists that people write for ibsim.
//!
//! A port line has the widths and speeds that are enabled at the port, with a bit for each as in PortInfo: `w=1` is 1x,
//! `w=3` is 1x and 4x, `s=7` is SDR to QDR, `e=4` is HDR. Lines such as `width=2` are for all ports without options.
//! Each end has its greatest width and speed, the link the lesser of its ends. The defaults are 4x and SDR; a file
//! without any such option has no speeds.

use crate::scan::Scan;
use dmodc_fabric::Speed;

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
    /// Takes a line for all ports, such as `width=2`; false if it is another line.
    pub fn assignment(&mut self, line: &[u8]) -> bool {
        self.assign(line, ["width", "speed", "extspeed"])
    }

    /// These values changed by the options of a port line; `None` if it has no options.
    pub fn with_options(mut self, text: &[u8]) -> Option<Enabled> {
        let mut has_option = false;
        for word in text.split(|b| b.is_ascii_whitespace() || *b == b',') {
            has_option |= self.assign(word, ["w", "s", "e"]);
        }
        has_option.then_some(self)
    }

    /// Takes the value of a text such as `width=2`; false if there is none.
    fn assign(&mut self, text: &[u8], names: [&str; 3]) -> bool {
        let mut scan = Scan(text);
        let fields = [&mut self.width, &mut self.speed, &mut self.extended];
        let mut fields = names.into_iter().zip(fields);
        let field = fields.find(|(name, _)| scan.eat(name.as_bytes()));
        if let Some((_, field)) = field
            && scan.blanks().eat(b"=")
            && let Some(Ok(value)) = scan.blanks().c_number().map(u8::try_from)
        {
            *field = value;
            return true;
        }
        false
    }

    pub fn most(self) -> Speed {
        let mut widths = [8, 4, 2, 16, 1].into_iter();
        let width = widths.find(|bit| self.width & bit > 0);
        let highest = |mask: u8| mask.checked_ilog2().map_or(0, |bit| 1 << bit);
        let (speed, extended) = (highest(self.speed & 7), highest(self.extended & 15));
        Speed::of_port_info(width.unwrap_or(0), speed, false, extended, 0)
    }
}
