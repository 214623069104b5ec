//! Real-life fat-trees: a given number of nodes, switches of one radix, one cable per node.
//!
//! Construction, for radix R and k = R/2: the fewest levels h with N <= R k^(h-1); then
//! PGFT(h; k,…,k,m; 1,k,…,k,k/q; 1,…,1,q), where m = ceil(N / k^(h-1)) is the number of subtrees
//! below the top and q the greatest divisor of k with m q <= R. So each switch below the top has
//! k ports up and k down. The top level is only as large as the subtrees need, with q parallel
//! links to each. Bisection is constant if R is even; an odd port stays free. The last subtree
//! fills up from its first leaf on. Leaves without a node do not exist, nor do switches with only
//! such leaves below.

use super::pgft::{Pgft, ShapeError};

/// A real-life fat-tree: a PGFT with only its first `nodes` end nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rlft {
    /// The full shape.
    pub shape: Pgft,
    /// Number of end nodes, at most the number in the shape.
    pub nodes: usize,
    /// Ports of every switch.
    pub radix: u8,
}

/// The reason why there is no such tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum RlftError {
    #[error("a fabric needs at least one node")]
    NoNodes,
    #[error("radix {0}: a switch has 2 to 254 ports")]
    Radix(usize),
    #[error("{nodes} nodes do not fit into six levels of {radix}-port switches")]
    TooManyLevels { nodes: usize, radix: u8 },
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

impl Rlft {
    /// The tree for this many nodes and switches of this radix.
    pub fn new(nodes: usize, radix: usize) -> Result<Rlft, RlftError> {
        if nodes == 0 {
            return Err(RlftError::NoNodes);
        }
        let ports = match u8::try_from(radix) {
            Ok(ports @ 2..=254) => ports,
            _ => return Err(RlftError::Radix(radix)),
        };
        let k = radix / 2;
        let below_top = |h: u32| k.saturating_pow(h - 1);
        let h = (1..=6).find(|&h| nodes <= radix.saturating_mul(below_top(h)));
        let h = h.ok_or(RlftError::TooManyLevels {
            nodes,
            radix: ports,
        })?;
        let m = nodes.div_ceil(below_top(h));
        let levels = h as usize;
        let (mut ms, mut ws, mut ps) = (vec![k; levels], vec![k; levels], vec![1; levels]);
        ms[levels - 1] = m;
        if levels > 1 {
            let fits = |q: &usize| k.is_multiple_of(*q) && m * q <= radix;
            let q = (1..=k).rev().find(fits).unwrap_or(1);
            ws[levels - 1] = k / q;
            ps[levels - 1] = q;
        }
        ws[0] = 1;
        Ok(Rlft {
            shape: Pgft::new(ms, ws, ps)?,
            nodes,
            radix: ports,
        })
    }
}
