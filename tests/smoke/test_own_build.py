"""A Caffe that is built nearby is named, and not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.smoke import engines, own_build
from caffelint.smoke.own_build import SEARCHED


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CAFFE_ROOT", "CAFFE_HOME", engines.VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(engines, "can_import", lambda name: name in ("torch", "numpy"))


def built(folder: Path) -> Path:
    """Folders as make leaves them. What Python would run in there leaves a mark."""
    pycaffe = folder / "python" / "caffe"
    pycaffe.mkdir(parents=True)
    (pycaffe / "_caffe.so").touch()
    (pycaffe / "__init__.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\n")
    return folder


def why(engine: str = engines.AUTO) -> str:
    return engines.choose(engine, "cpu", None, None, engines.OPTION).why


def test_in_the_working_directory_or_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = built(tmp_path / "my caffe")
    (root / "examples/mnist").mkdir(parents=True)
    for folder in (root, root / "examples", root / "examples/mnist"):
        monkeypatch.chdir(folder)
        assert why() == (
            f'a Caffe is built in "{root}"; to run with it, give --caffe-python'
            f" 'env '\"'\"'PYTHONPATH={root}/python'\"'\"' python3'"
        )
    assert why(engines.TORCH) == "requested with --engine"
    assert not (root / "ran").exists()


def test_by_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAFFE_ROOT", str(built(tmp_path / "elsewhere/caffe")))
    assert why().endswith(f"give --caffe-python 'env PYTHONPATH={tmp_path}/elsewhere/caffe/python python3'")


def test_of_caffelint_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".caffe").mkdir()
    (tmp_path / ".caffe/caffe-python").touch()
    assert why().endswith(f"give --caffe-python {tmp_path}/.caffe/caffe-python")


def test_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(own_build, "_ABOVE", 1)
    assert why() == "no Caffe is named with --caffe-python, and this Python cannot import caffe"
    with pytest.raises(engines.NoEngine, match=f"{SEARCHED.replace('$', '.')}; name a Python that can with"):
        why(engines.CAFFE)
    monkeypatch.setattr(engines, "can_import", lambda name: name in ("numpy", "h5py"))
    with pytest.raises(engines.NoEngine, match=r"brings torch, lmdb, plyvel, pillow; or name a Python with caffe"):
        why()
