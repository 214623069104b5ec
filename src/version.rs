//! The version of OpenSM for which the plugin was built, and a refusal that names both versions.
//!
//! OpenSM's loader (`osm_epi_construct`) compares the plugin's `osm_version` with its own before it calls the plugin,
//! and on a mismatch prints only the plugin's. So the library changes that string when it is loaded.
//!
//! No exported symbol has the running version; it is a string constant of the executable, and is read there. If it is
//! not found, the refusal is OpenSM's plain one (the first line of its log names its own version).

use super::ffi::bindings::OSM_VERSION;
use super::ffi::symbols::find;
use std::ffi::{CStr, CString};
use std::fs;
use std::hint::black_box;

/// The version in the headers with which the plugin was built, "OpenSM 3.3.23" for instance.
pub const BUILT_FOR: &CStr = OSM_VERSION;

/// The string to show OpenSM's loader instead of [`BUILT_FOR`], if the versions differ.
pub fn mismatch() -> Option<CString> {
    // Only an OpenSM with plugins has this function.
    find(c"osm_opensm_report_event").ok()?;
    let image = fs::read("/proc/self/exe").ok()?;
    // The test changes this string in the library: the comparison must read it there.
    let built_for = black_box(BUILT_FOR);
    let running = version_in(&image).filter(|v| *v != built_for.to_bytes())?;
    let running = String::from_utf8_lossy(running);
    let built_for = built_for.to_string_lossy();
    CString::new(format!("{built_for} (loaded into {running})")).ok()
}

/// Finds the version in an executable: a string constant that begins with "OpenSM", a blank and a digit.
fn version_in(image: &[u8]) -> Option<&[u8]> {
    let strings = image.split_inclusive(|&b| b == 0).skip(1);
    let mut strings = strings.filter_map(|text| text.strip_suffix(b"\0"));
    strings.find(|text| {
        let rest = text.strip_prefix(b"OpenSM ").unwrap_or_default();
        rest.first().is_some_and(u8::is_ascii_digit)
            && text.len() < 80
            && text.iter().all(|b| b.is_ascii_graphic() || *b == b' ')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_among_other_strings() {
        let image =
            b"\x7fELF\0OpenSM version 3.2.1 and below\0(OpenSM 2)\0OpenSM 3.3.99 beta\0rest";
        assert_eq!(version_in(image), Some(&b"OpenSM 3.3.99 beta"[..]));
        assert_eq!(version_in(b"\0OpenSM 3.3.99"), None);
        assert_eq!(version_in(b""), None);
    }
}
