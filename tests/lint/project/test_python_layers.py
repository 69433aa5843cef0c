"""Which modules of a repository a Python layer may mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import caffelint
from caffelint.lint.project import memory, python_layers

NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 } } }
layer { name: "loss" type: "Python" bottom: "data" top: "loss" loss_weight: 1
  python_param { module: "pyloss" layer: "L1" } }
"""
MODULE = """
import caffe


class L1(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(1)

    def forward(self, bottom, top):
        top[0].data[...] = 0

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff
"""


def codes(path: Path) -> set[str]:
    layers = python_layers
    for remembered in (layers._told, layers._in_project, layers._defining):
        remembered.cache_clear()
    return {one.code for one in caffelint.check(str(path)).findings}


@pytest.mark.parametrize(
    ("name", "text", "is_told"),
    [
        ("README.md", "Copy loss.py to caffe/python as pyloss.py.", True),
        ("train.py", "import caffe\nimport pyloss\nnet = 'train.prototxt'\n", True),
        ("README.md", "Put loss.py in caffe/python.", False),
    ],
)
def test_a_module_that_a_text_speaks_of_is_not_missing(tmp_path: Path, name: str, text: str, is_told: bool) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "loss.py").write_text(MODULE)
    assert "Y007" in codes(tmp_path)
    (tmp_path / name).write_text(text)
    assert ("Y007" in codes(tmp_path)) is not is_told


def test_a_class_that_a_package_passes_on(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "net.prototxt").write_text(NET)
    package = tmp_path / "python" / "pyloss"
    package.mkdir(parents=True)
    (package / "losses.py").write_text(MODULE.replace("top[0].data[...] = 0", "top[0].data[...] = self.factor"))
    (package / "__init__.py").write_text("from .losses import L1\n")
    assert "Y010" in codes(tmp_path)
    (package / "__init__.py").write_text("from .losses import L1\nfrom elsewhere import *\n")
    assert "Y010" in codes(tmp_path)
    (package / "__init__.py").write_text("from .others import *\n")
    assert "Y010" not in codes(tmp_path)


def test_a_module_of_a_folder_that_nothing_shows_to_be_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("models", "layers"):
        (tmp_path / name).mkdir()
    (tmp_path / "models" / "net.prototxt").write_text(NET)
    (tmp_path / "layers" / "pyloss.py").write_text(MODULE.replace("top[0].data[...] = 0", "top[0].data = 0"))
    monkeypatch.chdir(tmp_path / "models")
    assert "Y010" not in codes(tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    assert "Y010" in codes(tmp_path / "models")


def test_a_file_of_many_classes_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = python_layers.read

    def counted(path: str, *more: Any) -> bytes:
        read.append(path)
        return real(path, *more)

    (tmp_path / ".git").mkdir()
    (tmp_path / "all.py").write_text("".join(f"class A{one}(object):\n    pass\n" for one in range(30)))
    layers = "".join(f'layer {{ python_param {{ module: "gone" layer: "A{one}" }} }}\n' for one in range(30))
    monkeypatch.setattr(python_layers, "read", counted)
    memory.forget()
    found = python_layers.modules_of({str(tmp_path / "net.prototxt"): layers.encode()})
    assert sum(name.startswith("class ") for name in found) == 30
    assert len(read) <= 3
