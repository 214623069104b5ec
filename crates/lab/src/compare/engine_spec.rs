//! The names that `dmodc compare` takes: a routing engine of OpenSM with its options and a file of roots, or tables
//! from another source.

use dmodc_core::{Capacity, Faults, OnUnreachable};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The suffix of an engine that gets a file of roots.
const ROOTS: &str = "+roots";

/// The word for OpenSM's `avoid_throttled_links`.
const AVOID: (&str, &str) = ("avoid", "TRUE");

/// An engine by its name, with or without options and a file of roots; or a name for tables from another source.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct EngineSpec {
    engine: String,
    pub gets_roots: bool,
    pub foreign: Option<Foreign>,
}

/// The source of tables that OpenSM does not make.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Foreign {
    /// A command of the shell, which gets a netlist and the name of the file to write.
    Exec(String),
    Lfts(PathBuf),
}

/// Not the name of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "an engine is a word of letters, digits, '-' and '_', then maybe ':OPTION' or ':OPTION=VALUE', again and \
     again, then maybe '+roots'; or NAME=exec:PROGRAM; or NAME=lfts:DIR"
)]
pub struct BadName;

/// The engines that can be compared: Dmodc, and the engines of OpenSM 3.3.23 that need no file of tables.
const ENGINES: &str = "dmodc, ftree, updn, dnup, minhop, sssp, dfsssp, nue, lash, dor, torus-2QoS";

/// An engine, or an option of an engine, that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownEngine {
    #[error("there is no engine '{0}'; there are {ENGINES}")]
    Name(String),
    #[error("'{0}' is no number of lanes; there are 0 (all) to 15")]
    Lanes(String),
    #[error(
        "'{0}' is no option of Dmodc; there are paper, reference, reference=FILE, drain=FILE, ignore, \
         faults=stable|paper, capacity=use|ignore, on_unreachable=connect|partial|fail and threads=N; options of OpenSM \
         are root_guid_file=FILE and the like"
    )]
    Option(String),
}

/// The options that are Dmodc's own. Others are OpenSM's.
const OWN: [&str; 8] = [
    "paper",
    "ignore",
    "reference",
    "drain",
    "faults",
    "capacity",
    "on_unreachable",
    "threads",
];

/// Options of OpenSM that look like none: the names of others have an underscore.
const SHORT: [&str; 2] = ["lmc", "qos"];

/// Whether a text has only ASCII letters, digits and characters of `others`.
fn is_of(text: &str, others: &str) -> bool {
    let mut chars = text.chars();
    chars.all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

impl FromStr for EngineSpec {
    type Err = BadName;

    fn from_str(s: &str) -> Result<Self, BadName> {
        let foreign = ["=exec:", "=lfts:"].into_iter();
        let foreign = foreign.filter_map(|of| Some((of, s.find(of)?)));
        if let Some((of, at)) = foreign.min_by_key(|(_, at)| *at) {
            let (name, from) = (&s[..at], &s[at + of.len()..]);
            // Kept tables have the name of their engine with its options.
            if name.is_empty() || from.is_empty() || !is_of(name, "-_.:=+/") {
                return Err(BadName);
            }
            return Ok(EngineSpec {
                engine: name.into(),
                foreign: Some(match of {
                    "=exec:" => Foreign::Exec(from.into()),
                    _ => Foreign::Lfts(from.into()),
                }),
                ..EngineSpec::default()
            });
        }
        let spec = EngineSpec {
            engine: s.strip_suffix(ROOTS).unwrap_or(s).into(),
            gets_roots: s.ends_with(ROOTS),
            foreign: None,
        };
        let is_word = |word: &str| !word.is_empty() && is_of(word, "-_");
        // An option becomes a line of a configuration file, and part of a name in OpenSM's list of engines.
        let fits =
            |(key, value): (&str, &str)| is_word(key) && !value.is_empty() && is_of(value, "-_./");
        match is_word(spec.engine()) && spec.options().all(fits) {
            true => Ok(spec),
            false => Err(BadName),
        }
    }
}

/// The name for readers; with `#` the whole name, which `from_str` can parse.
impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots = if self.gets_roots { ROOTS } else { "" };
        let name = format!("{}{roots}", self.engine);
        match &self.foreign {
            Some(Foreign::Exec(command)) if f.alternate() => write!(f, "{name}=exec:{command}"),
            Some(Foreign::Lfts(dir)) if f.alternate() => write!(f, "{name}=lfts:{}", dir.display()),
            _ => f.pad(&name),
        }
    }
}

impl EngineSpec {
    /// The engine's name in OpenSM, without options.
    pub fn engine(&self) -> &str {
        let name = self.engine.split_once(':');
        name.map_or(&*self.engine, |(name, _)| name)
    }

    pub fn variant(&self) -> &str {
        &self.engine
    }

    /// Whether OpenSM's configuration gets `avoid_throttled_links`: dfsssp and nue then use no link that came up slower
    /// than both ends are enabled for.
    pub fn avoids_throttled_links(&self) -> bool {
        !self.is_dmodc() && self.options().any(|option| option == AVOID)
    }

    /// The engine's options: name and value, `TRUE` if an option has no value.
    fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.foreign.is_none().then_some(&*self.engine);
        let words = own.into_iter().flat_map(|engine| engine.split(':').skip(1));
        words.map(|word| word.split_once('=').unwrap_or((word, "TRUE")))
    }

    /// The name in OpenSM's list of engines when several engines share an OpenSM: a Dmodc with options of its own is
    /// an engine with a name of its own.
    pub fn listed(&self) -> &str {
        let has_own = self.options().any(|(key, _)| OWN.contains(&key));
        match self.is_dmodc() && has_own {
            true => self.variant(),
            false => self.engine(),
        }
    }

    /// Dmodc's options as words of `event_plugin_options`. `whole` is a file with the whole fabric.
    pub fn plugin_options(&self, whole: &Path) -> String {
        let is_own = |key: &str| self.is_dmodc() && OWN.contains(&key);
        let options = self.options().filter(|(key, _)| is_own(key));
        let words = options.map(|option| match option {
            ("paper", _) => "dmodc.faults=paper".into(),
            ("ignore", _) => "dmodc.capacity=ignore".into(),
            ("reference", "TRUE") => format!("dmodc.reference={}", whole.display()),
            (key, value) => format!("dmodc.{key}={value}"),
        });
        words.collect::<Vec<String>>().join(" ")
    }

    /// The lines of OpenSM's configuration for the options that are not Dmodc's own. `vls=N` lets nue use N lanes
    /// (0: all), which it does only with `qos`. `avoid_throttled_links` is not among these lines: where several engines
    /// share an OpenSM, the relay sets it for each engine ([`EngineSpec::avoids_throttled_links`]).
    pub fn lines(&self) -> Vec<String> {
        let is_line = |option: &(&str, &str)| match self.is_dmodc() {
            true => !OWN.contains(&option.0),
            false => *option != AVOID,
        };
        let lines = |(key, value): (&str, &str)| match (key, self.engine()) {
            ("vls", "nue") => vec![format!("nue_max_num_vls {value}"), "qos TRUE".into()],
            _ => vec![format!("{key} {value}")],
        };
        self.options().filter(is_line).flat_map(lines).collect()
    }

    /// Refuses a name that is not in `ENGINES`, for example a mistyped one, an option that Dmodc does not have, and a
    /// wrong number of lanes: OpenSM checks the options of its own engines, but reads any text as a number of lanes.
    pub fn known(self) -> Result<EngineSpec, UnknownEngine> {
        let is_known = ENGINES.split(", ").any(|engine| engine == self.engine());
        if self.foreign.is_none() && !is_known {
            return Err(UnknownEngine::Name(self.engine().into()));
        }
        for (key, value) in self.options() {
            let is_known = match (self.engine(), key) {
                ("dmodc", "paper" | "ignore") => value == "TRUE",
                ("dmodc", "reference") => true,
                ("dmodc", "drain") => value != "TRUE",
                ("dmodc", "faults") => value.parse::<Faults>().is_ok(),
                ("dmodc", "capacity") => value.parse::<Capacity>().is_ok(),
                ("dmodc", "on_unreachable") => value.parse::<OnUnreachable>().is_ok(),
                ("dmodc", "threads") => value.parse::<u8>().is_ok(),
                ("dmodc", _) => key.contains('_') || SHORT.contains(&key),
                ("nue", "vls" | "nue_max_num_vls") => matches!(value.parse(), Ok(0u8..=15)),
                _ => true,
            };
            if !is_known {
                return Err(match (self.is_dmodc(), value) {
                    (false, _) => UnknownEngine::Lanes(value.into()),
                    (true, "TRUE") => UnknownEngine::Option(key.into()),
                    (true, _) => UnknownEngine::Option(format!("{key}={value}")),
                });
            }
        }
        Ok(self)
    }

    pub fn is_dmodc(&self) -> bool {
        self.engine() == "dmodc" && self.foreign.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str) -> EngineSpec {
        name.parse().unwrap()
    }

    #[test]
    fn a_suffix_names_the_roots() {
        for (name, engine, roots) in [("updn+roots", "updn", true), ("ftree", "ftree", false)] {
            let spec = spec(name);
            assert_eq!(spec.to_string(), name);
            assert_eq!((spec.engine(), spec.gets_roots), (engine, roots));
        }
        let bad = "ftree,updn;+roots;ftree+io;;:paper;dmodc:;nue:vls=;nue:vls=1 x;mine=;mine=exec:;a b=lfts:x";
        for bad in bad.split(';') {
            assert_eq!(bad.parse::<EngineSpec>(), Err(BadName), "{bad}");
        }
    }

    #[test]
    fn options_are_part_of_the_name() {
        let paper = spec("dmodc:paper+roots");
        assert_eq!(paper.to_string(), "dmodc:paper+roots");
        assert_eq!((paper.engine(), paper.variant()), ("dmodc", "dmodc:paper"));
        let lines = "nue_max_num_vls 0; qos TRUE; max_op_vls 3";
        for (name, listed, plugin, lines) in [
            (
                "dmodc:reference:capacity=ignore",
                "dmodc:reference:capacity=ignore",
                "dmodc.reference=net dmodc.capacity=ignore",
                "",
            ),
            ("nue:vls=0:max_op_vls=3+roots", "nue", "", lines),
            ("dfsssp:qos", "dfsssp", "", "qos TRUE"),
            ("dmodc:ignore", "dmodc:ignore", "dmodc.capacity=ignore", ""),
            (
                "dmodc:root_guid_file=/a/roots:drain=d.txt:lmc=1",
                "dmodc:root_guid_file=/a/roots:drain=d.txt:lmc=1",
                "dmodc.drain=d.txt",
                "root_guid_file /a/roots; lmc 1",
            ),
            ("dmodc:lmc=1", "dmodc", "", "lmc 1"),
            ("dfsssp:avoid", "dfsssp", "", ""),
        ] {
            let spec = spec(name).known().unwrap();
            assert_eq!(spec.listed(), listed);
            assert_eq!(spec.plugin_options(Path::new("net")), plugin);
            assert_eq!(spec.lines().join("; "), lines);
        }
        let avoids = |name| spec(name).avoids_throttled_links();
        assert!(avoids("nue:vls=0:avoid") && !avoids("nue") && !avoids("dmodc:avoid"));
    }
}
