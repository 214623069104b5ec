#!/bin/bash
# Makes the packages for the OpenSM of this machine: target/package/*.deb, target/package/*.rpm. With
# SOURCE_DATE_EPOCH all files in them have that time.
#
#   scripts/package.sh deb|rpm..
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
umask 022

top=$PWD/target/package
libdir=/usr/lib/$(cc -print-multiarch)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
# The OpenSM that the plugin is built for: the version of the headers, and their package.
opensm=$(sed -n 's/^#define OSM_VERSION "OpenSM \([^"]*\)".*/\1/p' \
    "${OPENSM_INCLUDE:-/usr/include/infiniband}/opensm/osm_version.h")
opensm_package=$(dpkg-query -f '${Version}' -W opensm 2>/dev/null || true)
: "${SOURCE_DATE_EPOCH:=$(date +%s)}"
export SOURCE_DATE_EPOCH

rm -rf "$top/root"
make --no-print-directory install DESTDIR="$top/root" PREFIX=/usr LIBDIR="$libdir"
strip --strip-debug "$top/root$libdir"/libdmodc*.so "$top/root/usr/bin/dmodc"

make_deb() {
    [[ -n $opensm_package ]] || { echo "package: no package opensm on this machine" >&2; exit 1; }
    local tree=$top/deb
    rm -rf "$tree"
    cp -a "$top/root" "$tree"
    mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
    {
        echo "Under the MIT licence, below, or under /usr/share/common-licenses/Apache-2.0, at your choice."
        echo
        cat LICENSE-MIT
    } >"$tree/usr/share/doc/opensm-dmodc/copyright"
    gzip -9n "$tree"/usr/share/man/man1/*
    # The libraries that the programs need, as Debian names them; dpkg-shlibdeps needs a source package around.
    mkdir -p "$top/shlibs/debian"
    : >"$top/shlibs/debian/control"
    local libraries
    libraries=$(cd "$top/shlibs" && dpkg-shlibdeps -O -e"$tree/usr/bin/dmodc" -e"$tree$libdir/libdmodc.so" \
        -e"$tree$libdir/libdmodc_lab.so" \
        2>/dev/null | sed -n 's/^shlibs:Depends=//p')
    local files size architecture
    files=$(cd "$tree" && find usr -type f | LC_ALL=C sort)
    # In KiB, of the files alone: the size of folders differs between file systems.
    size=$(cd "$tree" && stat --format=%s $files | awk '{ all += $1 } END { print int((all + 1023) / 1024) }')
    architecture=$(dpkg --print-architecture)
    mkdir "$tree/DEBIAN"
    (cd "$tree" && xargs md5sum <<<"$files" >DEBIAN/md5sums)
    sed -e "s|@VERSION@|$version|; s|@OPENSM_PACKAGE@|$opensm_package|; s|@LIBRARIES@|$libraries|" \
        -e "s|@ARCHITECTURE@|$architecture|; s|@SIZE@|$size|" packaging/control.in >"$tree/DEBIAN/control"
    # An opensm.conf that names a plugin which is gone makes OpenSM log an error at each start.
    printf '%s\n' '#!/bin/sh' 'set -e' \
        'if [ "$1" = remove ]; then /usr/bin/dmodc setup --remove >/dev/null || true; fi' >"$tree/DEBIAN/prerm"
    chmod 755 "$tree/DEBIAN/prerm"
    local package=$top/opensm-dmodc_$version-1_$architecture.deb
    dpkg-deb --root-owner-group --build "$tree" "$package" >/dev/null
    echo "$package"
}

make_rpm() {
    rm -rf "$top/rpm"
    # Nothing of this machine or this hour goes into the package: names, times, build identifiers.
    rpmbuild -bb --quiet --define "_topdir $top/rpm" --define "_rpmdir $top" \
        --define "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
        --define "_buildhost localhost" --define "_build_id_links none" --define "debug_package %{nil}" \
        --define "__os_install_post %{nil}" --define "use_source_date_epoch_as_buildtime 1" \
        --define "clamp_mtime_to_source_date_epoch 1" --define "_binary_payload w9.gzdio" \
        --define "version $version" --define "opensm_version $opensm" \
        --define "stage $top/root" --define "library_folder $libdir" packaging/opensm-dmodc.spec
    echo "$top"/opensm-dmodc-"$version"-*.rpm
}

for kind; do
    case $kind in
        deb | rpm) "make_$kind" ;;
        *) echo "package: there is no package of kind '$kind'" >&2; exit 2 ;;
    esac
done
