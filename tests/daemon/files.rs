//! Foreign files where the plugin reads and writes: a FIFO never makes OpenSM wait, and the plugin writes through no
//! link and replaces plain files only.

use crate::support::*;
use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A new FIFO.
fn fifo(path: PathBuf) -> PathBuf {
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo runs").success());
    path
}

fn errors_about(files: &Files, path: &Path) -> Vec<String> {
    let mut errors = files.log_lines("dmodc: ERR");
    errors.retain(|line| line.contains(path.to_str().expect("plain text")));
    errors
}

fn error_about(files: &Files, path: &Path) -> String {
    let mut errors = errors_about(files, path);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors.remove(0)
}

#[test]
fn nothing_that_is_read_keeps_opensm_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let _socket = UnixListener::bind(at("cn")).expect("a socket");
    symlink(fifo(at("io-fifo")), at("io")).expect("a link");
    let read = [
        ("root_guid_file", fifo(at("roots")), "a FIFO"),
        ("cn_guid_file", at("cn"), "a socket"),
        ("io_guid_file", at("io"), "a FIFO"),
        ("event_plugin_options", fifo(at("reference")), "a FIFO"),
    ];
    let mut config = Config::dmodc();
    for (option, path, _) in &read {
        let ours = match *option == "event_plugin_options" {
            true => "dmodc.reference=",
            false => "",
        };
        config = config.line(format!("{option} {ours}{}", path.display()));
    }
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    let sm = OpenSm::start(&sim, &config);
    for (_, path, what) in &read {
        let error = error_about(&sm.files, path);
        assert!(error.contains(&format!("not a plain file but {what}; going on without")));
    }
    assert!(sm.stop());
}

#[test]
fn only_plain_files_are_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let keepsake = at("keepsake");
    fs::write(&keepsake, "kept").expect("written");
    symlink(&keepsake, at("link.prom")).expect("a link");
    let _socket = UnixListener::bind(at("socket.prom")).expect("a socket");
    // As if an attacker had guessed the name under which the plugin writes the new file.
    fifo(at("file.prom.tmp"));
    symlink(&keepsake, at("cunning.prom.tmp")).expect("a link");
    let sim = Ibsim::start(&Net::pgft(FIGURE_1).path);
    for (path, what) in [
        (at("file.prom"), None),
        (at("cunning.prom"), None),
        (at("link.prom"), Some("a link")),
        (at("socket.prom"), Some("a socket")),
        (fifo(at("fifo.prom")), Some("a FIFO")),
        ("/dev/null".into(), Some("a device")),
    ] {
        let before = fs::symlink_metadata(&path).map(|m| m.file_type()).ok();
        let option = format!("dmodc.metrics={}", path.display());
        let sm = OpenSm::start(&sim, &Config::dmodc().options(&option));
        match what {
            None => {
                let written = fs::read_to_string(&path).expect("written");
                has(&written, "dmodc_sweeps_total");
                sm.files.assert_errors(&[]);
            }
            Some(what) => {
                let error = error_about(&sm.files, &path);
                let reason = format!("cannot be written: not a plain file but {what}");
                assert!(error.contains(&reason), "{error}");
                let after = fs::symlink_metadata(&path).expect("there").file_type();
                assert_eq!(before, Some(after));
            }
        }
        assert!(sm.stop());
    }
    assert_eq!(fs::read_to_string(&keepsake).expect("there"), "kept");
    let left = fs::symlink_metadata(at("file.prom.tmp")).expect("there");
    assert!(left.file_type().is_fifo());

    // The node order, and the places that `auto` keeps.
    let config = Config::dmodc().options("dmodc.reference=auto");
    let sm = OpenSm::start(&sim, &config.cache_dir(folder.path()));
    let order = sm.files.by_port(Files::ORDER);
    let places = opensm::by_port(folder.path(), Files::REFERENCE);
    for path in [&order, &places] {
        fs::remove_file(path).expect("written in the first sweep");
        symlink(&keepsake, path).expect("a link");
    }
    sm.resweep();
    let error = errors_about(&sm.files, &order).remove(0);
    assert!(
        error.contains("cannot write ") && error.ends_with("but a link"),
        "{error}"
    );
    // The file behind the link is no netlist, and is not overwritten: one line each, once.
    sm.resweep();
    let errors = errors_about(&sm.files, &places);
    assert_eq!(errors.len(), 2, "{errors:#?}");
    has(&errors[1], "not a plain file but a link");
    assert_eq!(fs::read_to_string(&keepsake).expect("there"), "kept");
}
