#!/bin/bash
# Makes the release of the commit that is checked out, in target/release-VERSION: the packages for the OpenSM of this
# machine, the source archive, what they were built with, and SHA256SUMS. It builds twice from the archive, in folders
# of different names and lengths, and wants the same bytes; then it tries the packages (package-test.sh).
#
# The version is that of Cargo.toml, and the changelog begins with it. Exit 0: all of this holds.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C TZ=UTC

say() { printf '\n== %s\n' "$*"; }
die() { printf 'release: %s\n' "$*" >&2; exit 1; }

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
name=opensm-dmodc-$version
out=$PWD/target/release-$version
[[ -z $(git status --porcelain) ]] || die "commit or remove first: $(git status --short | head -3)"
[[ $(sed -n '/^## /{s/^## //p;q}' CHANGELOG.md) == "$version"* ]] || die "CHANGELOG.md does not begin with $version"
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH

work=$(mktemp -d "${TMPDIR:-/tmp}/dmodc-release.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"

say "$name.tar.gz"
git archive --prefix="$name/" "$commit" | gzip -9n >"$out/$name.tar.gz"

# Builds the packages from the archive in a folder, and leaves them in its packages/.
build() { # FOLDER
    local flags
    mkdir -p "$1"
    tar -xzf "$out/$name.tar.gz" -C "$1"
    # The names of folders stand in messages of panics and where lines are for backtraces.
    printf -v flags '%s\x1f%s' "--remap-path-prefix=$1/$name=$name" \
        "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
    env -u CARGO_TARGET_DIR CARGO_ENCODED_RUSTFLAGS="$flags" make --no-print-directory -C "$1/$name" deb rpm
    mkdir "$1/packages"
    cp "$1/$name"/target/package/*.{deb,rpm} "$1/packages"
}

say "The packages"
build "$work/first"
cp "$work"/first/packages/* "$out"

say "The same once more, in another folder"
build "$work/the-second-one/in/a/deeper/folder"
for package in "$work"/first/packages/*; do
    cmp "$package" "$work/the-second-one/in/a/deeper/folder/packages/${package##*/}" \
        || die "${package##*/} is not reproducible"
    echo "${package##*/}: the same bytes"
done

{
    echo "commit $commit"
    echo "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH"
    rustc --version
    dpkg-query -f '${Package} ${Version}\n' -W libopensm-dev libibumad-dev libc6-dev gcc binutils dpkg rpm gzip
} >"$out/BUILT-WITH"
(cd "$out" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)

scripts/package-test.sh "$out"
say "$out"
cat "$out/SHA256SUMS"
