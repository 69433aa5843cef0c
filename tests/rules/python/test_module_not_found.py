"""A class in a file beside the one that has the name of the module."""

from __future__ import annotations

from pathlib import Path

import pytest

from caffelint.cli.main import main

NET = 'layer { name: "d" type: "Python" top: "d" python_param { module: "voc.loss" layer: "SegDataLayer" } }\n'
LAYER = "import caffe\n\n\nclass SegDataLayer(caffe.Layer):\n    def setup(self, bottom, top):\n        pass\n"


@pytest.mark.parametrize("beside", ["loss.py", "other.py"])
def test_the_folder_is_the_package_where_it_has_the_module(
    beside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README").write_text("")
    (tmp_path / "net.prototxt").write_text(NET)
    (tmp_path / "layer").mkdir()
    (tmp_path / "layer" / beside).write_text("x = 1\n")
    (tmp_path / "layer" / "data.py").write_text(LAYER)
    main(["check", "net.prototxt", "--no-cache"])
    assert ('set module: "voc.data"' in capsys.readouterr().out) == (beside == "loss.py")
