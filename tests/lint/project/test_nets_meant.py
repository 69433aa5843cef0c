"""The net that a solver was meant to name: by the model in its name, or under the suffix that it gives."""

from __future__ import annotations

from pathlib import Path

import bench_curves
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


def test_a_deep_folder_is_gone_down_once_for_all_solvers_in_it(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["deep"] * 100)
    folder.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    for name in ("gone.prototxt", "a/gone.prototxt"):
        for number in (1, 2):
            (folder / f"{number}.prototxt").write_text(f'net: "{name}" base_lr: 0.1 lr_policy: "fixed"\n')
        named_nets(str(folder / "1.prototxt"))
        assert bench_curves.calls(lambda: named_nets(str(folder / "2.prototxt"))) < 5_000
