//! `opensm-dmodc-ca-order.dump`: the hosts in the order of their topological NIDs.
//!
//! The order in which MPI ranks should be placed so that shifts use every link evenly. Format and
//! manner are those of ftree's `opensm-ftree-ca-order.dump`: LID, tab, name, one host a line, to a
//! temporary file that then takes the old one's place. Without ftree's DUMMY lines, which fill up
//! the leaves of a regular tree; and without aggregation nodes and routers, which run no ranks.

use super::engine::Planned;
use super::live::Subnet;
use crate::fabric::NodeKind;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

const NAME: &str = "opensm-dmodc-ca-order.dump";

/// Writes the file to OpenSM's `dump_files_dir`. A failure is a line in the log.
pub fn dump(subnet: &Subnet<'_>, planned: &Planned) {
    let Some(folder) = subnet.dump_files_dir() else {
        return;
    };
    let path = Path::new(&folder).join(NAME);
    if let Err(e) = replace(&path, &text(subnet, planned)) {
        log::error!("cannot write {}: {e}", path.display());
    }
}

fn text(subnet: &Subnet<'_>, planned: &Planned) -> String {
    let fabric = &planned.fabric;
    let switches: Vec<_> = fabric
        .switches()
        .iter()
        .map(|s| subnet.switch(s.guid))
        .collect();
    let mut text = String::new();
    for &n in planned.plan.order() {
        let node = &fabric.end_nodes()[n as usize];
        if node.kind == NodeKind::Ca {
            let port = switches[node.switch as usize].and_then(|s| s.port(node.port));
            let name = port
                .and_then(|p| p.remote())
                .and_then(|p| p.node())
                .map(|n| n.name());
            let _ = writeln!(text, "0x{:04x}\t{}", node.lid.0, name.unwrap_or_default());
        }
    }
    text
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_takes_the_old_one_s_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(NAME);
        for text in ["0x0001\told\n", "0x0002\tnew\n"] {
            replace(&path, text).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("there"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1);
        assert!(replace(&folder.path().join("no/such/folder"), "").is_err());
    }
}
