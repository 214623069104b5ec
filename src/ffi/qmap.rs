//! OpenSM's intrusive containers (`cl_qmap_t`, `cl_qlist_t`) as iterators over their objects.
//!
//! A map keeps its items in a list as well, whose end and anchor is `nil` (see `cl_qmap_head`,
//! `cl_qmap_end`, `cl_qmap_next` in complib/cl_qmap.h: inline, so they cannot be looked up). NULL
//! and the container's own count also end the iteration: a container that was never initialised is
//! empty, and a damaged one does not run for ever.

use super::bindings::{cl_list_item_t, cl_qlist_t, cl_qmap_t};
use std::iter;
use std::ptr::NonNull;

/// The objects of a map. `T` has its map item as its first member.
///
/// # Safety
/// `map` points to a `cl_qmap_t` of such objects, which no code changes while the iterator lives.
pub unsafe fn map<T>(map: *const cl_qmap_t) -> impl Iterator<Item = NonNull<T>> {
    // SAFETY: the caller guarantees the map; fields are read through raw pointers only.
    unsafe { items(&raw const (*map).nil.pool_item.list_item, (*map).count, 0) }
}

/// The objects of a list. In each object the list item is at byte `offset`.
///
/// # Safety
/// `list` points to a `cl_qlist_t` of such objects, which no code changes while the iterator lives.
pub unsafe fn list<T>(list: *const cl_qlist_t, offset: usize) -> impl Iterator<Item = NonNull<T>> {
    // SAFETY: the caller guarantees the list; fields are read through raw pointers only.
    unsafe { items(&raw const (*list).end, (*list).count, offset) }
}

/// # Safety
/// As for [`map`] and [`list`]; `end` is the container's anchor.
unsafe fn items<T>(
    end: *const cl_list_item_t,
    mut left: usize,
    offset: usize,
) -> impl Iterator<Item = NonNull<T>> {
    // SAFETY: the caller guarantees the container.
    let mut next: *const cl_list_item_t = unsafe { (*end).p_next };
    iter::from_fn(move || {
        if next.is_null() || next == end || left == 0 {
            return None;
        }
        let item = next;
        left -= 1;
        // SAFETY: `item` is neither NULL nor the end, so by the contract of `map` and `list` it is
        // the item of a `T`, `offset` bytes from its start.
        unsafe {
            next = (*item).p_next;
            NonNull::new(item.byte_sub(offset).cast::<T>().cast_mut())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, zeroed};

    #[repr(C)]
    struct Object {
        value: u32,
        link: cl_list_item_t,
    }

    const LINK: usize = offset_of!(Object, link);

    #[test]
    fn a_list_has_an_order_and_an_end() {
        // SAFETY: all-zero bytes are valid for these plain C structures. All of them outlive the
        // iterators, and no code changes them while an iterator lives.
        unsafe {
            let (map_head, mut head, mut a, mut b): (cl_qmap_t, cl_qlist_t, Object, Object) =
                (zeroed(), zeroed(), zeroed(), zeroed());
            assert_eq!(map::<Object>(&raw const map_head).count(), 0);
            let (head, a, b) = (&raw mut head, &raw mut a, &raw mut b);
            ((*a).value, (*b).value, (*head).count) = (1, 2, 2);
            (*head).end.p_next = &raw mut (*a).link;
            (*a).link.p_next = &raw mut (*b).link;
            (*b).link.p_next = &raw mut (*head).end;
            let seen = |list| self::list::<Object>(list, LINK).map(|o| (*o.as_ptr()).value);
            assert_eq!(seen(head).collect::<Vec<_>>(), [1, 2]);
            // A loop: the last item points back to the first.
            (*head).count = 3;
            (*b).link.p_next = &raw mut (*a).link;
            assert_eq!(seen(head).collect::<Vec<_>>(), [1, 2, 1]);
        }
    }
}
