"""The projects of fixtures/smoke: by day one of each kind and some more are run, at night all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

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


def projects(more: Sequence[str] = ()) -> list[object]:
    """Parameters for pytest; by day the first of each kind, which is the first word of its name, and those named."""
    found = sorted(path.parent for path in PROJECTS.glob("*/*/expected.json"))
    first = {path.name.partition("_")[0]: path for path in reversed(found) if path.parent.name == "broken"}
    by_day = {*(path.name for path in first.values()), *SOUND, *BY_CHANCE, *more}
    return [
        pytest.param(path, id=path.name, marks=() if path.name in by_day else pytest.mark.nightly) for path in found
    ]
