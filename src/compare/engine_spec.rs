//! A routing engine to compare: its name in OpenSM, and the GUID files that it gets.

use std::fmt;
use std::str::FromStr;

/// Suffixes of an engine that gets a file of roots, or of I/O nodes.
const ROOTS: &str = "+roots";
const IO: &str = "+io";

/// A routing engine of OpenSM, with or without GUID files.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EngineSpec {
    engine: String,
    roots: bool,
    io: bool,
}

/// Not the name of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "an engine is a word of letters, digits, '-' and '_', then maybe '+roots', then maybe '+io'"
)]
pub struct BadName;

/// The engines that can be compared: Dmodc, and those of OpenSM 3.3.23 that need no file of tables.
const ENGINES: [&str; 11] = [
    "dmodc",
    "ftree",
    "updn",
    "dnup",
    "minhop",
    "sssp",
    "dfsssp",
    "nue",
    "lash",
    "dor",
    "torus-2QoS",
];

/// An engine that OpenSM does not have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no engine '{0}'; there are {list}", list = ENGINES.join(", "))]
pub struct UnknownEngine(String);

impl FromStr for EngineSpec {
    type Err = BadName;

    fn from_str(s: &str) -> Result<Self, BadName> {
        let (rest, io) = s.strip_suffix(IO).map_or((s, false), |rest| (rest, true));
        let bare = rest.strip_suffix(ROOTS);
        let (engine, roots) = bare.map_or((rest, false), |rest| (rest, true));
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        match !engine.is_empty() && engine.chars().all(fits) {
            true => Ok(EngineSpec {
                engine: engine.into(),
                roots,
                io,
            }),
            false => Err(BadName),
        }
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = |told: bool, suffix| if told { suffix } else { "" };
        let (roots, io) = (suffix(self.roots, ROOTS), suffix(self.io, IO));
        write!(f, "{}{roots}{io}", self.engine)
    }
}

impl EngineSpec {
    /// The engine, as OpenSM calls it.
    pub fn engine(&self) -> &str {
        &self.engine
    }

    /// Refuses a name that is none of OpenSM's engines, for example one with a typing error.
    pub fn known(self) -> Result<EngineSpec, UnknownEngine> {
        match ENGINES.contains(&&*self.engine) {
            true => Ok(self),
            false => Err(UnknownEngine(self.engine)),
        }
    }

    /// Whether it gets a `root_guid_file`.
    pub fn is_told_roots(&self) -> bool {
        self.roots
    }

    /// Whether it gets an `io_guid_file`.
    pub fn is_told_io(&self) -> bool {
        self.io
    }

    /// Whether it is Dmodc, which needs the plugin.
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
            let c: EngineSpec = name.parse().unwrap();
            assert_eq!(c.to_string(), name);
            (c.engine().to_owned(), c.is_told_roots(), c.is_told_io())
        };
        assert_eq!(told("updn+roots"), ("updn".into(), true, false));
        assert_eq!(told("ftree"), ("ftree".into(), false, false));
        assert_eq!(told("ftree+roots+io"), ("ftree".into(), true, true));
        for bad in ["ftree,updn", "+roots", "+io", "ftree+io+roots", ""] {
            assert_eq!(bad.parse::<EngineSpec>(), Err(BadName), "{bad}");
        }
    }

    #[test]
    fn a_typing_error_is_told_from_an_engine() {
        let spec = |name: &str| name.parse::<EngineSpec>().unwrap();
        assert_eq!(spec("ftree+roots").known(), Ok(spec("ftree+roots")));
        let error = spec("ftre+roots").known().unwrap_err().to_string();
        assert!(
            error.contains("'ftre'") && error.contains("ftree"),
            "{error}"
        );
    }
}
