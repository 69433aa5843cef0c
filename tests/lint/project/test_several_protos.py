"""Schemas of several Caffes in one folder are a converter's, and none of them is the project's."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.lint.project.find import Repository

PROTO = "message SolverParameter {}\nmessage NetParameter {}\n"


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["caffe.proto"], ["caffe.proto"]),
        (["caffe.proto", "loss.proto"], ["caffe.proto"]),
        (["mine.proto"], ["mine.proto"]),
        (["caffe.proto", "caffe_old.proto"], []),
        (["vgg_caffe.proto", "caffe_0115.proto"], []),
    ],
)
def test_loose_protos(names: list[str], found: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "utils" / "proto"
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(PROTO)
    assert Repository(str(tmp_path)).loose == tuple(str(folder / name) for name in found)
