"""Any number, in any field of the schema that takes one, is borne by every rule, layer and command.

Each text of the fuzzer's seeds, and a small net for each type of layer, gets each of the numbers in each field of each
of its blocks: in place of the value that it has, or beside the others.
"""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import fuzz
import pytest
from seeds import SEED, draws
from targets import command

import caffelint
from caffelint.caffe.layers import REGISTRY
from caffelint.caffe.learning_rate import schedule
from caffelint.evidence.data import example as data_sets
from caffelint.evidence.data.table import as_json
from caffelint.evidence.data.told import lines_of
from caffelint.evidence.weights import examples
from caffelint.fix.finite import PatchError, insert_checks
from caffelint.fix.upgrade import upgrade_text
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.lint.summary import summarize
from caffelint.report import lr_table, summary_table
from caffelint.schema import NetParameter, SolverParameter
from caffelint.smoke.inputs import Unplanned
from caffelint.smoke.prepare import Wishes, prepare
from caffelint.smoke.project import NoProject, load_project
from caffelint.text.parser import parse
from caffelint.text.tree import LIST, MESSAGE, Field
from caffelint.text.visible import json_text

WHOLE = ("0", "-0", "-1", "7", "-7", "65536", "2147483647", "2147483648", "-2147483648", "4294967295", "4294967296")
HUGE = ("9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "9" * 5000)
FRACTIONS = ("inf", "-inf", "nan", "-nan", "-0.0", "1e30", "-1e30", "1e-45", "1e400", "0.5", "-0.5", "3.4028235e38")
HOSTS = 6
"""How many texts stand for one field."""
NET = b"""layer { name: "in" type: "Input" top: "a" top: "b" input_param { shape { dim: 2 dim: 3 dim: 8 dim: 8 } } }
layer { name: "ip" type: "InnerProduct" bottom: "a" top: "c" inner_product_param { num_output: 4 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "b" top: "l" }
"""
SOLVER = b'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 100\n'
RECORDS = "image 3x8x8 0 9 255; label 1; data 3 1.5; a 1 2; b 1\n" * 3
MODEL = """layer { name: "ip" type: "InnerProduct" blobs { shape { dim: 4 dim: 192 } data: 1 } }
layer { name: "x" type: "Convolution" blobs { shape { dim: 2 } data: nan data: inf } }"""
STATE = "iter: 7 current_step: 2 history { shape { dim: 4 } data: 0 data: 1e38 data: -1 data: nan }"
LOG = b"""I1122 13:16:46.529170 26160 solver.cpp:45] Initializing solver from parameters:
%s
I1122 13:16:46.530019 26160 net.cpp:53] Initializing net from parameters:
%s
I1122 13:16:46.546519 26160 solver.cpp:218] Iteration 0 (0 iter/s, 0.005s/5 iters), loss = 2.3
I1122 13:16:46.546526 26160 solver.cpp:237]     Train net output #0: l = 2.3 (* 1 = 2.3 loss)
I1122 13:16:46.546530 26160 sgd_solver.cpp:105] Iteration 0, lr = 0.01
I1122 13:16:46.556519 26160 solver.cpp:218] Iteration 5 (0 iter/s, 0.005s/5 iters), loss = nan
"""


class Spot(NamedTuple):
    """A block of a text, the whole of it included, and a field that it may hold, by its message and name."""

    data: bytes
    block: Field
    field: str


def _hosts() -> Iterator[bytes]:
    yield NET
    yield SOLVER
    for type_, layer_class in sorted(REGISTRY.items()):
        for bottoms in ("", 'bottom: "a"', 'bottom: "a" bottom: "b"', 'bottom: "c" bottom: "b" bottom: "a"'):
            block = f" {layer_class.block} {{ }}" if layer_class.block else ""
            yield NET + f'layer {{ name: "x" type: "{type_}" {bottoms} top: "y"{block} param {{ }} }}\n'.encode()
    yield from fuzz.seeds("prototxt")


@lru_cache
def spots() -> dict[str, list[Spot]]:
    """For each field of the schema that takes a number, where it may stand."""
    found: dict[str, list[Spot]] = {}
    for data in _hosts():
        document = parse(data)
        root = SolverParameter if b"lr_policy" in data or b"base_lr" in data else NetParameter
        seen = set()
        pending: list[tuple[Field, Any]] = [(document.root, root.DESCRIPTOR)]
        while pending:
            block, descriptor = pending.pop()
            for field in descriptor.fields:
                key = f"{descriptor.name}.{field.name}"
                if field.cpp_type <= field.CPPTYPE_FLOAT and key not in seen:
                    seen.add(key)
                    found.setdefault(key, []).append(Spot(data, block, field.name))
            for inner in block.fields:
                known = descriptor.fields_by_name.get(inner.name)
                if known is not None and known.message_type and inner.kind in (MESSAGE, LIST):
                    blocks = [inner] if inner.kind == MESSAGE else [one for one in inner.fields if one.kind == MESSAGE]
                    pending += [(one, known.message_type) for one in blocks]
    return found


def texts(chance: random.Random, most: int) -> Iterator[bytes]:
    """For each field up to so many hosts, each with every number, all in no order."""
    chosen = [
        (spot, number)
        for _, all_spots in sorted(spots().items())
        for spot in chance.sample(all_spots, min(most, len(all_spots)))
        for number in (*WHOLE, *HUGE, *FRACTIONS)
    ]
    chance.shuffle(chosen)
    for spot, number in chosen:
        yield with_number(spot, number)


def with_number(spot: Spot, number: str) -> bytes:
    data, block, name = spot
    there = block.first(name)
    if there is not None:
        return data[: there.value_start] + number.encode() + data[there.end :]
    at = block.value_start + (data[block.value_start : block.value_start + 1] in (b"{", b"<") and block.name != "")
    return data[:at] + f" {name}: {number} ".encode() + data[at:]


def bear(data: bytes, folder: Path) -> None:
    """Do all with a text that reads numbers."""
    report = caffelint.check_text(data, config=with_preview())
    assert not report.failures, report.failures[0].message
    for summary in summarize(data, "net.prototxt"):
        summary_table.write(summary, io.StringIO())
        summary.as_json()
    file = load(data)
    if file.solver:
        for limit in (1, 1000, 2**31 - 1):
            lr_table.write(schedule(file.solver.message), "solver", limit, io.StringIO(), 60)
    upgrade_text(data, "net.prototxt")
    for where in ("all", "suspects", "losses"):
        with contextlib.suppress(PatchError):
            insert_checks(data, where)
    (folder / "net.prototxt").write_bytes(NET if file.solver else data)
    (folder / "solver.prototxt").write_bytes(data if file.solver else SOLVER)
    report = caffelint.check([folder / "solver.prototxt"], with_preview())
    assert not report.failures, report.failures[0].message
    command("scales", "--isolated", "solver.prototxt")
    command("scales", "--isolated", "--format", "json", "--what-if", "base_lr=1e30", "solver.prototxt")
    command("lr", "--suggest", "solver.prototxt")
    _bear_evidence(data, bool(file.solver))
    (folder / "work").mkdir(exist_ok=True)
    with contextlib.suppress(NoProject, Unplanned):
        prepare(load_project(str(folder / "solver.prototxt"), Config()), Wishes(iterations=3), folder / "work")


def _bear_evidence(data: bytes, is_solver: bool) -> None:
    """Hold data sets, weights and a log against a text."""
    solver, net = (data, NET) if is_solver else (SOLVER, data)
    files = {"solver.prototxt": solver.decode("latin-1"), "net.prototxt": net.decode("latin-1")}
    checker = Checker(with_preview())
    found = data_sets.evidence_of(_WithRecords(files))
    checker.evidence("dataset", found, {})
    json_text([*lines_of(found), *as_json(found)])
    weights = examples.evidence_of({**files, "m.caffemodel": MODEL, "s.solverstate": STATE})
    checker.evidence("weights", weights, {})
    Path("train.log").write_bytes(LOG % (solver, net))
    command("log", "--isolated", "-q", "train.log")


class _WithRecords(dict[str, str]):
    """Files, and the same records for any source that a net names."""

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name, RECORDS)


def with_preview() -> Config:
    config = Config()
    config.preview, config.cache, config.jobs = True, False, 1
    return config


def hold(chance: random.Random, hosts: int, most: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    failed: dict[str, bytes] = {}
    for number, data in enumerate(texts(chance, hosts)):
        if number == most:
            break
        if reason := fuzz.attempt(lambda data: bear(data, folder), data):
            failed.setdefault(reason.strip().splitlines()[-1], data)
    assert not failed, "\n".join(f"{reason}: {data.decode('latin-1')[:1000]}" for reason, data in failed.items())


def test_most_fields_have_a_host() -> None:
    """But those of messages that only forks have, which no seed holds."""
    assert len(spots()) > 800


def test_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample, or all of them at night."""
    hold(random.Random(SEED), draws(1, HOSTS), draws(250, 1 << 31), tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "layer",
    [
        'type: "Power" bottom: "a" top: "y" power_param { power: inf }',
        'type: "Upsample" bottom: "a" top: "y" upsample_param { scale: nan }',
        'type: "EuclideanLoss" bottom: "a" bottom: "b" top: "y" loss_weight: inf loss_weight: inf',
        f'type: "Python" bottom: "c" top: "y" python_param {{ module: "m" layer: "l" param_str: "{"9" * 5000}" }}',
        f'type: "ReLU" bottom: "c" top: "y" top: "z" name: "x_{"9" * 5000}"',
        'type: "BatchNorm" bottom: "a" top: "y"' + " param { lr_mult: inf decay_mult: nan }" * 3,
        'type: "BatchNorm" bottom: "a" top: "y" batch_norm_param { use_global_stats: true eps: -1 }',
        f'type: "Pooling" bottom: "a" top: "y" pooling_param {{ kernel_size: {"0" + "7" * 5000} }}',
    ],
)
def test_bears_what_once_fell(layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bear(NET + f'layer {{ name: "x" {layer} }}'.encode(), tmp_path)


if __name__ == "__main__":  # what falls, as it falls
    import os
    import sys
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seen: dict[str, int] = {}
        for number, data in enumerate(texts(random.Random(int(sys.argv[1])), int(sys.argv[2]))):
            if reason := fuzz.attempt(lambda data: bear(data, Path(folder)), data):
                key = "".join(reason.strip().splitlines()[-3:])
                seen[key] = seen.get(key, 0) + 1
                if seen[key] == 1:
                    print(number, reason[-700:], data[:400], "\n", flush=True)
        print(number, "texts", seen)
