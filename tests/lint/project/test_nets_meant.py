"""The net that a solver was meant to name: by the model in its name, or under the suffix that it gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.lint.discover import named_nets

NET = """
layer { name: "data" type: "Data" top: "data" top: "label" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" }
"""


@pytest.mark.parametrize(
    ("name", "files", "near"),
    [
        ("siamese.prototxt", ["siamese_train_val.prototxt", "other_train_val.prototxt"], "siamese_train_val.prototxt"),
        ("siamese.prototxt", ["big_train_val.prototxt", "other_train_val.prototxt"], ""),
        ("net-withou-data.protobuf", ["net-without-data.protobuf", "deep.protobuf"], "net-without-data.protobuf"),
    ],
)
def test_the_net_that_was_meant(tmp_path: Path, name: str, files: list[str], near: str) -> None:
    for file in files:
        (tmp_path / file).write_text(NET)
    solver = tmp_path / "solver.prototxt"
    solver.write_text(f'net: "{name}"\nbase_lr: 0.1\n')
    # Another solver beside it, so that no net is the only one.
    (tmp_path / "solver_b.prototxt").write_text('net: "b.prototxt"\nbase_lr: 0.1\n')
    assert [one.near for one in named_nets(str(solver))] == [near]
