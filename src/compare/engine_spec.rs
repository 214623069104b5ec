//! A routing engine to compare: its name in OpenSM, its options, and the GUID files that it gets.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Suffixes of an engine that gets a file of roots, or of I/O nodes.
const ROOTS: &str = "+roots";
const IO: &str = "+io";

/// A routing engine of OpenSM, with or without an option and GUID files.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EngineSpec {
    engine: String,
    roots: bool,
    io: bool,
}

/// Not the name of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "an engine is a word of letters, digits, '-' and '_', then maybe ':OPTION', then maybe '+roots', \
     then maybe '+io'"
)]
pub struct BadName;

/// The engines that can be compared: Dmodc, as shipped and by its options, and those of OpenSM 3.3.23 that
/// need no file of tables.
const ENGINES: [&str; 16] = [
    "dmodc",
    "dmodc:paper",
    "dmodc:reference",
    "dmodc:ignore",
    "ftree",
    "updn",
    "dnup",
    "minhop",
    "sssp",
    "dfsssp",
    "dfsssp:avoid",
    "nue",
    "nue:avoid",
    "lash",
    "dor",
    "torus-2QoS",
];

/// An engine that OpenSM does not have, or an option that the engine does not have.
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
        let (name, option) = engine.split_once(':').unwrap_or((engine, "none"));
        let is_word = |word: &str| !word.is_empty() && word.chars().all(fits);
        match is_word(name) && is_word(option) {
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
        self.engine
            .split_once(':')
            .map_or(&*self.engine, |(name, _)| name)
    }

    /// The engine with its option.
    pub fn variant(&self) -> &str {
        &self.engine
    }

    /// Its name among the engines of an OpenSM with several: each variant of Dmodc is an engine of its own.
    pub fn registered(&self) -> &str {
        match self.is_dmodc() {
            true => self.variant(),
            false => self.engine(),
        }
    }

    /// Whether OpenSM is told `avoid_throttled_links`: dfsssp and nue then take no link that came up slower than both
    /// ends are enabled for.
    pub fn avoids_throttled_links(&self) -> bool {
        self.engine.ends_with(":avoid")
    }

    /// What `event_plugin_options` says of the option. `whole` is a file with the whole fabric.
    pub fn plugin_options(&self, whole: &Path) -> String {
        match &*self.engine {
            "dmodc:paper" => "dmodc.faults=paper".into(),
            "dmodc:reference" => format!("dmodc.reference={}", whole.display()),
            "dmodc:ignore" => "dmodc.capacity=ignore".into(),
            _ => String::new(),
        }
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
        self.engine() == "dmodc"
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
        for bad in [
            "ftree,updn",
            "+roots",
            "+io",
            "ftree+io+roots",
            "",
            ":paper",
            "dmodc:",
            "a:b:c",
        ] {
            assert_eq!(bad.parse::<EngineSpec>(), Err(BadName), "{bad}");
        }
    }

    #[test]
    fn options_are_part_of_the_name() {
        let spec: EngineSpec = "dmodc:paper+io".parse().unwrap();
        assert_eq!(spec.to_string(), "dmodc:paper+io");
        assert_eq!((spec.engine(), spec.variant()), ("dmodc", "dmodc:paper"));
        assert!(spec.is_dmodc() && spec.is_told_io());
        // Every option of the list says something to the plugin or to OpenSM.
        for name in ENGINES {
            let spec: EngineSpec = name.parse().unwrap();
            let plugin = !spec.plugin_options(Path::new("net")).is_empty();
            let says = [plugin, spec.avoids_throttled_links()];
            let expected = name.contains(':').then_some(spec.is_dmodc());
            assert_eq!(
                says,
                [expected == Some(true), expected == Some(false)],
                "{name}"
            );
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
        assert_eq!(spec("dmodc:paper").known(), Ok(spec("dmodc:paper")));
        let error = spec("dmodc:papr").known().unwrap_err().to_string();
        assert!(
            error.contains("'dmodc:papr'") && error.contains("dmodc:paper"),
            "{error}"
        );
        assert!(spec("ftree:paper").known().is_err());
    }
}
