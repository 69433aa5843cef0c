"""Which layer loses what tells the labels: projects of which one layer keeps it from the loss, and the same without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from project_files import SOLVER, write

from caffelint.smoke.followed import CHANCE, Followed
from caffelint.smoke.job import Way
from caffelint.smoke.lost import lost
from caffelint.smoke.rule import Iteration, Told, to_line
from caffelint.smoke.run import run_of
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

np: Any = pytest.importorskip("numpy")

_DATA = """layer {{ name: "data" type: "HDF5Data" top: "data" top: "label"
  hdf5_data_param {{ source: "train.txt" batch_size: {batch} }} }}
"""
_REST = """layer { name: "fc1" type: "InnerProduct" bottom: "BOTTOM" top: "fc1"
  inner_product_param { num_output: 24 weight_filler { type: "xavier" } } }
layer { name: "relu" type: "ReLU" bottom: "fc1" top: "fc1" }
layer { name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2"
  inner_product_param { num_output: OUTPUTS weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }
"""
_COUNT, _CLASSES = 480, 3
_PYTHON = """import numpy as np
import caffe


class Augment(caffe.Layer):
    def setup(self, bottom, top):
        self.random = np.random.RandomState(1)

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].data.shape)

    def forward(self, bottom, top):
        order = np.arange(len(bottom[0].data))
        self.random.shuffle(order)
        top[0].data[...] = bottom[0].data[ORDER]

    def backward(self, top, propagate_down, bottom):
        pass
"""


class Case(NamedTuple):
    """faulty, sound: layers between the data and the weights, which make the blob "made"."""

    data: str
    faulty: str
    sound: str
    culprit: str
    words: str


def _amplitudes(random: Any, labels: Any) -> Any:
    return random.randn(len(labels), 1, 6, 6) * (1 + labels[:, None, None, None])


def _levels(random: Any, labels: Any) -> Any:
    return random.randn(len(labels), 1, 6, 6) + 2 * labels[:, None, None, None]


def _places(random: Any, labels: Any) -> Any:
    data = 0.02 * random.randn(len(labels), 1, 6, 6)
    data[np.arange(len(labels)), 0, labels * 2, labels] += 1.5 + 0.2 * random.randn(len(labels))
    return data


def _halves(random: Any, labels: Any) -> Any:
    data = random.randn(len(labels), 4, 6)
    data[:, 2:] += (labels - 1)[:, None, None]
    return data


def _steps(random: Any, labels: Any) -> Any:
    return 0.5 * random.randn(len(labels), 4, 6) + np.eye(6)[labels][:, None]


def _words(random: Any, labels: Any) -> Any:
    return (random.randint(0, 10, (len(labels), 8)) + 10 * labels[:, None]) / 40.0


_SHAPES = "input_param { shape { dim: 16 dim: 1 dim: 2 dim: 2 } }"
_IP = 'layer { name: "mix" type: "InnerProduct" bottom: "data" top: "made" inner_product_param { num_output: 30\n'
_IP += '  weight_filler { type: "xavier" } } }'
_DUMMY = 'layer { name: "%s" type: "DummyData" top: "%s" dummy_data_param { shape { %s } data_filler { %s } } }\n'
_NOISE = _DUMMY % ("noise", "noise", "dim: 16 dim: 1 dim: 6 dim: 6", 'type: "gaussian" std: %s')
_NOISE += 'layer { name: "sum" type: "Eltwise" bottom: "data" bottom: "noise" top: "made" }'
_CROP = _DUMMY % ("window", "window", "dim: 16 dim: 1 dim: %d dim: %d", "value: 0")
_CROP += 'layer { name: "crop" type: "Crop" bottom: "data" bottom: "window" top: "made" crop_param { offset: 3 } }'
_SLICE = 'layer { name: "slice" type: "Slice" bottom: "data" top: "%s" top: "%s" slice_param { axis: 1 } }\n'
_SLICE += 'layer { name: "rest" type: "Silence" bottom: "rest" }'
_PLAIN = 'layer { name: "plain" type: "Power" bottom: "data" top: "made" power_param { scale: 0.5 } }'
_LSTM = 'layer { name: "cont" type: "DummyData" top: "cont" dummy_data_param { shape { dim: 4 dim: 16 } data_filler {'
_LSTM += ' value: 1 } } }\nlayer { name: "turn" type: "Reshape" bottom: "data" top: "steps" reshape_param { shape {'
_LSTM += ' dim: 4 dim: 16 dim: 6 } } }\nlayer { name: "lstm" type: "LSTM" bottom: "steps" bottom: "cont" top: "lstm"'
_LSTM += ' recurrent_param { num_output: 8 weight_filler { type: "xavier" } } }\nlayer { name: "last" type: "Slice"'
_LSTM += ' bottom: "lstm" top: "begin" top: "end" slice_param { axis: 0 slice_point: 3 } }\nlayer { name: "rest"'
_LSTM += ' type: "Silence" bottom: "begin" }\nlayer { name: "flat" type: "Reshape" bottom: "end" top: "made"'
_LSTM += " reshape_param { shape { dim: 16 dim: 8 } } }"
_EMBED = 'layer { name: "scaled" type: "Power" bottom: "data" top: "ids" power_param { scale: %s } }\n'
_EMBED += 'layer { name: "embed" type: "Embed" bottom: "ids" top: "made" embed_param { input_dim: 40 num_output: 5'
_EMBED += ' weight_filler { type: "xavier" } } }'
_OWN = 'layer { name: "augment" type: "Python" bottom: "data" top: "made" python_param { module: "%s"'
_OWN += ' layer: "Augment" } }'
_POOL = 'layer { name: "pool" type: "Pooling" bottom: "data" top: "made" pooling_param { pool: AVE %s } }'
_MVN = 'layer { name: "mvn" type: "MVN" bottom: "data" top: "%s" }'
CASES = {
    "amplitude": Case("_amplitudes", _MVN % "made", _IP, "mvn", "takes away the level and the size"),
    "level_in_place": Case("_levels", _MVN % "data", "", "mvn", "takes away the level and the size"),
    "pooled": Case("_places", _POOL % "global_pooling: true", _POOL % "kernel_size: 2 stride: 2", "pool", "window"),
    "sliced": Case("_halves", _SLICE % ("made", "rest"), _SLICE % ("rest", "made"), "slice", "leaves out"),
    "cropped": Case("_places", _CROP % (3, 3), _IP, "crop", "leaves out"),
    "drowned": Case("_levels", _NOISE % "200", _NOISE % "0.1", "sum", "what else it reads"),
    "mixed": Case("_steps", _LSTM, _IP, "turn", "of several items"),
    "embedded": Case("_words", _EMBED % "1", _EMBED % "40", "embed", "cuts fractions off"),
    "shuffled": Case("_levels", _OWN % "mixing", _OWN % "keeping", "augment", "mix the items"),
    "factor": Case("_levels", _PLAIN.replace("0.5", "0"), _PLAIN, "plain", "is the same for all"),
}


def _project(folder: Path, case: Case, faulty: bool) -> Path:
    h5py = pytest.importorskip("h5py")
    random = np.random.RandomState(3)
    labels = random.randint(0, _CLASSES, _COUNT)
    with h5py.File(folder / "train.h5", "w") as file:
        file["data"] = globals()[case.data](random, labels).astype("f")
        file["label"] = labels.astype("f")
    (folder / "train.txt").write_text("train.h5\n")
    for name, order in (("mixing", "order"), ("keeping", ":")):
        (folder / f"{name}.py").write_text(_PYTHON.replace("ORDER", order))
    made = "made" if '"made"' in (case.faulty if faulty else case.sound) else "data"
    rest = _REST.replace("BOTTOM", made).replace("OUTPUTS", str(_CLASSES))
    between = case.faulty if faulty else case.sound
    solver = SOLVER.replace("test_iter: 3\ntest_interval: 1\n", "")
    return write(folder, _DATA.format(batch=16) + between + "\n" + rest, solver)


_BY_DAY = ("amplitude-torch", "level_in_place-caffe", "mixed-torch", "shuffled-torch")
_EVERY = [f"{name}-{engine}" for name in CASES for engine in ("torch", "caffe")]


def _by_day(every: Sequence[str], some: Sequence[str]) -> list[Any]:
    return [pytest.param(one, marks=() if one in some else pytest.mark.nightly) for one in every]


@pytest.mark.parametrize("which", _by_day(_EVERY, _BY_DAY))
def test_the_layer_that_loses_it(which: str, tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    name, engine = which.split("-")
    case = CASES[name]
    session = in_engine(_project(tmp_path, case, True), engine, iterations=80)
    assert session.run is not None
    found = lost(session.run)
    told = [(one.layer, round(one.beyond, 1)) for one in session.run.all(Told)]
    assert found is not None, told
    assert found.layer.name == case.culprit
    said = [one for one in session.report.findings if one.name == "information-lost"]
    told_of = verdict(session.run, session.report.findings)
    if name == "factor":  # nothing gets a gradient, of which another rule tells
        assert not said
        assert "no weight gets a gradient" in told_of
        return
    assert len(said) == 1
    assert case.words in f"{said[0].message} {said[0].evidence}"
    assert said[0].cause is not None
    assert said[0].cause.what.partition(" loses ")[0] in told_of


@pytest.mark.parametrize("name", _by_day(list(CASES), ("amplitude", "mixed")))
def test_nothing_is_said_of_the_same_without(name: str, tmp_path: Path, in_engine: Callable[..., Session]) -> None:
    session = in_engine(_project(tmp_path, CASES[name], False), "torch", iterations=80)
    assert session.run is not None
    assert lost(session.run) is None
    assert verdict(session.run, session.report.findings).startswith("it trains")


_TWO = (
    'layer { name: "cut" type: "Slice" bottom: "data" top: "left" top: "right" slice_param { axis: 1 } }\n'
    'layer { name: "a" type: "TanH" bottom: "left" top: "a" }\n'
    'layer { name: "b" type: "TanH" bottom: "right" top: "b" }\n'
    'layer { name: "less" type: "Eltwise" bottom: "a" bottom: "b" top: "made" }\n'
)


def test_of_two_that_are_compared_neither_tells() -> None:
    """Whether two numbers have the same sign: neither of them tells, nor does a sum."""
    rest = _REST.replace("BOTTOM", "made").replace("OUTPUTS", "2")
    files = {"s.prototxt": SOLVER.replace("test_iter: 3\ntest_interval: 1\n", ""), "net.prototxt": _FED + _TWO + rest}
    told = [Told("label", "data", 0, 400, 0.98, 0.5, 30.0)]
    told += [Told("label", name, top, 400, 0.5, 0.5, 0.1) for name, top in _AFTER]
    for kept in (2, 0):
        text = files["net.prototxt"]
        text = text.replace('bottom: "b" top: "made"', 'bottom: "a" top: "made"') if not kept else text
        events = [Iteration(at, 0.1, 0.6931, {"loss": 0.6931}) for at in range(24)]
        lines = "\n".join(map(to_line, [*events, *told]))
        run = run_of(files | {"net.prototxt": text, "events": lines})
        assert (lost(run) is None) == bool(kept)


_AFTER = (("cut", 0), ("cut", 1), ("a", 0), ("b", 0), ("less", 0), ("fc1", 0), ("relu", 0), ("fc2", 0))
_FED = (
    'layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "t" batch_size: 9 } }\n'
)


_WAY = Way("label", True, "data", 1, 1, False, ("data", "far", "near"), (0, 0, 0), ("data",))


def _followed(near: Callable[[Any, Any], Any], way: Way = _WAY) -> dict[str, Any]:
    """What is told of 320 records of 4 classes, in batches of 32, of which a layer makes what is given."""
    random = np.random.RandomState(1)
    one: Any = Followed(way._asdict())
    for _ in range(10):
        labels = random.randint(0, 4, 32)
        data = random.randn(32, 5) + 3 * np.eye(5)[labels]
        for layer, values in (("data", data), ("far", random.randn(32, 9)), ("near", near(data, labels))):
            one.add(layer, 0, values)
            if layer == "data":
                one.add("data", 1, labels)
        one.end()
    return {each["layer"]: each for each in one.results(lambda: False)}


def test_only_the_last_place_is_looked_at_where_it_tells() -> None:
    found = _followed(lambda data, labels: 1 - data)
    assert list(found) == ["near"]
    assert found["near"]["beyond"] > 10
    assert found["near"]["records"] == 320


def test_all_places_are_looked_at_where_the_last_tells_nothing() -> None:
    found = _followed(lambda data, labels: np.roll(data, 1, axis=0))
    assert list(found) == ["near", "far", "data"]
    assert max(found["near"]["beyond"], found["far"]["beyond"]) < CHANCE < 10 < found["data"]["beyond"]
    assert _followed(lambda data, labels: 0 * data)["near"]["same"]


def test_time_may_be_the_first_axis() -> None:
    found = _followed(lambda data, labels: np.stack([data, data]), _WAY._replace(steps=True))
    assert found["near"]["beyond"] > 10


def test_a_blob_without_records_is_left_out() -> None:
    assert list(_followed(lambda data, labels: data.T)) == ["far", "data"]


def test_records_that_come_again_count_once() -> None:
    assert _followed(lambda data, labels: data)["near"]["records"] == 320
    one: Any = Followed(_WAY._asdict())
    data, labels = np.random.RandomState(1).randn(40, 5), np.arange(40) % 4
    for _ in range(5):
        one.add("data", 0, data)
        one.add("data", 1, labels)
        one.end()
    assert one.results(lambda: False) == []
