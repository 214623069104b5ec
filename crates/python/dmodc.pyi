"""Dmodc fat-tree routing: fabrics, forwarding tables, and the figures to judge them by.

An index into the columns of a `Fabric` identifies a switch, an end node or a port. Arrays are read-only: numpy reads
the library's memory without a copy. An oddity in a file gives a `UserWarning`, or with `strict` a `ValueError`.
"""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, final, type_check_only

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

NO_PATH: int
"""The entry of a LID that has no route: 255."""

@type_check_only
class Switches(TypedDict):
    """Switches in ascending order of GUID."""

    guid: NDArray[np.uint64]
    lid: NDArray[np.uint16]
    ports: NDArray[np.uint8]
    name: list[str]

@type_check_only
class Nodes(TypedDict):
    """End nodes in ascending order of switch and port. Each port of a host is an end node."""

    guid: NDArray[np.uint64]
    lid: NDArray[np.uint16]
    switch: NDArray[np.uint32]
    port: NDArray[np.uint8]
    kind: list[Literal["host", "router", "aggregation"]]
    name: list[str]

@type_check_only
class Ports(TypedDict):
    """Ports with a link to another switch, in ascending order of switch and port."""

    switch: NDArray[np.uint32]
    port: NDArray[np.uint8]
    to: NDArray[np.uint32]
    to_port: NDArray[np.uint8]
    mbps: NDArray[np.uint32]
    """Megabits per second; 0 if it is unknown."""
    capacity: NDArray[np.float64]
    """The speed of the link as a fraction of the fastest link's; an unknown speed counts as the most common one."""

@type_check_only
class JudgedPorts(Ports):
    """The columns of `dmodc analyze --ports`."""

    sources: NDArray[np.uint32]
    destinations: NDArray[np.uint32]
    risk: NDArray[np.uint32]
    exact: NDArray[np.uint32]
    exact_capacity: NDArray[np.float64]

@final
class Fabric:
    """A fabric: switches, end nodes and links."""

    @property
    def switches(self) -> Switches: ...
    @property
    def nodes(self) -> Nodes: ...
    @property
    def ports(self) -> Ports: ...
    def degraded(self, what: Literal["links", "switches", "slow"], count: int, seed: int) -> Fabric:
        """Without `count` random links or switches, or with slow links: as `dmodc degrade` and `dmodc compare --degrade`."""

    def write(self, path: str | PathLike[str]) -> None:
        """Writes a netlist; packed if the name ends in `.gz`."""

@final
class Tables:
    """The forwarding tables of all switches: a row for each switch, a column for each LID."""

    def __new__(cls, fabric: Fabric, entries: NDArray[np.uint8]) -> Self:
        """Makes tables from an array of entries, which is copied."""

    @property
    def entries(self) -> NDArray[np.uint8]:
        """Output ports by switch and LID: 0 is the switch itself, `NO_PATH` no route. Also `numpy.asarray(tables)`."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def write(self, path: str | PathLike[str], fabric: Fabric, *, plain: bool = False) -> None:
        """Writes the tables as an opensm-lfts.dump; `plain`: without comments. Packed if the name ends in `.gz`."""

@final
class Options:
    """The options of `dmodc route`. `reference` is a file, GUIDs are numbers; `drain` has the lines of the tool's file of
    drained links: `SWITCH` or `SWITCH:PORT`, by name, GUID or LID. A line that names no link gives a `UserWarning`."""

    def __new__(
        cls,
        *,
        faults: Literal["stable", "paper"] = "stable",
        capacity: Literal["use", "ignore"] = "use",
        on_unreachable: Literal["connect", "partial", "fail"] = "connect",
        connect_roots: bool = False,
        reference: str | PathLike[str] | None = None,
        root_guids: Sequence[int] = ...,
        cn_guids: Sequence[int] = ...,
        io_guids: Sequence[int] = ...,
        drain: Sequence[str] = ...,
    ) -> Self: ...

@final
class Routed:
    """The tables that Dmodc computes for a fabric, the order of its end nodes, and counts."""

    @property
    def tables(self) -> Tables: ...
    @property
    def order(self) -> NDArray[np.uint32]:
        """End nodes in the order of their topological NIDs."""

    @property
    def summary(self) -> dict[str, int]:
        """The counts of `dmodc route --json`."""

def read(path: str | PathLike[str], *, lmc: int | None = None, strict: bool = False) -> Fabric:
    """Reads a netlist of ibnetdiscover or ibsim, or an opensm-subnet.lst, packed or not."""

def generate(shape: str, *, seed: int | None = None) -> Fabric:
    """Makes a fat-tree: `generate("PGFT(3;8,6,8;1,4,6;1,1,1)", seed=1)`. A seed shuffles GUIDs and LIDs."""

def read_tables(path: str | PathLike[str], fabric: Fabric, *, strict: bool = False) -> Tables:
    """Reads tables of a fabric: opensm-lfts.dump, .fdbs or ibdiagnet2.far, packed or not."""

def route(fabric: Fabric, options: Options | None = None, *, threads: int = 0) -> Routed:
    """Routes a fabric. 0 threads: one for each processor. A fabric that is no tree raises a `ValueError`."""

def check(fabric: Fabric, tables: Tables, options: Options | None = None) -> dict[str, Any]:
    """Checks delivery, minimality, turns and credit loops: the counts of `dmodc check --json`."""

def analyze(
    fabric: Fabric,
    tables: Tables,
    patterns: Sequence[str] | None = None,
    *,
    order: Sequence[int] | NDArray[np.uint32] | None = None,
    pairs: Sequence[tuple[int, int]] | None = None,
    exact: bool = False,
    both: bool = False,
    permutations: int = 1000,
    seed: int = 1,
    options: Options | None = None,
) -> dict[str, Any]:
    """Computes congestion risk, bandwidth and rates of traffic patterns: the keys of `dmodc analyze --json`.

    Patterns: a2a, rp, sp (these three if none is given), cn2io and io2cn (of the node types of the options), ebb;
    and the traffic of a program as `pairs` of end nodes. End nodes that are not in `order` take no part.
    Each risk has an array by port beside it, in the order of `Fabric.ports`, such as `a2a_by_port`. The figures of
    `pairs` contain `flows_by_port` and `least_rate_by_port`; the latter is NaN for a port without flows.
    """

def ports(
    fabric: Fabric,
    tables: Tables,
    *,
    order: Sequence[int] | NDArray[np.uint32] | None = None,
    options: Options | None = None,
) -> JudgedPorts:
    """Counts the load of each port by all to all and by the worst permutation: the columns of `dmodc analyze --ports`."""
