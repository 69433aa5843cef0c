"""Projects that break in known ways, and sound ones, run with the real Caffe: outcome and layer are told right.

One of each kind is run here; `CAFFELINT_ALL_PROJECTS=1` runs all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from caffelint.smoke.session import Session

PROJECTS = Path(__file__).resolve().parents[2] / "fixtures/smoke"
SOUND = ("alexnet_multistep", "critic_mean", "fcn_ignore_label", "lenet_adagrad", "lstm_clipped", "resnet_batchnorm")
BY_CHANCE = (
    "filler_sigmoids_deep",
    "filler_zero",
    "label_void_255",
    "filler_vanishing",
    "loss_sigmoid_targets_255",
    "loss_weight_negative",
    "solver_clip_zero",
    "schedule_zero_after_start",
)


def chosen() -> list[Path]:
    """The first of each kind, which is the first word of its name, and some more; all where asked to."""
    found = sorted(path.parent for path in PROJECTS.glob("*/*/expected.json"))
    if os.environ.get("CAFFELINT_ALL_PROJECTS"):
        return found
    first = {path.name.partition("_")[0]: path for path in reversed(found) if path.parent.name == "broken"}
    return [path for path in found if path in first.values() or path.name in SOUND + BY_CHANCE]


@pytest.mark.parametrize("project", chosen(), ids=lambda path: path.name)
def test_outcome(project: Path, in_caffe: Callable[..., Session]) -> None:
    expected = json.loads((project / "expected.json").read_text())
    there = {path: path.read_bytes() for path in project.iterdir()}
    report = in_caffe(project / "solver.prototxt").report
    found = [finding for finding in report.findings if finding.code.startswith("X")]
    said = [(finding.name, finding.layer, finding.message) for finding in found]
    if expected["outcome"]:
        assert any(
            finding.name in expected["outcome"] and (not expected["layers"] or finding.layer in expected["layers"])
            for finding in found
        ), said
    else:
        assert not said
    assert {path: path.read_bytes() for path in project.iterdir()} == there
