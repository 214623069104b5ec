#!/bin/bash
# Installs a tool of cargo's into target/tools, unless the machine or that folder has it. Unoptimised: it
# is built longer than it runs.
#
#   scripts/cargo-tool.sh NAME
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:$PWD/target/tools/bin

if ! command -v "$1" >/dev/null; then
    echo "installing $1 into target/tools"
    cargo install "$1" --locked --debug --root target/tools
fi
