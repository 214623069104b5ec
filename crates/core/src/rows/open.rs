//! Sets of ports, and the deal: where one parent leads nearer, it takes the numbers of all others in turn.

use crate::kinds::{Class, LEVEL};

/// A set of ports of a class, or of groups of a switch, by index: one bit each. A switch has at most 254 ports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Set([u64; 4]);

impl Set {
    /// The set of the indices below `count` that are in it.
    pub fn new(count: usize, is_in: impl Fn(usize) -> bool) -> Self {
        let mut set = Set::default();
        for i in (0..count).filter(|&i| is_in(i)) {
            set.0[i / 64] |= 1 << (i % 64);
        }
        set
    }

    /// Adds eight indices from a multiple of eight on, by their bits.
    pub fn add_byte(&mut self, byte: usize, bits: u8) {
        self.0[byte / 8] |= u64::from(bits) << (byte % 8 * 8);
    }

    /// Whether an index is in it.
    #[inline]
    pub fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }

    /// How many indices are in it.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// All its indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        (0..4).flat_map(move |at| {
            let mut word = words[at];
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                word &= word.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit)
            })
        })
    }
}

/// Whether the open ports lead to one parent, or to switches of this rank alone.
pub fn is_one(class: &Class, open: &Set) -> bool {
    let mut up = open
        .iter()
        .map(|i| class.ports[i].group)
        .filter(|&group| group < LEVEL);
    up.next().is_none_or(|first| up.all(|group| group == first))
}

/// The deal: the nominal ports of the parent keep their numbers, dark ones too; of the other numbers the i-th goes to
/// port i mod the number of these ports, with i = ⌊q/n⌋ · others + (others before its index in the cycle). So each port
/// gets its part of them, and a dark port moves none of another: its numbers go round the others, one after the other.
pub struct Deal {
    /// The ports of the parent, in the order of the cycle.
    pub ports: Vec<u8>,
    /// By index in the cycle: how many before it belong to other parents; then their number.
    before: Vec<u32>,
}

/// The port of the only parent that a number takes on the way down, where all groups have one width: the paper's.
pub fn paper_port(class: &Class, open: &Set, q: u32) -> Option<usize> {
    let first = open.iter().next()?;
    let group = class.ports[first].group;
    let start = class.ports.iter().position(|up| up.group == group)?;
    let width = class.ports[start..]
        .iter()
        .take_while(|up| up.group == group)
        .count();
    let last = class.ports[..class.cycle.len()].last()?;
    let groups = usize::from(last.group) + 1;
    let group_at = |index: &u8| class.ports[usize::from(*index)].group;
    let is_even = groups * width == class.cycle.len()
        && (class.cycle.chunks(groups)).all(|round| round.is_sorted_by_key(group_at));
    let port = start + q as usize / groups % width;
    (is_even && group < LEVEL && open.has(port)).then_some(port)
}

impl Deal {
    /// The deal among these open ports; `None` if several parents lead nearer.
    pub fn new(class: &Class, open: &Set) -> Option<Deal> {
        if !is_one(class, open) {
            return None;
        }
        let mut groups = [false; 2 * LEVEL as usize];
        open.iter()
            .for_each(|i| groups[usize::from(class.ports[i].group)] = true);
        let is_dealt = |i: u8| groups[usize::from(class.ports[usize::from(i)].group)];
        let level = class.cycle.len() as u8..class.ports.len() as u8;
        let all = class.cycle.iter().copied().chain(level);
        let mut before = vec![0];
        let mut others = 0;
        for &i in &class.cycle {
            others += u32::from(!is_dealt(i));
            before.push(others);
        }
        let ports = all.filter(|&i| is_dealt(i)).collect();
        Some(Deal { ports, before })
    }

    /// The place of quotient `q` among the ports, and how many numbers the port there was dealt before.
    pub fn place(&self, q: u32) -> (usize, u32) {
        let n = (self.before.len() - 1).max(1) as u32;
        let (cycle, at) = (q / n, (q % n) as usize);
        if self.before.get(at + 1) == Some(&self.before[at]) {
            return (at - self.before[at] as usize, cycle);
        }
        let others = self.before[self.before.len() - 1].max(1);
        let nth = u64::from(cycle) * u64::from(others) + u64::from(self.before[at]);
        let count = self.ports.len() as u64;
        ((nth % count) as usize, (nth / count) as u32)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::ids::{KindId, SwitchId};
    use crate::kinds::{Class, Dividers, Uplink, cycle};

    /// A class with groups of these widths, all ports up.
    pub fn class(widths: &[usize]) -> Class {
        let groups = (0u16..).zip(widths);
        let groups = groups.flat_map(|(group, &width)| vec![group; width]);
        let ports = groups.zip(1..).map(|(group, port)| Uplink {
            port,
            to: Some(SwitchId(100 + u32::from(group))),
            group,
        });
        let ports: Vec<Uplink> = ports.collect();
        Class {
            kind: KindId(0),
            dividers: Dividers::default(),
            first: SwitchId(0),
            cycle: cycle(&ports),
            lacks: false,
            gone: Vec::new(),
            ports,
        }
    }

    #[test]
    fn sets_know_their_indices() {
        let set = Set::new(254, |i| i % 63 == 5);
        assert_eq!(set.iter().collect::<Vec<_>>(), [5, 68, 131, 194]);
        assert_eq!(set.len(), 4);
        assert!(set.has(131) && !set.has(130));
    }

    /// Without the deal, all numbers of other parents would fall on the port that comes next in the cycle.
    #[test]
    fn the_only_parent_takes_the_numbers_of_all_others_in_turn() {
        let class = class(&[2, 2, 2]);
        let parent = Set::new(6, |i| i < 2);
        let deal = Deal::new(&class, &parent).expect("one parent");
        let mut count = [0; 6];
        for q in (0..120).filter(|q| q % 3 > 0) {
            count[usize::from(deal.ports[deal.place(q).0])] += 1;
        }
        assert_eq!(count, [40, 40, 0, 0, 0, 0]);
        // A port that goes dark changes no number of the other.
        let dark = Set::new(6, |i| i == 1);
        let less = Deal::new(&class, &dark).expect("one parent");
        assert!((0..120).all(|q| less.place(q) == deal.place(q)));
        assert!(Deal::new(&class, &Set::new(6, |i| i < 3)).is_none());
    }

    /// On a whole tree the way down to a leaf is the paper's for every number: ⌊q/groups⌋ mod width.
    #[test]
    fn the_way_down_over_parallel_links_is_the_papers() {
        let class = class(&[2, 2, 2]);
        let parent = Set::new(6, |i| i == 2 || i == 3);
        let ports = (0..12).map(|q| paper_port(&class, &parent, q));
        let ports: Vec<usize> = ports.flatten().collect();
        assert_eq!(ports, [2, 2, 2, 3, 3, 3, 2, 2, 2, 3, 3, 3]);
        let uneven = super::tests::class(&[2, 1]);
        assert_eq!(paper_port(&uneven, &Set::new(3, |i| i < 2), 0), None);
    }
}
