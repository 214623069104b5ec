#!/bin/bash
# Makes the release of the commit that is checked out, in target/release-VERSION: the packages for the OpenSM of this
# machine, the source archive, the rows of docs/results, what they were built with, and SHA256SUMS. It builds twice from
# the archive, in folders of different names and lengths, and fails unless the bytes are the same; then it tests the
# packages (package-test.sh).
#
# The version is from Cargo.toml, and the changelog has to begin with it. Exit 0: all of this holds.
#
# A release: set `version` in Cargo.toml, crates/python/Cargo.toml, CITATION.cff and packaging/switching.md, and begin
# CHANGELOG.md with it. Then `make check`, `make nightly`, `make versions` (results into docs/support.md), and the long
# forms of docs/reliability.md that the changes need. Commit, run `make release` (root), and tag that commit.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C TZ=UTC
# The build settings of this environment are not for the release.
unset RUSTFLAGS RUSTC_WRAPPER "${!CARGO_BUILD_@}" "${!CARGO_PROFILE_@}" "${!CARGO_TARGET_@}"

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

first=$(mktemp -d "${TMPDIR:-/tmp}/dmodc-release.XXXXXX")
second=$(mktemp -d /var/tmp/dmodc-release-the-second-one.XXXXXX)/in/a/deeper/folder
trap 'rm -rf -- "$first" "${second%/in/*}"' EXIT
rm -rf "$out"
mkdir -p "$out"

# Makes the source archive, builds the packages from it in a folder, and puts all into the folder's made/.
build() { # FOLDER
    local flags
    mkdir -p "$1/made"
    git -c tar.umask=0022 archive --prefix="$name/" "$commit" | gzip -9n >"$1/made/$name.tar.gz"
    tar -xzf "$1/made/$name.tar.gz" -C "$1"
    # Messages of panics, and the line tables for backtraces, have the names of folders.
    printf -v flags '%s\x1f%s' "--remap-path-prefix=$1/$name=$name" \
        "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
    CARGO_ENCODED_RUSTFLAGS=$flags make --no-print-directory -C "$1/$name" CARGO='cargo --locked' deb rpm
    cp "$1/$name"/target/package/*.{deb,rpm} "$1/made"
}

say "$name.tar.gz and the packages"
build "$first"
cp "$first"/made/* "$out"
cp docs/results/rows.tar.gz "$out/$name-results.tar.gz"

say "The same once more, in another folder"
build "$second"
for made in "$first"/made/*; do
    cmp "$made" "$second/made/${made##*/}" || die "${made##*/} is not reproducible"
    echo "${made##*/}: the same bytes"
done

{
    echo "commit $commit"
    echo "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH"
    rustc --version
    cargo --version
    git --version
    # Any libclang here may be the one with which bindgen has read the headers.
    { dpkg-query -f '${Package} ${Version}\n' -W libopensm-dev libibumad-dev libc6-dev gcc binutils dpkg rpm gzip \
        'clang-[0-9]*' 'libclang1-*' 2>/dev/null || true; } | grep ' .'
} >"$out/BUILT-WITH"
(cd "$out" && sha256sum -- * >"$first/sums" && mv "$first/sums" SHA256SUMS)

scripts/package-test.sh "$out"
say "$out"
cat "$out/SHA256SUMS"
