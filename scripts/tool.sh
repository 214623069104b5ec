#!/bin/bash
# Builds the tool, unoptimised, and prints its path. With a test, a small one: then dependencies have the features that
# they have in `cargo test`, whose tool is taken. Else CI builds it twice, in 49 s.
set -euo pipefail
cd "$(dirname "$0")/.."

"${CARGO:-cargo}" build --bin dmodc --test mutations --message-format json \
    | sed -n 's/.*"executable":"\([^"]*\/dmodc\)".*/\1/p' | tail -1
