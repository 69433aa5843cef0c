"""The learning rate is a real Caffe's to the last bit; the iteration at which it turns bad is found without steps."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import draws

from caffelint.caffe.learning_rate import POLICIES, Schedule, float32, schedule
from caffelint.schema import SolverParameter
from caffelint.schema.bind import bind
from caffelint.text.parser import parse

HERE = Path(__file__).parent
RECORDED = HERE / "learning_rates.jsonl"

NUMBERS = ["0", "0.1", "0.5", "1", "2", "-1", "-0.5", "0.75", "3", "1e-30", "1e30", "0.9999", "1.0001", "inf", "nan"]
COUNTS = ["0", "1", "2", "7", "100", "-3", "45000", "16777217", "2147483647"]


def make(text: str) -> Schedule:
    return schedule(bind(parse(text.encode()), SolverParameter()).message)


def cases() -> list[dict[str, Any]]:
    """Every policy with every odd number in every field that it reads, then a random mix."""
    found = [{"solver": 'lr_policy: "steps" base_lr: 1', "iterations": [0]}]
    choose = random.Random(20260101)
    usual = {"base_lr": "0.013", "gamma": "0.3", "power": "0.9", "stepsize": "7", "max_iter": "100"}
    for policy, kind in POLICIES.items():
        reads = ["base_lr", *(name for name in usual if name in kind.reads)]
        iterations = [0, 1, 2, 6, 7, 8, 99, 100, 101, 12345, 16777217, 2147483000]
        values = ""
        if "stepvalue" in kind.reads:
            iterations = [*range(12), 13, 99]
            values = " stepvalue: 3 stepvalue: 3 stepvalue: 9 stepvalue: 5 stepvalue: -1"
        solvers = [{name: usual[name] for name in reads}]
        for name in reads:
            odd = COUNTS if name in ("stepsize", "max_iter") else NUMBERS
            solvers += [{**solvers[0], name: value} for value in odd]
            solvers.append({other: usual[other] for other in reads if other != name})
        for _ in range(20):
            odd_mix = {name: choose.choice(COUNTS if name in ("stepsize", "max_iter") else NUMBERS) for name in reads}
            plain = {
                "base_lr": repr(choose.random()),
                "gamma": repr(choose.random() * 1.1),
                "power": repr(choose.random() * 3 - 0.5),
                "stepsize": str(choose.randrange(1, 500)),
                "max_iter": str(choose.randrange(1, 50000)),
            }
            solvers += [odd_mix, {name: plain[name] for name in reads}]
        for fields in solvers:
            text = " ".join(f"{name}: {value}" for name, value in fields.items())
            found.append({"solver": f'lr_policy: "{policy}" {text}{values}', "iterations": iterations})
    return found


def same(ours: float, theirs: str) -> bool:
    wanted = float(theirs)
    return ours == wanted or math.isnan(ours) and math.isnan(wanted)


def differences(case: dict[str, Any], rates: list[str] | None) -> list[str]:
    """Where our rates are not Caffe's."""
    ours = make(case["solver"])
    if rates is None:
        return [] if ours.problem else [f"{case['solver']}: Caffe refuses this"]
    if ours.problem:
        return [f"{case['solver']}: Caffe accepts this, we say {ours.problem}"]
    return [
        f"{case['solver']} at {iteration}: {ours.rate(iteration)!r}, Caffe has {rate}"
        for iteration, rate in zip(case["iterations"], rates, strict=True)
        if not same(ours.rate(iteration), rate)
    ]


def test_rates_that_caffe_gave() -> None:
    recorded = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    assert [said["solver"] for said in recorded] == [case["solver"] for case in cases()]
    assert len(recorded) > 500
    assert sum(said["rates"] is None for said in recorded) > 40
    assert [
        wrong for case, said in zip(cases(), recorded, strict=True) for wrong in differences(case, said["rates"])
    ] == []


def ask_caffe(caffe_python: Path, asked: list[dict[str, Any]]) -> list[str]:
    lines = "".join(json.dumps(case) + "\n" for case in asked)
    done = subprocess.run(
        [caffe_python, HERE / "ask_learning_rates.py"],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
        env={**os.environ, "GLOG_minloglevel": "2"},
    )
    return done.stdout.splitlines()


def test_the_record_is_what_caffe_gives(caffe_python: Path) -> None:
    """A tenth of it, or all at night. With CAFFELINT_RECORD set, writes the record anew."""
    if os.environ.get("CAFFELINT_RECORD"):
        RECORDED.write_text("\n".join(ask_caffe(caffe_python, cases())) + "\n")
    step = draws(10, 1)
    assert ask_caffe(caffe_python, cases()[::step]) == RECORDED.read_text().splitlines()[::step]


def first_by_steps(ours: Schedule, limit: int) -> tuple[int, float] | None:
    rates = ((iteration, ours.rate(iteration)) for iteration in range(limit))
    return next(((iteration, rate) for iteration, rate in rates if not math.isfinite(rate)), None)


odd_numbers = st.sampled_from([*NUMBERS, "1e10", "1.2", "8", "-20", "0.01"]) | st.floats(-4, 4, width=32).map(repr)
odd_counts = st.sampled_from(["0", "1", "2", "7", "100", "150", "-3", "-200"]) | st.integers(-5, 300).map(str)
schedules = st.builds(
    'lr_policy: "{}" base_lr: {} gamma: {} power: {} stepsize: {} max_iter: {} {}'.format,
    st.sampled_from(list(POLICIES)),
    *[odd_numbers] * 3,
    *[odd_counts] * 2,
    st.lists(odd_counts.map("stepvalue: {}".format)).map(" ".join),
).map(make)


@settings(max_examples=draws(300, 20_000))
@given(schedules)
def test_first_bad_is_what_stepping_finds(ours: Schedule) -> None:
    assert repr(ours.first_bad(220)) == repr(first_by_steps(ours, 220))


@settings(max_examples=draws(300, 20_000))
@given(schedules)
def test_extremes_hold_the_largest_and_the_smallest_size(ours: Schedule) -> None:
    sizes = [abs(ours.rate(iteration)) for iteration in range(220)]
    if all(map(math.isfinite, sizes)):
        ends = [abs(rate) for _, rate in ours.extremes(220)]
        assert (min(ends), max(ends)) == (min(sizes), max(sizes))


@pytest.mark.parametrize(
    ("text", "limit", "wanted"),
    [
        ('lr_policy: "exp" base_lr: 0.01 gamma: 1.0001', 2_000_000_000, 933_172),
        ('lr_policy: "step" base_lr: 0.1 gamma: 10 stepsize: 30000000', 2_000_000_000, 1_200_000_000),
        ('lr_policy: "poly" base_lr: 0.1 power: 0.5 max_iter: 1000000000', 2_000_000_000, 1_000_000_033),
        ('lr_policy: "poly" base_lr: 0.1 power: -1 max_iter: 1000000000', 2_000_000_000, 999_999_968),
        ('lr_policy: "fixed" base_lr: 0.1', 2_000_000_000, None),
        ('lr_policy: "inv" base_lr: 0.1 gamma: 1 power: 0.75', 2_000_000_000, None),
    ],
)
def test_first_bad_far_away(text: str, limit: int, wanted: int | None) -> None:
    ours = make(text)
    found = ours.first_bad(limit)
    assert (found and found[0]) == wanted
    if wanted:
        assert math.isfinite(ours.rate(wanted - 1))
        assert not math.isfinite(ours.rate(wanted))


def test_no_iteration_no_rate() -> None:
    ours = make('lr_policy: "fixed" base_lr: inf')
    assert ours.first_bad(0) is None
    assert ours.stretches(0) == []


@given(st.floats())
def test_float32(value: float) -> None:
    numpy = pytest.importorskip("numpy")
    with numpy.errstate(over="ignore"):
        assert repr(float32(value)) == repr(float(numpy.float32(value)))


def test_nvcaffe_raises_rates_to_min_lr() -> None:
    """As NVCaffe printed them, in models/bvlc_alexnet/logs/alexnet_mfp16.log of its repository."""
    printed = {105500: 0.000491598, 116400: 9.96451e-05, 121500: 2.06761e-05, 124900: 5.0128e-06}
    found = make('lr_policy: "poly" base_lr: 0.02 power: 2 max_iter: 125000 min_lr: 5e-6')
    for iteration, rate in printed.items():
        assert f"{found.rate(iteration):.6g}" == f"{rate:.6g}"


def test_nvcaffe_ramps_up() -> None:
    """sgd_solver.cpp of NVCaffe, GetLearningRate: rampup_lr + (base_lr - rampup_lr) * alpha * alpha."""
    found = make('lr_policy: "fixed" base_lr: 1 rampup_interval: 10 rampup_lr: 0.5')
    assert [found.rate(one) for one in (0, 5, 10, 11)] == [0.5, 0.625, 1, 1]
    assert found.extremes(20)[0] == (0, 0.5)
