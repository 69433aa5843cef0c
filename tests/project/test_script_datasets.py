"""Which datasets scripts write into HDF5 files, and that Caffe looks for each by the name of a top."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from caffelint.project.script_datasets import datasets


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("f = h5py.File('a.h5', 'w')\nf['data'] = x\nf['/label'][...] = y\n", ["data", "label"]),
        ("with h5py.File(path, 'w') as f:\n    f.create_dataset(\n        name='data', data=x)\n", ["data"]),
        ("h5create(file, '/data', [9 Inf]);\nh5create(file, ['/' name], 1);", ["data", ""]),
        ("f = h5py.File('a.h5')\nfor name in names:\n    f[name] = x\n", [""]),
        # What is read, and what is no file.
        ("f = h5py.File('a.h5')\nx = f['data']\nother['label'] = 1\nif f['a'] == 1: pass\n", []),
        ("f['data'] = x\n", []),
    ],
)
def test_names_of_datasets(text: str, names: list[str]) -> None:
    assert [name for name, _ in datasets(text)] == names


@pytest.mark.parametrize("name", ["label", "labels"])
def test_caffe_stops_where_a_dataset_is_missing(caffe_python: Path, tmp_path: Path, name: str) -> None:
    net = 'layer { name: "d" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "t" batch_size: 1 } }'
    (tmp_path / "net.prototxt").write_text(net)
    (tmp_path / "t").write_text("a.h5\n")
    text = "import h5py, numpy, caffe\nwith h5py.File('a.h5', 'w') as f:\n    f['data'] = numpy.zeros((2, 3), 'f4')\n"
    text += f"    f['{name}'] = numpy.zeros(2, 'f4')\ncaffe.Net('net.prototxt', caffe.TRAIN)\n"
    done = subprocess.run([str(caffe_python), "-c", text], cwd=tmp_path, capture_output=True, text=True)
    assert ("Failed to get dataset ndims for label" in done.stderr) == (done.returncode != 0) == (name != "label")
