//! A cursor over the bytes of one line.
//!
//! It takes the parts of the netlist formats: words, decimal and hexadecimal numbers, quoted text.
//! Nothing here allocates, panics or reads past the end.

/// The rest of a line.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a>(pub &'a [u8]);

impl<'a> Scan<'a> {
    /// Skips blanks and tabs.
    pub fn blanks(&mut self) -> &mut Self {
        self.0 = self.0.trim_ascii_start();
        self
    }

    /// Takes `token` if it comes next.
    pub fn eat(&mut self, token: &[u8]) -> bool {
        let rest = self.0.strip_prefix(token);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Takes everything up to `end`, and `end` itself; `None` if it does not come.
    pub fn until(&mut self, end: &[u8]) -> Option<&'a [u8]> {
        let at = find(self.0, end)?;
        let taken = &self.0[..at];
        self.0 = &self.0[at + end.len()..];
        Some(taken)
    }

    /// Takes a decimal number; `None` if there is no digit. A number that is too large becomes the largest.
    pub fn decimal(&mut self) -> Option<u64> {
        self.number(10)
    }

    /// Takes a hexadecimal number without `0x`.
    pub fn hex(&mut self) -> Option<u64> {
        self.number(16)
    }

    /// Takes a number as C's `strtoull(…, 0)` does: hexadecimal after `0x`, else decimal.
    pub fn c_number(&mut self) -> Option<u64> {
        if self.eat(b"0x") || self.eat(b"0X") {
            self.hex()
        } else {
            self.decimal()
        }
    }

    fn number(&mut self, radix: u32) -> Option<u64> {
        let mut value = None;
        while let Some(digit) = self.0.first().and_then(|&b| char::from(b).to_digit(radix)) {
            let so_far = value.unwrap_or(0u64).saturating_mul(radix.into());
            value = Some(so_far.saturating_add(digit.into()));
            self.0 = &self.0[1..];
        }
        value
    }
}

/// The first place of `needle` in `text`.
pub(super) fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    let (&first, rest) = needle.split_first()?;
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.iter().position(|&b| b == first)?;
        if text[at + 1..].starts_with(rest) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// The last place of `byte` in `text`.
pub(super) fn find_last(text: &[u8], byte: u8) -> Option<usize> {
    text.iter().rposition(|&b| b == byte)
}

/// The text as a string, with a replacement for bytes that are not UTF-8.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_kind() {
        assert_eq!(Scan(b"12x").decimal(), Some(12));
        assert_eq!(Scan(b"x").decimal(), None);
        assert_eq!(Scan(b"ffg").hex(), Some(255));
        assert_eq!(Scan(b"0x10").c_number(), Some(16));
        assert_eq!(Scan(b"10").c_number(), Some(10));
        assert_eq!(Scan(b"99999999999999999999999").decimal(), Some(u64::MAX));
    }

    #[test]
    fn until_stops_behind_its_end() {
        let mut scan = Scan(b"a} LID} LID:7");
        assert_eq!(scan.until(b"} LID:"), Some(&b"a} LID"[..]));
        assert_eq!(scan.decimal(), Some(7));
        assert_eq!(scan.until(b"x"), None);
    }
}
