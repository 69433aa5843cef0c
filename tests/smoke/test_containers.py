"""A Caffe that lives elsewhere: behind a command of several words, which sees one folder, and on Python 2.7."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from project_files import NET, python_layer, write

from caffelint.cli.main import main

HERE = Path(__file__).parent
NET_OF_STAND_IN = (
    'layer { name: "data" type: "Input" top: "data" top: "label"\n'
    "  input_param { shape { dim: 8 dim: 6 } shape { dim: 8 dim: 3 } } }\n"
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc"\n'
    '  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }\n'
    'layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
)


def container(folder: Path, python: Path) -> str:
    return shlex.join([sys.executable, str(HERE / "stand_in" / "container.py"), str(folder), str(python)])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")


def test_a_container_sees_what_it_needs(tmp_path: Path, caffe_python: Path, capsys: Any, monkeypatch: Any) -> None:
    """Relative sources are found, too: the working directory is the same."""
    layer = (
        'layer { name: "data" type: "ImageData" top: "data" top: "label"\n'
        '  image_data_param { source: "images/list.txt" root_folder: "images/" batch_size: 2 }\n'
        "  transform_param { scale: 0.0125 } }\n"
    )
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "images").mkdir()
    for number in range(4):
        image.new("RGB", (8, 8), (60 * number, 9, 9)).save(tmp_path / "images" / f"{number}.png")
    (tmp_path / "images" / "list.txt").write_text("".join(f"{number}.png {number}\n" for number in range(4)))
    body = f"assert 'HOME' not in os.environ\nassert not os.path.exists('nowhere')\nos.stat({str(tmp_path)!r})"
    net = python_layer(tmp_path, body)
    solver = write(tmp_path, layer + net.partition('name: "conv"')[2].join(('layer {\n  name: "conv"', "")))
    monkeypatch.chdir(tmp_path)
    arguments = ["smoke", solver.name, "--caffe-python", container(tmp_path, caffe_python), "--iterations", "4"]
    before = names(tmp_path)
    assert main([*arguments, "--data", "real"]) == 0
    out = capsys.readouterr().out
    assert "data: real, as Caffe reads it" in out
    assert "it runs: 4 iterations" in out
    assert names(tmp_path) == before


def test_a_work_folder_that_a_container_does_not_see(
    tmp_path: Path, caffe_python: Path, capsys: Any, monkeypatch: Any
) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    solver = write(inside)
    monkeypatch.chdir(inside)
    command = ["smoke", solver.name, "--caffe-python", container(inside, caffe_python), "--work-dir", str(outside)]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert f'cannot see "{outside}/.caffelint-smoke-' in error
    assert "choose a folder that it can see with --work-dir" in error
    assert (names(inside), names(outside)) == (["net.prototxt", "solver.prototxt"], [])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], " data: 5 iterations, every value finite"),
        (["--gradcheck", "all"], "no gradient is wrong: "),
        (["--compare", "caffe,caffe:cpu"], "they agree: no difference is larger than rounding explains"),
    ],
)
def test_python_2(tmp_path: Path, python2: Path, capsys: Any, monkeypatch: Any, more: list[str], words: str) -> None:
    solver = write(tmp_path, NET_OF_STAND_IN, 'net: "net.prototxt" base_lr: 0.05 lr_policy: "fixed" max_iter: 100')
    monkeypatch.setenv("STAND_IN", str(HERE / "stand_in"))
    monkeypatch.chdir(tmp_path)
    before = names(tmp_path)
    arguments = ["smoke", solver.name, "--caffe-python", container(tmp_path, python2), "--iterations", "5", *more]
    status = main(arguments)
    captured = capsys.readouterr()
    assert (status, words in captured.out) == (0, True), captured
    assert "note: Caffe 0.0-stand-in, Python 2.7." in captured.out
    assert names(tmp_path) == before


@pytest.mark.usefixtures("torch_not_asked")
def test_env_of_python_2(tmp_path: Path, python2: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("STAND_IN", str(HERE / "stand_in"))
    monkeypatch.chdir(tmp_path)
    assert main(["env", "--caffe-python", container(tmp_path, python2)]) == 0
    out = capsys.readouterr().out
    assert "caffe       0.0-stand-in, Python 2.7." in out
    assert "GPU: no, it is built without GPU support" in out
    assert "3 layer types; no Python layers (WITH_PYTHON_LAYER)" in out
    assert "this Caffe cannot run Python layers; build it with WITH_PYTHON_LAYER := 1" in out


def test_a_net_of_a_fork_goes_to_torch(tmp_path: Path, caffe_python: Path, capsys: Any, monkeypatch: Any) -> None:
    fork = NET.replace(
        'layer { name: "loss"', 'layer { name: "six" type: "ReLU6" bottom: "fc" top: "fc" }\nlayer { name: "loss"'
    )
    solver = write(tmp_path, fork)
    monkeypatch.chdir(tmp_path)
    assert main(["smoke", solver.name, "--caffe-python", str(caffe_python), "--iterations", "2", "--force"]) == 1
    out = capsys.readouterr().out
    assert "ReLU6" in out
    note = "this Caffe lacks layer types or fields of a fork, but torch has all layers of the net; try --engine torch"
    assert f"note: {note}" in out
