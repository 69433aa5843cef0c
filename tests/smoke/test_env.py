"""`caffelint env` tells what a real Caffe and torch have, and what they see of a project."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from project_files import python_layer, write

from caffelint.cli.main import main


def told(capsys: Any, *arguments: str) -> dict[str, Any]:
    assert main(["env", "--format", "json", *arguments]) == 0
    values: dict[str, Any] = json.loads(capsys.readouterr().out)
    return values


def test_a_real_caffe_and_a_project(tmp_path: Path, caffe_python: Path, capsys: Any, monkeypatch: Any) -> None:
    solver = write(tmp_path, python_layer(tmp_path, "").replace('"TanH"', '"Nobody"'))
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    net = (tmp_path / "net.prototxt").read_text()
    (tmp_path / "net.prototxt").write_text(
        net + 'layer { name: "odd" type: "OfAFork" bottom: "fc" top: "odd" }\n'
        'layer { name: "other" type: "Python" bottom: "fc" top: "other"\n'
        '  python_param { module: "not.there" layer: "X" } }\n'
    )
    monkeypatch.chdir(tmp_path)
    found = told(capsys, solver.name, "--caffe-python", str(caffe_python))
    caffe = found["caffe"]
    question = "import caffe, json; print(json.dumps([caffe.__version__, sorted(caffe.layer_type_list())]))"
    answer = subprocess.run([caffe_python, "-c", question], check=True, capture_output=True)
    assert [caffe["caffe"], caffe["layers"]] == json.loads(answer.stdout)
    assert caffe["python_layers"] is True
    assert {"lmdb", "hdf5"} <= set(caffe["libraries"])
    assert (caffe["gpu"], caffe["no_gpu"]) == (False, "it is built without GPU support")
    assert found["smoke"] == {"engine": "caffe", "device": "cpu"}
    rows = {(row["what"], row["name"]): row for row in found["solver"]["names"]}
    assert rows["net", "net.prototxt"]["here"] is rows["net", "net.prototxt"]["caffe"] is True
    assert rows["source", "no/such/lmdb"]["here"] is rows["source", "no/such/lmdb"]["caffe"] is False
    assert rows["module", "mine"]["place"] == str(tmp_path / "mine.py")
    assert rows["module", "not.there"]["caffe"] is False
    assert not (tmp_path / "ran").exists()
    assert found["solver"]["lacks"]["caffe"] == ["OfAFork"]
    assert 'layer "other": module "not.there" is not found; add its folder to PYTHONPATH' in found["to_do"]
    gone = 'layer "data": source "no/such/lmdb" does not exist; run from the folder that it is relative to'
    assert gone in found["to_do"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.py", "net.prototxt", "solver.prototxt"]


def test_nothing_to_run_with(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.delenv("CAFFELINT_CAFFE_PYTHON", raising=False)
    monkeypatch.setattr("caffelint.smoke.env.can_import", lambda name: name == "numpy")
    found = told(capsys)
    assert found["smoke"] == {"engine": None, "device": None}
    assert found["to_do"][1:] == [
        "pip install 'caffelint[smoke]' installs torch for the torch engine",
        "pip install 'caffelint[data]' installs lmdb, plyvel, h5py, pillow for LMDB, LevelDB, HDF5, image lists"
        " and encoded records",
        "pip install 'caffelint[plot]' installs matplotlib for --plot",
    ]
    monkeypatch.setattr("caffelint.smoke.env.can_import", lambda name: False)
    assert (
        "pip install 'caffelint[smoke]' installs numpy, torch for the torch engine and all synthetic data"
        in told(capsys)["to_do"]
    )


@pytest.mark.usefixtures("torch_not_asked")
@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("/no/such/python", '"/no/such/python" cannot be started: no such file or directory'),
        (sys.executable, "ModuleNotFoundError: No module named 'caffe'"),
    ],
)
def test_a_caffe_that_does_not_run(command: str, problem: str, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["env", "--caffe-python", command]) == 0
    out = capsys.readouterr().out
    assert f"caffe       {problem}" in out
    assert f"the Caffe of --caffe-python does not run: {problem}" in out
    assert "smoke runs  not possible" in out
    assert not list(tmp_path.iterdir())


def test_wrong_use(tmp_path: Path, capsys: Any) -> None:
    assert main(["env", str(tmp_path / "gone.prototxt")]) == 2
    assert main(["env", "--caffe-python", "'open"]) == 2
    assert "is not a command: no closing quotation" in capsys.readouterr().err
