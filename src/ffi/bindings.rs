//! OpenSM's structures as bindgen reads them from the installed headers.
//!
//! Invariant: only the assertions below are written by hand; where a header changes, the build fails or adapts, and
//! never guesses. bindgen's own assertions compare size, alignment and field offsets of every structure with the C
//! compiler's; the assertions below check what else the plugin assumes.
//!
//! Absence: this module declares no OpenSM function. The plugin looks functions up at run time (see `symbols`), so
//! libdmodc.so links with nothing of OpenSM.

#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals
)]
#![allow(dead_code, unnecessary_transmutes, unsafe_op_in_unsafe_fn, clippy::all)]
#![allow(clippy::undocumented_unsafe_blocks)]

include!(concat!(env!("OUT_DIR"), "/opensm.rs"));

use std::mem::{offset_of, size_of};

// "MUST BE FIRST MEMBER": a pointer to the map item is a pointer to the object.
const _: () = assert!(offset_of!(osm_switch_t, map_item) == 0);
const _: () = assert!(offset_of!(osm_mcm_port_t, map_item) == 0);
const _: () = assert!(offset_of!(osm_port_t, map_item) == 0);
const _: () = assert!(offset_of!(osm_remote_sm_t, map_item) == 0);
const _: () = assert!(offset_of!(cl_map_item_t, pool_item) == 0);
const _: () = assert!(offset_of!(cl_pool_item_t, list_item) == 0);
// "MUST BE LAST MEMBER": the port table grows beyond the structure's end.
const _: () = assert!(
    offset_of!(osm_node_t, physp_table) + size_of::<osm_physp_t>() == size_of::<osm_node_t>()
);
// The version stands first: the plugin can read it in an OpenSM of any other layout.
const _: () = assert!(offset_of!(osm_opensm_t, osm_version) == 0);
// A value that the core defines by itself.
const _: () = assert!(OSM_NO_PATH as u8 == dmodc_fabric::NO_PATH);
