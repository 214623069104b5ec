//! One run of the relay: an engine's callbacks, timed.

use dmodc::extension::bindings::{osm_opensm_t, osm_physp_t, osm_routing_engine_t, osm_switch_t};
use dmodc::extension::qmap;
use dmodc_formats::files;
use std::ffi::{CString, c_char, c_int, c_void};
use std::fmt;
use std::io;
use std::path::Path;
use std::ptr;
use std::time::{Duration, Instant};

/// `osm_switch_prepare_path_rebuild`.
pub type Prepare = unsafe extern "C" fn(*mut osm_switch_t, u16) -> c_int;
type Callback = Option<unsafe extern "C" fn(*mut c_void) -> c_int>;

pub struct Run {
    pub engine: String,
    /// The options of the Dmodc that the plugin registers for this run; `-`: it registers none.
    pub options: String,
    pub avoids_throttled_links: bool,
    roots: *mut c_char,
}

/// The times of an engine's callbacks.
pub struct Done {
    lid_matrices: Duration,
    fwd_tables: Duration,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [matrices, tables] = [self.lid_matrices, self.fwd_tables].map(|t| t.as_micros());
        write!(f, "{matrices} {tables}")
    }
}

impl Run {
    pub fn plan(path: &Path) -> io::Result<Vec<Run>> {
        // Options are C strings that live as long as the process.
        let option = |word: Option<&str>| match word {
            None | Some("-") => ptr::null_mut(),
            Some(path) => CString::new(path).map_or(ptr::null_mut(), CString::into_raw),
        };
        let run = |line: &str| {
            let mut words = line.split('\t');
            Run {
                engine: words.next().unwrap_or_default().to_owned(),
                roots: option(words.next()),
                options: words.next().unwrap_or("-").to_owned(),
                avoids_throttled_links: words.next() == Some("avoid"),
            }
        };
        let text = files::read(path)?;
        Ok(String::from_utf8_lossy(&text).lines().map(run).collect())
    }

    /// Runs the engine; `None` if it refuses.
    ///
    /// # Safety
    /// `osm` is the running OpenSM, whose lock we hold; `entry` is an entry of its list of engines, `prepare` its
    /// function, and `roots` the `root_guid_file` of its configuration.
    pub unsafe fn on(
        &self,
        osm: *mut osm_opensm_t,
        entry: *mut osm_routing_engine_t,
        prepare: Prepare,
        roots: *mut c_char,
    ) -> Option<Done> {
        // SAFETY: the caller guarantees that the pointers are valid. With `entry` as the head of the list, an
        // engine does not see the relay or the engines before it. Each run reads the options anew.
        unsafe {
            let lids = (*osm).subn.port_lid_tbl.size.saturating_sub(1) as u16;
            for switch in qmap::map::<osm_switch_t>(&raw const (*osm).subn.sw_guid_tbl) {
                if prepare(switch.as_ptr(), lids) != 0 {
                    return None;
                }
            }
            (*osm).routing_engine_list = entry;
            let has_own = !self.roots.is_null();
            (*osm).subn.opt.root_guid_file = if has_own { self.roots } else { roots };
            (*osm).subn.opt.avoid_throttled_links = self.avoids_throttled_links.into();
            let start = Instant::now();
            let (own, stand_in) = (&*entry, &*(*osm).default_routing_engine);
            let (matrices, minhop) = (own.build_lid_matrices, stand_in.build_lid_matrices);
            if !stage(matrices, own, minhop, stand_in) {
                return None;
            }
            let lid_matrices = start.elapsed();
            let (tables, minhop) = (own.ucast_build_fwd_tables, stand_in.ucast_build_fwd_tables);
            if !stage(tables, own, minhop, stand_in) {
                return None;
            }
            Some(Done {
                lid_matrices,
                fwd_tables: start.elapsed() - lid_matrices,
            })
        }
    }
}

/// Enables each width that some link between switches has, at all ports of such links. ibsim enables only the width
/// that a link has, so no link would count as throttled (`osm_link_is_throttled`); on hardware OpenSM enables all
/// widths that a port supports. Engines without `avoid_throttled_links` do not read the enabled widths.
///
/// # Safety
/// As for [`Run::on`].
pub unsafe fn enable_widths(osm: *mut osm_opensm_t) {
    // SAFETY: the port table, the node's last member, has `physp_tbl_size` entries; the other end of a link is NULL or
    // a port of a node that OpenSM has.
    unsafe {
        let switches = || qmap::map::<osm_switch_t>(&raw const (*osm).subn.sw_guid_tbl);
        let ports = switches().flat_map(|switch| {
            let node = (*switch.as_ptr()).p_node;
            let table: *mut osm_physp_t = (&raw mut (*node).physp_table).cast();
            (1..(*node).physp_tbl_size as usize).map(move |port| table.add(port))
        });
        let links = ports.filter(|&port| {
            let remote = (*port).p_remote_physp;
            !remote.is_null() && !(*(*remote).p_node).sw.is_null()
        });
        let links: Vec<*mut osm_physp_t> = links.collect();
        let all = (links.iter()).fold(0, |all, &port| all | (*port).port_info.link_width_active);
        for port in links {
            (*port).port_info.link_width_enabled |= all;
        }
    }
}

/// Runs one stage of an engine, or of OpenSM's default engine if the engine leaves the stage to it. Returns
/// whether the stage succeeded.
///
/// # Safety
/// The callbacks belong to the engines beside them.
unsafe fn stage(
    own: Callback,
    engine: &osm_routing_engine_t,
    stand_in: Callback,
    default: &osm_routing_engine_t,
) -> bool {
    // SAFETY: each engine is called with the context that it was set up with.
    unsafe {
        let result = own.map_or(1, |own| own(engine.context));
        match stand_in {
            Some(stand_in) if result > 0 => stand_in(default.context) >= 0,
            _ => result >= 0,
        }
    }
}
