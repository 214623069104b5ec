//! OpenSM's forwarding tables as rows of bytes: puts them into the fabric's order, and clears entries of other engines.

use super::failure::Failure;
use dmodc_core::Threads;
use dmodc_fabric::{BLOCK, Fabric, Guid, NO_PATH};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The tables in the fabric's switch order.
///
/// # Errors
/// A switch without a table.
pub fn rows<T>(fabric: &Fabric, tables: Vec<(Guid, Option<T>)>) -> Result<Vec<T>, Failure> {
    let switches = fabric.switches().iter();
    let rows = switches.zip(by_switch(fabric, tables));
    rows.map(|(switch, row)| row.ok_or(Failure::NoTable(switch.guid)))
        .collect()
}

/// The table of each switch, in the fabric's order; the first, if a switch comes twice.
pub fn by_switch<T>(
    fabric: &Fabric,
    mut tables: Vec<(Guid, Option<T>)>,
) -> impl Iterator<Item = Option<T>> {
    tables.sort_by_key(|(guid, _)| *guid);
    let mut tables = tables.into_iter().peekable();
    fabric.switches().iter().map(move |switch| {
        while tables.next_if(|(guid, _)| *guid < switch.guid).is_some() {}
        tables.next_if(|(guid, _)| *guid == switch.guid)?.1
    })
}

/// Clears the entries beyond the highest LID, which the core does not write: an engine that failed before Dmodc may
/// have written there.
pub fn clear_beyond(fabric: &Fabric, rows: &mut [&mut [u8]]) {
    let beyond = fabric.max_lid().index() + 1;
    for row in rows {
        row[beyond..].fill(NO_PATH);
    }
}

/// How many blocks of tables, as sent last and as now built, differ.
pub fn changed_blocks(tables: &[[&[u8]; 2]], threads: &Threads) -> usize {
    let changed = AtomicUsize::new(0);
    threads.for_each(tables.iter().collect(), |[sent, new]| {
        // Arrays, not slices: the comparison needs no call for each block, 0.5 ms instead of 1.3 on fabric A.
        let ((sent, sent_rest), (new, new_rest)) = (sent.as_chunks(), new.as_chunks());
        let blocks = sent.iter().zip(new);
        let differing = blocks.filter(|(sent, new): &(&[u8; BLOCK], _)| sent != new);
        let differing = differing.count() + usize::from(sent_rest != new_rest);
        changed.fetch_add(differing, Ordering::Relaxed);
    });
    changed.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dmodc_fabric::{Builder, Lid};

    fn two_switches() -> Fabric {
        let mut b = Builder::default();
        b.switch(Guid(2), Lid(5), 0, 4);
        b.switch(Guid(1), Lid(9), 0, 4);
        b.finish().0
    }

    #[test]
    fn entries_beyond_the_highest_lid_are_cleared() {
        let mut table = [7; 12];
        clear_beyond(&two_switches(), &mut [&mut table[..]]);
        assert_eq!(table, [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, NO_PATH, NO_PATH]);
    }
}
