#!/bin/bash
# What a nightly toolchain can find at run time; each part says what it skips where something is
# missing.
#
#   address  the plugin's unit tests under AddressSanitizer: DMODC_MUTATIONS (100000) random subnets
#   thread   the core's unit tests under ThreadSanitizer, the standard library built for it (rust-src)
#   miri     unit tests of core and plugin under Miri, which sees data races too, half an hour; one
#            random fabric where they draw hundreds (MIRI_TESTS: a part of a name, as for cargo test)
#
# scripts/sanitize.sh [PART..]: all of them, or those named.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "sanitize: skipped, no nightly toolchain on this machine"
    exit 0
fi
machine=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=target/sanitize

address() {
    RUSTFLAGS="-Zsanitizer=address" DMODC_MUTATIONS=${DMODC_MUTATIONS:-100000} \
        cargo +nightly test --release --lib --no-default-features --features plugin \
        --target "$machine" plugin::
}

thread() {
    if [[ ! -d $(rustc +nightly --print sysroot)/lib/rustlib/src/rust ]]; then
        echo "sanitize: thread skipped, no rust-src (rustup component add rust-src --toolchain nightly)"
        return
    fi
    RUSTFLAGS="-Zsanitizer=thread" cargo +nightly test -Zbuild-std --release --lib \
        --no-default-features --target "$machine" dmodc::
}

miri() {
    if ! cargo +nightly miri --version >/dev/null 2>&1; then
        echo "sanitize: miri skipped, it is not there (rustup component add miri --toolchain nightly)"
        return
    fi
    # rayon's threads live as long as the process; crossbeam's lists want the tree model of borrows.
    MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-tree-borrows" \
        cargo +nightly miri test --no-default-features --features plugin --lib -- \
        ${MIRI_TESTS:+"$MIRI_TESTS"}
}

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(address thread miri)
for part in "${parts[@]}"; do
    "$part"
done
