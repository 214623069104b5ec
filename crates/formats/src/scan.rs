//! A cursor over the bytes of one line.
//!
//! It takes the parts of the text formats: words, decimal and hexadecimal numbers, quoted text. Nothing here but
//! [`text`] allocates, and nothing panics or reads past the end.

#[derive(Clone, Copy)]
pub struct Scan<'a>(pub &'a [u8]);

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

    /// Takes `token`, which must come next.
    pub fn must(&mut self, token: &[u8], otherwise: &'static str) -> Result<(), &'static str> {
        self.eat(token).then_some(()).ok_or(otherwise)
    }

    /// Takes all bytes up to `end`, and `end` itself; `None` if the line has no `end`.
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

    /// Takes a number as C's `strtoull(…, 0)` does, but without octal: hexadecimal after `0x`, else decimal.
    pub fn c_number(&mut self) -> Option<u64> {
        if self.eat(b"0x") || self.eat(b"0X") {
            self.hex()
        } else {
            self.decimal()
        }
    }

    /// The number of [`Scan::c_number`], if nothing follows it.
    pub fn whole(mut self) -> Option<u64> {
        self.c_number().filter(|_| self.0.is_empty())
    }

    /// Takes all bytes up to a blank or the end.
    pub fn word(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(u8::is_ascii_whitespace);
        let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        word
    }

    #[inline]
    fn number(&mut self, radix: u32) -> Option<u64> {
        let (mut value, mut length) = (0u64, 0);
        while let Some(&byte) = self.0.get(length)
            && let Some(digit) = char::from(byte).to_digit(radix)
        {
            value = value.saturating_mul(radix.into());
            value = value.saturating_add(digit.into());
            length += 1;
        }
        self.0 = &self.0[length..];
        (length > 0).then_some(value)
    }
}

/// A whole word as a hexadecimal number without `0x`.
pub fn hex(word: &[u8]) -> Option<u64> {
    let mut scan = Scan(word);
    scan.hex().filter(|_| scan.0.is_empty())
}

pub fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    (0..text.len()).find(|&at| text[at] == first && text[at..].starts_with(needle))
}

/// The text as a string, with a replacement for bytes that are not UTF-8.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
