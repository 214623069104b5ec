#!/usr/bin/env python3
"""A routing engine: shortest paths, and where several ports lead on, one of them at random.

    dmodc compare fabric.net --engines dmodc,random=exec:docs/examples/random-paths.py
"""
import collections, random, re, sys

random.seed(1)
guids, ports = {}, {}  # of each switch, by LID: its GUID, and the LID behind each port
beside = collections.defaultdict(set)  # of each LID the switches next to it
for node in open(sys.argv[1]).read().split("\n\n"):
    if found := re.search(r"switchguid=(\w+).*\nSwitch.* lid (\d+) lmc", node):
        switch, links = int(found[2]), re.findall(r"^\[(\d+)\].* lid ([1-9]\d*) ", node, re.M)
        guids[switch], ports[switch] = found[1], {int(port): int(lid) for port, lid in links}
        for lid in ports[switch].values():
            beside[lid].add(switch)
tables = {switch: {switch: 0} for switch in ports}
for target in list(beside):
    hops = {target: 0}
    for at in (reached := [target]):  # which grows meanwhile
        further = sorted(beside[at] - hops.keys())
        hops |= dict.fromkeys(further, hops[at] + 1)
        reached += further
    for switch in reached[1:]:
        ways = [port for port, lid in ports[switch].items() if hops.get(lid) == hops[switch] - 1]
        tables[switch][target] = random.choice(ways)
with open(sys.argv[2], "w") as out:
    for switch, table in tables.items():
        print(f"Unicast lids [0-{max(beside)}] of switch guid {guids[switch]}:", file=out)
        out.writelines(f"0x{lid:04x} {port:03}\n" for lid, port in sorted(table.items()))
        print(f"{max(table)} lids dumped", file=out)
