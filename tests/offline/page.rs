//! The page of `dmodc draw` shows in a browser the same results as the other subcommands print.

use crate::browser::Browser;
use crate::support::*;
use dmodc_fabric::PortNumber;
use dmodc_formats::netlist::{Netlist, Part};
use fabrics::{link, named, node_at};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Four pods of four leaves and four switches above them, sixteen at the top; 64 hosts.
const SHAPE: &str = "PGFT(3;4,4,4;1,4,4;1,1,1)";
/// A description that would end a script and begin another if the page took it for markup.
const HOSTILE: &str =
    "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>";

fn edit(net: &str, to: &str, change: impl FnOnce(&mut Netlist)) {
    let mut netlist = Netlist::read(Path::new(net)).expect("a netlist");
    change(&mut netlist);
    fs::write(to, netlist.to_text()).expect("a file");
}

/// Swaps the far ends of the cables at two ports, each of a switch by name.
fn swap(netlist: &mut Netlist, ends: [(&str, u8); 2]) {
    let near = ends.map(|(name, number)| (node_at(netlist, name), PortNumber(number)));
    let far = near.map(|(own, number)| {
        let port = netlist.nodes[own as usize].port(number).expect("a link");
        (port.peer, port.peer_port)
    });
    let speed = netlist.nodes[far[0].0 as usize].port(far[0].1);
    let speed = speed.expect("a link").speed();
    *netlist = netlist.without(&[0, 1].map(|i| Part::Link([near[i], far[i]])));
    link(netlist, near[0], far[1]);
    link(netlist, near[1], far[0]);
    netlist.set_speed([near, far].concat(), speed);
}

/// The hops of a route, from the output of `dmodc trace`, in the form of the page.
fn hops(way: &Value) -> Vec<String> {
    let hop = |hop: &Value| {
        let [name, to] = ["name", "to_name"].map(|key| hop[key].as_str().expect("a name"));
        let up = if hop["up"] == true { "up" } else { "down" };
        let [port, to_port, load] = ["port", "to_port", "a2a"].map(|key| &hop[key]);
        format!("{up} {name} [{port}] -- {to} [{to_port}] load {load}")
    };
    let hops = way["hops"].as_array().expect("hops");
    hops.iter().map(hop).collect()
}

/// The hops that the page shows in one direction, without their marks.
fn shown_hops(browser: &mut Browser, direction: &str) -> Vec<String> {
    let hops = browser.texts(&format!("#way .{direction} .hop"));
    let first = |hop: String| {
        let first = hop.lines().next()?.split(" (").next()?.trim().to_owned();
        (!first.is_empty()).then_some(first)
    };
    hops.into_iter().filter_map(first).collect()
}

/// Asserts that the page shows the routes of a trace, there and back.
fn shows_ways(browser: &mut Browser, traced: &Value) {
    for direction in ["there", "back"] {
        let expected = hops(&traced[direction]);
        assert_eq!(shown_hops(browser, direction), expected, "{direction}");
    }
}

/// Asserts that the page begins with these counts, and with A2A and its bound as `dmodc analyze` prints them.
fn sums_up(browser: &mut Browser, counts: &str, found: &Value) {
    let begin = format!("{counts}, A2A {}, bound {}", found["a2a"], found["bound"]);
    let summary = browser.text("#summary");
    assert!(summary.starts_with(&begin), "{summary}");
}

/// Asserts that the first block's label for screen readers begins so.
fn first_block_is(browser: &mut Browser, begin: &str) {
    let label = browser.eval("document.querySelector('#matrix canvas').getAttribute('aria-label')");
    let label = label.as_str().expect("a label");
    assert!(label.starts_with(begin), "{label}");
}

/// The picture that the page saves.
fn picture(browser: &mut Browser) -> String {
    browser.eval("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }");
    browser.key("s");
    let text = browser.eval("window.saved.text()");
    text.as_str().expect("the picture").to_owned()
}

/// How many cells of the picture have each colour of loads, by its name in the style.
fn colours(browser: &mut Browser) -> Vec<(&'static str, usize)> {
    let picture = picture(browser);
    let style = "getComputedStyle(document.documentElement).getPropertyValue";
    let names = ["cool1", "cool2", "warm1", "warm2"].into_iter();
    let count = names.map(|name| {
        let colour = browser.eval(&format!(
            "{style}.call(getComputedStyle(document.documentElement), '--{name}').trim()"
        ));
        let fill = format!("fill=\"{}\"", colour.as_str().expect("a colour"));
        // The legend has each colour once.
        (name, picture.matches(&fill).count().saturating_sub(1))
    });
    count.filter(|(_, count)| *count > 0).collect()
}

/// Hosts found by name or mouse, their routes, the hosts that share these, the worst ports; no name runs as a script.
#[test]
fn the_page_shows_the_results_of_trace_and_analyze() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let routed = Routed::shape(SHAPE);
    let net = routed.file("hostile.net");
    edit(&routed.net, &net, |netlist| {
        named(netlist, "node-62").description = HOSTILE.into();
        for name in ["node-30", "node-31"] {
            named(netlist, name).description = "twin".into();
        }
        // One server with two ports.
        for (port, name) in ["node-8", "node-9"].iter().enumerate() {
            named(netlist, name).description = format!("server mlx5_{port}");
        }
    });
    let (lfts, page) = (&*routed.lfts, routed.file("page.html"));
    ok(["draw", &net, lfts, "-o", &page]);
    browser.open(Path::new(&page));

    let found = json(["analyze", &net, lfts, "--patterns", "a2a"]);
    let counts = "48 switches, 64 hosts, 128 links";
    sums_up(&mut browser, counts, &found);
    let tabs = ["level 0 by 1", "level 1 by 2", "hosts"];
    assert_eq!(browser.texts("#tabs button"), tabs);
    let captions = browser.texts("#matrix b");
    assert_eq!(captions, ["pod 1", "pod 2", "pod 3", "pod 4"]);

    // By name, from a host to another.
    browser.find("node-3");
    browser.find(HOSTILE);
    assert!(browser.text("#way").contains(HOSTILE));
    let traced = json(["trace", &net, lfts, "node-3", HOSTILE]);
    let lengths = ["there", "back"].map(|way| hops(&traced[way]).len());
    assert_eq!(lengths, [4, 4]);
    shows_ways(&mut browser, &traced);
    // The hosts that share each hop: the lesser of the numbers of senders and receivers is the load.
    browser.eval("document.querySelectorAll('#way .who').forEach((one) => { one.open = true; })");
    browser.until("document.querySelectorAll('#way .who > div > p:first-child').length === 8");
    let shares = browser.texts("#way .who > div > p:first-child");
    let loads = ["there", "back"].map(|d| traced[d]["hops"].as_array().expect("hops").clone());
    let least = |text: &String| {
        let numbers = text.split(' ').filter_map(|word| word.parse::<u64>().ok());
        numbers.min().expect("numbers")
    };
    let least: Vec<u64> = shares.iter().map(least).collect();
    let loads = loads
        .iter()
        .flatten()
        .map(|hop| hop["a2a"].as_u64().expect("a load"));
    assert_eq!(least, loads.collect::<Vec<_>>(), "{shares:?}");

    // By the mouse: the last host of the first pod, then a cell of its leaf by the keys.
    browser.key("Escape");
    assert_eq!(browser.text("#way"), "");
    browser.key("3");
    browser.mouse("#matrix canvas", [8.0, 8.0], false);
    let tip = browser.text("#tip");
    let name = tip.split(" at ").next().expect("a name").to_owned();
    browser.mouse("#matrix canvas", [8.0, 8.0], true);
    has(&browser.text("#way"), &format!("from {name}"));
    browser.eval("document.querySelectorAll('#matrix canvas')[1].focus()");
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "Enter"] {
        browser.key(key);
    }
    let other = browser.text("#detail h2");
    let traced = json(["trace", &net, lfts, &name, &other]);
    shows_ways(&mut browser, &traced);
    browser.key("w");
    assert_eq!(shown_hops(&mut browser, "there"), hops(&traced["back"]));

    // A server stands for all its ports.
    browser.key("Escape");
    browser.find("server");
    browser.find("node-20");
    assert_eq!(browser.texts("#way details:not(.who) > summary").len(), 2);

    // The worst ports, and a host by its LID, a switch by its GUID.
    let worst = browser.texts("#findings li");
    let ports = found["a2a_ports"]["worst"].as_array().expect("ports");
    assert_eq!(worst.len(), ports.len());
    for (shown, port) in worst.iter().zip(ports) {
        let begin = format!("load {} ", port["risk"]);
        assert!(shown.starts_with(&begin), "{shown} {port}");
    }
    let switch = traced["there"]["hops"][0].clone();
    browser.find(switch["guid"].as_str().expect("a GUID"));
    assert_eq!(browser.text("#detail h2"), switch["name"]);
    browser.find(&format!("lid {}", traced["there"]["lid"]));
    assert_eq!(browser.text("#detail h2"), other);

    // Of several nodes with one name, the page shows the GUID.
    browser.find("twin");
    let shown = browser.text("#detail h2");
    assert!(shown.starts_with("twin 0x"), "{shown}");

    // In dark mode and in print.
    let theme = "document.documentElement.dataset.theme";
    let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
    assert_eq!(browser.eval(theme), "light");
    browser.ask("Emulation.setEmulatedMedia", json!({ "features": dark }));
    browser.until(&format!("{theme} === 'dark'"));
    let pdf = browser.ask("Page.printToPDF", json!({}));
    assert!(pdf["data"].as_str().expect("a PDF").starts_with("JVBERi"));
    assert_eq!(browser.eval(theme), "dark");

    assert_eq!(browser.eval("window.hacked === undefined"), true);
    let (mut fetched, own) = (browser.requests.clone(), format!("file://{page}"));
    fetched.dedup();
    assert_eq!(fetched, [own]);
}

/// The page marks missing, slow and wrong links as `dmodc wiring` lists them, and drained ones; pods, planes and
/// filters hide the rest.
#[test]
fn the_page_marks_the_findings_of_wiring() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let file = |name| path_of(&dir.path().join(name)).to_owned();
    let (net, hurt, page, drain) = (file("net"), file("hurt"), file("page.html"), file("drain"));
    ok(["generate", SHAPE, "--speeds", "2xHDR,HDR", "-o", &net]);
    let degrade = format!("degrade {net} --remove L1-2:7 --remove L2-5:6 -o {hurt}");
    ok(degrade.split(' '));
    edit(&hurt, &hurt, |netlist| {
        swap(netlist, [("L1-9", 5), ("L1-9", 6)]);
        for (name, number) in [("L1-13", 8), ("node-5", 1)] {
            let mut ports = named(netlist, name).ports.iter_mut();
            let port = ports.find(|p| p.number.0 == number);
            port.expect("a link").link = "1xHDR".into();
        }
    });
    fs::write(&drain, "L3-4\n").expect("a file");
    let suspects = file("suspects");
    fs::write(&suspects, "L1-6:5 # 12 symbol errors\n# L1-7:5\n").expect("a file");
    let draw = format!("draw {hurt} --reference {net} --suspects {suspects}");
    ok(format!("{draw} --drain {drain} -o {page}").split(' '));
    browser.open(Path::new(&page));
    let told = ["wiring", &hurt, "--reference", &net, "--all", "--json"];
    let [told, _] = ends(&mut tool(told), 1);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let told = told["differences"].as_array().expect("differences");
    let count = |kinds: &[&str]| {
        let is_one = |d: &&Value| kinds.iter().any(|kind| d["kind"] == *kind);
        told.iter().filter(is_one).count()
    };
    let wrong = count(&["moved", "extra", "wrong port"]);
    assert_eq!((count(&["missing"]), count(&["slow"]), wrong), (2, 2, 2));
    let filters = ["missing 2", "slow 2", "suspect 1", "drained 4", "wrong 2"];
    assert_eq!(browser.texts("#filters button"), filters);
    let findings = browser.texts("#findings li");
    assert_eq!(findings.len(), told.len() + 1);
    let suspect = "suspect: L1-6 [5] -- L2-4 [3]: 12 symbol errors";
    assert_eq!(findings[told.len()], suspect);
    for (shown, told) in findings.iter().zip(told) {
        has(shown, told["kind"].as_str().expect("a kind"));
        has(shown, told["reason"].as_str().expect("a reason"));
        for end in told["ends"].as_array().expect("ends") {
            let name = end["name"].as_str().expect("a name");
            let port = end["port"].as_u64().map(|port| format!(" [{port}]"));
            has(shown, &format!("{name}{}", port.unwrap_or_default()));
        }
    }
    // A click on a finding shows its cell, and the key `n` the next finding.
    browser.click("#findings li button");
    assert!(browser.text("#detail").contains(&findings[0]));
    browser.key("n");
    assert_eq!(browser.text("#status"), findings[1]);
    // A filter hides all blocks without such a link.
    let blocks = "document.querySelectorAll('#matrix canvas').length";
    browser.key("1");
    assert_eq!(browser.eval(blocks), 4);
    browser.click("[data-filter=slow]");
    assert_eq!(browser.texts("#matrix b"), ["pod 4"]);
    browser.key("2");
    assert_eq!(browser.eval(blocks), 0);
    browser.click("[data-filter=slow]");
    browser.click("[data-filter=drained]");
    assert_eq!(browser.eval(blocks), 1);
    browser.click("[data-filter=drained]");
    assert_eq!(browser.eval(blocks), 4);
    let choose = |what: &str, which: u32| {
        let one = format!("const one = document.getElementById('{what}')");
        format!("{{ {one}; one.value = {which}; one.onchange(); }}")
    };
    browser.eval(&choose("plane", 2));
    assert_eq!(browser.texts("#matrix b"), ["plane 3"]);
    browser.eval(&choose("pod", 0));
    first_block_is(&mut browser, "plane 3: 1 by 4");
    // What a cabling plan has and the fabric does not is planned.
    let plan = file("plan.csv");
    fs::write(&plan, ok(["export", &net, "plan"])).expect("a file");
    ok(["draw", &hurt, "--reference", &plan, "-o", &page]);
    browser.open(Path::new(&page));
    assert_eq!(browser.texts("#filters button")[0], "planned 2");
    has(&browser.texts("#findings li").concat(), "planned: L1-2 [7]");
    // A switch and a host that are gone keep their places on the page.
    let degrade = format!("degrade {net} --remove L2-1 --remove node-20 -o {hurt}");
    ok(degrade.split(' '));
    let lfts = file("lfts");
    ok(["route", &hurt, "--reference", &net, "--lfts", &lfts]);
    ok(["draw", &hurt, &lfts, "--reference", &net, "-o", &page]);
    browser.open(Path::new(&page));
    let found = json(["analyze", &hurt, &lfts, "--patterns", "a2a"]);
    let counts = "47 switches, 63 hosts, 120 links";
    sums_up(&mut browser, counts, &found);
    first_block_is(&mut browser, "pod 1: 4 by 4");
    assert_eq!(browser.texts("#filters button"), ["missing 2", "worst"]);
    browser.click("#findings li:first-child button");
    let shown = [browser.text("#status"), browser.text("#detail")].concat();
    has(&shown, "missing: L2-1");
    has(&shown, ", missing");
    browser.find("node-20");
    assert!(browser.text("#detail").contains("missing"));
    browser.find("node-0");
    assert!(browser.text("#way").contains("there: node-20 is not there"));
    browser.key("Escape");
    browser.find("node-0");
    browser.find("node-63");
    let traced = json(["trace", &hurt, &lfts, "node-0", "node-63"]);
    shows_ways(&mut browser, &traced);
    // Two wrong cables between pods do not join the pods.
    let ends = [("L1-0", 5), ("L1-4", 5)];
    edit(&net, &hurt, |netlist| swap(netlist, ends));
    ok(["draw", &hurt, "-o", &page]);
    browser.open(Path::new(&page));
    let blocks = ["pod 1", "pod 2", "pod 3", "pod 4", "cables between others"];
    assert_eq!(browser.texts("#matrix b"), blocks);
    assert_eq!(browser.texts("#filters button"), ["wrong 2"]);
    browser.mouse("#matrix figure:last-child canvas", [8.0, 8.0], true);
    let shown = browser.text("#detail");
    has(&shown, "L1-4 [5] -- L2-0 [1]");
    assert_eq!(browser.text("#way"), "");
}

/// The picture that the page saves: its cells and names in the colours of the page, as an SVG that librsvg draws.
#[test]
fn the_page_saves_its_picture() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let routed = Routed::shape(SHAPE);
    let [net, page, svg] = ["named.net", "page.html", "picture.svg"].map(|name| routed.file(name));
    edit(&routed.net, &net, |netlist| {
        named(netlist, "L1-3").description = "<L1> & \u{1}3".into();
    });
    let less = routed.file("less.net");
    ok(["degrade", &net, "--remove", "L1-2:7", "-o", &less]);
    let draw = ["draw", &less, &routed.lfts, "--reference", &net];
    ok([&draw[..], &["-o", &page]].concat());
    browser.open(Path::new(&page));
    let lower = picture(&mut browser);
    browser.eval("window.saved = null");
    browser.click("#save");
    assert_eq!(browser.eval("window.saved.text()"), lower);
    for part in [
        "less.net",
        "127 links",
        "pod 1",
        "load 4",
        "missing",
        "7 – 1",
    ] {
        has(&lower, part);
    }
    has(&lower, "&lt;L1&gt; &amp; 3");
    fs::write(&svg, &lower).expect("a file");
    match Command::new("rsvg-convert")
        .args([&svg, "-o", &routed.file("png")])
        .output()
    {
        Err(_) => crate::skip::skipped("no rsvg-convert; Debian has it in librsvg2-bin"),
        Ok(output) => assert!(output.status.success(), "{output:?}"),
    }
    // The picture is of the matrix in view: 64 cells above, but 63 below, where a link is missing.
    let cells = |text: &str| text.matches("<rect").count();
    browser.key("2");
    let upper = picture(&mut browser);
    assert_eq!(cells(&upper), cells(&lower) + 1);
    has(&upper, "plane 1");
}

/// The page compares the routes before and after planned work, and two tables of one fabric.
#[test]
fn the_page_compares_before_and_after() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let routed = Routed::shape(SHAPE);
    let (net, lfts) = (&*routed.net, &*routed.lfts);
    let [page, less, after] = ["page.html", "less", "after"].map(|name| routed.file(name));
    let whatif = format!("whatif {net} --remove L2-0 --remove node-40");
    let told = json(format!("{whatif} --permutations 1 --draw {page}").split(' '));
    browser.open(Path::new(&page));
    let mut a2a = ["before", "after"]
        .map(|state| told[state]["a2a"].to_string())
        .to_vec();
    a2a.dedup();
    let summary = browser.text("#summary");
    has(&summary, &format!("A2A {}", a2a.join(" → ")));
    let counts = "48 → 47 switches, 64 → 63 hosts, 128 → 120 links, ";
    assert!(summary.starts_with(counts), "{summary}");
    ok(["degrade", net, "--remove", "L2-0", "-o", &less]);
    ok(["route", &less, "--reference", net, "--lfts", &after]);
    // A host to which the route goes through the removed switch.
    let traced = |net, lfts, to| json(["trace", net, lfts, "node-0", &format!("node-{to}")]);
    let over = |way: &Value| hops(&way["there"]).iter().any(|hop| hop.contains("L2-0 "));
    let mut all = (16..32).map(|to| (to, traced(net, lfts, to)));
    let (to, old) = all.find(|(_, way)| over(way)).expect("a way over it");
    let new = traced(&less, &after, to);
    // It opens on the state after, and tells what changed.
    assert_eq!(browser.text("#states [aria-pressed=true]"), "after");
    let filters = browser.texts("#filters button");
    assert_eq!(filters[0], "removed 9");
    let changed = browser.text("#changed");
    has(&changed, "gone: 1 switch L2-0");
    has(&changed, "gone: 8 links, 1 host node-40");
    let [entries, switches] = ["changed_entries", "changed_switches"].map(|key| &told[key]);
    has(
        &changed,
        &format!("{entries} entries of {switches} switches moved"),
    );
    has(
        &changed,
        &format!("load {} ports", filters[1].replace("rose", "rose at")),
    );
    browser.find("node-0");
    browser.find(&format!("node-{to}"));
    browser.eval("document.querySelectorAll('#way .was').forEach((one) => { one.open = true; })");
    has(&browser.text("#way"), "(rose)");
    let both = [hops(&new["there"]), hops(&old["there"])].concat();
    assert_eq!(shown_hops(&mut browser, "there"), both);
    assert!(browser.text("#way").contains("moved"));
    browser.key("b");
    assert_eq!(browser.text("#states [aria-pressed=true]"), "before");
    assert_eq!(shown_hops(&mut browser, "there"), hops(&old["there"]));
    assert!(!browser.text("#way").contains("moved"));
    browser.key("b");
    assert_eq!(browser.text("#states [aria-pressed=true]"), "after");
    browser.find("node-0");
    browser.find("node-40");
    let shown = browser.text("#way");
    assert!(shown.contains("there: node-40 is not there"), "{shown}");

    // Two tables of one fabric.
    let bad = routed.file("bad");
    let text = fs::read_to_string(lfts).expect("tables");
    fs::write(&bad, text.replace(" 006 ", " 005 ")).expect("a file");
    ok(["draw", net, &bad, "--before", lfts, "-o", &page]);
    browser.open(Path::new(&page));
    let analyzed = |lfts: &str| json(["analyze", net, lfts, "--patterns", "a2a"]);
    let a2a = [lfts, &bad].map(|lfts| analyzed(lfts)["a2a"].to_string());
    let summary = browser.text("#summary");
    has(&summary, &format!("A2A {}", a2a.join(" → ")));
    let both = [lfts, &bad].map(|lfts| {
        let way = tool(["trace", net, lfts, "node-0", "node-33", "--json"]).output();
        serde_json::from_slice::<Value>(&way.expect("it runs").stdout).expect("JSON")
    });
    browser.find("node-0");
    browser.find("node-33");
    for way in both.iter().rev() {
        assert_eq!(shown_hops(&mut browser, "there"), hops(&way["there"]));
        browser.key("b");
    }
    // At the bound all is calm; above it the worst stand out.
    browser.key("2");
    browser.key("b");
    assert_eq!(colours(&mut browser), [("cool1", 64)]);
    browser.key("b");
    let expected = [("cool1", 16), ("warm1", 16), ("warm2", 4)];
    assert_eq!(colours(&mut browser), expected);
    browser.key("1");
    // Four ports of the first plane are worse than all others.
    let found = analyzed(&bad);
    let worst = found["a2a_ports"]["worst"].as_array().expect("ports");
    let of_most = worst.iter().filter(|port| port["risk"] == found["a2a"]);
    assert_eq!(of_most.count(), 4);
    browser.click("[data-filter=worst]");
    assert_eq!(browser.texts("#matrix b"), [""; 0]);
    browser.key("2");
    assert_eq!(browser.texts("#matrix b"), ["plane 1"]);
}

/// Names are short where they stay apart, ports are called as on their boxes, and a small fabric fills the window.
#[test]
fn the_page_names_the_parts_of_a_small_fabric() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let routed = Routed::shape("PGFT(2;2,2;1,2;1,1)");
    let (net, page) = (routed.file("named.net"), routed.file("page.html"));
    edit(&routed.net, &net, |netlist| {
        let names = [
            "leaf1:MQM9700/U1",
            "leaf2:MQM9700/U1",
            "spine:MQM9700/U1",
            "spine:MQM9700/U2",
        ];
        for (old, new) in ["L1-0", "L1-1", "L2-0", "L2-1"].into_iter().zip(names) {
            let node = named(netlist, old);
            node.description = format!("MF0;{new}");
            for port in &mut node.ports {
                port.label = Some(format!("1/{}/1", port.number).into());
            }
        }
    });
    ok(["draw", &net, &routed.lfts, "-o", &page]);
    browser.open(Path::new(&page));
    let shown = picture(&mut browser);
    for part in [
        ">leaf1<",
        ">leaf2<",
        ">MF0;spine:MQM9700/U1<",
        ">1/3/1 – 1/1/1<",
        ">load 1<",
    ] {
        has(&shown, part);
    }
    let share = "(() => { const [own, all] = ['canvas', ''].map((one) => document.querySelector(`#matrix ${one}`)); \
                 return Math.max(own.clientWidth / all.clientWidth, own.clientHeight / all.clientHeight); })()";
    assert!(browser.eval(share).as_f64() > Some(0.7));
    browser.find("leaf1");
    assert_eq!(browser.text("#detail h2"), "leaf1");
    has(&browser.text("#detail"), "MF0;leaf1:MQM9700/U1 0x");
    browser.find("leaf2");
    browser.click("#detail p:nth-of-type(3) button");
    has(&browser.text("#detail"), "MF0;spine:MQM9700/U1");
    browser.find("node-0");
    browser.find("node-3");
    has(&browser.text("#way"), "arrives by leaf1 [1 = 1/1/1]");
}

/// Whatever the mouse reaches, Tab, the arrows and Enter reach; all of it has a name, and the status tells what is
/// selected.
#[test]
fn the_page_needs_no_mouse() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let routed = Routed::shape(SHAPE);
    let page = routed.file("page.html");
    let whatif = format!("whatif {} --remove L2-0 --permutations 1", routed.net);
    ok(format!("{whatif} --draw {page}").split(' '));
    browser.open(Path::new(&page));
    let tree = browser.ask("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes").iter();
    let reached = nodes.filter(|node| {
        let mut all = node["properties"].as_array().into_iter().flatten();
        all.any(|p| p["name"] == "focusable" && p["value"]["value"] == true)
    });
    let reached: Vec<&Value> = reached.collect();
    assert!(reached.len() > 30, "{}", reached.len());
    for node in reached {
        assert!(
            !node["name"]["value"]
                .as_str()
                .unwrap_or_default()
                .is_empty(),
            "{node}"
        );
    }
    // By Tab to all that a click reaches, each with a visible focus.
    let active = "document.activeElement";
    let visible = format!(
        "{active}.matches(':focus-visible') && getComputedStyle({active}).outlineStyle !== 'none'"
    );
    let mut left: Vec<String> = serde_json::from_value(browser.eval(
        "[...document.querySelectorAll('button, input, select, canvas[tabindex], summary')].filter((one) => one.offsetParent) \
         .map((one, at) => { one.dataset.at = at; return String(at); })",
    ))
    .expect("elements");
    let clickable = left.len();
    for _ in 0..clickable {
        browser.key("Tab");
        assert_eq!(browser.eval(&visible), true);
        let at = browser.eval(&format!("{active}.dataset.at"));
        left.retain(|one| *one != at);
    }
    assert!(left.is_empty() && clickable > 30, "{left:?} of {clickable}");
    // A name beside a matrix, a host in another matrix, a pair of hosts, a state.
    browser.eval("document.querySelector('#matrix canvas').focus()");
    for key in ["ArrowDown", "ArrowDown", "ArrowLeft", "Enter"] {
        browser.key(key);
    }
    assert_eq!(browser.text("#detail h2"), "L1-1");
    assert!(browser.text("#status").starts_with("L1-1 0x"));
    browser.key("3");
    for key in ["ArrowDown", "Enter", "ArrowRight", "Enter"] {
        browser.key(key);
    }
    assert!(browser.text("#status").starts_with("node-1 at L1-0 [2]"));
    has(&browser.text("#way"), "from node-0 to node-1");
    browser.eval("document.querySelector('#states button').focus()");
    browser.key("Enter");
    assert_eq!(browser.text("#states [aria-pressed=true]"), "before");
    assert_eq!(browser.eval(&format!("{active}.innerText")), "before");
    assert!(browser.text("#status").starts_with("before: A2A 4"));
    browser.eval("document.querySelector('#way .hop button, #detail button').focus()");
    browser.key("Enter");
    assert_eq!(browser.eval(&format!("{active} !== document.body")), true);
}
