"""Targets are taken for positions by their name, or by what is around them if that says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

NET = """
layer { name: "img" type: "Data" top: "data" transform_param { mirror: true }
  data_param { source: "img_lmdb" batch_size: 8 } }
layer { name: "y" type: "HDF5Data" top: "label" hdf5_data_param { source: "train.txt" batch_size: 8 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 4 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" }
"""


@pytest.mark.parametrize(
    ("file", "change", "severity"),
    [
        ("net.prototxt", ("", ""), "info"),
        ("net.prototxt", ('"label"', '"pts"'), "warning"),
        ("net.prototxt", ('"label"', '"gt_2"'), "info"),
        ("net.prototxt", ('"label"', '"gt_landmarks"'), "warning"),
        ("net.prototxt", ("train.txt", "db/train_keypoints_h5.txt"), "warning"),
        ("fish_landmark.prototxt", ("", ""), "warning"),
        ("net.prototxt", ("mirror: true", "mirror: false"), None),
        # Not x and y, not of points, and classes.
        ("fish_landmark.prototxt", ("num_output: 4", "num_output: 3"), None),
        ("fish_landmark.prototxt", ('"label"', '"age"'), None),
        ("fish_landmark.prototxt", ('"label"', '"7"'), None),
        ("fish_landmark.prototxt", ("EuclideanLoss", "SoftmaxWithLoss"), None),
    ],
)
def test_what_shows_positions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, change: tuple[str, str], severity: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(file).write_text(NET.replace(*change) if change[0] else NET)
    told = [one.severity for one in caffelint.check(".").findings if one.name == "mirrored-apart"]
    assert told == ([severity] if severity else [])
