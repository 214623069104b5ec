#!/bin/bash
# Builds the plugin for the OpenSM that is installed below PREFIX, in a target folder of its own, and prints the folder
# of the library.
#
#   scripts/plugin-for.sh PREFIX
set -euo pipefail
cd "$(dirname "$0")/.."

target=$PWD/target/other-version
OPENSM_INCLUDE=$1/include/infiniband cargo build --quiet --package dmodc --lib \
    --target-dir "$target"
echo "$target/debug"
