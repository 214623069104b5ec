//! Prometheus' own checker, from PATH or where `make programs` unpacks it.

use crate::support::root;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `promtool` in a folder; it must find no fault. Reports a skip where it is not installed.
pub fn promtool(folder: &Path, args: &[&str], input: &[u8]) {
    let unpacked = root().join("target/tools/bin/promtool");
    let program = match unpacked.exists() {
        true => unpacked.as_os_str(),
        false => "promtool".as_ref(),
    };
    let child = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        crate::skip::skipped(
            "no promtool; `make programs` unpacks it from Debian's package prometheus",
        );
        return;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    // If `promtool` refuses its arguments, it does not read: this write may fail.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "promtool {args:?}: {said}");
}
