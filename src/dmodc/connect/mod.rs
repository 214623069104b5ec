//! Nobody left out: detours for pairs of switches that have no up-down path between them.
//!
//! Up-down routing leaves pairs out as soon as equipment is missing: pods that have no plane in common,
//! a spine and a leaf of which the switch between them is gone. Such a pair gets a *detour*: a route on
//! which a packet that came down goes up once more. That is a *turn* (a, b, c): down from a to b, up to c.
//!
//! Turns are how credit loops come about. A turn is taken only if it closes no circle (module `turns`):
//! not with other turns, whatever up-down entries there are, now or with other options. So where to turn
//! can be decided before anybody asks which routes there are, in three steps:
//!
//! ```text
//! costs ─ need (who needs a detour) ─ hubs, turns (where to turn) ─ search (the detours) ─ steps
//! ```
//!
//! *Where.* All turns at one leaf and at the switches above it (its *cone*) close no circle, and they
//! connect nearly everybody. That is enough for what switches and managers send. Hosts need more: all
//! traffic between two pods by way of one leaf is slow. Let a *plane* be what holds together above the
//! leaves. The planes are put in an order and each owns a leaf; two planes turn into each other, both ways,
//! at the leaf of the lower one. That closes no circle either. In a circle, follow the planes: the lowest is
//! entered and left at its own leaf. But a packet that goes up from a leaf into a plane can come down to
//! that leaf by this plane only over the link that it went up by, and no packet goes back by the link that
//! it came by. Where a plane has two switches above one leaf that is not so, and the check refuses some. While somebody
//! is left out, more cones follow, of the switches that reach most of those in need.
//!
//! *The trade-off.* Of the planes that are entered by turns, the lowest is entered at one leaf only, and no
//! choice of turns mends that. Were each entered at two leaves, one could walk backward for ever, from a turn
//! into the plane that it leaves to one at another leaf into that one, and so in a circle. That is the price
//! of one lane. So the planes in which least is to be entered come first.
//!
//! *The detours.* Entries of up-down paths stay as they are. Where packets turn they decide by which switch a packet
//! goes on. So LIDs of one switch are told apart by the turns that lead into up-down paths to them, and each such class
//! has one search back from there, over (switch, goes up?). Where all turns of a cone are taken there is one class.
//!
//! *The cost.* None where nobody is in need. A count of the neighbours looked at ends the work (see `WORK`
//! of module `connections`): some 0.2 s.
//!
//! All of it depends on the fabric and its entries alone.

mod connections;
mod hubs;
mod need;
mod search;
mod turns;

pub use connections::{Connections, Entries, Steps};
pub use need::{Needs, Unreachable};
pub use turns::Turns;
