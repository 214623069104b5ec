//! The engines that are compared, by name.

use crate::support::*;
use std::fs;

/// Starts OpenSM with an engine. Also returns the engine's name in its log.
pub fn launch(engine: &'static str, net: &Net, sim: &Ibsim) -> (OpenSm, &'static str) {
    let (config, name) = config(engine, net, sim);
    (OpenSm::launch(sim, &config.log_flags("0x03")), name)
}

/// The configuration of an engine, and its name in OpenSM's log. `auto` is Dmodc with `reference=auto`, `paper` with
/// `faults=paper`, `partial` with `on_unreachable=partial`; updn and ftree get the roots, `minhop+cache` uses OpenSM's
/// unicast cache. `drained` has the options of `auto`, and reads drained switches from the file `drain` in ibsim's
/// folder; `drained-alone` has no reference.
fn config(engine: &'static str, net: &Net, sim: &Ibsim) -> (Config, &'static str) {
    let dmodc = |option: &str| Config::dmodc().options(option);
    match engine {
        "dmodc" => (Config::dmodc(), "dmodc"),
        "auto" => (dmodc("dmodc.reference=auto"), "dmodc"),
        "drained" | "drained-alone" => {
            let drain = sim.dir().join("drain");
            fs::write(&drain, "").expect("a file of drained switches");
            let reference = match engine {
                "drained" => "dmodc.reference=auto ",
                _ => "",
            };
            let option = format!("{reference}dmodc.drain={}", drain.display());
            (dmodc(&option), "dmodc")
        }
        "paper" => (dmodc("dmodc.faults=paper"), "dmodc"),
        "partial" => (dmodc("dmodc.on_unreachable=partial"), "dmodc"),
        "updn" | "ftree" => {
            let roots = sim.dir().join("roots");
            let tops = net.netlist.switches();
            let tops = tops.filter(|s| s.description.starts_with("L3-"));
            let guids: String = tops.map(|s| format!("{}\n", s.guid)).collect();
            fs::write(&roots, guids).expect("a file for the roots");
            // minhop routes the fabrics that ftree refuses.
            let names = match engine {
                "ftree" => "ftree,minhop",
                _ => engine,
            };
            let config = Config::engine(names);
            (
                config.line(format!("root_guid_file {}", roots.display())),
                engine,
            )
        }
        "minhop+cache" => (
            Config::engine("minhop").line("use_ucast_cache TRUE"),
            "minhop",
        ),
        _ => (Config::engine(engine), engine),
    }
}
