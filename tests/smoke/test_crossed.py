"""In what the records of TEST differ from those of TRAIN, and maps of targets from their data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from project_files import write

from caffelint.smoke.crossed import Seen, crossed, sided
from caffelint.smoke.overlaid import Overlaid
from caffelint.smoke.session import Session
from caffelint.smoke.verdict import verdict

_SHAPES = np.full((4, 3, 9, 9), 0.1)
for _kind in range(4):  # red or blue, at the left or the right of the top
    _SHAPES[_kind, 2 * (_kind % 2), 1:4, 5 * (_kind // 2) : 5 * (_kind // 2) + 3] = 1
_SOLVER = 'net: "net.prototxt"\nbase_lr: 0.02\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\n'
_SOLVER += "test_iter: 4\ntest_interval: 1000\n"
_DATA = 'layer { name: "data" type: "HDF5Data" top: "data" top: "label" include { phase: %s }\n'
_DATA += '  hdf5_data_param { source: "%s.txt" batch_size: 20 } }\n'
_NET = (
    _DATA % ("TRAIN", "train")
    + _DATA % ("TEST", "test")
    + 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"\n'
    '  inner_product_param { num_output: 4 weight_filler { type: "xavier" } } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
)
_MASKED = (
    'layer { name: "data" type: "HDF5Data" top: "data" top: "label" hdf5_data_param { source: "train.txt"'
    " batch_size: 20 } }\n"
    'layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"\n'
    '  convolution_param { num_output: 2 kernel_size: 3 pad: 1 weight_filler { type: "xavier" } } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "conv" bottom: "label" top: "loss" }\n'
)


def pictures(count: int, seed: int, noise: float = 0.2) -> tuple[Any, Any]:
    """Of four classes, with their labels."""
    drawn = np.random.RandomState(seed)
    labels = drawn.randint(0, 4, count)
    return _SHAPES[labels] + noise * drawn.randn(count, 3, 9, 9), labels


def masks(count: int, kind: str = "label") -> tuple[Any, Any]:
    """Images of a bar at any place that is brighter than the rest, and maps of it."""
    drawn = np.random.RandomState(5)
    maps = np.zeros((count, 1, 12, 12))
    for one in maps:
        top, left = drawn.randint(0, 9), drawn.randint(0, 5)
        one[:, top : top + 3, left : left + 7] = 1
    return maps + 0.2 * drawn.randn(*maps.shape), maps if kind == "label" else maps * drawn.rand(count, 1, 1, 1)


def seen(data: Any, labels: Any) -> Any:
    one: Any = Seen()  # type: ignore[no-untyped-call]
    for start in range(0, len(data), 20):
        one.add(data[start : start + 20], labels[start : start + 20])
    return one


def told(data: Any, labels: Any) -> dict[str, Any]:
    found: dict[str, Any] = crossed(seen(*pictures(300, 1)), seen(data, labels))  # type: ignore[no-untyped-call]
    return found


def test_records_of_the_same_kind() -> None:
    found = told(*pictures(100, 2))
    assert (found["how"], found["agree"] > 0.9) == ("", True)


def vectors(count: int, seed: int) -> tuple[Any, Any]:
    """Of what three numbers make, with these and which of two are above 0."""
    drawn = np.random.RandomState(seed)
    made = drawn.randn(count, 3)
    mixed = made @ np.random.RandomState(0).randn(3, 20) + 0.1 * drawn.randn(count, 20)
    return mixed, np.hstack([made, made[:, :2] > 0])


@pytest.mark.parametrize(
    ("order", "how"),
    [
        ([0, 1, 2, 3, 4], ""),
        ([1, 0, 2, 3, 4], "columns"),
        ([2, 0, 1, 4, 3], "columns"),
        ([4, 3, 2, 1, 0], "columns"),
    ],
)
def test_targets_in_another_order(order: list[int], how: str) -> None:
    known, (data, targets) = seen(*vectors(300, 1)), vectors(100, 2)
    found: dict[str, Any] = crossed(known, seen(data, targets[:, order]))  # type: ignore[no-untyped-call]
    assert found["how"] == how
    assert [one[1] for one in found["labels"]] == (order if how else [])


def test_targets_that_data_do_not_tell() -> None:
    known, (data, _) = seen(*vectors(300, 1)), vectors(100, 2)
    drawn = np.random.RandomState(3).randn(100, 5)
    found: dict[str, Any] = crossed(known, seen(data, drawn))  # type: ignore[no-untyped-call]
    assert found["how"] == ""


def test_other_numbers_of_targets() -> None:
    known, (data, targets) = seen(*vectors(300, 1)), vectors(100, 2)
    assert crossed(known, seen(data, targets[:, :3])) == {}  # type: ignore[no-untyped-call]
    maps = np.zeros((100, 1, 12, 12))
    assert not seen(data, maps).fits


@pytest.mark.parametrize(
    ("how", "change"),
    [
        ("channels", lambda data: data[:, ::-1]),
        ("mirrored", lambda data: data[..., ::-1]),
        ("upside down", lambda data: data[..., ::-1, :]),
        ("transposed", lambda data: np.swapaxes(data, 2, 3)),
        ("negative", lambda data: 1 - data),
    ],
)
def test_images_that_were_written_otherwise(how: str, change: Callable[[Any], Any]) -> None:
    data, labels = pictures(100, 2)
    found = told(change(data), labels)
    assert found["how"] == how
    assert found["with_it"] > 0.9 > 0.6 > found["agree"]


@pytest.mark.parametrize("other", [[1, 2, 3, 0], [0, 1, 3, 2], [3, 2, 1, 0]])
def test_labels_that_are_numbered_otherwise(other: list[int]) -> None:
    data, labels = pictures(120, 2)
    found = told(data, np.array(other)[labels])
    assert found["how"] == "numbered"
    assert found["labels"] == [[there, here] for here, there in sorted(enumerate(other), key=lambda one: one[1])]


def test_nothing_explains_labels_in_any_order_or_other_images() -> None:
    data, labels = pictures(100, 2)
    assert told(data, np.random.RandomState(1).permutation(labels))["how"] == ""
    assert told(np.random.RandomState(1).rand(*data.shape), labels)["how"] == ""
    assert told(*pictures(100, 2, noise=3.0))["how"] == ""


def test_what_cannot_be_compared() -> None:
    data, labels = pictures(100, 2)
    assert told(data[:5], labels[:5]) == {}
    assert told(data[:, :, :5], labels) == {}
    assert told(np.full_like(data, np.nan), labels) == {}
    assert told(data, np.zeros((100, 2))) == {}
    assert told(data, np.arange(100)) == {}


def overlaid(data: Any, maps: Any) -> dict[str, Any]:
    one: Any = Overlaid()  # type: ignore[no-untyped-call]
    one.add(data, maps)
    found: dict[str, Any] = one.result()
    return found


@pytest.mark.parametrize("kind", ["label", "number"])
def test_maps_that_are_turned(kind: str) -> None:
    data, maps = masks(60, kind)
    assert overlaid(data, maps)["how"] == ""
    for how, turned in (
        ("transposed", np.swapaxes(maps, 2, 3)),
        ("mirrored", maps[..., ::-1]),
        ("upside down", maps[..., ::-1, :]),
        ("turned round", maps[..., ::-1, ::-1]),
        ("turned to the left", np.swapaxes(maps, 2, 3)[..., ::-1]),
        ("turned to the right", np.swapaxes(maps, 2, 3)[..., ::-1, :]),
    ):
        found = overlaid(data, turned)
        assert found["how"] == how
        assert found["with_it"] > 0.7 > 0.5 > found["fits"]


def test_maps_that_tell_nothing() -> None:
    data, maps = masks(60)
    assert overlaid(data, np.roll(maps, 1, axis=0))["how"] == ""
    assert overlaid(data, np.zeros_like(maps))["how"] == ""
    assert overlaid(np.zeros_like(data), maps)["how"] == ""
    assert overlaid(data[:5], maps[:5]) == {}
    assert overlaid(data, maps[:, :, :6]) == {}
    assert overlaid(data.reshape(60, -1), maps) == {}


def _write(folder: Path, **sets: tuple[Any, Any]) -> None:
    h5py = pytest.importorskip("h5py")
    for name, (data, labels) in sets.items():
        with h5py.File(folder / f"{name}.h5", "w") as file:
            file["data"], file["label"] = data.astype(np.float32), labels.astype(np.float32)
        (folder / f"{name}.txt").write_text(f"{name}.h5\n")


@pytest.mark.parametrize("engine", ["caffe", "torch"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data, labels: (data[:, ::-1], labels), "like that of TRAIN with their channels in the other order: of"),
        (
            lambda data, labels: (data, (labels + 1) % 4),
            'the "label" of TEST is numbered otherwise than in TRAIN: 0 is',
        ),
        (lambda data, labels: (data, labels), "it trains: "),
    ],
)
def test_the_run_says_why_it_tests_badly(
    engine: str, change: Callable[..., Any], said: str, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    _write(tmp_path, train=pictures(300, 1), test=change(*pictures(100, 2)))
    session = in_engine(write(tmp_path, _NET, _SOLVER), engine)
    assert session.run is not None
    assert said in verdict(session.run, session.report.findings)


@pytest.mark.parametrize(("engine", "turned"), [("caffe", True), ("torch", True), ("caffe", False)])
def test_the_run_tells_of_maps_that_are_turned(
    engine: str, turned: bool, in_engine: Callable[..., Session], tmp_path: Path
) -> None:
    data, maps = masks(100)
    _write(tmp_path, train=(data, np.swapaxes(maps, 2, 3) if turned else maps))
    solver = 'net: "net.prototxt"\nbase_lr: 0.02\nlr_policy: "fixed"\nmomentum: 0.9\nmax_iter: 1000\n'
    session = in_engine(write(tmp_path, _MASKED, solver), engine)
    assert session.run is not None
    said = verdict(session.run, session.report.findings)
    assert ('with "label" transposed back it learns: ' in said) is turned
    assert ('the maps of "label" are transposed (width x height) against their data' in said) is turned


def test_images_of_which_the_sides_matter() -> None:
    found: dict[str, Any] = sided(seen(*pictures(200, 1)))  # type: ignore[no-untyped-call]
    assert found["labels"] == [[0, 2], [1, 3], [2, 0], [3, 1]]
    assert found["with_it"] > 0.9 > 0.1 > found["agree"]


def test_images_of_which_the_sides_do_not_matter() -> None:
    data, labels = pictures(200, 1)
    assert sided(seen(data, labels % 2)) == {}  # type: ignore[no-untyped-call]
    assert sided(seen(data, np.random.RandomState(2).permutation(labels))) == {}  # type: ignore[no-untyped-call]
    assert sided(seen(data[:12], labels[:12])) == {}  # type: ignore[no-untyped-call]
    assert sided(seen(data.reshape(200, -1), labels)) == {}  # type: ignore[no-untyped-call]
