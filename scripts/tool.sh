#!/bin/bash
# Builds the tool, unoptimised, and prints its path.
set -euo pipefail
cd "$(dirname "$0")/.."

"${CARGO:-cargo}" build --bin dmodc --message-format json \
    | sed -n 's/.*"executable":"\([^"]*\/dmodc\)".*/\1/p' | tail -1
