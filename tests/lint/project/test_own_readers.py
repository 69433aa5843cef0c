"""A script's text leads to no file of another folder, and takes time by its size only."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from caffelint.lint.project import own_readers
from caffelint.lint.project.own_readers import OwnReaders

LINE = "read('deploy.prototxt')"


def reads(tmp_path: Path, text: str) -> bool:
    return OwnReaders().read_by_itself(str(tmp_path / "in/compute.py"), f"{text}\n{LINE}\n", LINE)


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """A module in a checkout and one outside, to which a link of the checkout leads."""
    for folder in ("in/.git", "in/sub", "out"):
        (tmp_path / folder).mkdir(parents=True)
    for path in ("in/lines.py", "out/lines.py", "in/sub/lines.py"):
        (tmp_path / path).write_text("def read(name): return open(name).readlines()\n")
    (tmp_path / "in/linked.py").symlink_to(tmp_path / "out/lines.py")
    (tmp_path / "in/link").symlink_to(tmp_path / "out")
    return tmp_path


def test_a_module_beside_the_script(modules: Path) -> None:
    assert reads(modules, "import os, lines as l")


@pytest.mark.parametrize("name", ["{out}/lines", "../out/lines", "link/lines", "sub/lines", "linked", "lines/../lines"])
def test_what_is_no_module_beside_the_script_is_not_opened(
    modules: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    opened: list[str] = []
    read = own_readers.read_found

    def watched(path: str, largest: int) -> bytes:
        opened.append(path)
        return read(path, largest)

    monkeypatch.setattr(own_readers, "read_found", watched)
    assert not reads(modules, f"import {name.format(out=modules / 'out')}")
    assert not opened


def test_a_script_in_a_linked_folder(modules: Path) -> None:
    line = OwnReaders().read_by_itself(str(modules / "in/link/compute.py"), f"import lines\n{LINE}\n", LINE)
    assert not line


@pytest.mark.parametrize("text", ["import subprocess", "import ctypes", "import runpy", "exec(code)", "import caffe"])
def test_what_may_run_a_caffe(modules: Path, text: str) -> None:
    assert not reads(modules, f"import lines\n{text}")


def test_each_module_is_looked_for_once(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    beside = own_readers._beside

    def watched(folder: str, name: str, reach: own_readers.Reach) -> str | None:
        asked.append(name)
        return beside(folder, name, reach)

    monkeypatch.setattr(own_readers, "_beside", watched)
    readers = OwnReaders()
    text = "import lines, " + "os," * 1000 + f"os\n{LINE}\n" * 20
    for _ in range(20):
        assert readers.read_by_itself(str(modules / "in/compute.py"), text, LINE)
    assert asked == ["lines", "os"]
    assert not reads(modules, "import " + ",".join(f"m{number}" for number in range(1000)))


def test_many_imports_take_no_time(modules: Path) -> None:
    readers = OwnReaders()
    text = "import lines\n" + "import " + "os," * 100_000 + f"os\n{LINE}\n"
    began = time.process_time()
    for _ in range(100):
        assert readers.read_by_itself(str(modules / "in/compute.py"), text, LINE)
    assert time.process_time() - began < 2
