"""HDF5 files that lead to others: whether anything outside the file would be opened, and that none of it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from caffelint.caffe.hdf5_links import elsewhere
from caffelint.caffe.weights import hdf5
from caffelint.caffe.weights.file import read_solver_state, read_weights
from caffelint.caffe.weights.stored import Unreadable


def _virtual(file: Any) -> None:
    layout = h5py.VirtualLayout((2, 3), "f")
    layout[:] = h5py.VirtualSource("pipe", "data", (2, 3))
    file.create_virtual_dataset("data", layout)


def _circle(file: Any) -> None:
    file["data"] = h5py.SoftLink("other")
    file["other"] = h5py.SoftLink("data")


LEADING: dict[str, Callable[[Any], Any]] = {
    "external link": lambda file: file.__setitem__("data", h5py.ExternalLink("pipe", "/data")),
    "external group": lambda file: file.__setitem__("a", h5py.ExternalLink("pipe", "/a")),
    "soft link to an external one": lambda file: (
        file.__setitem__("data", h5py.SoftLink("b")),
        file.__setitem__("b", h5py.ExternalLink("pipe", "/data")),
    ),
    "links in a circle": _circle,
    "a long way in a circle": lambda file: (
        file.__setitem__("b", file),
        file.__setitem__("data", h5py.SoftLink(file.name + "/b" * 40)),
    ),
    "virtual": _virtual,
    "external storage": lambda file: file.create_dataset("data", (2, 3), "f", external="pipe"),
}
STAYING: dict[str, Callable[[Any], Any]] = {
    "dataset": lambda file: file.create_dataset("data", (2, 3), "f"),
    "nothing": lambda file: file.create_dataset("other", (2, 3), "f"),
    "soft link": lambda file: (
        file.create_dataset("b/c", (2, 3), "f"),
        file.__setitem__("data", h5py.SoftLink("/b/c")),
    ),
    "dangling link": lambda file: file.__setitem__("data", h5py.SoftLink("/b/c")),
    "in a group": lambda file: file.create_dataset("a/b", (2, 3), "f"),
    "in a circle": lambda file: (
        file.__setitem__("b", file),
        file.create_dataset("c", (2, 3), "f"),
        file.__setitem__("data", h5py.SoftLink("/b" * 20 + "/c")),
    ),
}
"""Files in which "data", or "a/b" if there is a group "a", leads to a pipe, and in which it does not."""


def _file(folder: Path, make: Callable[[Any], Any], top: str = "/") -> Path:
    os.mkfifo(folder / "pipe")
    with h5py.File(folder / "file.h5", "w") as file:
        make(file.require_group(top))
    return folder / "file.h5"


@pytest.mark.parametrize(("make", "leads"), [(LEADING, True), (STAYING, False)])
def test_says_what_leads_to_another_file(make: dict[str, Any], leads: bool, tmp_path: Path) -> None:
    for number, (name, one) in enumerate(make.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        with h5py.File(_file(folder, one), "r") as file:
            reason = elsewhere(file, "a/b" if "group" in name else "data")
        assert bool(reason) is leads, name


@pytest.mark.parametrize("name", LEADING)
def test_weights_in_other_files_are_not_opened(name: str, tmp_path: Path) -> None:
    """Opening the pipe would wait for ever."""
    path = _file(tmp_path, LEADING[name], "data/conv")
    with h5py.File(path, "a") as file:
        layer = file["data/conv"]
        layer.move("a" if "group" in name else "data", "0")
    with pytest.raises(Unreadable, match=r"not opened|has no numbers"):
        read_weights(str(path))


def test_many_names_do_not_lead_a_long_way_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hdf5, "_MOST_STEPS", 200)
    path = tmp_path / "a.caffemodel.h5"
    with h5py.File(path, "w") as file:
        file["group/a"] = file.create_group("data")
        file["group/b"] = file["group"]
        for number in range(20):
            file[f"data/{number} layer"] = h5py.SoftLink("/group/b")
    assert len(read_weights(str(path)).layers) == 20
    with h5py.File(path, "a") as file:
        for number in range(20):
            del file[f"data/{number} layer"]
            file[f"data/{number} layer"] = h5py.SoftLink("/group" + "/b" * 20)
    with pytest.raises(Unreadable, match="a longer way than all layers"):
        read_weights(str(path))


def test_a_state_in_another_file_is_not_opened(tmp_path: Path) -> None:
    path = _file(tmp_path, lambda file: file.__setitem__("iter", h5py.ExternalLink("pipe", "/iter")))
    with h5py.File(path, "a") as file:
        file["history/0"] = np.zeros(3, np.float32)
    with pytest.raises(Unreadable, match="not opened"):
        read_solver_state(str(path))
