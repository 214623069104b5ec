"""Compares the module with the tool: figures, tables and faults are the same. DMODC_TOOL is the path of the tool."""

import csv
import json
import math
import os
import pathlib
import subprocess
import warnings

import numpy as np
import pytest

import dmodc

TOP = pathlib.Path(__file__).parents[3]
TREES = [TOP / f"tests/data/production/{name}.ibnetdiscover" for name in ("gpu-cluster-206sw", "irregular-11sw", "small-2sw")]
RING = TOP / "tests/data/production/ring-4sw.ibnetdiscover"
FIGURE_1 = "PGFT(3;2,2,3;1,2,2;1,2,1)"


def tool(*args):
    """Runs the tool and returns its output. Exit code 1, for bad tables, is no failure."""
    run = subprocess.run([os.environ["DMODC_TOOL"], *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout


def same(found, told):
    """Asserts that the module's figures have all figures of the tool, except keys that only the tool has."""
    own = ("seconds", "_ports", "credit_loop", "left_out_pairs", "details", "wiring", "drained", "threads", "phases", "worst")
    keys = [key for key in told if key not in own and not key.endswith("_ports")]
    assert len(keys) > 3
    for key in keys:
        if isinstance(told[key], dict):
            same(found[key], told[key])
        elif isinstance(told[key], float):
            assert math.isclose(found[key], told[key], rel_tol=1e-12), key
        else:
            assert found[key] == told[key], key


@pytest.fixture(params=TREES, ids=lambda path: path.stem)
def net(request):
    return request.param


@pytest.fixture
def fabric(net):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dmodc.read(net)


def test_routes_as_the_tool_does(net, fabric, tmp_path):
    told = json.loads(tool("route", net, "--lfts", tmp_path / "tool.lfts", "--json"))
    routed = dmodc.route(fabric)
    same(routed.summary, told)
    routed.tables.write(tmp_path / "ours.lfts", fabric)
    assert (tmp_path / "ours.lfts").read_bytes() == (tmp_path / "tool.lfts").read_bytes()
    read = dmodc.read_tables(tmp_path / "tool.lfts", fabric)
    assert np.array_equal(read.entries, routed.tables.entries)
    paper = dmodc.route(fabric, dmodc.Options(faults="paper"), threads=1)
    tool("route", net, "--lfts", tmp_path / "paper.lfts", "--faults", "paper")
    assert np.array_equal(paper.tables.entries, dmodc.read_tables(tmp_path / "paper.lfts", fabric).entries)


def test_checks_and_analyzes_as_the_tool_does(net, fabric, tmp_path):
    lfts, rows = tmp_path / "lfts", tmp_path / "ports.csv"
    tables = dmodc.route(fabric).tables
    tables.write(lfts, fabric, plain=True)
    same(dmodc.check(fabric, tables), json.loads(tool("check", net, lfts, "--json")))
    patterns = ["a2a", "rp", "sp", "ebb"]
    # By GUID: descriptions may be ambiguous. Aggregation nodes take no part in patterns.
    hosts = [node for node, kind in enumerate(fabric.nodes["kind"]) if kind != "aggregation"]
    ring = list(zip(hosts, hosts[1:] + hosts[:1]))
    file = tmp_path / "ring"
    guids = fabric.nodes["guid"]
    file.write_text("".join(f"0x{guids[a]:016x}\t0x{guids[b]:016x}\n" for a, b in ring))
    told = ["--patterns", ",".join([*patterns, f"pairs:{file}"]), "--exact", "--permutations", 20, "--ports", rows, "--json"]
    told = json.loads(tool("analyze", net, lfts, *told))
    found = dmodc.analyze(fabric, tables, patterns, pairs=ring, exact=True, permutations=20)
    same(found, told)
    ports = dmodc.ports(fabric, tables)
    with open(rows) as file:
        told = list(csv.DictReader(file))
    for column in ("port", "to_port", "sources", "destinations", "risk", "exact", "capacity", "exact_capacity"):
        assert np.array_equal(ports[column], [float(row[column]) for row in told]), column
    guids = fabric.switches["guid"]
    for column, told_as in (("switch", "switch_guid"), ("to", "to_guid")):
        assert np.array_equal(guids[ports[column]], [int(row[told_as], 16) for row in told])
    pairs = found["pairs"]
    assert np.array_equal(pairs["flows_by_port"], [int(row["pairs_flows"]) for row in told])
    rates = [float(row["pairs_rate"] or "nan") for row in told]
    assert np.array_equal(pairs["least_rate_by_port"], rates, equal_nan=True)
    assert np.array_equal(found["a2a_by_port"], ports["risk"])


def test_drains_links_and_tells_types_apart_as_the_tool_does(tmp_path):
    net, file, guids = tmp_path / "net", tmp_path / "drain", tmp_path / "guids"
    tool("generate", "PGFT(3;4,4,3;1,2,3;1,1,1)", "--seed", 2, "-o", net)
    fabric = dmodc.read(net)
    drain = ["L3-0", "L1-2:5"]
    file.write_text("\n".join(drain))
    io = fabric.nodes["guid"][::5]
    guids.write_text("".join(f"{guid:#x}\n" for guid in io))
    lfts, files = tmp_path / "lfts", ["--drain", file, "--io-guids", guids]
    told = json.loads(tool("route", net, *files, "--lfts", lfts, "--json"))
    options = dmodc.Options(drain=drain, io_guids=io)
    routed = dmodc.route(fabric, options)
    same(routed.summary, told)
    assert np.array_equal(routed.tables.entries, dmodc.read_tables(lfts, fabric).entries)
    assert not np.array_equal(routed.tables.entries, dmodc.route(fabric).tables.entries)
    patterns = ["a2a", "cn2io", "io2cn"]
    told = json.loads(tool("analyze", net, lfts, *files, "--patterns", ",".join(patterns), "--json"))
    found = dmodc.analyze(fabric, routed.tables, patterns, options=options)
    same(found, told)
    whole = dmodc.analyze(fabric, routed.tables, ["a2a"])
    assert found["bound"] > whole["bound"], "what is drained carries nothing"
    with pytest.warns(UserWarning, match="drain:1: this line drains nothing"):
        dmodc.route(fabric, dmodc.Options(drain=["L9-9"]))
    with pytest.raises(ValueError, match="cn_guids, io_guids or both"):
        dmodc.analyze(fabric, routed.tables, ["cn2io"])


def test_spoilt_tables_are_found_out(net, fabric):
    entries = np.array(dmodc.route(fabric).tables.entries)
    entries[:, fabric.nodes["lid"][0]] = dmodc.NO_PATH
    found = dmodc.check(fabric, dmodc.Tables(fabric, entries))
    assert not found["passed"] and found["undelivered"] > 0


@pytest.mark.parametrize("what", ["links", "switches"])
def test_faults_are_those_of_the_tool(what, tmp_path):
    whole, less, ours = tmp_path / "whole", tmp_path / "less", tmp_path / "ours"
    tool("generate", "PGFT(3;4,4,3;1,2,3;1,1,1)", "--seed", 2, "-o", whole)
    tool("degrade", whole, f"--{what}", 4, "--seed", 3, "-o", less)
    dmodc.read(whole).degraded(what, 4, 3).write(ours)
    assert ours.read_bytes() == less.read_bytes()


def test_arrays_are_the_library_s_memory():
    fabric = dmodc.generate(FIGURE_1)
    routed = dmodc.route(fabric)
    first, second = routed.tables.entries, np.asarray(routed.tables)
    assert np.shares_memory(first, second) and not first.flags.writeable
    assert first.dtype == np.uint8 and first.shape == (16, 29)
    # The memory lives as long as an array that uses it.
    before = first.copy()
    del routed, second
    assert np.array_equal(first, before)
    ports, nodes = fabric.ports, fabric.nodes
    assert len(ports["port"]) == 72 and set(nodes["kind"]) == {"host"}
    assert sorted(dmodc.route(fabric).order) == list(range(12))
    assert (ports["capacity"] == 1).all() and (ports["mbps"] == 100_000).all()


def test_an_order_and_pairs():
    fabric = dmodc.generate("PGFT(2;4,2;1,1;1,1)")
    routed = dmodc.route(fabric)
    order = np.argsort(fabric.nodes["lid"])
    # Two leaves with one link each: two flows from one leaf to the other share it.
    found = dmodc.analyze(fabric, routed.tables, [], pairs=[(order[0], order[4]), (order[1], order[5])])
    assert found["pairs"]["flows_at_worst_port"] == 2 and found["pairs"]["rates"]["mean"] == 0.5
    few = dmodc.analyze(fabric, routed.tables, ["a2a"], order=order[:4])
    assert (few["taking_part"], few["a2a"]) == (4, 0)
    for wrong in ([0, 0], [99]):
        with pytest.raises(ValueError, match="the order has no node"):
            dmodc.analyze(fabric, routed.tables, order=wrong)


def test_what_is_wrong_is_told(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        dmodc.read("nowhere")
    with pytest.raises(ValueError, match="not a tree"):
        dmodc.route(dmodc.read(RING))
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError, match="empty"):
        dmodc.read(tmp_path / "empty")
    fabric, other = dmodc.generate(FIGURE_1), dmodc.generate("PGFT(2;4,2;1,1;1,1)")
    with pytest.raises(ValueError, match="16 switches for a fabric of 3"):
        dmodc.check(other, dmodc.route(fabric).tables)
    with pytest.raises(ValueError, match=r"uint8 of the shape \(16, 29\)"):
        dmodc.Tables(fabric, np.zeros((16, 29)))
    for wrong in (lambda: dmodc.Options(faults="x"), lambda: dmodc.analyze(fabric, dmodc.route(fabric).tables, ["x"])):
        with pytest.raises(ValueError):
            wrong()


def test_odd_lines_are_warnings(tmp_path):
    odd = tmp_path / "odd"
    dmodc.generate(FIGURE_1).write(odd)
    lines = odd.read_text().splitlines(keepends=True)
    # Removes the line of one side of a link.
    at = next(i for i, line in enumerate(lines) if line.startswith("["))
    odd.write_text("".join(lines[:at] + lines[at + 1 :]))
    with pytest.warns(UserWarning, match="odd:"):
        fabric = dmodc.read(odd)
    assert len(fabric.ports["port"]) == 72
    with pytest.raises(ValueError, match="odd:"):
        dmodc.read(odd, strict=True)


def test_the_notebook_runs(capsys):
    cells = json.loads((TOP / "crates/python/example.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert sum(len(cell.splitlines()) for cell in code) <= 35
    names: dict[str, object] = {}
    for cell in code:
        exec(cell, names)
    assert "random" in capsys.readouterr().out
