"""Which of the projects in fixtures/smoke are run."""

from __future__ import annotations

import os
from pathlib import Path

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
