"""Weights that were loaded are looked at before they are used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import NET, SOLVER, write

from caffelint.lint.project.memory import forget
from caffelint.schema import NetParameter
from caffelint.smoke.loaded import wrong
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict


@pytest.mark.parametrize(
    ("values", "variances", "found"),
    [
        ([1.0, -2.0], False, None),
        ([1.0, 2.0], True, None),
        ([1.0, float("nan"), float("-inf")], False, {"bad": 2, "size": 3, "negative": False}),
        ([1.0, -2.0, 0.0], True, {"bad": 1, "size": 3, "negative": True}),
        # A sum that overflows is no value that is not finite.
        ([3e38, 3e38], False, None),
    ],
)
def test_what_is_wrong(values: list[float], variances: bool, found: dict[str, Any] | None) -> None:
    assert wrong(np.array(values, np.float32), variances) == found  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("engine", ["caffe", "torch"])
def test_weights_that_the_solver_names(engine: str, tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    net: Any = NetParameter()
    layer = net.layer.add(name="conv", type="Convolution")
    for shape in ((4, 3, 3, 3), (4,)):
        blob = layer.blobs.add()
        blob.shape.dim.extend(shape)
        blob.data.extend([float("nan")] * int(np.prod(shape)))
    (tmp_path / "own.caffemodel").write_bytes(net.SerializeToString())
    session = in_engine(write(tmp_path, NET, SOLVER + 'weights: "own.caffemodel"\n'), engine)
    assert session.run is not None
    assert session.run.loaded
    assert "the weights that were loaded hold values that are not finite" in verdict(
        session.run, session.report.findings
    )


def test_weights_that_are_not_there_are_told_at_the_solver(tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    """Caffe reads them after the last layer was made, which has nothing to do with it."""
    solver = write(tmp_path, NET, SOLVER + 'weights: "gone.caffemodel"\n')
    (found,) = in_engine(solver, "caffe").report.findings
    assert found.field == "weights"
    assert found.message.startswith("the weights cannot be read: ")
    assert found.message.endswith("Couldn't open gone.caffemodel")


def test_weights_with_which_a_script_trains_the_solver(
    tmp_path: Path, in_engine: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    net: Any = NetParameter()
    blob = net.layer.add(name="conv", type="Convolution").blobs.add()
    blob.shape.dim.extend((4, 3, 3, 3))
    blob.data.extend([0.125] * 108)
    (tmp_path / "start.caffemodel").write_bytes(net.SerializeToString())
    solver = write(tmp_path, NET.replace("bias_filler", "bias_term: false bias_filler"), SOLVER)
    (tmp_path / "train.sh").write_text("caffe train --solver=solver.prototxt --weights=start.caffemodel\n")
    monkeypatch.chdir(tmp_path)
    run = in_engine(solver, "torch").run
    assert run is not None
    assert run.loaded
    (tmp_path / "scratch.sh").write_text("caffe train --solver=solver.prototxt\n")
    forget()
    run = in_engine(solver, "torch").run
    assert run is not None
    assert not run.loaded  # nobody knows which of the two it is
