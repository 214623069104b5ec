//! Copies tables, service levels and LIDs out of OpenSM's memory.

use dmodc::extension::bindings::{
    IB_NODE_TYPE_SWITCH, OSM_VERSION, osm_opensm_t, osm_port_t, osm_routing_engine_t, osm_switch_t,
};
use dmodc::extension::qmap;
use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::mem::offset_of;
use std::path::Path;
use std::ptr;

// A pointer to the map item is a pointer to the object.
const _: () = assert!(offset_of!(osm_port_t, map_item) == 0);

/// Writes the tables of all switches: the number of switches (32 bits), then for each switch its node GUID
/// (64 bits), the length of its table (32 bits) and its table, all little-endian.
///
/// # Safety
/// `osm` is the running OpenSM, whose lock we hold.
pub unsafe fn tables(osm: *mut osm_opensm_t, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create_new(path)?);
    // SAFETY: `new_lft` has `lft_size` bytes (osm_switch_prepare_path_rebuild), every switch has a
    // node.
    unsafe {
        let table = &raw const (*osm).subn.sw_guid_tbl;
        out.write_all(&((*table).count as u32).to_le_bytes())?;
        for switch in qmap::map::<osm_switch_t>(table) {
            let switch = switch.as_ptr();
            let guid = u64::from_be((*(*switch).p_node).node_info.node_guid);
            let size = usize::from((*switch).lft_size);
            out.write_all(&guid.to_le_bytes())?;
            out.write_all(&(size as u32).to_le_bytes())?;
            out.write_all(std::slice::from_raw_parts((*switch).new_lft, size))?;
        }
    }
    out.flush()
}

/// Writes the service level that an engine gives each pair of end nodes, if it gives any: the number of end nodes
/// (32 bits), their base LIDs (16 bits each), all little-endian, then a byte for each pair, source by source. The
/// engine gets level 0 as the hint.
///
/// # Safety
/// As for [`tables`]; `engine` is in OpenSM's list, and has routed the subnet.
pub unsafe fn levels(
    osm: *mut osm_opensm_t,
    engine: *mut osm_routing_engine_t,
    path: &Path,
) -> io::Result<()> {
    // SAFETY: every port of the table has its node and its physical port; the engine is called with the context
    // that it was set up with.
    unsafe {
        let Some(path_sl) = (*engine).path_sl else {
            return Ok(());
        };
        let mut lids: Vec<u16> = Vec::new();
        for port in qmap::map::<osm_port_t>(&raw const (*osm).subn.port_guid_tbl) {
            let port = port.as_ptr();
            if u32::from((*(*port).p_node).node_info.node_type) != IB_NODE_TYPE_SWITCH {
                lids.push((*(*port).p_physp).port_info.base_lid);
            }
        }
        // lash gives levels only while it is OpenSM's `routing_engine_used`.
        (*osm).routing_engine_used = engine;
        let mut out = BufWriter::new(File::create_new(path)?);
        out.write_all(&(lids.len() as u32).to_le_bytes())?;
        for lid in &lids {
            out.write_all(&u16::from_be(*lid).to_le_bytes())?;
        }
        for &from in &lids {
            let levels = lids
                .iter()
                .map(|&to| path_sl((*engine).context, 0, from, to));
            out.write_all(&levels.collect::<Vec<u8>>())?;
        }
        (*osm).routing_engine_used = ptr::null_mut();
        out.flush()
    }
}

/// Writes OpenSM's version, then for each port its GUID and base LID.
///
/// # Safety
/// As for [`tables`].
pub unsafe fn subnet(osm: *mut osm_opensm_t, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create_new(path)?);
    writeln!(out, "{}", OSM_VERSION.to_string_lossy())?;
    // SAFETY: every port of the table has its physical port.
    unsafe {
        for port in qmap::map::<osm_port_t>(&raw const (*osm).subn.port_guid_tbl) {
            let port = port.as_ptr();
            let guid = u64::from_be((*port).guid);
            let lid = u16::from_be((*(*port).p_physp).port_info.base_lid);
            writeln!(out, "{guid:#018x} {lid}")?;
        }
    }
    out.flush()
}

/// The length of OpenSM's log so far.
///
/// # Safety
/// As for [`tables`].
pub unsafe fn log_length(osm: *mut osm_opensm_t) -> u64 {
    // SAFETY: the option is NULL or a C string.
    unsafe {
        let log = (*osm).subn.opt.log_file;
        if log.is_null() {
            return 0;
        }
        let path = CStr::from_ptr(log).to_string_lossy();
        fs::metadata(&*path).map_or(0, |file| file.len())
    }
}
