//! Where displaced entries go.

use dmodc::lft::NO_PATH;

/// A nominal candidate port, and the ways up behind it.
pub type Port = (u8, usize);

/// All ports but the first one, in the order in which an entry tries them.
pub fn list(ports: &[Port], first: usize, turn: usize) -> Vec<u8> {
    let common = (1..=ports[0].1)
        .rev()
        .find(|n| ports.iter().all(|&(_, ways)| ways % n == 0));
    // Each port has places in the circle for its ways.
    let mut circle: Vec<usize> = Vec::new();
    for (i, &(_, ways)) in ports.iter().enumerate() {
        circle.extend(vec![i; ways / common.unwrap_or(1)]);
    }
    let mut list = Vec::new();
    let mut last = first;
    loop {
        // The circle begins behind the last port, which is taken out.
        let (before, behind): (Vec<usize>, Vec<usize>) = circle.iter().partition(|&&i| i < last);
        circle = behind
            .into_iter()
            .chain(before)
            .filter(|&i| i != last)
            .collect();
        if circle.is_empty() {
            return list;
        }
        let at = match list.len() {
            0 => turn % circle.len(),
            nth => (hash((turn as u64) << 8 | (nth as u64 + 1)) % circle.len() as u64) as usize,
        };
        last = circle[at];
        list.push(ports[last].0);
        circle.sort_unstable();
    }
}

/// The first port of a list that is open; if there is none, the open one with the greatest hash with the
/// number.
pub fn first_open(list: &[u8], open: &[u8], number: usize) -> u8 {
    let listed = list.iter().copied().find(|port| open.contains(port));
    let hash = |&port: &u8| hash((number as u64) << 24 | u64::from(port));
    let by_hash = || open.iter().copied().max_by_key(hash);
    listed.or_else(by_hash).unwrap_or(NO_PATH)
}

fn hash(number: u64) -> u64 {
    let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}
