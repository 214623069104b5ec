#!/bin/bash
# Checks licences, sources and known advisories of the dependencies against deny.toml, of the Python package's too. Installs
# cargo-deny into target/tools if it is missing. The advisories are in a git repository; without it or a copy, this
# skips them and prints that. Exit 0: no finding.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:$PWD/target/tools/bin

scripts/cargo-tool.sh cargo-deny
# cargo-deny reads the manifests of all crates, also of crates for other platforms, which no build has fetched.
checks=(licenses bans sources)
if cargo deny fetch db >/dev/null 2>&1; then
    checks+=(advisories)
else
    echo "deny: advisories skipped: their database cannot be reached"
fi
for manifest in Cargo.toml crates/python/Cargo.toml; do
    cargo fetch --locked --quiet --manifest-path "$manifest"
    cargo deny --offline --manifest-path "$manifest" check "${checks[@]}"
done
