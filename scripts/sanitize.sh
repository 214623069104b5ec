#!/bin/bash
# Runs the plugin's unit tests under AddressSanitizer, which needs a nightly toolchain; where there is
# none, this says so and ends well. The standard library is not instrumented, for that would need its
# source as well. DMODC_MUTATIONS (100000) says how many random subnets it sees.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "sanitize: skipped, no nightly toolchain on this machine"
    exit 0
fi
machine=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="-Zsanitizer=address" DMODC_MUTATIONS=${DMODC_MUTATIONS:-100000} \
    cargo +nightly test --release --lib --no-default-features --features plugin \
    --target "$machine" --target-dir target/sanitize plugin::
