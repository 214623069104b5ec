//! A program that runs ibsim and OpenSM leaves no process when a signal ends it, and a folder only after KILL.

use crate::support::*;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);
/// Names and numbers.
const SIGNALS: [(&str, i32); 4] = [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)];

/// When the signal comes: so long after a process of this name runs, or after there is a folder.
const MOMENTS: [(&str, Duration); 4] = [
    ("", Duration::ZERO),
    ("ibsim", Duration::ZERO),
    ("opensm", Duration::ZERO),
    ("opensm", Duration::from_millis(150)),
];

/// Name and process id of a program's processes, found by its `TMPDIR`.
fn processes(tmp: &Path) -> Vec<(String, u32)> {
    let variable = format!("TMPDIR={}", tmp.display());
    let listed = fs::read_dir("/proc")
        .expect("Linux lists processes")
        .flatten();
    let of_program = |pid: u32| {
        // Empty if it has just ended.
        let read = |name| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let environment = read("environ");
        let mut variables = environment.split(|&byte| byte == 0);
        let name = String::from_utf8_lossy(&read("comm")).trim().to_owned();
        let is_of = variables.any(|v| v == variable.as_bytes());
        is_of.then_some((name, pid))
    };
    let numbers = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(of_program).collect()
}

fn is_empty(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).expect("the folder is there");
    entries.next().is_none()
}

fn wait_for((name, later): (&str, Duration), program: &mut Child, tmp: &Path) {
    let has_come = || {
        let ended = program.try_wait().expect("it can be waited for");
        assert!(ended.is_none(), "it ended before {name:?}: {ended:?}");
        match name {
            "" => !is_empty(tmp),
            _ => processes(tmp).iter().any(|(n, _)| n == name),
        }
    };
    wait_until(LIMIT, has_come, || format!("{name:?} did not come"));
    thread::sleep(later);
}

/// Ends a program with each signal at each moment, and asserts that no process is left, and a folder only after KILL.
fn leaves_nothing(program: &Path, args: &[&str], variables: &[(&str, &str)]) {
    for (name, number) in SIGNALS {
        for moment in MOMENTS {
            let dir = tempfile::tempdir().expect("a temporary folder");
            let tmp = dir.path();
            // The test itself may run with ignored signals, for example under `nohup`.
            let mut child = Command::new("env")
                .arg("--default-signal=INT,HUP,TERM")
                .arg(program)
                .args(args)
                .envs(variables.iter().copied())
                .env("TMPDIR", tmp)
                .env("LD_LIBRARY_PATH", opensm::plugin_dir())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("env runs");
            wait_for(moment, &mut child, tmp);
            signal(child.id(), name);
            let status = poll(LIMIT, || child.try_wait().expect("it can be waited for"));
            let case = format!("{} after {name}, {moment:?}", program.display());
            let status = status.unwrap_or_else(|| panic!("{case}: it goes on"));
            assert_eq!(status.signal(), Some(number), "{case}: {status}");
            // Both take a moment. A process that becomes another program has no variables meanwhile, so none is left only
            // if a second look shows none, either.
            let may_stay = name == "KILL";
            let none = |after| {
                thread::sleep(Duration::from_millis(after));
                processes(tmp).is_empty()
            };
            let gone = || none(0) && none(50) && (may_stay || is_empty(tmp));
            poll(Duration::from_secs(5), || gone().then_some(()));
            let left = processes(tmp);
            for (_, pid) in &left {
                signal(*pid, "KILL");
            }
            assert!(left.is_empty(), "{case}: {left:?} go on");
            assert!(may_stay || is_empty(tmp), "{case}: a folder stays");
        }
    }
}

fn net() -> (Net, String) {
    let net = Net::pgft(NODES_648);
    let path = net.path.to_str().expect("plain text").to_owned();
    (net, path)
}

#[test]
fn nothing_is_left_of_a_comparison() {
    let (_net, path) = net();
    let engines = "minhop,updn,dmodc,sssp,updn+roots,dmodc:paper";
    let args = ["compare", &path, "--engines", engines];
    leaves_nothing(Path::new(env!("CARGO_BIN_EXE_dmodc")), &args, &[]);
}

#[test]
fn nothing_is_left_of_the_demo() {
    let (_net, path) = net();
    let demo = root().join("scripts/demo.sh");
    let plugins = opensm::plugin_dir();
    let args = [plugins.to_str().expect("text"), env!("CARGO_BIN_EXE_dmodc")];
    leaves_nothing(&demo, &args, &[("NET", &path), ("DEMO_COMPARE", "1")]);
}
