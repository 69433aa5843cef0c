"""HDF5 files that hold one class each: `shuffle` mixes no records of two files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from data_sets import hdf5_layer, report_of, rest

h5py = pytest.importorskip("h5py")


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("mixed", [False, True])
def test_files_of_one_class(tmp_path: Path, mixed: bool, shuffled: bool) -> None:
    generator = np.random.default_rng(3)
    for number in range(4):
        labels = np.arange(30) % 4 if mixed else np.full(30, number)
        with h5py.File(tmp_path / f"{number}.h5", "w") as file:
            file["data"] = generator.random((30, 4)).astype(np.float32)
            file["label"] = labels.astype(np.float32)
    (tmp_path / "train.txt").write_text("".join(f"{tmp_path / f'{number}.h5'}\n" for number in range(4)))
    layer = hdf5_layer(tmp_path / "train.txt")
    layer = layer.replace("batch_size", "shuffle: true batch_size") if shuffled else layer
    found = report_of(tmp_path, layer + rest(4))["json"]["findings"]
    told = [one["message"] for one in found if one["name"] == "sorted-by-label"]
    assert len(told) == (not mixed)
    assert all("holds one class alone, and Caffe mixes no records of two files" in one for one in told)
