//! Where the plugin meets OpenSM: another OpenSM, no room, nothing to route, too much to name.

use super::lines::logged;
use super::maps::SYMBOLS;
use super::world::{NODES, SWITCHES, World, engine, set};
use crate::plugin::callbacks::{self, Context};
use crate::plugin::ffi::Symbols;
use crate::plugin::ffi::bindings::{cl_status_t, external_routing_engine_module_t, osm_opensm_t};
use crate::plugin::options::PluginOptions;
use crate::plugin::{entry, version};
use crate::random::Random;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

#[test]
fn a_subnet_without_switches_has_nothing_to_route() {
    let mut world = World::new();
    let dmodc = engine();
    world.route(&dmodc, 0).expect("nothing to do");
    world.use_plan(&dmodc, &mut Random::new(1));
}

#[test]
fn hop_tables_without_room_are_named() {
    let (mut world, dmodc) = (World::new(), engine());
    set!(world.switches[1], num_hops = 2);
    world.route(&dmodc, SWITCHES).expect("a tree");
    logged();
    world.with_subnet(|subnet| dmodc.fill_hop_tables(subnet));
    let lines = logged();
    assert!(lines.concat().contains("no room for 5 rows"), "{lines:#?}");
}

thread_local! {
    /// The context that the last engine on this thread was registered with.
    static KEPT: Cell<*mut c_void> = const { Cell::new(ptr::null_mut()) };
}

/// OpenSM that keeps the context, as the module and the argument have it.
unsafe extern "C" fn accept(
    _: *mut osm_opensm_t,
    module: *const external_routing_engine_module_t,
    context: *mut c_void,
) -> cl_status_t {
    // SAFETY: the module is the caller's own.
    assert_eq!(unsafe { (*module).context }, context);
    KEPT.set(context);
    0
}

/// OpenSM that has an engine of this name already.
unsafe extern "C" fn refuse(
    _: *mut osm_opensm_t,
    _: *const external_routing_engine_module_t,
    _: *mut c_void,
) -> cl_status_t {
    1
}

/// What OpenSM keeps is the context that `create` returns, and is good until it is released. (Miri
/// and AddressSanitizer see more of this test than an ordinary build.)
#[test]
fn opensm_keeps_the_context_itself() {
    let world = World::new();
    let register = |register_engine| {
        let symbols = Symbols {
            register_engine,
            ..SYMBOLS
        };
        // SAFETY: the world stands in for OpenSM; nothing of it is read here.
        unsafe { callbacks::register(world.osm, symbols, entry::ENGINE, PluginOptions::default()) }
    };
    let context = register(accept).expect("registered").as_ptr();
    assert_eq!(context.cast(), KEPT.get());
    let kept: *mut Context = KEPT.get().cast();
    // SAFETY: the context has not been released. OpenSM uses its own pointer and ours in turn.
    unsafe {
        (*kept).dmodc.forget();
        (*context).dmodc.forget();
        (*kept).dmodc.forget();
        callbacks::release(context);
    }
    logged();
    assert!(register(refuse).is_none());
    let lines = logged().concat();
    assert!(
        lines.contains("refused the routing engine dmodc (status 1)"),
        "{lines}"
    );
}

/// The first ten parts that are left out are named, and how many more there are.
#[test]
fn many_defects_are_counted() {
    let (mut world, dmodc) = (World::new(), engine());
    for n in 0..NODES {
        let number = u8::from(n >= SWITCHES);
        set!(world.port(n, number), port_info.base_lid = 0);
    }
    logged();
    world.route(&dmodc, SWITCHES).expect("nothing to route to");
    let lines = logged();
    let errors = lines.iter().filter(|l| l.starts_with("ERROR: "));
    assert_eq!(errors.count(), 10 + 1);
    let rest = format!("{} more parts of the subnet were left out", NODES - 10);
    assert!(lines.concat().contains(&rest), "{lines:#?}");
}

/// An OpenSM of another version, or laid out otherwise, is left alone.
#[test]
#[cfg_attr(miri, ignore = "looks functions up in the process")]
fn another_opensm_is_refused() {
    let world = World::new();
    for version in [c"OpenSM 3.3.22", version::BUILT_FOR] {
        set!(world.osm, osm_version = version.as_ptr());
        // SAFETY: nothing but the version, and where the structures lie, is read of it.
        assert!(unsafe { entry::created(world.osm) }.is_none());
    }
}
