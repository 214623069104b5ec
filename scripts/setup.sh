#!/bin/bash
# Installs the packages that building needs and this machine lacks. If none is missing, it does nothing
# and needs no privilege. Exit 0: all packages are there; 1: the last line names the missing packages.
#
#   scripts/setup.sh [test] [opensm-source] [root] [rpm] [browser]
#
# test: also the programs that tests and demo run; opensm-source: also the packages for OpenSM's own build; root: also
# for a Debian root; rpm: also to make and install packages; browser: also a browser for the pages of `dmodc draw`.
set -euo pipefail
for part; do
    [[ $part == test || $part == opensm-source || $part == root || $part == rpm || $part == browser ]] \
        || { echo "setup: there is no part '$part'" >&2; exit 2; }
done
parts=" $* "

# Each need, the test for it, and its Debian package.
needs() {
    [[ $parts != *" opensm-source "* ]] || cat <<'END'
autoreconf          command autoconf
automake            command automake
libtoolize          command libtool
bison               command bison
flex                command flex
pkg-config          command pkg-config
END
    [[ $parts != *" root "* ]] || cat <<'END'
debootstrap         command debootstrap
END
    [[ $parts != *" rpm "* ]] || cat <<'END'
rpmbuild            command rpm
opensm              command opensm
END
    [[ $parts != *" test "* ]] || cat <<'END'
opensm              command opensm
osmtest             command opensm
ibsim               command ibsim-utils
ibtracert           command infiniband-diags
smpquery            command infiniband-diags
ibdmchk             command ibutils
valgrind            command valgrind
dot                 command graphviz
rsvg-convert        command librsvg2-bin
python3             command python3
slurmctld           command slurmctld
prlimit             command util-linux
END
    cat <<'END'
opensm-headers      header infiniband/opensm/osm_config.h libopensm-dev
umad-headers        header infiniband/umad.h libibumad-dev
libclang            library libclang-dev
clang-headers       compiler libclang-dev
cc                  command build-essential
END
}

# OpenSM and its tools are in sbin, which may be missing in a user's PATH.
tools=$(dirname "$0")/../target/tools/bin
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:$tools

# Looks for a library by its name or with a version, as bindgen does: libclang-cpp is another library.
has_library() { # NAME
    local folder
    for folder in /usr/lib/llvm-*/lib /usr/lib/*-linux-gnu /usr/lib64 /usr/lib; do
        compgen -G "$folder/$1.so*" >/dev/null && return
        compgen -G "$folder/$1-[0-9]*.so*" >/dev/null && return
    done
    return 1
}

is_there() { # NAME KIND DETAIL
    case $2 in
        command) command -v "$1" >/dev/null ;;
        header) [[ -e /usr/include/$3 || -e /usr/local/include/$3 || -n ${OPENSM_INCLUDE:-} ]] ;;
        library) has_library "$1" || [[ -n ${LIBCLANG_PATH:-} ]] ;;
        compiler) compgen -G "/usr/lib*/llvm-*/lib/clang/*/include/stddef.h" >/dev/null \
            || compgen -G "/usr/lib*/clang/*/include/stddef.h" >/dev/null ;;
    esac
}

# The packages of missing needs, one per line.
missing() {
    local name kind detail package
    while read -r name kind detail package; do
        is_there "$name" "$kind" "$detail" || echo "${package:-$detail}"
    done < <(needs) | sort -u
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup: neither root nor sudo: cannot run: $*" >&2
        return 1
    fi
}

install_packages() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@" >/dev/null
}

if ! command -v cargo >/dev/null; then
    echo "setup: no cargo: Rust 1.88 or later is needed. See https://rustup.rs, then:" >&2
    echo "setup:     rustup toolchain install stable" >&2
    exit 1
fi

mapfile -t wanted < <(missing)
if [[ ${#wanted[@]} -gt 0 ]]; then
    echo "setup: installing ${wanted[*]}"
    if ! command -v apt-get >/dev/null; then
        echo "setup: no apt-get on this machine; install these packages or their like by hand" >&2
    elif ! install_packages "${wanted[@]}" 2>/dev/null; then
        # The list of packages may be old or absent; and a package that fails must not stop the others.
        as_root apt-get update >/dev/null || true
        for package in "${wanted[@]}"; do
            install_packages "$package" || echo "setup: apt-get could not install $package" >&2
        done
    fi
    mapfile -t wanted < <(missing)
    if [[ ${#wanted[@]} -gt 0 ]]; then
        echo "setup: still missing: ${wanted[*]}" >&2
        exit 1
    fi
fi
# promtool reads the plugin's metrics for Prometheus. Its package has a daemon and a web page, too, so this
# takes only the program from it. Without promtool, tests that need it print that they skip that part.
if [[ $parts == *" test "* ]] && ! command -v promtool >/dev/null && command -v apt-get >/dev/null; then
    unpacked=$(mktemp -d)
    if (cd "$unpacked" && apt-get download prometheus && dpkg-deb -x prometheus_*.deb .) >/dev/null 2>&1; then
        install -D "$unpacked/usr/bin/promtool" "$tools/promtool"
    else
        echo "setup: apt-get could not download prometheus; no promtool" >&2
    fi
    rm -rf "$unpacked"
fi
# A browser without a window, for the pages of `dmodc draw`. It is as large as all the rest, and not every
# system has it as a package. Without a browser, tests that need one print that they skip that part.
if [[ $parts == *" browser "* ]] && ! command -v chromium-headless-shell >/dev/null \
    && ! command -v chromium >/dev/null && command -v apt-get >/dev/null; then
    echo "setup: installing chromium-headless-shell"
    install_packages chromium-headless-shell 2>/dev/null \
        || echo "setup: apt-get could not install chromium-headless-shell; no browser" >&2
fi
echo "setup: all there: $(opensm --version 2>/dev/null | grep -o 'OpenSM [0-9.]*' | head -1)," \
    "$(cargo --version | cut -d' ' -f1,2)"
