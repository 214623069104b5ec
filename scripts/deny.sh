#!/bin/bash
# Checks licences, sources and known advisories of the dependencies against deny.toml. Installs cargo-deny
# into target/tools if it is missing. The advisories are in a git repository; without it or a copy, this
# skips that part and says so. Exit 0: no finding.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:$PWD/target/tools/bin

scripts/cargo-tool.sh cargo-deny
# It reads the manifests of all crates, those of other platforms too, which no build has fetched.
cargo fetch --locked --quiet
cargo deny --offline check licenses bans sources
if cargo deny fetch db >/dev/null 2>&1; then
    cargo deny --offline check advisories
else
    echo "deny: advisories skipped: their database cannot be reached"
fi
