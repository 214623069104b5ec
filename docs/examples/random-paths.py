#!/usr/bin/env python3
"""A routing engine: shortest paths, and where several ports lead on, one of them at random.

    dmodc compare fabric.net --engines dmodc,random=exec:docs/examples/random-paths.py
"""
import collections, functools, random, re, sys

net, lfts = sys.argv[1:]
random.seed(1)
ports = {}  # of each switch: the node behind each port
guids, places = {}, {}  # of each switch its GUID, of each LID its switch and port
for line in open(net):
    if line.startswith("switchguid="):
        guid = re.search("0x[0-9a-f]+", line)[0]
    elif node := re.match(r'(Switch|Ca|Rt)\s+\d+ "(.*?)"', line):
        kind, name = node.groups()
        if kind == "Switch":
            ports[name], guids[name] = {}, guid
            places[int(re.search(r"lid (\d+) lmc", line)[1])] = name, 0
    elif link := re.match(r'\[(\d+)\].*?"(.*?)"\[(\d+)\].*?# (?:lid (\d+))?', line):
        if kind == "Switch":
            ports[name][int(link[1])] = link[2]
        elif int(link[4]) > 0:
            places[int(link[4])] = link[2], int(link[3])


@functools.cache
def ways(target):
    """For each switch, the ports by which a packet comes nearer to a target."""
    distance, queue = {target: 0}, collections.deque([target])
    for at in iter(lambda: queue.popleft() if queue else None, None):
        for near in ports[at].values():
            if near in ports and near not in distance:
                distance[near] = distance[at] + 1
                queue.append(near)
    nearer = lambda s, to: distance.get(to) == distance[s] - 1
    return {s: [p for p, to in ports[s].items() if nearer(s, to)] for s in distance}


tables = collections.defaultdict(dict)
for lid, (target, port) in places.items():
    for switch, choices in ways(target).items():
        tables[switch][lid] = port if switch == target else random.choice(choices)
with open(lfts, "w") as out:
    for switch, guid in guids.items():
        print(f"Unicast lids [0-{max(places)}] of switch guid {guid} ('{switch}'):", file=out)
        for lid, port in sorted(tables[switch].items()):
            print(f"0x{lid:04x} {port:03}", file=out)
        print(f"{max(places)} lids dumped", file=out)
