//! Detours for pairs of switches that have no up-down path between them.
//!
//! Where equipment is missing, up-down routing leaves out pairs: pods that have no plane in common; a spine and a leaf,
//! if the switch between them is gone. Such a pair gets a *detour*: a route on which a packet that came down goes up
//! once more. That is a *turn* (a, b, c): down from a to b, up to c.
//!
//! Turns can close credit loops. Dmodc takes a turn only if it closes no cycle (module `turns`): not with other turns,
//! whatever up-down entries exist, now or with other options. So Dmodc decides where to turn, and which detour, before
//! it computes routes:
//!
//! ```text
//! costs ─ need (pairs in need) ─ hubs, turns (where to turn) ─ search (the detours) ─ attempt (the best) ─ steps
//! ```
//!
//! *Where.* All turns at one leaf and at the switches above it (its *cone*) close no cycle where one way leads down to
//! each switch, and they connect nearly all pairs. That is enough for the packets of switches and managers. Hosts need
//! more: traffic between two pods is slow if all crosses one leaf. Let a *plane* be the switches above the leaves that
//! links join. Planes are ordered, and each owns a leaf; two planes turn into each other, both ways, at the leaf of the
//! lower plane. That closes no cycle either: of the planes on a cycle, packets enter and leave the lowest at its
//! leaf. But a packet that goes up from a leaf into a plane can come down to that leaf by this plane only over the link
//! by which it went up, and no packet goes back by the link by which it came. If a plane has two switches above one
//! leaf this fails, and the check refuses some turns. While pairs are left out, more cones follow, of the switches that
//! reach most pairs in need.
//!
//! *The trade-off.* Of the planes that packets enter by turns, they enter the lowest at one leaf only, and no choice of
//! turns mends that. If they entered every plane at two leaves, each turn would have a turn before it: into the plane
//! that it leaves, at another leaf. This walk backward never ends, so it closes a cycle. That is the price of one
//! lane. So the planes that the fewest pairs must enter come first.
//!
//! *Pairs of hosts.* If hubs leave out a pair of hosts, the turns that they took may be in its way. So a second attempt
//! begins with the turns on a shortest walk for each such pair. If it fails, too,
//! [`Connections::top`] names a switch below which all pairs have paths: the plan counts ranks down from it.
//!
//! *The detours.* Each share of the LIDs at a switch has one search back from the turns into up-down paths, over (switch,
//! goes up?). Entries of up-down paths stay, with one exception: where a turn is taken to some of the switches above
//! that lead on, but not to all, the entries of that switch for that share are *pinned* to one of the nearest.
//!
//! *The cost.* None where no pair is in need. Else each set of turns costs one search for each class of switches that
//! are hard to reach; further turns are tried up to a number of visited neighbours (see `WORK` of module `attempt`):
//! some 0.2 s.
//!
//! The detours depend on the fabric, its levels and its costs, and on which switches have, or had, hosts.

mod attempt;
mod connections;
mod hubs;
mod need;
mod search;
mod turns;

pub use connections::{Connections, MayConnect, Steps, turned};
pub use need::{Ends, Needs, Unreachable};
pub use turns::Turns;

use crate::ids::SwitchId;

/// Whether packets that come down from one switch to another may go up to a third.
pub type MayTurn<'m> = &'m dyn Fn(SwitchId, SwitchId, SwitchId) -> bool;
