"""`caffelint weights`: what it prints, and how it ends."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caffelint.cli.main import main
from caffelint.schema import NetParameter

NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 2 dim: 5 dim: 5 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 3 kernel_size: 3 } }
layer { name: "fc" type: "InnerProduct" bottom: "conv" top: "fc" inner_product_param { num_output: %d } }
"""
SHAPES = {"conv": [(3, 2, 3, 3), (3,)], "fc": [(4, 27), (4,)]}


def model(path: Path, shapes: dict[str, list[tuple[int, ...]]]) -> str:
    message: Any = NetParameter()
    for name, blobs in shapes.items():
        layer = message.layer.add(name=name, type="Any")
        for shape in blobs:
            blob = layer.blobs.add()
            blob.shape.dim.extend(shape)
            count = 1
            for dim in shape:
                count *= dim
            blob.data.extend(index / 7 - 1 for index in range(count))
    path.write_bytes(message.SerializeToString())
    return str(path)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.prototxt"
    path.write_text(NET % 4)
    return path


def test_fits(net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weights", str(net), model(tmp_path / "a.caffemodel", SHAPES)]) == 0
    out = capsys.readouterr().out
    assert "2 layers with weights, 169 values" in out
    assert "2 of 2 layers with parameters get weights" in out


def test_layers_whose_shapes_depend_on_the_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = tmp_path / "net.prototxt"
    first = 'layer { name: "in" type: "Data" top: "data" data_param { source: "x" batch_size: 1 } }\n'
    net.write_text(first + NET.lstrip().partition("\n")[2] % 4)
    assert main(["weights", str(net), model(tmp_path / "a.caffemodel", SHAPES)]) == 0
    told = "2 of 2 layers with parameters are found by name; whether they fit depends on the data; give its shape with"
    assert f"{told} --input-shape data=NxCxHxW\n" in capsys.readouterr().out


def test_all_that_does_not_fit_in_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], validate: Callable[[Any, Path], None], root: Path
) -> None:
    net = tmp_path / "net.prototxt"
    net.write_text(NET % 9)
    shapes = {**SHAPES, "conv": [(3, 2, 3, 3)], "gone": [(1,)]}
    file = model(tmp_path / "a.caffemodel", shapes)
    assert main(["weights", str(net), file, "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    validate(report, root / "docs/schema/check.schema.json")
    found = {(one["name"], one["layer"], one["line"]) for one in report["findings"]}
    assert ("weights-do-not-fit", "conv", 3) in found
    assert ("weights-do-not-fit", "fc", 5) in found
    assert ("weights-not-used", "gone", None) in found
    assert report["weights"][0]["nets"][0]["do_not_fit"] == ["conv", "fc"]
    for form in ("concise", "sarif", "github", "gitlab", "junit", "statistics"):
        assert main(["weights", str(net), file, "--format", form]) == 1
        assert "conv" in capsys.readouterr().out or form == "statistics"
    assert main(["weights", str(net), file, "--fail-on", "never"]) == 0


def test_solver_stands_for_its_nets(net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "test.prototxt").write_text(NET % 9)
    solver = tmp_path / "solver.prototxt"
    solver.write_text('train_net: "net.prototxt" test_net: "test.prototxt" test_iter: 1 test_interval: 1 base_lr: 1')
    assert main(["weights", str(solver), model(tmp_path / "a.caffemodel", SHAPES), "--format", "concise"]) == 1
    out, error = capsys.readouterr()
    assert "test.prototxt:5:" in out
    assert "net.prototxt (TRAIN): 2 of 2" in error


def test_a_second_file_feeds_what_the_first_does_not(
    net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [model(tmp_path / f"{name}.caffemodel", {name: shapes}) for name, shapes in SHAPES.items()]
    assert main(["weights", str(net), files[0]]) == 1
    assert "layer-without-weights" in capsys.readouterr().out
    assert main(["weights", str(net), *files, "-v", "--fail-on", "info"]) == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS pointer"),
        (b"PK\x03\x04" + bytes(40), "zip archive"),
        (b"\x1f\x8b\x08" + bytes(40), "gzip"),
        (b'name: "x"', "is text"),
        (b"\xa2\x06\xff\xff\xff\xff\x07abc", "is damaged or cut off at byte 0"),
        (b"\x89HDF\r\n\x1a\n" + bytes(90), "damaged HDF5 file"),
    ],
)
def test_what_is_no_file_of_weights(
    net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    file = tmp_path / "a.caffemodel"
    file.write_bytes(content)
    assert main(["weights", str(net), str(file)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (bytes(9_000), "holds only zeros"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b'layer { name: "x" }', "is text"),
    ],
)
def test_what_caffe_takes_for_an_empty_net(
    net: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    file = tmp_path / "a.caffemodel"
    file.write_bytes(content)
    assert main(["weights", str(net), str(file)]) == 1
    assert words in capsys.readouterr().out


def test_wrong_usage(net: Path, tmp_path: Path) -> None:
    assert main(["weights"]) == 2
    assert main(["weights", str(net)]) == 2
    assert main(["weights", str(net), str(tmp_path)]) == 2
    assert main(["weights", str(net), str(tmp_path / "gone.caffemodel")]) == 2
    assert main(["weights", str(tmp_path / "gone.prototxt"), model(tmp_path / "a.caffemodel", SHAPES)]) == 2


def test_check_with_weights(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    net.write_text(NET % 9)
    model(tmp_path / "a.caffemodel", SHAPES)
    assert main(["check", "net.prototxt", "--format", "concise", "--isolated"]) == 0
    assert main(["check", "net.prototxt", "--weights", "a.caffemodel", "--format", "concise"]) == 1
    assert "weights-do-not-fit" in capsys.readouterr().out
    assert main(["check", "net.prototxt", "--weights", "gone.caffemodel"]) == 2
    assert main(["check", ".", "--weights", "a.caffemodel"]) == 2


def test_check_with_weights_needs_numpy(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("caffelint.cli.errors.find_spec", lambda name: None)
    assert main(["check", str(net), "--weights", model(tmp_path / "a.caffemodel", SHAPES)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--weights needs numpy: pip install 'caffelint[data]'" in line


def test_weights_of_the_solver(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that it names are looked at by both commands, where they are."""
    monkeypatch.chdir(tmp_path)
    net.write_text(NET % 9)
    Path("solver.prototxt").write_text(
        'net: "net.prototxt"\nbase_lr: 0.1\nmax_iter: 9\nweights: "a.caffemodel, b.caffemodel"\n'
    )
    assert main(["weights", "solver.prototxt"]) == 2
    main(["check", "solver.prototxt", "--format", "concise"])
    assert "weights-do-not-fit" not in capsys.readouterr().out
    model(tmp_path / "b.caffemodel", SHAPES)
    for command in ("weights", "check"):
        main([command, "solver.prototxt", "--format", "concise"])
        assert "weights-do-not-fit" in capsys.readouterr().out


def test_what_a_training_moved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = model(tmp_path / "a.caffemodel", {**SHAPES, "head": [(2, 2)], "old": [(1,)]})
    message: Any = NetParameter.FromString(Path(before).read_bytes())
    message.layer[1].blobs[0].data[0] += 1
    message.layer[2].blobs[0].shape.dim[:] = [4, 1]
    message.layer[3].name = "new"
    after = tmp_path / "b.caffemodel"
    after.write_bytes(message.SerializeToString())
    assert main(["weights", "--diff", before, str(after)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["conv", "0", "same", "0", "0", "0%"] in lines
    relative = 1 / math.sqrt(sum((index / 7 - 1) ** 2 for index in range(108)))
    wanted = ["moved", f"{relative:.3g}", "1", f"{100 / 108:.3g}%"]
    assert next(line for line in lines if line[:2] == ["fc", "0"])[2:] == wanted
    assert ["head", "0", "other", "shape"] in lines
    assert ["old", "0", "only", "in", "the", "first"] in lines
    assert ["new", "0", "only", "in", "the", "second"] in lines
    assert ["never", "touched:", "conv"] in lines
    assert main(["weights", "--diff", before]) == 2


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_plot(tmp_path: Path, ending: str) -> None:
    file = model(tmp_path / "a.caffemodel", {**SHAPES, "one": [(1,)], "$odd_name^{": [(70, 3)]})
    plot = tmp_path / f"plot.{ending}"
    for _ in range(2):  # it replaces its own
        assert main(["weights", file, "--plot", str(plot)]) == 0
    assert plot.stat().st_size > 5000
    assert main(["weights", file, "--plot", file]) == 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [(1, 1 + 2**-23), (3e38, -3e38), (1e-45, 2e-45), (1.7e308, -1.7e308), (math.inf, 1)])
@pytest.mark.parametrize("command", ["weights", "scales"])
def test_weights_near_each_other_and_at_the_ends_of_floats(
    values: tuple[float, float], command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A Scale after few updates, a model that diverged, filters that decay brought to next to nothing."""
    message: Any = NetParameter()
    blob = message.layer.add(name="\u65e5", type="InnerProduct").blobs.add()
    blob.shape.dim.extend((2, 3))
    (blob.double_data if 1e300 < values[0] < math.inf else blob.data).extend(values * 3)
    (tmp_path / "a.caffemodel").write_bytes(message.SerializeToString())
    net = tmp_path / "net.prototxt"
    net.write_text(
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } }\n'
        'layer { name: "\u65e5" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 2 } }\n'
    )
    file, plot = str(tmp_path / "a.caffemodel"), str(tmp_path / "plot.svg")
    options = [file, "--plot", plot] if command == "weights" else [str(net), "--weights", file]
    assert main([command, *options]) in (0, 1)
    assert "arning" not in capfd.readouterr().err
