"""Whatever Caffe writes beside what it reads and computes lands in the folder of the copies."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from project_files import NET, SOLVER, write

from caffelint.lint.config import Config
from caffelint.schema import Datum
from caffelint.smoke.prepare import Wishes, prepare
from caffelint.smoke.project import load_project
from caffelint.smoke.session import Session

OUTPUT = 'layer { name: "out" type: "HDF5Output" bottom: "fc" bottom: "label"\n'
OUTPUT += '  include { phase: TEST } hdf5_output_param { file_name: "results.h5" } }\n'
OLD = (
    'layers { name: "data" type: DATA top: "data" top: "label" data_param { source: "none" batch_size: 4 } }\n'
    'layers { name: "out" type: HDF5_OUTPUT bottom: "data" bottom: "label" hdf5_output_param { file_name: "a.h5" } }\n'
)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("backend", ["LMDB", "LEVELDB"])
def test_a_database_stays_as_it_was(tmp_path: Path, in_caffe: Callable[..., Session], backend: str) -> None:
    lmdb, plyvel = pytest.importorskip("lmdb"), pytest.importorskip("plyvel")
    random = np.random.RandomState(1)
    records = {}
    for number in range(20):
        image = random.randint(0, 256, (3, 12, 12)).astype(np.uint8).tobytes()
        datum = Datum(channels=3, height=12, width=12, label=number % 5, data=image)
        records[b"%08d" % number] = datum.SerializeToString()
    if backend == "LMDB":
        with lmdb.open(str(tmp_path / "db"), map_size=1 << 22, lock=False) as made, made.begin(write=True) as at:
            for key, value in records.items():
                at.put(key, value)
    else:
        made = plyvel.DB(str(tmp_path / "db"), create_if_missing=True)
        for key, value in records.items():
            made.put(key, value)
        made.close()
    net = NET.replace("no/such/lmdb", "db").replace("LMDB", backend)
    solver = write(tmp_path, net, SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""))
    before = contents(tmp_path)
    session = in_caffe(solver, iterations=2, data="real")
    assert session.run is not None
    assert len(session.run.iterations) == 2
    assert not session.run.synthetic
    assert contents(tmp_path) == before


def test_what_a_layer_writes(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    (tmp_path / "results.h5").write_text("of last night")
    solver = write(tmp_path, NET + OUTPUT, SOLVER.replace("test_iter: 3", "test_iter: 1"))
    before = contents(tmp_path)
    session = in_caffe(solver, iterations=2)
    assert session.run is not None
    assert len(session.run.iterations) == 2
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "output",
    [
        OUTPUT,
        OLD,
        'layer { name: "out" type: "DetectionOutput" top: "out" bottom: "fc"\n'
        ' detection_output_param { save_output_param { output_directory: "results" } save_file: "a.mp4" } }\n',
    ],
)
def test_every_field_that_names_what_is_written(tmp_path: Path, output: str) -> None:
    net = output if output == OLD else NET + output
    (tmp_path / "work").mkdir()
    made = prepare(load_project(str(write(tmp_path, net)), Config()), Wishes(), tmp_path / "work")
    copy = Path(made.job.nets[0].path).read_text()
    written = re.findall(r'(?:file_name|output_directory|save_file): "([^"]*)"', copy)
    assert written == list(made.named)
    assert all(Path(path).parent == tmp_path / "work" for path in written)
    assert list(made.named.values()) == re.findall(r'(?:file_name|output_directory|save_file): "([^"]*)"', net)
