//! The netlists of `ibnetdiscover` and ibsim.
//!
//! One format, two dialects. ibnetdiscover writes GUIDs, LIDs and link speeds, and names nodes by
//! GUID. People write `Hca 2 "h1"` and `[1] "sw1"[3]` by hand; ibsim then counts GUIDs up from a
//! base for each kind of node. This parser accepts what ibsim accepts (`sim_net.c`), with ibsim's
//! defaults (remote port 1, GUID counters, description = id). It refuses text that would give
//! another fabric than the author meant. It skips unknown lines, as ibsim does: captures of
//! ibnetdiscover contain shell prompts and chassis lines. It warns of words that an ibsim of another age may know: an
//! assignment, an option of a port, a kind of node, which is taken as a host. A value that is empty or unreadable
//! (`xxxxxx` for a GUID or a LID) is unknown, with a warning; usually the line of the other side of
//! the link has it.

mod context;
mod enabled;
mod node;
mod port;

use self::context::Context;
use self::node::NodeParts;
use super::draft::Draft;
use super::error::Reason;
use super::model::Netlist;
use crate::input::{Fault, Parsed, quoted};
use crate::scan::find;

/// Commands of ibsim that reach beyond one netlist.
const UNSUPPORTED: [&str; 3] = ["include", "module", "@"];

/// Whether a line is of this format: a node, or an assignment before one.
pub(super) fn begins(line: &[u8]) -> bool {
    node::begins(line).is_some() || Context::begins(line)
}

pub(super) fn parse(bytes: &[u8]) -> Parsed<Netlist, Reason> {
    let mut context = Context::default();
    context.has_guids = find(bytes, b"guid=0x").is_some();
    let mut current = None;
    let mut draft = Draft::read(bytes, |draft, line| {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let line = line.trim_ascii();
        let bad = |what| Reason::BadLine(what, quoted(line));
        if line.is_empty() || line[0] == b'#' {
            return Ok(());
        }
        if let Some((kind, is_known, rest)) = node::begins(line) {
            if !is_known {
                let word = &line[..line.len() - rest.len()];
                draft.warn(Reason::UnknownKind(quoted(word), kind));
            }
            let parts = NodeParts::read(rest).map_err(bad)?;
            if !parts.options.is_empty() {
                draft.warn(Reason::UnknownWord(quoted(parts.options), quoted(line)));
            }
            let (id, node) = context.node(kind, parts, draft)?;
            current = Some(draft.add_node(id, node)?);
        } else if port::begins(line) {
            let node = current.ok_or(Reason::StrayPort)?;
            let port = port::read(line, node, &context, draft);
            let (number, port, port_line) = port.map_err(bad)?;
            draft.add_port(node, number, port, port_line)?;
        } else if context.assignment(line, draft) {
            current = None;
        } else if let Some(word) = UNSUPPORTED.iter().find(|w| line.starts_with(w.as_bytes())) {
            return Err(Reason::Unsupported(word));
        } else if let Some(word) = context::unknown(line) {
            draft.warn(Reason::UnknownWord(quoted(word), quoted(line)));
        }
        Ok(())
    })?;
    if context.is_open {
        return Err(Fault::in_line(draft.line, Reason::Truncated));
    }
    if draft.usual.enabled {
        draft.fill_in_link(&context.enabled.most().to_string());
    }
    draft.finish()
}
