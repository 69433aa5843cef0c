"""The checks on a real Caffe: they leave training as it is, and stop it where a nan begins."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import odd_nets
import pytest
import training_nets as nets

from caffelint.fix.finite import insert_checks, remove_checks

_PLAIN = 'base_lr: 0.01 lr_policy: "fixed" momentum: 0.9 weight_decay: 0.001'


@pytest.fixture(scope="session")
def train(caffe_python: Path, root: Path) -> Any:
    """Trains nets with check_finite_layer.py on Python's path; see train.py."""

    def run(jobs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        text = "import os, sys; sys.path.insert(0, sys.argv.pop(1)); exec(open(sys.argv[1]).read())"
        layer = root / "caffelint/fix/finite"
        lines = "".join(json.dumps(job) + "\n" for job in jobs)
        command = [caffe_python, "-c", text, layer, Path(__file__).with_name("train.py")]
        done = subprocess.run(command, input=lines.encode(), capture_output=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def _patched(net: str, where: str | Sequence[str]) -> str:
    found = insert_checks(net.encode(), where)
    assert found.checks
    return found.data.decode()


def _losses(net: str) -> list[str]:
    return [name for name in ("loss", "loss1", "loss2", "extra") if f'name: "{name}"' in net]


def test_weights_and_losses_are_equal_to_the_bit(train: Any) -> None:
    jobs, names = [], []
    for name, net in nets.variants().items():
        losses = _losses(net)
        for where in (None, "all", "suspects", losses):
            text = net if where is None else _patched(net, where)
            jobs.append({"net": text, "solver": _PLAIN, "iterations": 20, "display": losses})
            names.append(f"{name}: {where}")
    answers = train(jobs)
    for index in range(0, len(jobs), 4):
        plain = answers[index]
        assert plain["error"] is None, (names[index], plain)
        assert len(set(map(str, plain["losses"]))) > 1, names[index]
        for other, name in zip(answers[index + 1 : index + 4], names[index + 1 : index + 4], strict=True):
            assert other == plain, name


_WITH_TESTS = _PLAIN + " test_iter: 1 test_interval: 7 iter_size: 2"
_STAGES = ' train_state { stage: "large" level: 1 } test_state { stage: "small" }'


def test_odd_nets_train_alike_to_the_bit(train: Any) -> None:
    jobs: list[dict[str, Any]] = []
    names = []
    for name, net in odd_nets.ODD.items():
        losses = odd_nets.losses(net)
        assert losses, name
        solver = _WITH_TESTS + (_STAGES if "stage" in net else "")
        hdf5 = odd_nets.HDF5 if "HDF5Data" in net else {}
        for where in (None, "all", "suspects", ["all", *losses]):
            data = net.encode()
            if where:
                data = insert_checks(data, where).data
                assert remove_checks(data) == net.encode(), name
            shown = [loss for loss in losses if loss.startswith("loss") or loss == "outer"]
            jobs.append({"net": data.decode(), "solver": solver, "iterations": 20, "display": shown, "hdf5": hdf5})
            names.append(f"{name}: {where}")
    answers = train(jobs)
    for index, (answer, name) in enumerate(zip(answers, names, strict=True)):
        plain = answers[index - index % 4]
        assert plain["error"] is None, (name, plain)
        assert len(set(map(str, plain["losses"]))) > 10, name
        assert answer == plain, name


def test_a_check_that_reads_a_loss_as_others_do_would_end_all_learning(train: Any) -> None:
    """Why a loss is never read: without a weight of its own the check makes Caffe drop the backward pass."""
    check = _patched(nets.LENET, ["loss"])
    naive = check.replace("loss_weight: 0\n  ", "").replace("loss_weight: 1\n  ", "")
    assert naive.count("loss_weight:") == 0
    solver = 'base_lr: 0.01 lr_policy: "fixed"'  # without decay, so that a weight without gradient stays as it is
    jobs = [{"net": net, "solver": solver, "iterations": n} for net in (nets.LENET, check, naive) for n in (1, 5)]
    weights = [answer["weights"] for answer in train(jobs)]
    assert weights[:2] == weights[2:4]
    assert weights[0] != weights[1]
    assert weights[4] == weights[5]


def test_backward_runs_where_it_ran_before(caffe_python: Path, root: Path) -> None:
    oracle = root / "tests/caffe/oracle.py"
    text = "import sys; sys.path.insert(0, sys.argv[2]); exec(open(sys.argv[1]).read())"
    frozen = nets.LENET.replace(
        'bottom: "ip2"\n  bottom: "label"\n  top: "loss"',
        'bottom: "ip2"\n  bottom: "label"\n  top: "loss"\n  propagate_down: true propagate_down: false',
    )
    cut = nets.RESNET.replace('bottom: "conv1" top: "conv2"', 'bottom: "conv1" top: "conv2" propagate_down: false')
    plain = [*nets.variants().values(), frozen, cut, "force_backward: true\n" + nets.INCEPTION]
    jobs = [
        {"net": net, "phase": phase}
        for old in plain
        for net in (old, _patched(old, "all"), _patched(old, _losses(old)))
        for phase in ("TRAIN", "TEST")
    ]
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    command = [caffe_python, "-c", text, oracle, root / "caffelint/fix/finite"]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b'{"ok"')]
    assert len(answers) == len(jobs)
    for index, answer in enumerate(answers):
        old = answers[index - index % 6 + index % 2]
        assert answer["ok"], (jobs[index]["net"], answer["error"])
        assert answer["outputs"] == old["outputs"]
        assert answer["params"] == old["params"]
        flow = {name: need for name, need in answer["backward"].items() if name in old["backward"]}
        # Only splits are called otherwise behind a check.
        assert flow == {name: need for name, need in old["backward"].items() if name in flow}
        missing = old["backward"].keys() - flow.keys()
        assert all(name.endswith("_split") for name in missing)
        splits = [sorted(n for k, n in a["backward"].items() if k.endswith("_split")) for a in (answer, old)]
        assert splits[0] == splits[1]


_INPUT = (
    'layer { name: "data" type: "Input" top: "data" top: "label"'
    " input_param { shape { dim: 2 dim: 3 } shape { dim: 2 dim: 3 } } }\n"
)
_IP = 'layer { name: "%s" type: "InnerProduct" bottom: "%s" top: "%s" inner_product_param { num_output: 3 %s } }\n'
_XAVIER = 'weight_filler { type: "xavier" }'
_EUCLIDEAN = 'layer { name: "loss" type: "EuclideanLoss" bottom: "%s" bottom: "label" top: "loss" }\n'
_DUMMY = (
    _INPUT.replace("Input", "DummyData")
    .replace("input_param {", "dummy_data_param {")
    .replace("} } }\n", '} data_filler { type: "constant" value: 1 } } }\n')
)

PLANTED = {
    "bad data": (
        _INPUT + _IP % ("ip", "data", "ip", _XAVIER) + _EUCLIDEAN % "ip",
        _PLAIN,
        {"planted": "data"},
        ("forward", "data", 0, "data"),
    ),
    "bad labels": (
        _INPUT + _IP % ("ip", "data", "ip", _XAVIER) + _EUCLIDEAN % "ip",
        _PLAIN,
        {"planted": "label"},
        ("forward", "label", 0, "data"),
    ),
    "poly without max_iter": (
        _DUMMY + _IP % ("one", "data", "one", _XAVIER) + _IP % ("two", "one", "two", _XAVIER) + _EUCLIDEAN % "two",
        'base_lr: 0.01 lr_policy: "poly" power: 1',
        {},
        ("forward", "one", 1, "one"),
    ),
    "power of 0, backward": (
        _DUMMY
        + _IP % ("ip", "data", "ip", "")
        + 'layer { name: "root" type: "Power" bottom: "ip" top: "root" power_param { power: 0.5 } }\n'
        + _EUCLIDEAN % "root",
        _PLAIN,
        {},
        ("backward", "ip", 0, "root"),
    ),
    "empty pooling window": (
        'layer { name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param {'
        " shape { dim: 1 dim: 1 dim: 10 dim: 10 } shape { dim: 1 dim: 1 dim: 3 dim: 3 }"
        ' data_filler { type: "constant" value: 1 } } }\n'
        'layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " convolution_param { num_output: 1 kernel_size: 1 } }\n"
        'layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool"'
        " pooling_param { pool: AVE kernel_size: 3 stride: 5 } }\n" + _EUCLIDEAN % "pool",
        _PLAIN,
        {},
        ("forward", "pool", 0, "pool"),
    ),
    # Each multiplies by 1 / sqrt(eps) = 316 where mean and variance are blank; the 16th passes 3.4e38.
    "blank global statistics": (
        _DUMMY
        + "".join(
            f'layer {{ name: "bn{i}" type: "BatchNorm" bottom: "{f"bn{i - 1}" if i else "data"}" top: "bn{i}"'
            " batch_norm_param { use_global_stats: true } }\n"
            for i in range(18)
        )
        + _IP % ("ip", "bn17", "ip", _XAVIER)
        + _EUCLIDEAN % "ip",
        _PLAIN,
        {},
        ("forward", "bn15", 0, "bn15"),
    ),
    "exploding rate": (
        _DUMMY + _IP % ("one", "data", "one", _XAVIER) + _IP % ("two", "one", "two", _XAVIER) + _EUCLIDEAN % "two",
        'base_lr: 1e9 lr_policy: "fixed"',
        {},
        ("forward", "loss", 1, "loss"),
    ),
}


@pytest.mark.parametrize("where", ["all", "suspects"])
def test_the_exception_names_layer_blob_pass_and_iteration(train: Any, where: str) -> None:
    """Held against what is in the blobs of the unpatched net."""
    jobs: list[dict[str, Any]] = []
    for net, solver, extra, _ in PLANTED.values():
        patched = _patched(net, [where, "loss"])
        jobs += [{"net": text, "solver": solver, "iterations": 6, **extra} for text in (net, patched)]
    answers = train(jobs)
    for index, (name, (_, _, _, (direction, blob, iteration, layer))) in enumerate(PLANTED.items()):
        plain, checked = answers[2 * index : 2 * index + 2]
        assert plain["first"] == [direction, blob, iteration], name
        told = f"checkFiniteLayer: {direction} pass, iteration {iteration} of TRAIN: "
        if where == "all" or name != "poly without max_iter":
            told += (
                f'the gradient of blob "{blob}", computed by' if direction == "backward" else f'blob "{blob}", made by'
            )
            told += f' layer "{layer}"'
        assert checked["error"] is not None, name
        assert checked["error"].startswith(told), (name, checked)
