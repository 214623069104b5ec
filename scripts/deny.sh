#!/bin/bash
# Holds the dependencies to deny.toml: licences, sources, known advisories. Installs cargo-deny into
# target/tools if need be. The advisories are a git repository of their own; where it cannot be reached
# and no copy of it is there, that part is skipped, and this says so. Exit 0: nothing is against it.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:$PWD/target/tools/bin

scripts/cargo-tool.sh cargo-deny
cargo deny --offline check licenses bans sources
if cargo deny fetch db >/dev/null 2>&1; then
    cargo deny --offline check advisories
else
    echo "deny: advisories skipped: their database cannot be reached"
fi
