//! The directions of links, and the shortest up-down paths.
//!
//! An up-down path goes up zero or more links, then down zero or more, and never up again: tables whose
//! routes are all such paths cannot deadlock. The caller's ranking decides which end of a link is the upper
//! one. It decides once per pair of neighbours, so the two directions of a link cannot both be up.
//!
//! The shortest up-down distance is the measure of minimality. A breadth-first search from the destination
//! finds it, over the states (switch, "may still go up" or "down only"). Outside of PGFTs it may be less than
//! Dmodc's cost, since a path that begins upwards can be shorter than one that only goes down. In complete
//! and degraded PGFTs the two agree.

use super::channels::Channels;

/// The distance of a switch that has no up-down path to the destination.
pub const UNREACHABLE: u16 = u16::MAX;

/// The direction of every channel, and the neighbours above and below each switch.
pub struct UpDown {
    up: Vec<bool>,
    /// The index of each switch's first neighbour in `neighbours`, and the end.
    first: Vec<u32>,
    /// (neighbour, whether it is above), each neighbour once.
    neighbours: Vec<(u32, bool)>,
}

impl UpDown {
    /// Orients the channels: `is_up(a, b)`, called for neighbours `a < b` only, tells whether the links from
    /// `a` to `b` go up.
    pub fn new(channels: &Channels, is_up: impl Fn(u32, u32) -> bool) -> UpDown {
        let oriented = |a: u32, b: u32| if a < b { is_up(a, b) } else { !is_up(b, a) };
        let up: Vec<bool> = channels.iter().map(|c| oriented(c.from, c.to)).collect();
        let mut lists: Vec<Vec<(u32, bool)>> = vec![Vec::new(); channels.switches()];
        for (channel, &up) in channels.iter().zip(&up) {
            lists[channel.from as usize].push((channel.to, up));
        }
        let mut this = UpDown {
            up,
            first: vec![0],
            neighbours: Vec::new(),
        };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            this.neighbours.append(&mut list);
            this.first.push(this.neighbours.len() as u32);
        }
        this
    }

    /// Whether a channel goes up.
    pub fn is_up(&self, channel: u32) -> bool {
        self.up[channel as usize]
    }

    fn neighbours(&self, switch: u32) -> &[(u32, bool)] {
        let (from, to) = (self.first[switch as usize], self.first[switch as usize + 1]);
        &self.neighbours[from as usize..to as usize]
    }

    /// The length in links of the shortest up-down path from every switch to `destination`, or [`UNREACHABLE`].
    pub fn distances(&self, destination: u32) -> Vec<u16> {
        self.distances_and_down(destination).0
    }

    /// As [`UpDown::distances`], and the same for the paths that only go down.
    pub(super) fn distances_and_down(&self, destination: u32) -> (Vec<u16>, Vec<u16>) {
        let switches = self.first.len() - 1;
        let mut best = vec![UNREACHABLE; switches];
        let mut down = vec![UNREACHABLE; switches];
        best[destination as usize] = 0;
        down[destination as usize] = 0;
        let mut level = vec![destination];
        let mut next = Vec::new();
        let mut length = 0;
        while !level.is_empty() {
            for &at in &level {
                for &(neighbour, above) in self.neighbours(at) {
                    let n = neighbour as usize;
                    // A packet from above comes down to here; one from below comes up.
                    let goes_on_down = above && down[at as usize] == length;
                    let goes_up = !above && best[at as usize] == length;
                    if goes_on_down && down[n] == UNREACHABLE {
                        down[n] = length + 1;
                        best[n] = best[n].min(length + 1);
                        next.push(neighbour);
                    } else if goes_up && best[n] == UNREACHABLE {
                        best[n] = length + 1;
                        next.push(neighbour);
                    }
                }
            }
            level.clear();
            std::mem::swap(&mut level, &mut next);
            length += 1;
        }
        (best, down)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Net;
    use super::*;

    /// Switches 0 and 1 below 2 and 3, and 4 below 3 alone.
    fn tree() -> UpDown {
        let net = Net::new(&[(0, 2), (1, 2), (0, 3), (1, 3), (4, 3)], &[0, 1, 4]).build();
        let ranks = [0, 0, 1, 1, 0];
        UpDown::new(&Channels::new(&net), |a, b| {
            ranks[a as usize] < ranks[b as usize]
        })
    }

    #[test]
    fn counts_the_links_of_up_down_paths_only() {
        let tree = tree();
        assert_eq!(tree.distances(0), [0, 2, 1, 1, 2]);
        assert_eq!(
            tree.distances(4),
            [2, 2, UNREACHABLE, 1, 0],
            "2 would have to turn down-up"
        );
        assert_eq!(tree.distances(2), [1, 1, 0, UNREACHABLE, UNREACHABLE]);
    }

    #[test]
    fn takes_the_shorter_way_up_over_the_longer_way_down() {
        // 0 reaches 3 over 1 and 2, down all the way, or over 4: up, then down.
        let net = Net::new(&[(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)], &[0, 3]).build();
        let ranks = [3, 2, 1, 0, 4];
        let paths = UpDown::new(&Channels::new(&net), |a, b| {
            ranks[a as usize] < ranks[b as usize]
        });
        assert_eq!(paths.distances(3)[0], 2);
    }

    #[test]
    fn a_contradictory_caller_cannot_make_a_link_go_up_both_ways() {
        let net = Net::new(&[(0, 1)], &[0, 1]).build();
        let paths = UpDown::new(&Channels::new(&net), |_, _| true);
        assert!(paths.is_up(0) && !paths.is_up(1));
    }
}
