"""The record that breaks a run is named by its source, with what it holds; the run goes on without its batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import SOLVER, write

from caffelint.caffe.build import build
from caffelint.cli.main import main
from caffelint.schema import Datum, NetParameter
from caffelint.smoke.diagnosis.tried import CURED, survivor
from caffelint.smoke.events import Batch
from caffelint.smoke.records import read_records
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

RECORDS, BATCH, BAD = 24, 4, 13
DATA = """layer {{ name: "data" type: "{kind}" top: "data" top: "label"
  {param} }}
"""
REST = """layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
TRAIN_ONLY = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "")


def numbers(bad: float, at: int = BAD) -> tuple[Any, Any]:
    random = np.random.RandomState(1)
    values = random.uniform(-1, 1, (RECORDS, 2, 4, 4)).astype(np.float32)
    values[at, 1, 2, 3] = bad
    return values, (np.arange(RECORDS) % 3).astype(np.float32)


def hdf5(folder: Path, bad: float, label: float | None = None, shuffle: bool = False) -> str:
    """The layer that reads it."""
    h5py = pytest.importorskip("h5py")
    values, labels = numbers(bad)
    labels[BAD] = labels[BAD] if label is None else label
    with h5py.File(folder / "train.h5", "w") as file:
        file["data"], file["label"] = values, labels
    (folder / "train.txt").write_text("train.h5\n")
    param = f'hdf5_data_param {{ source: "train.txt" batch_size: {BATCH} shuffle: {str(shuffle).lower()} }}'
    return DATA.format(kind="HDF5Data", param=param)


def database(folder: Path, backend: str, bad: float) -> str:
    values, labels = numbers(bad)
    pairs = [
        (
            b"%05d_cat" % number,
            Datum(channels=2, height=4, width=4, label=int(label), float_data=one.ravel()).SerializeToString(),
        )
        for number, (one, label) in enumerate(zip(values, labels, strict=True))
    ]
    if backend == "LMDB":
        lmdb = pytest.importorskip("lmdb")
        with lmdb.open(str(folder / "db"), map_size=1 << 22) as opened, opened.begin(write=True) as at:
            for key, value in pairs:
                at.put(key, value)
    else:
        plyvel = pytest.importorskip("plyvel")
        opened = plyvel.DB(str(folder / "db"), create_if_missing=True)
        for key, value in pairs:
            opened.put(key, value)
        opened.close()
    return DATA.format(kind="Data", param=f'data_param {{ source: "db" backend: {backend} batch_size: {BATCH} }}')


def image_list(folder: Path, label: int) -> str:
    image = pytest.importorskip("PIL.Image")
    random = np.random.RandomState(1)
    lines = []
    for number in range(RECORDS):
        image.fromarray(random.randint(0, 256, (4, 4, 3)).astype(np.uint8)).save(folder / f"{number}.png")
        lines.append(f"{number}.png {label if number == BAD else number % 3}")
    (folder / "list.txt").write_text("\n".join(lines) + "\n")
    param = f'transform_param {{ scale: 0.01 }} image_data_param {{ source: "list.txt" batch_size: {BATCH} }}'
    return DATA.format(kind="ImageData", param=param)


def words(session: Session) -> str:
    assert session.run is not None
    return verdict(session.run, session.report.findings)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda folder: hdf5(folder, np.nan), f'record {BAD} of train.h5 holds nan in "data"'),
        (
            lambda folder: database(folder, "LMDB", np.inf),
            f'record {BAD} (key "{BAD:05}_cat") of db holds inf in "data"',
        ),
        (
            lambda folder: database(folder, "LEVELDB", 3e38),
            f'record {BAD} (key "{BAD:05}_cat") of db holds up to 3e+38',
        ),
    ],
    ids=["hdf5", "lmdb", "leveldb"],
)
def test_the_record_that_broke_it(
    make: Callable[[Path], str], name: str, tmp_path: Path, in_caffe: Callable[..., Session], monkeypatch: Any
) -> None:
    session = in_caffe(write(tmp_path, make(tmp_path) + REST, TRAIN_ONLY), iterations=12, diagnose="full")
    assert session.run is not None
    text = words(session)
    assert name in text
    assert f"the other {BATCH - 1} of its batch are normal; caffe train reads it in iteration {BAD // BATCH}" in text
    best = survivor(session.run.tried)
    assert best is not None
    assert (best.hypothesis.kind, best.outcome) == ("data", CURED)
    # Each time that the data comes round, also in the iterations of an experiment.
    assert best.change.skips[:2] == (3, 9)
    assert "without its batch it " in text


def test_the_record_in_whose_row_a_layer_breaks(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    """Not where the first axis is not that of the batch, as for a loss."""
    log = 'layer { name: "log" type: "Log" bottom: "data" top: "log" log_param { shift: 2 } }\n'
    net = hdf5(tmp_path, -3) + log + REST.replace('bottom: "data"', 'bottom: "log"')
    text = words(in_caffe(write(tmp_path, net, TRAIN_ONLY), iterations=12))
    assert f"it happens with record {BAD} of train.h5" in text
    mean = log + 'layer { name: "sum" type: "Reduction" bottom: "data" top: "sum" }\n'
    mean += 'layer { name: "root" type: "Power" bottom: "sum" top: "root" power_param { power: 0.5 shift: -1e9 } }\n'
    net = hdf5(tmp_path, 0.5) + mean.replace(log, "") + REST + 'layer { name: "end" type: "Silence" bottom: "root" }\n'
    text = words(in_caffe(write(tmp_path, net, TRAIN_ONLY), iterations=12))
    assert text.startswith('it breaks: Power "root"')
    assert "it happens with" not in text


def test_torch_leaves_out_the_same_batch(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    pytest.importorskip("torch")
    solver = write(tmp_path, hdf5(tmp_path, np.nan) + REST, TRAIN_ONLY)
    monkeypatch.chdir(tmp_path)
    assert main(["smoke", solver.name, "--engine", "torch", "--iterations", "12", "--diagnose", "full"]) == 1
    text = capsys.readouterr().out
    assert f'record {BAD} of train.h5 holds nan in "data"' in text
    assert "without its batch it " in text


def test_with_shuffle_all_records_are_looked_at(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    session = in_caffe(write(tmp_path, hdf5(tmp_path, np.nan, shuffle=True) + REST, TRAIN_ONLY), iterations=12)
    text = words(session)
    assert f'of the {RECORDS} records read, record {BAD} of train.h5 holds nan in "data"' in text
    assert "caffe train reads it" not in text


def test_clean_records_are_not_named(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    layer = hdf5(tmp_path, 0.5)
    net = layer + REST.replace('type: "xavier"', 'type: "gaussian" std: 1e38').replace(
        '"label" top', '"label" loss_weight: 1e20 top'
    )
    session = in_caffe(write(tmp_path, net, TRAIN_ONLY), iterations=12)
    assert session.run is not None
    batch = session.run.first(Batch)
    assert batch is not None
    assert (batch.names[0], len(batch.names), list(batch.bad)) == ("record 0 of train.h5", BATCH, [])
    assert "holds" not in words(session)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda folder: hdf5(folder, 0.5, label=7), f'record {BAD} of train.h5 holds 7 as "label"'),
        (lambda folder: image_list(folder, 7), f'line {BAD + 1} of list.txt ("{BAD}.png 7") holds 7 as "label"'),
    ],
    ids=["hdf5", "images"],
)
def test_the_record_with_a_label_that_is_no_class(
    make: Callable[[Path], str], name: str, tmp_path: Path, in_caffe: Callable[..., Session]
) -> None:
    assert name in words(in_caffe(write(tmp_path, make(tmp_path) + REST, TRAIN_ONLY), iterations=12))


def test_after_the_last_record_the_first_comes_again(tmp_path: Path, monkeypatch: Any) -> None:
    from google.protobuf import text_format

    monkeypatch.chdir(tmp_path)
    net: Any = NetParameter()
    text_format.Parse(hdf5(tmp_path, np.inf), net)
    reading = read_records(build(net, "TRAIN", assume_inputs=True).layers[0], tmp_path, 2 * RECORDS - 2, 4, 30.0)
    assert reading is not None
    assert reading.total == RECORDS
    assert [one.name for one in reading.facts] == [f"record {number} of train.h5" for number in (22, 23, 0, 1)]
    values, _ = numbers(np.inf)
    assert reading.facts[2].tops["data"][:2] == (pytest.approx(values[0].min()), pytest.approx(values[0].max()))


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize(
    ("bad", "told"), [(np.nan, "batch 3 gives nan at HDF5Data"), (1e7, "has an unusual loss (batch 3 gives ")]
)
def test_all_batches_are_scanned(
    bad: float, told: str, engine: str, tmp_path: Path, caffe_python: Path, monkeypatch: Any, capsys: Any
) -> None:
    if engine == "torch":
        pytest.importorskip("torch")
    solver = write(tmp_path, hdf5(tmp_path, bad) + REST.replace("num_output: 3", "num_output: 4"), TRAIN_ONLY)
    monkeypatch.chdir(tmp_path)
    more = ["--caffe-python", str(caffe_python)] if engine == "caffe" else []
    status = main(["smoke", solver.name, "--engine", engine, "--scan", *more])
    text = " ".join(capsys.readouterr().out.split())
    assert f"scanned {RECORDS // BATCH} batches, forward only" in text
    assert f"record {BAD} of train.h5 holds" in text
    assert "X120 bad-batch" in text
    assert told in text
    if not np.isfinite(bad):
        assert status == 1


def test_a_scan_of_sound_records_is_silent(tmp_path: Path, caffe_python: Path, monkeypatch: Any, capsys: Any) -> None:
    solver = write(tmp_path, hdf5(tmp_path, 0.5) + REST, TRAIN_ONLY)
    monkeypatch.chdir(tmp_path)
    caffe = ["--engine", "caffe", "--caffe-python", str(caffe_python)]
    assert main(["smoke", solver.name, *caffe, "--scan", "--epochs", "2"]) == 0
    text = capsys.readouterr().out
    assert f"scanned {2 * RECORDS // BATCH} batches" in text
    assert "X120" not in text


def test_epochs_are_counted_in_records(tmp_path: Path, caffe_python: Path, monkeypatch: Any, capsys: Any) -> None:
    solver = write(tmp_path, database(tmp_path, "LMDB", 0.5) + REST, TRAIN_ONLY + "iter_size: 2\n")
    monkeypatch.chdir(tmp_path)
    caffe = ["--engine", "caffe", "--caffe-python", str(caffe_python)]
    assert main(["smoke", solver.name, *caffe, "--epochs", "3"]) == 0
    assert "9 iterations, every value finite" in " ".join(capsys.readouterr().out.split())
    solver = write(tmp_path, database(tmp_path, "LMDB", 0.5).replace('"db"', '"gone"') + REST, TRAIN_ONLY)
    assert main(["smoke", solver.name, *caffe, "--epochs", "3", "--data", "synthetic", "--input-shape", "data=4x2x4x4"])
    assert "it is not known how many records there are" in capsys.readouterr().err


_REGRESSION = """layer { name: "data" type: "HDF5Data" top: "data" top: "wear"
  hdf5_data_param { source: "train.txt" batch_size: 16 } }
layer { name: "hidden" type: "InnerProduct" bottom: "data" top: "hidden"
  inner_product_param { num_output: 16 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "hidden" top: "hidden" }
layer { name: "fc" type: "InnerProduct" bottom: "hidden" top: "fc"
  inner_product_param { num_output: 1 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "wear" top: "loss" }
"""


def test_one_target_far_from_all_others(tmp_path: Path, in_caffe: Callable[..., Session]) -> None:
    """It is named as the cause of what comes of it, and its labels are not taken for those of other records."""
    h5py = pytest.importorskip("h5py")
    random = np.random.RandomState(1)
    values = random.randn(640, 8).astype(np.float32)
    targets = values[:, :3].sum(axis=1, keepdims=True)
    targets[200] = -9999
    with h5py.File(tmp_path / "train.h5", "w") as file:
        file["data"], file["wear"] = values, targets
    (tmp_path / "train.txt").write_text("train.h5\n")
    session = in_caffe(write(tmp_path, _REGRESSION, TRAIN_ONLY), iterations=40)
    text = words(session)
    assert 'record 200 of train.h5 holds down to -9999 in "wear"' in text
    assert "correct or remove it; without its batch it learns" in text
    assert "labels-of-other-records" not in [one.name for one in session.report.findings]
