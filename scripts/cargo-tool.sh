#!/bin/bash
# Installs a cargo tool into target/tools, unless it is there or on the machine. Unoptimised and without debug
# information, because the build takes longer than the run; crates that several tools need are built once.
#
#   scripts/cargo-tool.sh NAME
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:$PWD/target/tools/bin

if ! command -v "$1" >/dev/null; then
    echo "installing $1 into target/tools"
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=target/tools/build \
        cargo install "$1" --locked --debug --root target/tools
fi
