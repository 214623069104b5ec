//! Which turns are taken: kind of need by kind of need, hub by hub.

use super::hubs;
use super::need::{KINDS, Need, Needs, count};
use super::search::{Search, Step};
use super::turns::Turns;
use crate::dmodc::paths::Paths;

/// So much work the first attempt may take: some 0.3 s.
const WORK: u64 = 8_000_000;
/// So much work further attempts may take, all together: some 10 ms.
const MORE_WORK: u64 = 1_000_000;
/// After so much work no further switch is looked for where no host is in need: some 2 ms.
const LITTLE_WORK: u64 = 200_000;
/// So many further attempts, each with another switch to turn at first.
const ATTEMPTS: usize = 8;
/// These first kinds of need are of hosts: for them further attempts are made.
const URGENT: usize = 3;
/// So many switches in a row may be of no help before no more are looked at.
const OF_NO_HELP: usize = 8;

/// Makes some attempts and takes the best: that which leaves out fewest of the greatest need, and so
/// on. The first nearly always leaves out nobody.
pub fn best(paths: &Paths, needs: &Needs) -> Attempt {
    let mut best = Attempt::new(paths, needs, None, WORK);
    let mut work = MORE_WORK;
    let Some(first) = needs.of_kind.iter().position(|kind| !kind.is_empty()) else {
        return best;
    };
    let mut hubs = Vec::new();
    if best.is_urgent_left() && !best.cut_short {
        hubs = hubs::in_order(paths, &needs.of_kind, first);
        hubs.retain(|hub| best.hubs.first() != Some(hub));
        hubs.truncate(ATTEMPTS);
    }
    for hub in hubs {
        if !best.is_urgent_left() || work < best.work {
            break;
        }
        let attempt = Attempt::new(paths, needs, Some(hub), work);
        work -= attempt.work.min(work);
        if !attempt.cut_short && attempt.counts() < best.counts() {
            best = attempt;
        }
    }
    best
}

/// The ways that one order of switches to turn at has given.
pub struct Attempt {
    /// Per switch to be reached.
    pub steps: Vec<Vec<Step>>,
    /// Per kind: who is left out.
    pub left: [Vec<Need>; KINDS],
    /// The turns taken.
    pub turns: Turns,
    /// The switches at which it was begun to turn, in this order.
    pub hubs: Vec<u32>,
    /// Whether it took too much work and was ended.
    pub cut_short: bool,
    work: u64,
}

impl Attempt {
    /// Serves one kind of need after the other: over turns at the cones of the hubs so far and, while
    /// someone is left out, of one more.
    fn new(paths: &Paths, needs: &Needs, first: Option<u32>, work: u64) -> Self {
        let mut attempt = Attempt {
            steps: vec![Vec::new(); paths.costs.switches()],
            left: needs.of_kind.clone(),
            turns: Turns::new(paths.costs.switches()),
            hubs: first.into_iter().collect(),
            cut_short: false,
            work,
        };
        let mut search = Search::new(paths);
        for kind in 0..KINDS {
            let cones = hubs::cones(paths, &attempt.hubs);
            attempt.serve(kind, &mut search, &cones);
            let mut of_no_help = 0;
            let mut hubs = Vec::new();
            while !attempt.left[kind].is_empty() && of_no_help < OF_NO_HELP && !attempt.cut_short {
                if kind >= URGENT && search.work > LITTLE_WORK && !attempt.hubs.is_empty() {
                    break;
                }
                if of_no_help == 0 {
                    hubs = hubs::in_order(paths, &attempt.left, kind);
                    hubs.retain(|hub| !attempt.hubs.contains(hub));
                }
                let Some(&hub) = hubs.get(of_no_help) else {
                    break;
                };
                of_no_help += 1;
                // A way over the new hub may want to turn at those before as well.
                attempt.hubs.push(hub);
                let cones = hubs::cones(paths, &attempt.hubs);
                if attempt.serve(kind, &mut search, &cones) {
                    of_no_help = 0;
                } else {
                    attempt.hubs.pop();
                }
            }
        }
        // Turns and steps that were taken for others may help those that were left out before.
        for kind in 0..KINDS {
            attempt.serve(kind, &mut search, &[]);
        }
        for (to, need) in attempt.left.iter_mut().flatten() {
            search.begin(*to, &attempt.steps[*to as usize]);
            search.leave_unreached(need);
        }
        (attempt.left.iter_mut()).for_each(|kind| kind.retain(|(_, need)| !need.is_empty()));
        attempt.work = search.work;
        attempt
    }

    /// Serves what is left of one kind over turns at some switches. Whether that helped anybody.
    fn serve(&mut self, kind: usize, search: &mut Search<'_>, hubs: &[u32]) -> bool {
        if self.cut_short || (hubs.is_empty() && self.turns.hubs().is_empty()) {
            return false;
        }
        let before = count(&self.left[kind]);
        for (to, need) in &mut self.left[kind] {
            let steps = &mut self.steps[*to as usize];
            if search.work > self.work {
                self.cut_short = true;
                break;
            }
            search.begin(*to, steps);
            search.run(&mut self.turns, hubs, need);
            steps.extend(&search.steps()[steps.len()..]);
        }
        self.left[kind].retain(|(_, need)| !need.is_empty());
        !self.cut_short && count(&self.left[kind]) < before
    }

    /// Who is left out, by kind.
    fn counts(&self) -> [usize; KINDS] {
        std::array::from_fn(|kind| count(&self.left[kind]))
    }

    fn is_urgent_left(&self) -> bool {
        self.left[..URGENT].iter().any(|kind| !kind.is_empty())
    }
}
