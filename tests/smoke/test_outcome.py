"""Whether a run that went well has shown that the net learns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from caffelint.smoke.alike import Targets
from caffelint.smoke.events import Event, Iteration, Tested, to_line
from caffelint.smoke.fed import Fed, MadeUp
from caffelint.smoke.outcome import ABOVE, FALLS, FLAT, PART, UNSTEADY, outcome
from caffelint.smoke.run import Run, run_of
from caffelint.smoke.targets import Targets as Sums
from caffelint.smoke.verdict import _times, verdict

SOLVER = 'net: "n.prototxt" base_lr: 0.1 lr_policy: "fixed"\n'
NET = """layer { name: "data" type: "MemoryData" top: "data" top: "label"
  memory_data_param { batch_size: 8 channels: 1 height: 2 width: 2 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 10 } }
layer { name: "loss" type: "LOSS" bottom: "fc" bottom: "label" top: "loss" }
"""
STEADY = [2.3 - 0.02 * at for at in range(20)]


def run(losses: list[float], *events: Event, loss: str = "SoftmaxWithLoss", fed: Fed | None = None) -> Run:
    all_events = [*(Iteration(at, 0.1, value, {}) for at, value in enumerate(losses)), *events]
    lines = "\n".join(map(to_line, all_events))
    net = NET.replace("LOSS", loss)
    if loss != "SoftmaxWithLoss":
        net = net.replace("num_output: 10", "num_output: 1")
    made = run_of({"s.prototxt": SOLVER, "n.prototxt": net, "events": lines})
    made.asked = len(losses)
    made.fed = fed or Fed()
    return made


@pytest.mark.parametrize(
    ("losses", "moves"),
    [
        (STEADY, FALLS),
        ([2.3] * 20, FLAT),
        ([2.3, 2.8] * 10, UNSTEADY),
        # The medians differ by an eighth, single losses by half.
        ([2.5, 1.5, 2.5, 1.5, 2.4, *[1.5, 2.5] * 5, 2.1, 1.5, 2.6, 1.5, 2.3], UNSTEADY),
    ],
)
def test_a_loss_falls_beyond_its_noise(losses: list[float], moves: str) -> None:
    assert outcome(run(losses)).moves == moves


def targets(entropy: float = math.nan, variance: float = math.nan, binary: float = math.nan) -> Targets:
    return Targets("label", entropy, variance, binary)


@pytest.mark.parametrize(
    ("loss", "found", "moves"),
    [
        ("SoftmaxWithLoss", targets(entropy=1.5), ABOVE),
        ("SoftmaxWithLoss", targets(entropy=2.2), FALLS),
        ("EuclideanLoss", targets(variance=3.0), ABOVE),
        ("EuclideanLoss", targets(variance=4.4), FALLS),
        ("SigmoidCrossEntropyLoss", targets(binary=1.5), ABOVE),
        ("SmoothL1Loss", targets(variance=3.0), FALLS),
    ],
)
def test_and_below_the_best_constant_answer(loss: str, found: Targets, moves: str) -> None:
    """From 2.3 to 1.94. What the best constant gives is not known of every loss."""
    told = run(STEADY, found, loss=loss)
    assert outcome(told).moves == moves
    assert verdict(told, []).startswith("it trains: " if moves == FALLS else "it runs: ")


def test_one_of_several_losses_that_stays() -> None:
    """As where boxes are learned, and no classes."""
    net = NET.replace("LOSS", "SoftmaxWithLoss")
    net += 'layer { name: "more" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "more" }'
    for last, head in ((2.29, "it runs: "), (1.0, "it trains: ")):
        each = [
            Iteration(at, 0.1, 4.6 - at / 10, {"loss": 2.3 - at / 10, "more": 2.3 if at < 3 else last})
            for at in range(20)
        ]
        lines = "\n".join(map(to_line, each))
        told = run_of({"s.prototxt": SOLVER, "n.prototxt": net, "events": lines})
        told.asked = 20
        assert outcome(told).moves == (PART if last > 2 else FALLS)
        words = verdict(told, [])
        assert words.startswith(head)
        assert ('that of SoftmaxWithLoss "more" does not so far: 2.3 to 2.29' in words) == (last > 2)


def test_what_was_seen() -> None:
    told = run(STEADY, fed=Fed(records={0: {"data": 1600}}))
    assert outcome(told).seen == pytest.approx(0.1)
    assert verdict(told, []).endswith("; 10% of the 1,600 records were seen")
    assert verdict(run(STEADY, fed=Fed(records={0: {"data": 40}})), []).endswith(
        "each of the 40 records was seen 4 times"
    )


def test_data_that_was_made_up_never_trains() -> None:
    fed = Fed(made_up=(MadeUp(0, "TRAIN", "data", '"there" does not exist'),))
    told = verdict(run(STEADY, fed=fed), [])
    assert told.startswith("it learns from synthetic data: 20 iterations")
    ending = (
        'The TRAIN data is synthetic (n.prototxt:1), because "there" does not exist; real data may behave differently'
    )
    assert told.endswith(ending)
    assert verdict(run([2.3] * 20, fed=fed), []).startswith("it runs on synthetic data: ")


def added(batches: Any, classes: bool = False, ignored: int | None = None) -> dict[str, float]:
    sums = Sums("label", classes, ignored)  # type: ignore[no-untyped-call]
    for batch in batches:
        sums.add(batch)  # type: ignore[no-untyped-call]
    found: dict[str, float] = sums.result()  # type: ignore[no-untyped-call]
    return found


def test_the_best_constant_of_labels() -> None:
    """The loss of a softmax that gives each class its share is least: no other scores give less."""
    random = np.random.RandomState(1)
    labels = random.choice([0, 1, 5, 255], p=[0.5, 0.2, 0.2, 0.1], size=(6, 50)).astype(np.float32)
    found = added(labels, True, 255)["entropy"]
    counted = labels[labels != 255].astype(int)
    for _ in range(200):
        scores = random.randn(6) * 3
        softmax = np.exp(scores) / np.exp(scores).sum()
        assert -np.log(softmax[counted]).mean() > found
    shares = np.bincount(counted) / len(counted)
    assert found == pytest.approx(-np.log(shares[counted]).mean())


def test_the_best_constant_of_targets() -> None:
    values = np.random.RandomState(1).rand(5, 8, 3).astype(np.float32)
    found = added(values)
    every = values.reshape(-1, 3).astype(float)
    assert found["variance"] == pytest.approx(every.var(axis=0).sum())
    assert found["columns"] == pytest.approx(every.std(axis=0).reshape(-1))
    mean = every.mean(axis=0)
    assert found["binary"] == pytest.approx(-(every * np.log(mean) + (1 - every) * np.log(1 - mean)).sum(axis=1).mean())
    assert math.isnan(found["entropy"])


@pytest.mark.parametrize(("peak", "moves"), [(26.0, UNSTEADY), (3.0, FALLS)])
def test_a_loss_that_rose_many_times_on_its_way(peak: float, moves: str) -> None:
    values = [1.4, 1.4, peak, 1.2, 1.1, *[0.1] * 25]
    each = [Iteration(at, 0.1, value, {"loss": value}) for at, value in enumerate(values)]
    lines = "\n".join(map(to_line, each))
    net = NET.replace("LOSS", "SoftmaxWithLoss")
    assert outcome(run_of({"s.prototxt": SOLVER, "n.prototxt": net, "events": lines})).moves == moves


def test_a_good_test_shows_that_a_net_learns() -> None:
    jumpy = [2.3, 2.1, 14.0, 3.0, 0.4, 2.2, 0.1, 0.3, 0.02, *[0.001] * 10]
    good, bad = (Tested(1, 3, loss, {"loss": loss}, False) for loss in (0.0006, 1.9))
    assert outcome(run(jumpy, targets(entropy=2.2))).moves == UNSTEADY
    assert outcome(run(jumpy, targets(entropy=2.2), bad)).moves == UNSTEADY
    assert outcome(run(jumpy, targets(entropy=2.2), good._replace(same_batch=True))).moves == UNSTEADY
    told = run(jumpy, targets(entropy=2.2), good)
    assert outcome(told).moves == FALLS
    assert verdict(told, []).startswith("it trains: ")
    assert "the TRAIN loss goes up and down, but the TEST loss is 0.0006" in verdict(told, [])


def test_a_test_that_is_worse_than_guessing() -> None:
    bad = Tested(1, 3, 3.1, {"loss": 3.1}, False)
    text = verdict(run(STEADY, targets(entropy=2.2), bad), [])
    assert text.startswith("it trains, but TEST is worse than guessing: ")
    assert "the TEST loss is 3.1, worse than the 2.2 of an answer that is always the same" in text
    for other in (bad._replace(loss=2.21), bad._replace(same_batch=True)):
        assert verdict(run(STEADY, targets(entropy=2.2), other), []).startswith("it trains: ")


@pytest.mark.parametrize(("seen", "text"), [(2.5, "2.5"), (104, "100"), (4321.0, "4,300")])
def test_counts_have_no_exponent(seen: float, text: str) -> None:
    assert _times(seen) == text


@pytest.mark.parametrize(
    ("records", "loss", "hardly"),
    [(40, "SoftmaxWithLoss", True), (80, "SoftmaxWithLoss", False), (40, "SigmoidCrossEntropyLoss", False)],
)
def test_a_loss_that_is_hardly_below_that_of_a_constant_answer(records: int, loss: str, hardly: bool) -> None:
    """Of 160 records that were read, once each of them was seen several times. Of shares, no answer gives 0."""
    told = run(STEADY, targets(entropy=2.2, binary=2.2), loss=loss, fed=Fed(records={0: {"data": records}}))
    words = verdict(told, [])
    assert words.startswith("it hardly trains so far: " if hardly else "it trains: ")
    assert ("an answer that is always the same gives 2.2" in words) == hardly
