//! What a throw removes.

use std::fmt;
use std::str::FromStr;

/// What is removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Equipment {
    /// Switches that carry no end nodes.
    Switches,
    /// Links between switches.
    Links,
}

impl fmt::Display for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Equipment::Switches => "switches",
            Equipment::Links => "links",
        })
    }
}

impl FromStr for Equipment {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "switches" => Ok(Equipment::Switches),
            "links" => Ok(Equipment::Links),
            _ => Err(format!("'{s}' is neither 'switches' nor 'links'")),
        }
    }
}
