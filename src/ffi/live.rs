//! [`Live`]: a pointer to a readable C structure, and macros that read its fields.
//!
//! The plugin reads C structures field by field through raw pointers. It makes no Rust reference to a structure, since
//! OpenSM's own code holds pointers to all of them.

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A pointer to a structure of OpenSM that may be read during `'a`. Only `unsafe` code makes a `Live`, so reading
/// through it needs none.
pub struct Live<'a, T>(NonNull<T>, PhantomData<&'a T>);

impl<T> Live<'_, T> {
    /// `None` if the pointer is NULL.
    ///
    /// # Safety
    /// `pointer` is NULL or points to a structure that exists during all of `'a`, and during `'a` no code writes the
    /// fields that are read through the result.
    pub unsafe fn new(pointer: *mut T) -> Option<Self> {
        NonNull::new(pointer).map(|pointer| Live(pointer, PhantomData))
    }

    pub fn as_ptr(self) -> *mut T {
        self.0.as_ptr()
    }
}

// Not derived, since derived implementations would require the same traits of `T`.
impl<T> Clone for Live<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Live<'_, T> {}

impl<T> PartialEq for Live<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Live<'_, T> {}

/// Reads a field of a [`Live`] structure, packed ones included.
macro_rules! read {
    ($live:expr, $field:ident $(. $more:ident)*) => {{
        let live: $crate::ffi::Live<'_, _> = $live;
        // SAFETY: the structure exists and no code writes the field, by the contract of `Live`.
        unsafe { (&raw const (*live.as_ptr()).$field $(. $more)*).read_unaligned() }
    }};
}

/// Prefetches the cache lines of some fields of a [`Live`] structure.
macro_rules! prefetch {
    ($live:expr, $($field:ident $(. $more:ident)*),+) => {{
        let live: $crate::ffi::Live<'_, _> = $live;
        $(
            // SAFETY: the structure exists; a hint to fetch a field reads nothing.
            #[cfg(target_arch = "x86_64")]
            unsafe {
                use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                let field = (&raw const (*live.as_ptr()).$field $(. $more)*).cast();
                _mm_prefetch::<_MM_HINT_T0>(field);
            }
        )+
        let _ = live;
    }};
}

pub(super) use {prefetch, read};

/// Copies a string; `None` if the pointer is NULL.
///
/// # Safety
/// `pointer` is NULL or a C string.
pub unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: the caller guarantees the string.
    let text = unsafe { CStr::from_ptr(pointer) };
    Some(text.to_string_lossy().into_owned())
}
