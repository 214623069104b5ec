//! Capacity: how many routes a slow or drained link carries.
//!
//! A link at a quarter of its speed carries a quarter of the routes; a drained link carries no route that has another
//! path. Both follow one rule: *a link exists for some destinations*. Each destination has a *step*; steps spread
//! evenly over all destinations. Each slow link has a *share*, and is lost for the destinations whose steps are not
//! below it. So all rules for lost links hold: up-down paths by one ranking, and no needless change. Where slow links
//! take much of the capacity, some are lost on the way up only.
//!
//! ```text
//! uplinks, steps ─ shares (of slow links) ─ limits (and drained ends) ─ one set of inputs for each band ─ bands
//! ```
//!
//! *The cost.* None where no link is slow or drained. Otherwise Dmodc computes costs and rows once for each share that
//! occurs, and each destination takes its entries from its band.

mod bands;
mod fallback;
mod limits;
mod shares;
mod steps;
mod uplinks;

pub use bands::Bands;
pub use fallback::Fallback;
pub use limits::Limits;
