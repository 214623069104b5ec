#!/bin/bash
# Makes a clean Debian root as a tar file, of the release and from the mirror of this machine:
#
#   scripts/debian-root.sh FILE.tar
#
# For the test of the packages, and for the base image of docker/ if no registry can be reached. Needs root.
# Does nothing if the file exists.
set -euo pipefail
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

file=$1
[[ ! -e $file ]] || exit 0
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-cache policy | awk -v release="n=$release," '
    /:\/\// { uri = $2 } index($0, release) { print uri; exit }')
[[ -n $mirror ]] || { echo "debian-root: apt knows no mirror: run 'apt-get update'" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/dmodc-root.XXXXXX")
trap 'rm -rf --one-file-system -- "$work"' EXIT
echo "debian-root: $release"
debootstrap --variant=minbase "$release" "$work/root" "$mirror" >"$work/log" 2>&1 \
    || { tail -20 "$work/log" >&2; exit 1; }
rm -rf "$work"/root/var/cache/apt/archives/*.deb "$work"/root/var/lib/apt/lists/*
mkdir -p "$(dirname "$file")"
tar --numeric-owner -C "$work/root" -cf "$file.part" .
mv "$file.part" "$file"
