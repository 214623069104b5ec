//! The reasons why OpenSM gets no tables, or no tree for a multicast group.

use dmodc_core::RouteError;
use dmodc_fabric::{Guid, PortNumber};
use dmodc_proof::Refuted;

/// Why Dmodc has not routed a sweep.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Refused(#[from] RouteError),
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("OpenSM has no forwarding table for switch {0}")]
    NoTable(Guid),
    #[error("the proof of the tables failed: {0}")]
    Refuted(#[from] Refuted),
}

/// Why a multicast group has no tree.
#[derive(Debug, thiserror::Error)]
pub enum McastError {
    #[error(transparent)]
    Plan(#[from] Failure),
    /// A switch of the tree is not in the plan, or no longer in the subnet.
    #[error("switch {0} has come or gone since the subnet was read")]
    SwitchChanged(Guid),
    #[error("the link at port {1} of switch {0} has gone since the subnet was read")]
    LinkChanged(Guid, PortNumber),
    #[error("no member is at a switch that forwards multicast")]
    NoSwitch,
    #[error("the multicast table of switch {0} has no room for the group")]
    NoRoom(Guid),
}
