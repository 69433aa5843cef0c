"""`caffelint data --write-shapes`: what is written into settings is read again, and nothing else changes."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from caffelint.cli.main import main
from caffelint.cli.shapes_kept import with_shapes
from caffelint.lint.settings_text import ConfigError, toml

h5py = pytest.importorskip("h5py")
numpy = pytest.importorskip("numpy")

NET = """layer { name: "d" type: "HDF5Data" top: "data" top: "a b" hdf5_data_param { source: "list" batch_size: 2 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 } }
"""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with h5py.File("a.h5", "w") as file:
        file["data"] = numpy.random.RandomState(1).rand(6, 5, 4).astype("f4")
        file["a b"] = numpy.arange(6, dtype="f4") % 3
    Path("list").write_text("a.h5\n")
    Path("net.prototxt").write_text(NET)
    return tmp_path


def data(*options: str) -> int:
    return main(["data", "net.prototxt", "-q", "--write-shapes", "--no-cache", "--jobs", "1", *options])


def test_the_shapes_are_known_to_other_commands(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert data() == 0
    assert "input-shape of data is 2x5x4" in capsys.readouterr().err
    assert toml(Path("x"), Path("caffelint.toml").read_text()) == {"input-shape": {"data": "2x5x4", "a b": "2"}}
    assert main(["check", "net.prototxt"]) == 0
    capsys.readouterr()
    assert main(["deploy", "net.prototxt"]) == 0
    assert "shape { dim: 1 dim: 5 dim: 4 }" in capsys.readouterr().out
    assert main(["summary", "net.prototxt"]) == 0
    assert "2x5x4" in capsys.readouterr().out


def test_what_is_there_stays(there: Path) -> None:
    Path("caffelint.toml").write_text(
        '# mine\nexclude = ["old"]\n[input-shape] # of mine\ndata = "9x9"\nmore = "1"\n[severity]\n'
    )
    assert data() == 0
    text = Path("caffelint.toml").read_text()
    assert text.startswith('# mine\nexclude = ["old"]\n[input-shape] # of mine\n')
    wanted = {"exclude": ["old"], "input-shape": {"data": "2x5x4", "more": "1", "a b": "2"}, "severity": {}}
    assert toml(Path("x"), text) == wanted
    assert data() == 0
    assert Path("caffelint.toml").read_text() == text


def test_settings_that_are_not_written_into(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text("[tool.caffelint]\n")
    assert data() == 2
    assert 'add to its input-shape: data = "2x5x4"' in capsys.readouterr().err
    assert Path("pyproject.toml").read_text() == "[tool.caffelint]\n"
    Path("caffelint.toml").write_text('input-shape = { data = "1" }\n')
    assert data() == 2
    assert "write it as a table of its own" in capsys.readouterr().err


def test_settings_that_are_ignored_are_not_written(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("caffelint.toml").write_text("# mine\n")
    assert data("--isolated") == 2
    assert "--write-shapes and --isolated cannot be combined" in capsys.readouterr().err
    assert Path("caffelint.toml").read_text() == "# mine\n"


def test_the_beginning_and_the_line_ends_of_a_file_stay(there: Path) -> None:
    Path("caffelint.toml").write_bytes(b'\xef\xbb\xbf# mine\r\nexclude = ["old"]\r\n')
    assert data() == 0
    new = Path("caffelint.toml").read_bytes()
    assert new.startswith(b'\xef\xbb\xbf# mine\r\nexclude = ["old"]\r\n\r\n[input-shape]\r\n')
    assert new.count(b"\n") == new.count(b"\r\n")


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_nothing_is_written_through_a_link(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(".gitattributes").write_text("# mine\n")
    Path("caffelint.toml").symlink_to(".gitattributes")
    assert data() == 2
    assert "git reads this file" in capsys.readouterr().err
    Path("caffelint.toml").unlink()
    Path("other").mkdir()
    Path("linked").symlink_to("other")
    assert data("--config", "linked/own.toml") == 2
    Path("other", "own.toml").touch()
    assert data("--config", "linked/own.toml") == 2
    assert Path("other", "own.toml").read_text() == ""
    assert Path(".gitattributes").read_text() == "# mine\n"


def test_any_settings_gain_the_shapes_alone_or_are_left(there: Path) -> None:
    draw = random.Random(4)
    lines = ["[input-shape]", "[severity]", 'data = "1x1"', '"data" = "3"', "x.y = 1", "# [input-shape]", "[[a]]", ""]
    lines += ['b = """', "[input-shape]", '"""', "[a.b]", "\r", "c = [\n1,\n]"]
    changed = 0
    for _ in range(400):
        text = "\n".join(draw.choices(lines, k=draw.randrange(8)))
        shapes = {"data": "4x3", 'a"b': "7"}
        try:
            before = toml(Path("x"), text)
            after = toml(Path("x"), with_shapes("x", text, shapes))
        except ConfigError:
            continue
        changed += 1
        assert after.pop("input-shape") == {**before.pop("input-shape", {}), **shapes}
        assert after == before
    assert changed > 50
