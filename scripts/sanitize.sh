#!/bin/bash
# Tests with the sanitizers of a nightly toolchain, which rustup installs. Without rustup and toolchain, this
# prints that and does nothing.
#
#   address  the plugin's unit tests under AddressSanitizer: DMODC_MUTATIONS (100000) random subnets
#   thread   the core's unit tests under ThreadSanitizer, the standard library built for it
#   miri     unit tests of core and plugin under Miri, which sees data races too: an hour and more.
#            One random fabric in the place of hundreds; MIRI_TESTS: parts of names, to run only these tests
#
# scripts/sanitize.sh [PART…]: all parts, or the parts named.
set -euo pipefail
cd "$(dirname "$0")/.."

is_there() {
    cargo +nightly miri --version && [[ -d $(rustc +nightly --print sysroot)/lib/rustlib/src/rust ]]
} >/dev/null 2>&1

if ! is_there && command -v rustup >/dev/null; then
    echo "sanitize: installing the nightly toolchain with Miri and the standard library's source"
    rustup toolchain install nightly --profile minimal --component miri,rust-src >/dev/null 2>&1 || true
fi
if ! is_there; then
    echo "sanitize: skipped, no nightly toolchain with miri and rust-src on this machine"
    exit 0
fi
machine=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=target/sanitize

address() {
    RUSTFLAGS="-Zsanitizer=address" DMODC_MUTATIONS=${DMODC_MUTATIONS:-100000} \
        cargo +nightly test --release --package dmodc --lib \
        --target "$machine"
}

# Built once and run for seconds: no optimisation across crates.
thread() {
    CARGO_PROFILE_RELEASE_LTO=off RUSTFLAGS="-Zsanitizer=thread" cargo +nightly test -Zbuild-std --release --package dmodc-core --lib \
        --target "$machine"
}

miri() {
    local tests
    read -ra tests <<<"${MIRI_TESTS:-}"
    # rayon's threads live as long as the process; crossbeam's lists need the tree model of borrows.
    MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-tree-borrows" \
        cargo +nightly miri test --workspace --exclude dmodc-lab --exclude fabrics --exclude dmodc-relay --exclude dmodc-tool \
        --lib --test analysis --test formats -- "${tests[@]}"
}

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(address thread miri)
for part in "${parts[@]}"; do
    "$part"
done
