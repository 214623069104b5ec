#!/bin/bash
# Builds the images opensm-dmodc and opensm-dmodc-simulated.
#
#   BASE=IMAGE   Debian to run in      (debian:bookworm-slim)
#   RUST=IMAGE   the same with Rust    (rust:1-bookworm)
#   OPENSM_PREFIX=DIR   the OpenSM installed there takes the place of Debian's: for example 3.3.24 or master, built on
#                       a Debian no newer than BASE
#
# If it cannot pull BASE or RUST, it makes them: BASE from this machine's Debian packages (debootstrap, docker
# import; needs root), RUST from BASE, this machine's Rust and the crates of Cargo.lock.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
own=docker/opensm
trap 'rm -f "$log"; rm -rf -- "$own"/*' EXIT
quietly() { "$@" >"$log" 2>&1 || { tail -30 "$log" >&2; exit 1; }; }

present() { docker image inspect "$1" >/dev/null 2>&1; }
available() { present "$1" || docker pull -q "$1" >/dev/null 2>&1; }

make_base() {
    scripts/setup.sh root
    scripts/debian-root.sh target/debian-root.tar
    docker import target/debian-root.tar "$1" >/dev/null
}

# The toolchain without its documentation, and the crates as cargo has fetched them.
make_rust() {
    local sysroot home
    sysroot=$(rustc --print sysroot)
    home=${CARGO_HOME:-$HOME/.cargo}
    mkdir -p target
    cargo fetch --locked --quiet
    printf '%s\n' "FROM $base" 'COPY rust /opt/rust' 'COPY registry /opt/cargo/registry' \
        'ENV PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
        'ENV CARGO_HOME=/opt/cargo CARGO_NET_OFFLINE=true' >target/Dockerfile.rust
    tar -c --exclude=./share --exclude=registry/src \
        --transform "s|^\./|rust/|" -C "$sysroot" . \
        -C "$home" registry \
        -C "$PWD/target" Dockerfile.rust \
        | quietly docker build -f Dockerfile.rust -t "$1" -
}

base=${BASE:-debian:bookworm-slim}
rust=${RUST:-rust:1-bookworm}
if ! available "$base"; then
    base=dmodc-base
    echo "docker: ${BASE:-debian:bookworm-slim} cannot be had: $base"
    present "$base" || make_base "$base"
fi
if ! available "$rust"; then
    rust=dmodc-rust
    echo "docker: ${RUST:-rust:1-bookworm} cannot be had: $rust"
    # Made anew each time, from cargo's cache: the crates may have changed.
    make_rust "$rust"
fi

if [[ -n ${OPENSM_PREFIX:-} ]]; then
    echo "docker: $("$OPENSM_PREFIX/sbin/opensm" --version | grep -o 'OpenSM [0-9.]*' | head -1) of $OPENSM_PREFIX"
    rm -rf -- "$own"/*
    cp -a -- "$OPENSM_PREFIX"/{include,lib,sbin} "$own"
fi

build() { # TARGET TAG
    # This machine's proxies; docker leaves out variables that are not set.
    quietly docker build -f docker/Dockerfile --target "$1" -t "$2" \
        --build-arg "BASE=$base" --build-arg "RUST=$rust" \
        --build-arg http_proxy --build-arg https_proxy --build-arg no_proxy .
    echo "docker: $2 $(docker image inspect -f '{{.Size}}' "$2" | awk '{ printf "%.0f MB", $1 / 1e6 }')"
}
build simulated opensm-dmodc-simulated
build opensm opensm-dmodc
