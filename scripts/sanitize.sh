#!/bin/bash
# Runs the unit tests under AddressSanitizer and ThreadSanitizer, or those named as arguments
# (address, thread). Both need a nightly toolchain; where there is none, this says so and ends well.
# The standard library is not instrumented, for that would need its source as well.
#
# DMODC_MUTATIONS (200000) says how many random subnets AddressSanitizer sees.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "sanitize: skipped, no nightly toolchain on this machine"
    exit 0
fi
machine=$(rustc -vV | sed -n 's/^host: //p')
sanitizers=("$@")
[[ $# -gt 0 ]] || sanitizers=(address thread)
for sanitizer in "${sanitizers[@]}"; do
    tests=()
    [[ $sanitizer != address ]] || tests=(plugin::)
    echo "sanitize: $sanitizer"
    RUSTFLAGS="-Zsanitizer=$sanitizer" DMODC_MUTATIONS=${DMODC_MUTATIONS:-200000} \
        cargo +nightly test --release --lib --no-default-features --features plugin \
        --target "$machine" --target-dir "target/sanitize-$sanitizer" "${tests[@]}"
done
