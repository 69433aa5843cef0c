"""`caffelint scales` and `caffelint lr --suggest`: the table holds what a draw of the weights gives."""

from __future__ import annotations

import json
import math
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from caffelint.schema import NetParameter

SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" momentum: 0.9'
NET = (
    'layer { name: "data" type: "DummyData" top: "x" top: "label" dummy_data_param { shape { dim: 64 dim: 50 }'
    ' shape { dim: 64 } data_filler { type: "gaussian" std: 2 } data_filler { type: "constant" } } }'
    ' layer { name: "fc1" type: "InnerProduct" bottom: "x" top: "fc1" inner_product_param { num_output: 40'
    ' weight_filler { type: "gaussian" std: 0.1 } } }'
    ' layer { name: "relu" type: "ReLU" bottom: "fc1" top: "fc1" }'
    ' layer { name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2" inner_product_param { num_output: 5'
    ' weight_filler { type: "gaussian" std: 0.05 } } }'
    ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }'
)


@pytest.fixture
def there(project: Path) -> Path:
    (project / "solver.prototxt").write_text(SOLVER, "utf-8")
    (project / "net.prototxt").write_text(NET, "utf-8")
    return project


def table(caffelint: Any, *options: str, file: str = "solver.prototxt") -> dict[str, Any]:
    run = caffelint("scales", file, "--format", "json", *options)
    assert (run.status, run.err) == (0, "")
    found: dict[str, Any] = json.loads(run.out)
    return found


def test_sizes_follow_from_the_draws(caffelint: Any, there: Path) -> None:
    rows = {row["layer"]: row for row in table(caffelint)["rows"]}
    spread = math.sqrt(50) * 2 * 0.1  # of a sum of 50 products of normal variables
    assert rows["fc1"]["size"] == pytest.approx(spread, rel=1e-2)
    assert rows["relu"]["size"] == pytest.approx(spread / math.sqrt(2), rel=1e-2)
    assert rows["relu"]["mean"] == pytest.approx(spread / math.sqrt(2 * math.pi), rel=1e-2)
    assert rows["fc1"]["weights"] == pytest.approx(0.1)


def test_the_text_and_what_is_marked(caffelint: Any, there: Path) -> None:
    run = caffelint("scales", "solver.prototxt", "--what-if", "base_lr=1000")
    assert run.status == 0
    assert "rate 1000" in run.out
    assert run.out.count("update as large as the weights") == 2
    assert 'first loss "loss": 1.6' in run.out


@pytest.mark.parametrize(
    ("change", "file", "old", "new"),
    [
        ("base_lr=0.5", "solver.prototxt", "base_lr: 0.01", "base_lr: 0.5"),
        ("momentum=0", "solver.prototxt", "momentum: 0.9", "momentum: 0"),
        ("fc1.std=7", "net.prototxt", "std: 0.1", "std: 7"),
        ("fc2.num_output=9", "net.prototxt", "num_output: 5", "num_output: 9"),
        ("loss.loss_weight=3", "net.prototxt", 'top: "loss"', 'top: "loss" loss_weight: 3'),
        ("fc1.type=constant", "net.prototxt", 'type: "gaussian" std: 0.1', 'type: "constant" std: 0.1'),
    ],
)
def test_what_if_is_the_table_of_the_changed_text(
    caffelint: Any, there: Path, change: str, file: str, old: str, new: str
) -> None:
    before = table(caffelint)
    found = table(caffelint, "--what-if", change)
    text = (there / file).read_text("utf-8")
    assert text.count(old) == 1
    (there / file).write_text(text.replace(old, new), "utf-8")
    assert table(caffelint) == found != before


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("base_lr", '"base_lr" is not a change; write it as base_lr=0.1 or conv1.std=0.01'),
        ("fc9.std=1", '"fc9.std" is no field of the solver, nor of a layer, as LAYER.FIELD'),
        ("fc1.max=1", 'the weight_filler of "fc1" is gaussian, which reads no max; add fc1.type=uniform'),
        ("fc1.std=many", "--what-if fc1.std=many: std takes a number, not many"),
    ],
)
def test_what_cannot_be_changed(caffelint: Any, there: Path, change: str, error: str) -> None:
    run = caffelint("scales", "solver.prototxt", "--what-if", change)
    assert (run.status, run.err) == (2, f"caffelint: {error}\n")


def test_a_net_alone_has_no_updates(caffelint: Any, there: Path) -> None:
    found = table(caffelint, file="net.prototxt")
    assert found["rate"] is found["largest_update"] is None
    assert all(row["update"] is None for row in found["rows"])


def test_a_softmax_of_one_class_is_1(caffelint: Any, there: Path) -> None:
    (there / "net.prototxt").write_text(
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 4 dim: 8 } } }\n'
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 1\n'
        '  weight_filler { type: "xavier" } } }\n'
        'layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }\n'
    )
    rows = {row["layer"]: row for row in table(caffelint, file="net.prototxt")["rows"]}
    assert rows["prob"]["mean"] == pytest.approx(1)


def test_what_is_not_known_is_named(caffelint: Any, there: Path) -> None:
    (there / "net.prototxt").write_text(NET.replace('"ReLU"', '"Strange"'), "utf-8")
    found = table(caffelint)
    assert found["unknown"] == ["relu"]
    assert [row["size"] for row in found["rows"] if row["layer"] == "fc2"] == [None]
    run = caffelint("lr", "solver.prototxt", "--suggest")
    assert "nothing is known of its updates" in run.err


def test_a_shape_that_lacks_is_asked_for(caffelint: Any, there: Path) -> None:
    start = NET.index(" layer")
    data = 'layer { name: "data" type: "Data" top: "x" top: "label" data_param { source: "lmdb" batch_size: 8 } }'
    (there / "net.prototxt").write_text(data + NET[start:], "utf-8")
    asked = 'the shape of "x" is not in the text; give --input-shape x=8xCxHxW (with numbers for the letters)'
    assert asked in " ".join(caffelint("scales", "solver.prototxt").out.split())
    assert asked in caffelint("lr", "solver.prototxt", "--suggest").err
    given = ("--input-shape", "x=8x1x5x10")
    assert "is not in the text" not in caffelint("scales", "solver.prototxt", *given).out
    assert "largest rate" in caffelint("lr", "solver.prototxt", "--suggest", *given).out


def test_data_of_python_code_are_not_guessed(caffelint: Any, there: Path) -> None:
    start = NET.index(" layer")
    source = 'layer { name: "own" type: "Python" top: "x" top: "label" python_param { module: "m" layer: "L" } }'
    (there / "net.prototxt").write_text(source + NET[start:], "utf-8")
    shapes = ("--input-shape", "x=8x50", "--input-shape", "label=8")
    said = " ".join(caffelint("scales", "solver.prototxt", *shapes).out.split())
    assert '"x" is made by code that caffelint scales does not run; caffelint smoke runs it' in said
    assert "?" not in said  # no table of what is not known
    wrong = caffelint("scales", "solver.prototxt", "--input-shape", "y=8x50")
    assert wrong.status == 2
    assert 'no input is called "y"; the inputs are x, label' in wrong.err


def test_data_that_cannot_be_measured_are_named(caffelint: Any, there: Path) -> None:
    pytest.importorskip("h5py")
    start = NET.index(" layer")
    source = 'layer { name: "data" type: "HDF5Data" top: "x" top: "label"'
    source += ' hdf5_data_param { source: "list" batch_size: 8 } }'
    (there / "net.prototxt").write_text(source + NET[start:], "utf-8")
    (there / "list").write_text("missing.h5\n", "utf-8")
    for option in ("--data", "--read-data"):
        run = caffelint("scales", "solver.prototxt", option)
        assert run.status == 2
        assert 'HDF5Data "data" reads is not measured: "list" leads to no record that can be read' in run.err


def test_data_are_measured(caffelint: Any, there: Path) -> None:
    h5py, numpy = pytest.importorskip("h5py"), pytest.importorskip("numpy")
    values = numpy.random.RandomState(1).randn(200, 50).astype("f4") * 30 + 7
    with h5py.File(there / "a.h5", "w") as file:
        file["x"], file["label"] = values, numpy.zeros(200, "f4")
    (there / "list").write_text("a.h5\n", "utf-8")
    start = NET.index(" layer")
    source = 'layer { name: "data" type: "HDF5Data" top: "x" top: "label"'
    source += ' hdf5_data_param { source: "list" batch_size: 8 } }'
    (there / "net.prototxt").write_text(source + NET[start:], "utf-8")
    assert table(caffelint)["unknown"] == ["data"]
    tested = source.replace("batch_size: 8 }", "batch_size: 5 } include { phase: TEST }")
    trained = source.replace("batch_size: 8 }", "batch_size: 8 } include { phase: TRAIN }")
    (there / "net.prototxt").write_text(trained + tested + NET[start:], "utf-8")
    (row, *_) = table(caffelint, "--data")["rows"]
    assert row["shape"] == [8, 50]
    assert row["mean"] == pytest.approx(values.mean(), rel=1e-2)
    assert row["size"] == pytest.approx(math.sqrt((values.astype("f8") ** 2).mean()), rel=1e-2)


@pytest.mark.parametrize(
    ("layer", "why"),
    [
        ('type: "Data" data_param { source: "gone" backend: LMDB batch_size: 8 }', '"gone" does not exist'),
        ('type: "Python" python_param { module: "m" layer: "L" }', "a Python layer makes its data"),
        ('type: "DummyData" dummy_data_param { shape { dim: 8 } }', "no layer of phase TRAIN reads data"),
    ],
)
def test_data_that_cannot_be_measured(caffelint: Any, there: Path, layer: str, why: str) -> None:
    pytest.importorskip("numpy")
    start = NET.index(" layer")
    (there / "net.prototxt").write_text(
        f'layer {{ name: "data" top: "x" top: "label" {layer} }}' + NET[start:], "utf-8"
    )
    run = caffelint("scales", "solver.prototxt", "--data")
    assert run.status == 2
    assert why in run.err


@pytest.mark.parametrize("value", [1e300, -1e300, 3e38, float("nan"), float("inf")])
def test_weights_beyond_what_caffe_keeps(caffelint: Any, there: Path, value: float) -> None:
    message: Any = NetParameter()
    blob = message.layer.add(name="fc1", type="InnerProduct").blobs.add(double_data=[value] * 40)
    blob.shape.dim.extend([4, 10])
    (there / "m.caffemodel").write_bytes(message.SerializeToString())
    run = caffelint("scales", "solver.prototxt", "--weights", "m.caffemodel")
    assert (run.status in (0, 1), run.err) == (True, "")


def test_weights_that_claim_more_than_the_file_holds(caffelint: Any, there: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(there / "m.caffemodel.h5", "w") as file:
        file.create_dataset("data/fc1/0", (40, 10**9), "f4", chunks=(1, 1000))
    run = caffelint("scales", "solver.prototxt", "--weights", "m.caffemodel.h5")
    assert (run.status, run.out) == (2, "")
    assert "m.caffemodel.h5: claims 160000000000 bytes" in run.err


def test_at_the_largest_rate_the_two_largest_updates_are_about_the_weights(caffelint: Any, there: Path) -> None:
    """Their geometric mean is 0.5, and the second one counts as a hundredth of the first one at least."""
    run = caffelint("lr", "solver.prototxt", "--suggest")
    assert run.status == 0
    lines = run.out[run.out.index("largest rate") :].splitlines()[1:]
    rows = {line.split()[0]: line.split() for line in takewhile(str.strip, lines)}
    assert next(iter(rows)) == "SGD"
    (there / "solver.prototxt").write_text(SOLVER.replace("0.01", rows["SGD"][1]), "utf-8")
    assert 0.5 <= table(caffelint)["largest_update"]["update"] <= 5


def test_plot(caffelint: Any, there: Path) -> None:
    pytest.importorskip("matplotlib")
    assert caffelint("scales", "solver.prototxt", "--plot", "a.svg").status == 0
    assert "update / weight" in (there / "a.svg").read_text("utf-8")


def test_the_std_of_a_convolution_is_that_of_its_filler(caffelint: Any, there: Path) -> None:
    net = NET.replace('"InnerProduct" bottom: "x"', '"Convolution" bottom: "x"').replace(
        "inner_product_param { num_output: 40", "convolution_param { kernel_size: 1 num_output: 40"
    )
    (there / "net.prototxt").write_text(net.replace("dim: 64 dim: 50", "dim: 64 dim: 50 dim: 1 dim: 1"), "utf-8")
    rows = {row["layer"]: row for row in table(caffelint, "--what-if", "fc1.std=0.3")["rows"]}
    assert rows["fc1"]["weights"] == pytest.approx(0.3)


def test_weights_that_get_no_gradient(caffelint: Any, there: Path) -> None:
    """No rate makes an update as large as they are."""
    (there / "net.prototxt").write_text(NET.replace('"gaussian" std: 0.05', '"constant"'), "utf-8")
    run = caffelint("scales", "solver.prototxt")
    assert run.status == 0
    assert "no gradient" in run.out
