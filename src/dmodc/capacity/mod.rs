//! Capacity: how much of a link may be used.
//!
//! A link at a quarter of its speed carries a quarter of the routes; a drained one carries none that has another
//! way. Both are one thing: *a link is there for some destinations*. Each destination has a *step*, evenly spread
//! over all; each slow link has a *share*, and is lost for destinations whose steps are not below it. So everything
//! that holds for lost links holds here: up-down paths by one ranking, and no needless change. Where slow links take
//! much of the capacity, some are lost upwards alone.
//!
//! ```text
//! shares (of slow links) ─ limits (and drained ends) ─ one set of inputs for each band ─ bands (of destinations)
//! ```
//!
//! *The cost.* None where no link is slow or drained. Otherwise costs and rows are computed once for each share that
//! occurs, and each destination takes its entries from its band.

mod bands;
mod fallback;
mod limits;
mod shares;

pub use bands::Bands;
pub use fallback::Fallback;
pub use limits::Limits;
