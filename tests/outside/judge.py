#!/usr/bin/env python3
"""An outside judge of forwarding tables. It shares no code with Dmodc.

judge.py tables NET LFTS                   judge the tables of one fabric
judge.py redundancy NET LFTS               count the pairs of hosts that one link or switch cuts off at all LIDs
judge.py draw SEED                         print a random fabric
judge.py histories DMODC COUNT SEED        draw fabrics and faults, route each state with DMODC, judge all tables
judge.py upkeep DMODC COUNT SEED           the same with slow and drained links beside the faults

NET has the format of ibnetdiscover, LFTS that of OpenSM's opensm-lfts.dump. The exit code is 1 if a packet from a host
ends at a dead port, at a wrong node or in a loop, if the routes of all LIDs close a cycle of channels, or if
(histories, upkeep) Dmodc counts other pairs as left out than the tables do, or changes an entry needlessly: with the
whole fabric as reference, any whose port still leads to its LID. Pulling an empty drained link must change none.
"""
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

AGGREGATION = "Mellanox Technologies Aggregation Node"
HOLE = 255


# Reading

class Fabric:
    """links: (switch, port) -> (switch, port); ends: LID -> (switch, port), port 0 for a switch's own LID;
    hosts: base LID -> (switch, port) of the hosts; switches: switch -> LID; guid_of: LID -> (port GUID, offset)."""

    def __init__(self, text):
        self.links, self.ends, self.hosts, self.switches, self.guid_of = {}, {}, {}, {}, {}
        node = description = None
        for line in text.splitlines():
            if m := re.match(r'(Switch|Ca|Rt)\s+\d+ "([^"]+)"\s+# "([^"]*)"(.*)', line):
                kind, node, description, rest = m.groups()
                if kind == "Switch":
                    lid, lmc = map(int, re.search(r'lid (\d+) lmc (\d+)', rest).groups())
                    self.switches[node] = lid
                    self.add(lid, lmc, (node, 0), "S" + node)
            elif m := re.match(r'\[(\d+)\](?:\((\w+)\))?\s+"([^"]+)"\[(\d+)\](.*)', line):
                port, guid, peer, peer_port, rest = m.groups()
                if node.startswith("S-") and peer.startswith("S-"):
                    self.links[node, int(port)] = (peer, int(peer_port))
                elif not node.startswith("S-") and peer.startswith("S-"):
                    lid, lmc = map(int, re.search(r'# lid (\d+) lmc (\d+)', rest).groups())
                    self.add(lid, lmc, (peer, int(peer_port)), guid)
                    if description != AGGREGATION:
                        self.hosts[lid] = (peer, int(peer_port))

    def add(self, lid, lmc, end, guid):
        for offset in range(1 << lmc):
            self.ends[lid + offset] = end
            self.guid_of[lid + offset] = (guid, offset)


def read_tables(text, fabric):
    """(switch, LID) -> port, without the entries "no path"."""
    by_guid = {int(name[2:], 16): name for name in fabric.switches}
    tables, switch = {}, None
    for line in text.splitlines():
        if m := re.match(r'Unicast lids \[.*\] of switch Lid \d+ guid (0x\w+)', line):
            switch = by_guid[int(m[1], 16)]
        elif m := re.match(r'0x(\w+) (\d+)', line):
            if int(m[2]) != HOLE:
                tables[switch, int(m[1], 16)] = int(m[2])
    return tables


# Judging

def ends_of(fabric, tables):
    """(switch, LID) -> how a packet from the switch to the LID ends, and after how many hops."""
    found = {}
    for lid, end in fabric.ends.items():
        for start in fabric.switches:
            way, at = [], start
            while (at, lid) not in found:
                if at in way:
                    result = ("loop", 0)
                    break
                way.append(at)
                port = tables.get((at, lid))
                if (at, port) == end:
                    result = ("arrives", -1)
                    break
                if port is None:
                    result = ("hole", -1)
                    break
                if (at, port) not in fabric.links:
                    result = ("dead port", -1)
                    break
                at = fabric.links[at, port][0]
            else:
                result = found[at, lid]
            for hops, at in enumerate(reversed(way), start=result[1] + 1):
                found[at, lid] = (result[0], hops)
    return found


def cycle(fabric, tables):
    """The channels in or behind a cycle of the channel dependency graph of all LIDs; empty if there is none."""
    follows = {}
    for (switch, lid), port in tables.items():
        there = fabric.links.get((switch, port))
        onward = there and (there[0], tables.get((there[0], lid)))
        if onward and onward in fabric.links:
            follows.setdefault((switch, port), set()).add(onward)
    waiting = Counter(after for afters in follows.values() for after in afters)
    free = [channel for channel in follows if not waiting[channel]]
    while free:
        for after in follows.pop(free.pop(), ()):
            waiting[after] -= 1
            if not waiting[after]:
                free.append(after)
    return [channel for channel in follows if waiting[channel]]


def judge_tables(fabric, tables):
    """The faults of tables, the number of pairs of host and host LID that they leave out, and `ends_of` of them."""
    found, faults, left_out = ends_of(fabric, tables), [], 0
    hosts = {fabric.guid_of[lid][0] for lid in fabric.hosts}
    for lid, (switch, port) in fabric.ends.items():
        for sender, (start, _) in fabric.hosts.items():
            what = found[start, lid][0]
            if fabric.guid_of[lid][0] in hosts:
                left_out += what == "hole"
            if what in ("loop", "dead port"):
                faults.append(f"LID {lid} from the host of LID {sender}: {what}")
    closed = cycle(fabric, tables)
    if closed:
        faults.append(f"{len(closed)} channels in cycles, {closed[0]} one of them")
    return faults, left_out, found


def used(fabric, tables):
    """The entries that packets between hosts use: (switch, LID) pairs."""
    starts = {switch for switch, _ in fabric.hosts.values()}
    hosts = {fabric.guid_of[lid][0] for lid in fabric.hosts}
    entries = set()
    for lid in fabric.ends:
        for at in starts if fabric.guid_of[lid][0] in hosts else ():
            while (at, lid) in tables and (at, lid) not in entries:
                entries.add((at, lid))
                at = fabric.links.get((at, tables[at, lid]), (at, 0))[0]
    return entries


def needless(before, after):
    """Entries between hosts that changed although their port still leads to the LID in as many hops, as (switch, LID).
    Each of `before`, `after` is a fabric, its tables and the result of `ends_of`."""
    (fabric, tables, found), (fabric2, tables2, found2) = before, after
    lids2 = {guid: lid for lid, guid in fabric2.guid_of.items()}
    moved = []
    for switch, lid in used(fabric, tables):
        port = tables[switch, lid]
        lid2 = lids2.get(fabric.guid_of[lid])
        if lid2 is None or switch not in fabric2.switches or fabric.ends[lid] != fabric2.ends[lid2]:
            continue
        if tables2.get((switch, lid2)) == port or found[switch, lid][0] != "arrives":
            continue
        there = fabric2.links.get((switch, port))
        if not there or fabric.links.get((switch, port)) != there:
            continue
        now = found2[there[0], lid2]
        if now == ("arrives", found[switch, lid][1] - 1):
            moved.append((switch, lid))
    return moved


def shared(fabric, tables):
    """Counts the pairs of hosts at two switches, the pairs where the routes to all LIDs of the receiver share a link
    between switches, and the pairs where they share a switch other than the two at the ends."""
    starts = {switch for switch, _ in fabric.hosts.values()}
    lids_of, count = {}, Counter()
    for lid, (guid, _) in fabric.guid_of.items():
        lids_of.setdefault(guid, []).append(lid)
    senders = Counter(switch for switch, _ in fabric.hosts.values())
    for base, (last, _) in fabric.hosts.items():
        for start in starts - {last}:
            links, switches = [], []
            for lid in lids_of[fabric.guid_of[base][0]]:
                at, way = start, []
                while at != last and (at, tables.get((at, lid))) in fabric.links and len(way) < 64:
                    way.append((at, tables[at, lid]))
                    at = fabric.links[way[-1]][0]
                if at == last:
                    links.append({frozenset((end, fabric.links[end])) for end in way})
                    switches.append({end[0] for end in way} - {start})
            count["pairs"] += senders[start]
            if not links or set.intersection(*links):
                count["cut by a link"] += senders[start]
            if not switches or set.intersection(*switches):
                count["cut by a switch"] += senders[start]
    return count


# Drawing

class Drawn:
    """A random tree of pods and planes, cabled by rule."""

    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.nodes, self.cables, self.where = {}, {}, {}
        self.lmc = r.choice([0, 0, 0, 1, 2])
        planes, spines = r.randint(2, 4), r.randint(1, 3)
        hosts, parallel = r.randint(2, 8), r.choice([1, 1, 2])
        self.even = r.random() < 0.5
        sizes = [r.randint(2, 5)] * r.randint(2, 4)
        if not self.even:
            sizes = [r.randint(2, 6) for _ in sizes]
        up = max(sizes) * parallel
        for plane in range(planes):
            for spine in range(spines):
                self.switch(f"spine {plane} {spine}")
        for pod, size in enumerate(sizes):
            for plane in range(planes):
                mid = self.switch(f"mid {pod} {plane}")
                for spine in range(spines):
                    self.cable(mid, up + 1 + spine, f"spine {plane} {spine}", 1 + pod)
            for leaf in range(size):
                name = self.switch(f"leaf {pod} {leaf}")
                for host in range(hosts if self.even else r.randint(1, hosts)):
                    self.host(f"host {pod} {leaf} {host}", [(name, 1 + host)])
                for plane in range(planes):
                    for link in range(parallel):
                        self.cable(name, 20 + plane * parallel + link,
                                   f"mid {pod} {plane}", 1 + leaf * parallel + link)
        # Among fewer siblings, two faults leave no majority that shows the missing equipment.
        self.regular = self.even and sizes[0] > 2 and len(sizes) > (2 if spines > 1 else 3)
        leaves = [name for name in self.nodes if name.startswith("leaf")]
        if r.random() < 0.3:
            for n, name in enumerate([n for n in self.nodes if n[0] in "lms" and not n.startswith("leaf")]):
                self.host(f"aggregation {n}", [(name, 40)], AGGREGATION)
        if r.random() < 0.3:
            for n in range(r.randint(1, 4)):
                upper = r.choice([name for name in self.nodes if name.startswith(("mid", "spine"))])
                self.host(f"gateway {n}", [(upper, 41 + n)])
                self.regular = False
        if r.random() < 0.2:
            for server in range(r.randint(1, 4)):
                rails = r.sample(leaves, min(len(leaves), r.randint(2, 4)))
                self.host(f"server {server}", [(leaf, 12 + server) for leaf in rails])
                self.regular = False
        if r.random() < 0.15:
            kind = r.choice(["leaf", "mid"])
            a, b = r.sample([name for name in self.nodes if name.startswith(kind)], 2)
            self.cable(a, 46, b, 46)
            self.regular = False
        guids = r.sample(range(1, 10000), len(self.nodes))
        self.guids = {name: 0x2c90300000000 + 0x100 * guid for name, guid in zip(self.nodes, guids)}
        self.lids, lid = {}, 4
        ports = [(name, port) for name in self.nodes
                 for port in ([0] if self.is_switch(name) else self.nodes[name])]
        r.shuffle(ports)
        for name, port in ports:
            step = 1 if port == 0 else 1 << self.lmc
            lid = -(-lid // step) * step
            self.lids[name, port] = lid
            lid += step

    def is_switch(self, name):
        return name.split()[0] in ("leaf", "mid", "spine")

    def switch(self, name):
        self.nodes[name] = list(range(1, 49))
        self.where[name] = name
        return name

    def host(self, name, ends, description=None):
        self.nodes[name] = list(range(1, len(ends) + 1))
        self.where[name] = description or name
        for port, (switch, far) in enumerate(ends, start=1):
            self.cable(name, port, switch, far)

    def cable(self, a, a_port, b, b_port):
        self.cables[a, a_port], self.cables[b, b_port] = (b, b_port), (a, a_port)

    def netlist(self, dark=frozenset(), slow=frozenset()):
        """The fabric without the cables whose ends are in `dark`; cables with an end in `slow` are at a quarter."""
        letter = {True: "S", False: "H"}
        name = {n: f'{letter[self.is_switch(n)]}-{self.guids[n]:016x}' for n in self.nodes}
        lines = []
        for node, ports in self.nodes.items():
            lit = [(p, *self.cables[node, p]) for p in ports
                   if (node, p) in self.cables and (node, p) not in dark]
            if not lit:
                continue
            guid = self.guids[node]
            if self.is_switch(node):
                lines += ["vendid=0x2c9", "devid=0xcb20", f"switchguid=0x{guid:x}({guid:x})",
                          f'Switch\t48 "{name[node]}"\t\t# "{self.where[node]}" base port 0 '
                          f'lid {self.lids[node, 0]} lmc 0']
            else:
                lines += ["vendid=0x2c9", "devid=0x1017", f"caguid=0x{guid:x}",
                          f'Ca\t{len(ports)} "{name[node]}"\t\t# "{self.where[node]}"']
            for port, far, far_port in lit:
                width = 1 if {(node, port), (far, far_port)} & slow else 4
                if self.is_switch(node):
                    guid = "" if self.is_switch(far) else f"({self.guids[far] + far_port:x})"
                    lid = self.lids[far, 0 if self.is_switch(far) else far_port]
                    lines.append(f'[{port}]\t"{name[far]}"[{far_port}]{guid}\t\t'
                                 f'# "{self.where[far]}" lid {lid} {width}xHDR')
                else:
                    lines.append(f'[{port}]({guid + port:x})\t"{name[far]}"[{far_port}]\t\t# lid '
                                 f'{self.lids[node, port]} lmc {self.lmc} "{self.where[far]}" '
                                 f'lid {self.lids[far, 0]} {width}xHDR')
            lines.append("")
        return "\n".join(lines) + "\n"

    def between(self):
        """The ends of all cables between switches."""
        return [end for end, far in self.cables.items() if self.is_switch(end[0]) and self.is_switch(far[0])]

    def faults(self):
        """A fault, drawn: its kind and the ends of the cables of a link between switches, a host or an upper switch."""
        r = self.random
        kind = r.choice(["link", "link", "host", "switch"])
        if kind == "link":
            ends = [r.choice(self.between())]
        elif kind == "host":
            node = r.choice([n for n in self.nodes if not self.is_switch(n)])
            ends = [(node, port) for port in self.nodes[node]]
        else:
            node = r.choice([n for n in self.nodes if n.startswith(("mid", "spine"))])
            ends = [end for end in self.cables if end[0] == node]
        return kind, frozenset(ends) | frozenset(self.cables[end] for end in ends)


# Histories

def route(dmodc, folder, text, drained, what, *options):
    """Routes a fabric with Dmodc: the fabric, its tables and the result of `ends_of`; and the faults found."""
    (folder / "net").write_text(text)
    (folder / "drain").write_text("".join(f"{line}\n" for line in drained))
    command = [dmodc, "route", "net", "--lfts", "lfts", "--drain", "drain", "--json", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    if done.returncode:
        return None, [f"{what}: refused: {done.stderr.strip()}"]
    fabric = Fabric(text)
    tables = read_tables((folder / "lfts").read_text(), fabric)
    faults, left_out, found = judge_tables(fabric, tables)
    wrong = [f"{what}: {fault}" for fault in faults[:3]]
    counts = json.loads(done.stdout)["left_out_pairs"]["counts"]
    told = sum(c["pairs"] for c in counts if (c["from"], c["to"]) == ("host", "host"))
    if told != left_out:
        wrong.append(f"{what}: {left_out} pairs of hosts left out, Dmodc says {told}")
    return (fabric, tables, found), wrong


def history(dmodc, folder, seed):
    """Faults and repairs of one random fabric: the faults of Dmodc's tables in all states, and counts."""
    drawn, dark, open_faults, wrong, count = Drawn(seed), frozenset(), [], [], Counter()
    first = before = whole = None
    (folder / "whole").write_text(drawn.netlist())
    by_reference = ["--reference", "whole", "--on-unreachable", "partial"]
    for state in range(8):
        if state and state < 7:
            if len(open_faults) > 2 or open_faults and drawn.random.random() < 0.3:
                kind = "repair"
                open_faults.pop(drawn.random.randrange(len(open_faults)))
            else:
                kind, ends = drawn.faults()
                open_faults.append(ends)
            dark = frozenset().union(*open_faults)
        elif state == 7:
            kind, dark = "repair", frozenset()
        what = f"seed {seed}, state {state}"
        now, faults = route(dmodc, folder, drawn.netlist(dark), [], what)
        wrong += faults
        count["states"] += 1
        if before and now:
            # Entries that earlier faults have displaced may move.
            moved = [entry for entry in needless(before, now) if first[1].get(entry) == before[1].get(entry)]
            count[f"{kind}s" if drawn.regular else f"{kind}s, irregular"] += 1
            if moved and kind in ("link", "host") and drawn.regular:
                wrong.append(f"{what}: {len(moved)} needless changes after a {kind}, {moved[0]} one of them")
            elif moved:
                count[f"needless after a {kind}" + ("" if drawn.regular else ", irregular")] += len(moved)
        known, faults = route(dmodc, folder, drawn.netlist(dark), [], what, *by_reference)
        wrong += faults
        if known:
            # With the whole fabric as reference, no entry that still leads to its LID changes, on any fabric.
            whole = whole or known
            count["states with a reference"] += 1
            if moved := needless(whole, known):
                wrong.append(f"{what}: {len(moved)} needless changes with a reference, {moved[0]} one of them")
        before, first = now, first or now
    if before and first[1] != before[1]:
        wrong.append(f"seed {seed}: other tables than at first when all is repaired")
    return wrong, count


def upkeep(dmodc, folder, seed):
    """As `history`, also with slow links, drained links and switches, and drained ones that are pulled."""
    drawn, faults, slow, drained, wrong, count = Drawn(seed), [], [], [], [], Counter()
    r, first, before = drawn.random, None, None
    for state in range(10):
        kind = "repair" if state == 9 else r.choice(["fault", "repair", "slow", "drain", "pull"]) if state else "start"
        pulled = None
        if state == 9:
            faults, slow, drained = [], [], []
        elif kind == "fault":
            faults = faults[-2:] + [drawn.faults()[1]]
        elif kind == "slow":
            slow = slow[-2:] + [r.choice(drawn.between())]
        elif kind == "drain":
            switch, port = r.choice(drawn.between())
            whole = not switch.startswith("leaf") and r.random() < 0.5
            drained = drained[-2:] + [(switch, None if whole else port)]
        elif kind == "pull" and drained:
            switch, port = drained[-1]
            pulled = {end for end in drawn.between() if end[0] == switch and port in (None, end[1])}
            faults.append(frozenset(pulled) | {drawn.cables[end] for end in pulled})
        elif kind == "repair" and (some := [of for of in (faults, slow, drained) if of]):
            r.choice(some).pop(0)
        lines = [switch if port is None else f"{switch}:{port}" for switch, port in drained]
        text = drawn.netlist(frozenset().union(*faults), frozenset(slow))
        what = f"seed {seed}, state {state}"
        now, found = route(dmodc, folder, text, lines, what)
        wrong += found
        count["states"] += 1
        if before and now and pulled:
            ends = {(f"S-{drawn.guids[switch]:016x}", port) for switch, port in faults[-1]}
            entries = used(before[0], before[1])
            carries = any((switch, before[1][switch, lid]) in ends for switch, lid in entries)
            changed = [entry for entry in entries if now[1].get(entry) != before[1][entry]]
            count["pulled, carried routes" if carries else "pulled, empty"] += 1
            if changed and not carries and drawn.regular:
                wrong.append(f"{what}: {len(changed)} changes when what carries nothing was pulled")
        before, first = now, first or now
    if before and first[1] != before[1]:
        wrong.append(f"seed {seed}: other tables than at first when all is mended")
    return wrong, count


def main(arguments):
    match arguments:
        case ["tables", net, lfts]:
            fabric = Fabric(Path(net).read_text())
            faults, left_out, _ = judge_tables(fabric, read_tables(Path(lfts).read_text(), fabric))
            print(*faults, f"{left_out} pairs of hosts left out", sep="\n")
            return bool(faults)
        case ["redundancy", net, lfts]:
            fabric = Fabric(Path(net).read_text())
            count = shared(fabric, read_tables(Path(lfts).read_text(), fabric))
            print(", ".join(f"{what} {count[what]}" for what in ("pairs", "cut by a link", "cut by a switch")))
        case ["draw", seed]:
            print(Drawn(int(seed)).netlist(), end="")
        case ["histories" | "upkeep" as kind, dmodc, count, seed]:
            wrong, counts = [], Counter()
            of_kind = history if kind == "histories" else upkeep
            with tempfile.TemporaryDirectory() as folder:
                for n in range(int(count)):
                    some, count_of = of_kind(Path(dmodc).resolve(), Path(folder), int(seed) + n)
                    wrong += some
                    counts += count_of
            print(*wrong, ", ".join(f"{n} {what}" for what, n in sorted(counts.items())), sep="\n")
            return bool(wrong)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
