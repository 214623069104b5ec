//! Proves forwarding tables before they are sent. It uses the fabric alone, and nothing that computed the tables.
//!
//! *Claim.* Each LID has an entry at each switch that links join to it and whose end nodes need it, but for a list of pairs
//! that are left out. Every packet that a switch has an entry for is delivered. No packet turns from down to up, but on a
//! list of detours. There is no credit loop.
//!
//! *What is checked.* Switches are in a total order, by rank first; a link goes up to the greater end. For each switch s
//! and LID d with an entry, the port is up and leads to d itself, or to a switch s' with an entry for d (1). If s' is
//! below s, its entry goes down or to d (2), or the pair of s and d is a listed detour and the turn counts. All turns
//! that count close no cycle with the dependencies of channels that the order allows: up to up, up to down, down to
//! down, but not back over the same link (3); or with those that the tables have, if the claim lists no detours.
//!
//! *Theorem.* Then the claim holds.
//! 1. By (1) a path ends only at d. So it is delivered, or it goes on for ever and so repeats a channel.
//! 2. Without turns, by (2), a path goes up, then down: the order of its switches first grows, then falls. It repeats none.
//! 3. With turns, each two channels in a row are a dependency that the order allows and the tables have, or a turn that
//!    counts; back over the same link a packet could only go by a turn, which (3) has as a cycle. By (3) there is no
//!    cycle, so no repetition.
//! 4. A credit loop is a cycle of such dependencies, which (3) excludes; without turns the order does. ∎
//!
//! *Cost.* Rows are compared with what is known to be right at switches whose ports lead alike; an equal entry needs no
//! second look. `make instructions` counts it.
//!
//! In reading order: `ways`, where each port leads; `rows`, (1) and (2) for all entries; `turns`, (3).

#![forbid(unsafe_code)]

mod rows;
mod turns;
mod ways;

use dmodc_fabric::{Fabric, Guid, Lid, NO_PATH, PortNumber, SwitchId};
use rows::Turns;
use typed_index_collections::TiSlice;
use ways::Ways;

/// What the maker of the tables says of them.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'c> {
    /// By switch: its position in the order of switches. A link goes up to the end with the greater one, of equal
    /// positions to the switch with the greater GUID.
    pub order: &'c TiSlice<SwitchId, u32>,
    /// Pairs of switches (from, to), ascending: packets from the first to LIDs at the second may turn. `None`: all may, and
    /// turns may close no cycle with the dependencies that the tables have, in place of those that the order allows. So
    /// tables are proven whose maker lists no detours, or avoids cycles otherwise than by an order of switches.
    pub detours: Option<&'c [(SwitchId, SwitchId)]>,
    /// Pairs of switches (from, to), ascending: the first has no entry for LIDs at the second. Pairs that no links join
    /// need not be there.
    pub left_out: &'c [(SwitchId, SwitchId)],
    /// Whether all switches need entries for one another (OpenSM's `connect_roots`); else those whose end nodes do.
    pub connect_roots: bool,
}

/// What was proven, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proven {
    /// Pairs of switch and LID without an entry that the claim lists, and that needs one.
    pub left_out: usize,
    /// Different turns from down to up, by the switches before, at and after the turn.
    pub turns: usize,
}

/// Why an entry is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// The port does not exist, is dark, or leads to another end node.
    #[error("port {0} does not lead there")]
    Port(PortNumber),
    /// The next switch has no entry.
    #[error("port {0} leads to a switch without an entry")]
    DeadEnd(PortNumber),
    /// A turn from down to up that the claim does not list.
    #[error("port {0} leads down to a switch that sends it up")]
    Turn(PortNumber),
    /// No entry, and the claim does not list the pair.
    #[error("no entry, and the pair is not listed as left out")]
    Hole,
    /// An entry where the claim lists the pair as left out.
    #[error("port {0}, where the pair is listed as left out")]
    Listed(PortNumber),
    /// An entry for a LID that nobody has.
    #[error("port {0} for a LID that nobody has")]
    NoOwner(PortNumber),
    /// A turn that closes a cycle of channels.
    #[error("the turn to port {0} closes a cycle of channels")]
    Cycle(PortNumber),
    /// The row is missing, or too short for the LIDs of the fabric.
    #[error("the table ends before this LID")]
    Short,
}

/// An entry found wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("switch {switch}, LID {lid}: {reason}")]
pub struct Refuted {
    /// Node GUID of the switch.
    pub switch: Guid,
    /// The LID.
    pub lid: Lid,
    /// What is wrong.
    pub reason: Reason,
}

/// Checks a part of a proof.
pub type Part<'p> = Box<dyn FnOnce() + Send + 'p>;

/// Proves the claim for tables: `rows` has the table of each switch, by LID.
///
/// # Errors
/// An entry for which the claim does not hold.
pub fn prove(
    fabric: &Fabric,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
) -> Result<Proven, Refuted> {
    prove_in_parts(fabric, rows, claim, 1, |parts| {
        parts.into_iter().for_each(|part| part());
    })
}

/// As [`prove`], in this many parts by LID: (1) and (2) speak of one LID each. `check` has to call them all, in any
/// order, side by side or not.
///
/// # Errors
/// As [`prove`]: an entry of the lowest part.
///
/// # Panics
/// If `check` leaves a part out.
pub fn prove_in_parts(
    fabric: &Fabric,
    rows: &TiSlice<SwitchId, &[u8]>,
    claim: &Claim<'_>,
    parts: usize,
    check: impl FnOnce(Vec<Part<'_>>),
) -> Result<Proven, Refuted> {
    let refute = |(switch, lid, reason)| Refuted {
        switch: fabric.guid(switch),
        lid: Lid::from(lid),
        reason,
    };
    let lids = fabric.max_lid().index() + 1;
    for switch in fabric.switches().keys() {
        let row = rows.get(switch).copied().unwrap_or_default();
        let Some((_, beyond)) = row.split_at_checked(lids) else {
            return Err(refute((switch, row.len(), Reason::Short)));
        };
        if let Some(at) = beyond.iter().position(|&entry| entry != NO_PATH) {
            let reason = Reason::NoOwner(PortNumber(beyond[at]));
            return Err(refute((switch, lids + at, reason)));
        }
    }
    let ways = &Ways::new(fabric, claim.order);
    let left_out = rows::left_out(ways, rows, claim).map_err(refute)?;
    let size = lids.div_ceil(parts.max(1));
    let mut found = vec![None; lids.div_ceil(size)];
    let starts = (0..lids).step_by(size);
    let parts = starts.zip(&mut found).map(|(start, found)| -> Part<'_> {
        let lids = start..lids.min(start + size);
        Box::new(move || *found = Some(rows::check(ways, rows, claim, lids)))
    });
    check(parts.collect());
    let mut turns = Turns::new();
    for of_part in found {
        for (turn, lid) in of_part.expect("every part is checked").map_err(refute)? {
            turns.entry(turn).or_insert(lid);
        }
    }
    turns::check(ways, &turns, rows, claim).map_err(refute)?;
    Ok(Proven {
        left_out,
        turns: turns.len(),
    })
}
