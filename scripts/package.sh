#!/bin/bash
# Makes the packages for the OpenSM of this machine: target/package/*.deb, target/package/*.rpm.
# Installs cargo-deb and cargo-generate-rpm into target/tools if they are missing.
#
#   scripts/package.sh deb|rpm..
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$PWD/scripts/cargo-tool.sh
PATH=$PATH:$PWD/target/tools/bin:/usr/local/sbin:/usr/sbin:/sbin

top=$PWD/target/package
multiarch=$(cc -print-multiarch)
libdir=/usr/lib/$multiarch
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
# The OpenSM that the plugin is built for: the version of the headers, and their package.
opensm=$(sed -n 's/^#define OSM_VERSION "OpenSM \([^"]*\)".*/\1/p' \
    "${OPENSM_INCLUDE:-/usr/include/infiniband}/opensm/osm_version.h")
opensm_package=$(dpkg-query -f '${Version}' -W opensm 2>/dev/null || true)

stage() {
    rm -rf "$top/root"
    make --no-print-directory install DESTDIR="$top/root" PREFIX=/usr LIBDIR="$libdir"
    strip --strip-debug "$top/root$libdir/libdmodc.so" "$top/root/usr/bin/dmodc"
    sed -e "s|@VERSION@|$version|; s|@OPENSM@|$opensm|; s|@OPENSM_PACKAGE@|$opensm_package|" \
        -e "s|@LIBDIR@|$libdir|; s|@MULTIARCH@|$multiarch|" packaging/Cargo.toml.in >"$top/Cargo.toml"
    : >"$top/nothing.rs"
}

stage
cd "$top"
# Ours is no build of cargo's, and its target folder is not the project's.
unset CARGO_TARGET_DIR
for kind; do
    case $kind in
        deb)
            [[ -n $opensm_package ]] || { echo "package: no package opensm on this machine" >&2; exit 1; }
            "$tool" cargo-deb
            cargo deb --no-build --no-strip --output "$top/"
            ;;
        rpm)
            "$tool" cargo-generate-rpm
            cargo generate-rpm --auto-req builtin --output "$top/"
            ;;
        *) echo "package: there is no package of kind '$kind'" >&2; exit 2 ;;
    esac
done
