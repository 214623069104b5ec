//! `opensm-dmodc-ca-order.dump`: the hosts in the order of their topological NIDs, as
//! [`crate::lft::write_order`] writes them, named as OpenSM names them.

use super::ffi::Subnet;
use super::planned::Live;
use crate::files::replace_by;
use crate::lft::write_order;
use crate::sweeps::{Called, Planned};
use std::path::Path;

const NAME: &str = "opensm-dmodc-ca-order.dump";

/// Writes the file to OpenSM's `dump_files_dir`. A failure is a line in the log.
pub fn dump(subnet: &Subnet<'_>, planned: &Planned) {
    let Some(folder) = subnet.dump_files_dir() else {
        return;
    };
    let path = Path::new(&folder).join(NAME);
    let called = Live { subnet, planned };
    let name = |node| called.end_node(node);
    let Planned { fabric, plan, .. } = planned;
    let written = replace_by(&path, |out| write_order(fabric, plan.order(), name, out));
    if let Err(e) = written {
        log::error!("cannot write {}: {e}", path.display());
    }
}
