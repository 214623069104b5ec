//! The engines that are compared, by name.

use crate::support::*;
use std::fs;

/// Starts OpenSM with an engine. Also returns the engine's name in its log. `dmodc` has no reference, `auto` is Dmodc with
/// its default, `paper` with `faults=paper`, `partial` with `on_unreachable=partial`; updn and ftree get the roots,
/// `minhop+cache` uses OpenSM's unicast cache. `drained` has the options of `auto`, and reads drained switches from the
/// file `drain` in ibsim's folder; `drained-alone` has no reference.
pub fn launch(engine: &'static str, net: &Net, sim: &Ibsim) -> (OpenSm, &'static str) {
    let name = match engine {
        "minhop+cache" => "minhop",
        "updn" | "ftree" | "minhop" | "sssp" => engine,
        _ => "dmodc",
    };
    let file = |name: &str, text: String| {
        let path = sim.dir().join(name);
        fs::write(&path, text).expect("a file of the fabric's");
        path.display().to_string()
    };
    let drain = || format!("dmodc.drain={}", file("drain", String::new()));
    let config = match engine {
        "dmodc" => Config::dmodc().options("dmodc.reference=none"),
        "auto" => Config::dmodc(),
        "drained-alone" => Config::dmodc().options(&format!("dmodc.reference=none {}", drain())),
        "drained" => Config::dmodc().options(&drain()),
        "paper" => Config::dmodc().options("dmodc.faults=paper"),
        "partial" => Config::dmodc().options("dmodc.reference=none dmodc.on_unreachable=partial"),
        "updn" | "ftree" => {
            let tops = net.netlist.switches();
            let tops = tops.filter(|s| s.description.starts_with("L3-"));
            let roots = file("roots", tops.map(|s| format!("{}\n", s.guid)).collect());
            // minhop routes the fabrics that ftree refuses.
            let others = if engine == "ftree" { ",minhop" } else { "" };
            let config = Config::engines(&format!("{engine}{others}"));
            config.line(format!("root_guid_file {roots}"))
        }
        "minhop+cache" => Config::engines("minhop").line("use_ucast_cache TRUE"),
        _ => Config::engines(engine),
    };
    (OpenSm::launch(sim, &config.log_flags("0x03")), name)
}
