"""Files of very many layers: the work grows as they do, whatever the net takes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bench_curves
import pytest
from cost import follows, soon

from caffelint.caffe.weights.file import read_solver_state, read_weights
from caffelint.caffe.weights.stored import Unreadable
from caffelint.cli.main import main
from caffelint.evidence.weights.match import pairs_of
from caffelint.schema import NetParameter

_SIZE = 96
_INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 } } }\n'
_LAYER = (
    'layer {{ name: "{0}" type: "InnerProduct" bottom: "data" top: "{0}" '
    "inner_product_param {{ num_output: 1 bias_term: false }} }}\n"
)


def _files(folder: Path, size: int, named: str) -> list[str]:
    """A net, and two files of weights in which the layers have that name and their number."""
    net, one, two = (folder / f"{size}.{end}" for end in ("prototxt", "caffemodel", "2.caffemodel"))
    net.write_text(_INPUT + "".join(_LAYER.format(f"fc{number}") for number in range(size)))
    message: Any = NetParameter()
    for number in range(size):
        blob = message.layer.add(name=f"{named}{number}", type="InnerProduct").blobs.add()
        blob.shape.dim.extend([1, 2])
        blob.data.extend([1, 2])
    for path in (one, two):
        path.write_bytes(message.SerializeToString())
    return [str(net), str(one), str(two)]


@pytest.mark.parametrize("named", ["fc", "renamed"])
def test_work_grows_no_faster_than_the_layers(named: str, tmp_path: Path) -> None:
    small, large = (_files(tmp_path, size, named) for size in (_SIZE, 4 * _SIZE))
    for files in (small, large):
        main(["weights", *files])
    before, after = (bench_curves.calls(lambda: main(["weights", *files])) for files in (small, large))  # noqa: B023
    assert after < 4.6 * before


def test_time_grows_no_faster_than_the_layers(tmp_path: Path) -> None:
    small, large = (_files(tmp_path, size, "fc") for size in (_SIZE, 16 * _SIZE))
    main(["weights", *small])
    assert follows(lambda files: main(["weights", *files]), small, large)


def test_very_many_layers_of_few_shapes_are_matched_where_they_begin_and_end() -> None:
    one, two, three = (((number,),) for number in range(3))
    with soon():
        assert list(pairs_of([one, two, three] * 2000, [three, two, one] * 2000)) == []
        found = list(pairs_of([one] * 5000 + [two] + [one] * 3000, [one] * 5000 + [three, three] + [one] * 3000))
    assert found == [(at, at) for at in range(5000)] + [(at, at + 1) for at in range(5001, 8001)]


@pytest.mark.parametrize("name", ["layers", "layers in layers", "blobs", "history"])
def test_a_file_of_more_layers_than_any_net_is_not_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("binary", "hdf5"):
        monkeypatch.setattr(f"caffelint.caffe.weights.{module}.MOST", 50)
    few, many = (
        {
            "layers": b"\n\1n" + b"\xa2\6\0" * number,
            "layers in layers": b"\n\1n" + b"\x12\2\n\0" * (number // 2),
            "blobs": b"\n\1n" + b"\xa2\6" + bytes([2 * number]) + b":\0" * number,
            "history": b"\x08\1" + b"\x1a\0" * number,
        }[name]
        for number in (48, 60)
    )
    path = tmp_path / "a.caffemodel"
    read = read_solver_state if name == "history" else read_weights
    path.write_bytes(few)
    read(str(path))
    path.write_bytes(many)
    with pytest.raises(Unreadable, match="holds more than"):
        read(str(path))


def test_a_group_of_hdf5_by_many_names_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    h5py = pytest.importorskip("h5py")
    monkeypatch.setattr("caffelint.caffe.weights.hdf5.MOST", 50)
    path = tmp_path / "a.caffemodel.h5"
    with h5py.File(path, "w") as file:
        group = file.create_group("data/l")
        for number in range(10):
            group[str(number)] = [1.0]
        for number in range(10):
            file["data"][f"l{number}"] = group
    with pytest.raises(Unreadable, match="holds more than"):
        read_weights(str(path))


def test_a_dataset_by_many_names_counts_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    h5py = pytest.importorskip("h5py")
    monkeypatch.setattr("caffelint.caffe.weights.hdf5._MOST_UNPACKED", 1 << 20)
    for number in (1, 40):
        path = tmp_path / f"{number}.caffemodel.h5"
        with h5py.File(path, "w") as file:
            group = file.create_group("data/l0")
            group.create_dataset("0", (1000, 1000), "f4", chunks=(1000, 1000), compression="gzip", fillvalue=1)[
                0, 0
            ] = 2
            for other in range(1, number):
                file["data"][f"l{other}"] = group
        if number == 1:
            assert len(read_weights(str(path)).layers) == 1
        else:
            with pytest.raises(Unreadable, match="claims 160000000 bytes of weights, more than 1000 times its own"):
                read_weights(str(path))


def test_a_blob_of_more_axes_than_caffe_takes_is_not_read(tmp_path: Path) -> None:
    message: Any = NetParameter()
    blob = message.layer.add(name="fc", type="InnerProduct").blobs.add()
    blob.shape.dim.extend([2] * 100_000)
    blob.data.append(1)
    path = tmp_path / "a.caffemodel"
    path.write_bytes(message.SerializeToString())
    with pytest.raises(Unreadable, match="a blob of 100,000 axes; Caffe takes 32 at most"):
        read_weights(str(path))


def test_numbers_that_are_none_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "a.caffemodel.h5"
    with h5py.File(path, "w") as file:
        pairs = [("a", "<f4"), ("b", "<i8")]
        file.create_dataset("data/conv/0", (3,), dtype=pairs)
    main(["weights", "--diff", str(path), str(path)])
    assert "conv      0  cannot be read" in capsys.readouterr().out
