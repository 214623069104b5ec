#!/bin/bash
# Tries the packages of target/package, made by `make deb rpm`, or of FOLDER.
#
#   scripts/package-test.sh [FOLDER]
#
# The .deb: apt installs it on a clean Debian root (debootstrap), with its dependencies. Then, on simulated
# fabrics: `dmodc compare --degrade`, the lines of its opensm.conf, and `opensm -R dmodc`. Then a purge.
# The .rpm: its requirements; then, in the same root, its plugin in this machine's OpenSM; and that its removal takes
# Dmodc out of opensm.conf. It is not installed on a Red Hat system.
# Needs root, for chroot; without, this prints that and does nothing. Exit 0: all passed, or nothing was done.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ $(id -u) -ne 0 ]]; then
    echo "package-test: skipped: a clean Debian root can be made by root alone"
    exit 0
fi
. scripts/simulated.sh

top=${1:-$PWD/target/package}
deb=$(ls -t "$top"/*.deb | head -1)
rpm=$(ls -t "$top"/*.rpm | head -1)
root=$work/root

say "A clean Debian root"
scripts/debian-root.sh target/debian-root.tar
mkdir "$root"
tar -xf target/debian-root.tar -C "$root"
# This machine's settings for the network and the mirror, if any.
for file in /etc/resolv.conf /etc/hosts /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy*; do
    [[ ! -f $file ]] || cp -L --parents "$file" "$root"
done
# No daemon starts in the root.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
cp "$deb" scripts/simulated.sh "$root/tmp"

# Runs a script in the root, with its own mounts, which end with it.
inside() { # SCRIPT
    unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /bin/bash -euo pipefail -c "$2"' \
        sh "$root" "$1"
}

say "Installing $(basename "$deb")"
inside '
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update
    apt-get -qq install --no-install-recommends /tmp/*.deb ibsim-utils man-db >/tmp/apt.log 2>&1 \
        || { tail -30 /tmp/apt.log; exit 1; }
    dpkg-query -f "\${Package} \${Version}: \${Depends}\n" -W opensm-dmodc
    dmodc --version
    man -w dmodc dmodc-route >/dev/null
    test -s /usr/share/bash-completion/completions/dmodc
    # Only one plugin has the relay, which ends OpenSM.
    test "$(grep -l dmodc_relay /usr/lib/*/libdmodc*.so)" = "$(echo /usr/lib/*/libdmodc_lab.so)"
    dmodc generate "PGFT(3;6,4,6;1,3,4;1,1,1)" --seed 1 --no-lids -o /tmp/fabric.net
'

# Runs OpenSM with its default options, except for the place of its files.
route='
    cd /tmp
    . /tmp/simulated.sh
    measure /tmp/fabric.net
    start_ibsim /tmp/fabric.net
    attached "$work" "" 120 opensm -o -R dmodc,no_fallback -D 0x43 -f "$work/opensm.log" \
        --dump_files_dir "$work" \
        || { tail -20 "$work/opensm.log"; die "OpenSM did not end well"; }
    grep -q "SUBNET UP" "$work/opensm.log"
    grep -o "dmodc: routed .*" "$work/opensm.log"
    dmodc check "$work/opensm-subnet.lst" "$work/opensm-lfts.dump" | tail -1
'

say "dmodc compare --degrade and dmodc report, as the manual shows them"
inside '
    cd /tmp
    dmodc compare fabric.net --engines dmodc,ftree+roots --degrade links --throws 2
    dmodc report results
    test -s results/report.html
'

say "A new opensm.conf, and opensm -R dmodc,no_fallback"
inside '
    dmodc setup
    test "$(grep -c "^event_plugin_name dmodc" /etc/opensm/opensm.conf)" = 1
'
inside "$route"

say "The same lines at the end of a full opensm.conf"
inside '
    rm /etc/opensm/opensm.conf
    opensm -c /etc/opensm/opensm.conf >/dev/null
    grep -q "^event_plugin_name (null)" /etc/opensm/opensm.conf
    dmodc setup
    dmodc setup
'
inside "$route"

say "Purged"
inside '
    dpkg --purge opensm-dmodc
    test -x /usr/sbin/opensm
    ! ls /usr/bin/dmodc /usr/lib/*/libdmodc*.so /usr/share/doc/opensm-dmodc 2>/dev/null
'

say "$(basename "$rpm")"
rpm -qp --requires "$rpm" | grep '^opensm = '
rpm -qpl "$rpm" | grep -E '^/usr/(bin/dmodc|lib64/libdmodc(_lab)?.so)$'
mkdir "$work/run"
rpm --root "$root" --install --nodeps "$rpm" 2>/dev/null
rpm --root "$root" --verify --nodeps opensm-dmodc
dmodc=$root/usr/bin/dmodc
measure "$root/tmp/fabric.net"
start_ibsim "$root/tmp/fabric.net"
cp packaging/opensm.conf "$work/run"
attached "$work/run" "$root/usr/lib64" 120 \
    opensm -o -F opensm.conf -R dmodc,no_fallback -D 0x43 -f "$work/run/opensm.log" \
    || { tail -20 "$work/run/opensm.log"; die "OpenSM did not end well"; }
grep -o 'dmodc: routed .*' "$work/run/opensm.log"
"$dmodc" check "$work/run/opensm-subnet.lst" "$work/run/opensm-lfts.dump" | tail -1
inside 'dmodc setup'
rpm --root "$root" --erase opensm-dmodc 2>/dev/null
[[ ! -e $dmodc ]] || die "the .rpm leaves files behind"
! grep dmodc "$root/etc/opensm/opensm.conf" || die "opensm.conf names what the .rpm has taken away"
say "Done"
