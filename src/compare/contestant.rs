//! Who takes part: a routing engine of OpenSM, and what it is told of the fabric.

use std::fmt;
use std::str::FromStr;

/// What is appended to the name of an engine that is told the roots, or the I/O nodes.
const ROOTS: &str = "+roots";
const IO: &str = "+io";

/// A routing engine of OpenSM, as shipped or told something of the fabric.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Contestant {
    engine: String,
    roots: bool,
    io: bool,
}

/// A name that no engine can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "an engine is a word of letters, digits, '-' and '_', then maybe '+roots', then maybe '+io'"
)]
pub struct BadName;

impl FromStr for Contestant {
    type Err = BadName;

    fn from_str(s: &str) -> Result<Self, BadName> {
        let (rest, io) = s.strip_suffix(IO).map_or((s, false), |rest| (rest, true));
        let bare = rest.strip_suffix(ROOTS);
        let (engine, roots) = bare.map_or((rest, false), |rest| (rest, true));
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        match !engine.is_empty() && engine.chars().all(fits) {
            true => Ok(Contestant {
                engine: engine.into(),
                roots,
                io,
            }),
            false => Err(BadName),
        }
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = |told: bool, suffix| if told { suffix } else { "" };
        let (roots, io) = (suffix(self.roots, ROOTS), suffix(self.io, IO));
        write!(f, "{}{roots}{io}", self.engine)
    }
}

impl Contestant {
    /// The engine, as OpenSM calls it.
    pub fn engine(&self) -> &str {
        &self.engine
    }

    /// Whether it gets a `root_guid_file`.
    pub fn is_told_roots(&self) -> bool {
        self.roots
    }

    /// Whether it gets an `io_guid_file`.
    pub fn is_told_io(&self) -> bool {
        self.io
    }

    /// Whether it is ours, and comes with the plugin.
    pub fn is_dmodc(&self) -> bool {
        self.engine == "dmodc"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_told() {
        let told = |name: &str| {
            let c: Contestant = name.parse().unwrap();
            assert_eq!(c.to_string(), name);
            (c.engine().to_owned(), c.is_told_roots(), c.is_told_io())
        };
        assert_eq!(told("updn+roots"), ("updn".into(), true, false));
        assert_eq!(told("ftree"), ("ftree".into(), false, false));
        assert_eq!(told("ftree+roots+io"), ("ftree".into(), true, true));
        for bad in ["ftree,updn", "+roots", "+io", "ftree+io+roots", ""] {
            assert_eq!(bad.parse::<Contestant>(), Err(BadName), "{bad}");
        }
    }
}
