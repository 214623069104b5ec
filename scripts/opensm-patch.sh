#!/bin/bash
# Builds OpenSM from source with the patches of opensm-patch/, the plugin against its headers, and
# runs `opensm -R dmodc,no_fallback` on a simulated fabric, with no configuration file at all; then
# `opensm -R file` with tables of a fabric that had higher LIDs.
#
#   OPENSM_TREE=DIR   take the commit that is checked out in this git tree of OpenSM, 3.3.20 or
#                     later, instead of the source package that apt has
#   JOBS=N            compile this many files at a time (as many as there are processors)
#
# The results stay in target/opensm-patch/: source/, the patched OpenSM in root/. Exit 0 if the patched OpenSM took
# Dmodc's tables in both ways and they are right.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/simulated.sh

top=$PWD/target/opensm-patch
source=$top/source
root=$top/root
jobs=${JOBS:-$(nproc)}
log=$top/build.log

# Gets the source of this machine's package opensm. Lists of packages rarely name sources, so this makes a
# list for apt from the origin of `opensm`.
source_package() {
    local apt=$top/apt
    [[ -n $(origins) ]] || die "apt knows of no package opensm: run 'apt-get update'"
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/none"
    origins >"$apt/sources.list"
    local with=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/none"
        -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
    apt-get -qq "${with[@]}" update
    (cd "$apt" && apt-get -qq "${with[@]}" --tar-only source opensm >/dev/null)
    tar -xf "$apt"/opensm_*.orig.tar.* -C "$source" --strip-components=1
}

# The origins of opensm, as lines of a list of sources.
origins() {
    apt-cache policy opensm | awk '$3 ~ "/" && /:\/\// { sub("/", " ", $3); print "deb-src", $2, $3 }' \
        | sort -u
}

patched() { # WHAT ARGUMENTS-OF-GIT-APPLY..
    # Without this, git would apply the patch to the repository around.
    GIT_CEILING_DIRECTORIES=$top git -C "$source" apply "${@:2}" "$PWD/opensm-patch/$1"
}

logged() {
    "$@" >>"$log" 2>&1 || { tail -30 "$log" >&2; die "$1 failed; all of it: $log"; }
}

say "The source"
rm -rf "$top/apt" "$source" "$root"
mkdir -p "$source"
if [[ -n ${OPENSM_TREE:-} ]]; then
    git -C "$OPENSM_TREE" archive HEAD | tar -x -C "$source"
else
    source_package
fi
version=$(sed -n 's/^AC_INIT(opensm, *\([0-9.]*\).*/\1/p' "$source"/configure.*)
[[ -n $version ]] || die "no version of OpenSM in $source"
echo "OpenSM $version"

say "The patches"
if ! grep -q osm_register_external_routing_engine "$source/include/opensm/osm_opensm.h"; then
    patched external-engine-backport.patch
    echo "external-engine-backport.patch"
fi
# 3.3.20 names the engines in other lines: its help and its manual stay as they are.
if [[ $version == 3.3.20 ]]; then
    patched autoload.patch --include=opensm/osm_opensm.c
else
    patched autoload.patch
fi
echo "autoload.patch"
patched file-engine-bounds.patch
echo "file-engine-bounds.patch"

say "Building OpenSM"
: >"$log"
(
    cd "$source"
    mkdir -p config
    logged autoreconf --force --install --include=config
    logged ./configure --prefix="$root"
    logged make -j "$jobs"
    logged make install
)
"$root/sbin/opensm" --version | grep -o 'OpenSM [0-9.]*' | head -1

say "Building the plugin against its headers, and the tool"
libraries=$(scripts/plugin-for.sh "$root")
dmodc=$(scripts/tool.sh)

# Runs the patched OpenSM once, with only these options.
opensm_with() { # FOLDER OPTIONS..
    local dir=$work/$1
    mkdir "$dir"
    attached "$dir" "$root/lib:$libraries" 120 "$root/sbin/opensm" -o -D 0x43 -f "$dir/opensm.log" \
 "${@:2}" \
        && grep -q 'SUBNET UP' "$dir/opensm.log" && return
    tail -20 "$dir/opensm.log" >&2
    die "OpenSM ${*:2} did not bring the subnet up"
}

say "opensm -R dmodc,no_fallback"
"$dmodc" generate 'PGFT(3;6,4,6;1,3,4;1,1,1)' --seed 1 --no-lids -o "$work/fabric.net"
measure "$work/fabric.net"
start_ibsim "$work/fabric.net"
opensm_with dmodc -R dmodc,no_fallback
grep -o 'dmodc: routed .*' "$work/dmodc/opensm.log" || die "the log has no line of Dmodc's"
"$dmodc" check "$work/dmodc/opensm-subnet.lst" "$work/dmodc/opensm-lfts.dump"

say "opensm -R nosuch: the reason is in the log, and the next engine has its turn"
opensm_with nosuch -R nosuch,updn
grep -o 'Failed to open event plugin "libnosuch.so".*' "$work/nosuch/opensm.log" \
    || die "the log does not say why"
grep -o 'updn tables configured on all switches' "$work/nosuch/opensm.log" \
    || die "updn did not have its turn"

say "opensm -R file: entries for LIDs above those of the subnet are left out"
"$dmodc" generate 'PGFT(2;200,3;1,3;1,1)' -o "$work/whole.net"
"$dmodc" route "$work/whole.net" --lfts "$work/whole.lfts" >/dev/null
# Leaves one host at the leaf whose hosts have the highest LIDs, which fill three blocks of 64.
"$dmodc" degrade "$work/whole.net" --remove 'node-[401-599]' -o "$work/less.net"
stop_ibsim
measure "$work/less.net"
start_ibsim "$work/less.net"
opensm_with file -R file,no_fallback -U "$work/whole.lfts"
"$dmodc" check "$work/file/opensm-subnet.lst" "$work/file/opensm-lfts.dump"
say "Done"
