//! Counts the GUIDs of a file that a fabric has. A file of another fabric, or with GUIDs of the wrong kind,
//! would otherwise be ignored without a word.

use crate::fabric::{Fabric, Guid};
use std::fmt;

/// The kind of GUIDs in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GuidsOf {
    /// Switches (`root_guid_file`): node GUIDs.
    Switches,
    /// Ports of end nodes (`cn_guid_file`, `io_guid_file`): port GUIDs.
    Ports,
}

/// How many GUIDs of a file a fabric has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuidsFound {
    /// GUIDs found.
    pub found: usize,
    /// All GUIDs.
    pub given: usize,
    of: GuidsOf,
}

impl GuidsFound {
    /// Looks GUIDs up in a fabric.
    pub fn new(fabric: &Fabric, guids: &[Guid], of: GuidsOf) -> Self {
        let mut ports: Vec<Guid> = match of {
            GuidsOf::Switches => Vec::new(),
            GuidsOf::Ports if guids.is_empty() => Vec::new(),
            GuidsOf::Ports => fabric.end_nodes().iter().map(|n| n.guid).collect(),
        };
        ports.sort_unstable();
        let is_there = |guid: &&Guid| match of {
            GuidsOf::Switches => fabric.switch_by_guid(**guid).is_some(),
            GuidsOf::Ports => ports.binary_search(guid).is_ok(),
        };
        GuidsFound {
            found: guids.iter().filter(is_there).count(),
            given: guids.len(),
            of,
        }
    }

    /// Whether there are GUIDs and the fabric has none of them.
    pub fn none(&self) -> bool {
        self.given > 0 && self.found == 0
    }
}

impl fmt::Display for GuidsFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.of {
            GuidsOf::Switches => "switches",
            GuidsOf::Ports => "ports of end nodes",
        };
        write!(
            f,
            "{} of {} GUIDs are {of} of this fabric",
            self.found, self.given
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, Lid};

    #[test]
    fn guids_that_stand_for_nothing_are_counted() {
        let mut b = Builder::default();
        b.switch(Guid(1), Lid(1), 0, 4);
        let fabric = b.finish().0;
        let found = |guids: &[Guid], of| GuidsFound::new(&fabric, guids, of);
        let some = found(&[Guid(1), Guid(2)], GuidsOf::Switches);
        assert!(!some.none() && !found(&[], GuidsOf::Ports).none());
        let none = found(&[Guid(1)], GuidsOf::Ports);
        assert!(none.none());
        assert_eq!(
            none.to_string(),
            "0 of 1 GUIDs are ports of end nodes of this fabric"
        );
    }
}
