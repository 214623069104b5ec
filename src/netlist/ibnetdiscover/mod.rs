//! The netlists of `ibnetdiscover` and ibsim.
//!
//! One format, two dialects. ibnetdiscover writes GUIDs, LIDs and link speeds, and names nodes by
//! GUID. People write `Hca 2 "h1"` and `[1] "sw1"[3]` by hand; ibsim then counts GUIDs up from a
//! base for each kind of node. This parser accepts what ibsim accepts (`sim_net.c`), with ibsim's
//! defaults (remote port 1, GUID counters, description = id). It refuses text that would give
//! another fabric than the author meant. It skips unknown lines, as ibsim does: captures of
//! ibnetdiscover contain shell prompts and chassis lines. A value that is empty or unreadable
//! (`xxxxxx` for a GUID or a LID) is unknown, with a warning; usually the line of the other side of
//! the link has it.

mod context;
mod enabled;
mod node;
mod port;
mod words;

use self::context::Context;
use self::node::NodeParts;
use super::draft::Draft;
use super::error::Reason;
use super::model::Netlist;
use crate::input::{Fault, Parsed, quoted};

/// Commands of ibsim that reach beyond one netlist.
const UNSUPPORTED: [&str; 3] = ["include", "module", "@"];

pub(super) fn parse(bytes: &[u8]) -> Parsed<Netlist, Reason> {
    let mut context = Context::default();
    let mut current = None;
    let mut draft = Draft::read(bytes, |draft, line| {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let line = line.trim_ascii();
        let bad = |what| Reason::BadLine(what, quoted(line));
        if line.is_empty() || line[0] == b'#' {
            return Ok(());
        }
        if let Some((kind, rest)) = node::begins(line) {
            let parts = NodeParts::read(rest).map_err(bad)?;
            let (id, node) = context.node(kind, parts, draft)?;
            current = Some(draft.add_node(id, node)?);
        } else if port::begins(line) {
            let node = current.ok_or(Reason::StrayPort)?;
            let port = port::read(line, node, &mut context, draft);
            let (number, port, port_line) = port.map_err(bad)?;
            draft.add_port(node, number, port, port_line)?;
        } else if context.assignment(line, draft) {
            current = None;
        } else if let Some(word) = UNSUPPORTED.iter().find(|w| line.starts_with(w.as_bytes())) {
            return Err(Reason::Unsupported(word));
        }
        Ok(())
    })?;
    if context.is_open {
        return Err(Fault::at(draft.line, Reason::Truncated));
    }
    if let Some(link) = context.usual_link() {
        draft.fill_in_links(&link);
    }
    draft.finish()
}
