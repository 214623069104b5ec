#!/bin/bash
# Runs the plugin's tests on inconsistent subnets under valgrind, DMODC_MUTATIONS (2000) random ones. Each
# structure is a block of its own, so each access beyond it is an error. Exit 0: no error, no leak.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$(cargo test --no-run --package dmodc --lib --message-format=json 2>/dev/null \
    | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -1)
[[ -x $program ]] || { echo "memcheck: cargo built no tests of the library" >&2; exit 1; }
DMODC_MUTATIONS=${DMODC_MUTATIONS:-2000} valgrind --error-exitcode=1 --leak-check=full \
    --errors-for-leak-kinds=definite --show-leak-kinds=definite \
    "$program" hostile --nocapture --test-threads 1
