"""What watching gives: the same numbers as numpy, at once or not, and the run itself as without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from test_engine import DATA, LOSS, events_of, ip, layer, make_job, only

from caffelint.smoke.events import DATA as OF_DATA
from caffelint.smoke.events import DIFF, Iteration, NonFinite, Statistics
from caffelint.smoke.torch import engine
from caffelint.smoke.torch.statistics import Collector

NORMAL = layer("bn", "BatchNorm", "ip1", "ip1") + layer("sc", "Scale", "ip1", "ip1", "scale_param { bias_term: true }")
NET = DATA + ip("ip1", "data", "ip1", 6) + NORMAL + layer("relu", "ReLU", "ip1", "ip1") + ip("ip2", "ip1", "ip2") + LOSS
LARGE = 3_000_000


def statistics(values: torch.Tensor, tmp_path: Path) -> Statistics:
    run = engine.Run(make_job(tmp_path), torch.device("cpu"), lambda event: None)
    run.load()
    collector = Collector(run.net, None)
    collector.add("layer", "blob", "blob", OF_DATA, values)
    (found,) = collector.fetch(0)
    return found


SPREADS: dict[str, Callable[[int], torch.Tensor]] = {
    "normal": lambda size: torch.randn(size) * 3 + 2,
    "half zeros": lambda size: torch.randn(size).relu(),
    "far": lambda size: torch.randn(size) + 100,
}


@pytest.mark.parametrize("size", [1, 2, 1000, 70_001, LARGE])
@pytest.mark.parametrize("spread", SPREADS)
def test_numbers_are_numpys(spread: str, size: int, tmp_path: Path) -> None:
    """Those of a large blob are of a sample: its mean and deviation lie close by, its ends are its own."""
    torch.manual_seed(size)
    values = SPREADS[spread](size)
    found, wanted = statistics(values, tmp_path), values.double().numpy()
    assert (found.min, found.max) == (wanted.min(), wanted.max())
    close = 0.02 * wanted.std() if size == LARGE else 1e-6 * np.abs(wanted).max()
    assert found.mean == pytest.approx(wanted.mean(), abs=close)
    assert found.std == pytest.approx(wanted.std(), rel=0.02 if size == LARGE else 1e-2)
    assert found.zeros == pytest.approx((wanted == 0).mean(), abs=0.05 if size > 2048 else 1e-6)


@pytest.mark.parametrize("size", [5000, LARGE])
def test_all_zeros_is_all_of_them(size: int, tmp_path: Path) -> None:
    """A single other value that no sample meets: the rule on dead units would be wrong about it."""
    values = torch.zeros(size)
    assert statistics(values, tmp_path)[5:11] == (0, 0, 0, 0, 1, 0)
    values[size // 2 + 1] = 4.0
    found = statistics(values, tmp_path)
    assert found.max == 4
    assert 0.9 < found.zeros < 1
    assert found.std == pytest.approx(values.numpy().std(), rel=1e-3)


def test_watching_changes_nothing(tmp_path: Path) -> None:
    losses = [
        [event.loss for event in events_of(make_job(tmp_path, NET, **how)) if isinstance(event, Iteration)]
        for how in ({}, {"statistics_every": 1}, {"watch": ("ip1",)})
    ]
    assert losses[0] == losses[2]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_watched_blobs_are_as_caffe_holds_them(tmp_path: Path) -> None:
    """Written in place: the data of the last version, the gradient of the first, whether all are looked at or not."""
    found: dict[tuple[int, str, str], Statistics] = {}
    for event in events_of(make_job(tmp_path, NET, statistics_every=1)):
        if isinstance(event, Statistics) and event.kind == "blob":
            found[event.iteration, event.name, event.part] = event
    assert found[-1, "ip1", OF_DATA].min == 0
    for name in ("ip1", "ip2"):
        for part in (OF_DATA, DIFF):
            # Iteration 0 runs on the batch and the parameters of the pass at rate 0, which looks at every version.
            assert found[0, name, part][5:] == pytest.approx(found[-1, name, part][5:], rel=1e-4, abs=1e-7)


def test_a_version_that_is_hidden_is_looked_at(tmp_path: Path) -> None:
    """log(0) is minus infinity, of which a ReLU in place makes 0."""
    hidden = layer("mask", "Threshold", "ip1", "mask", "threshold_param { threshold: 1e9 }")
    hidden += layer("log", "Log", "mask", "log") + layer("relu2", "ReLU", "log", "log")
    hidden += layer("silence", "Silence", "log", "").replace('top: ""', "")
    found = only(events_of(make_job(tmp_path, NET.replace(LOSS, hidden + LOSS))), NonFinite)
    assert (found.iteration, found.layer, found.inf) == (-1, "log", 24)


def test_tops_without_a_gradient_are_left_out(tmp_path: Path) -> None:
    """torch calls the hook of a top that is silenced, with no gradient, where another top of its layer has one."""
    cut = layer("cut", "Slice", "ip1", "left", "top: 'right' slice_param { axis: 1 slice_point: 2 }")
    cut += 'layer { name: "silence" type: "Silence" bottom: "right" }\n'
    net = DATA + ip("ip1", "data", "ip1", 6) + cut + ip("ip2", "left", "ip2") + LOSS
    events = events_of(make_job(tmp_path, net, statistics_every=1))
    seen = {(event.name, event.part) for event in events if isinstance(event, Statistics)}
    assert ("left", DIFF) in seen
    assert ("right", OF_DATA) in seen
    assert ("right", DIFF) not in seen
