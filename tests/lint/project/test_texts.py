"""What the texts of a project tell its readers to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from cost import soon

import caffelint
from caffelint.lint.config import Config

NET = (
    'layer { name: "d" type: "Data" top: "data" top: "label" data_param { source: "~/a" batch_size: 4 } }\n'
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 9\n'
    '  weight_filler { type: "xavier" } } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
)
EDIT = "2. edit `*.prototxt`, replace the data path with yours."


@pytest.mark.parametrize(
    ("page", "text", "severity"),
    [
        ("README.md", EDIT, "info"),
        ("README.md", "4. Update paths in train_val.prototxt", "info"),
        ("README.md", "set the path of your matlab", "error"),
        ("README.md", "the data are in your home", "error"),
        ("caffe/examples/readme.md", EDIT, "error"),  # of the Caffe that it holds
    ],
)
def test_a_page_tells_to_set_the_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, text: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    files = {"solver.prototxt": 'net: "train.prototxt" base_lr: 0.01', "train.prototxt": NET, page: text}
    for name, content in (files | {"caffe/src/caffe/proto/caffe.proto": "package caffe;"}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    config = Config()
    config.cache, config.select = False, ["source-not-found"]
    [one] = caffelint.check(["."], config).findings
    assert (one.severity, f"{page}:1 tells to set the paths" in one.evidence) == (severity, severity == "info")


def test_names_with_stars_are_held_against_nets_fast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.py").write_text("".join(f"'*{number}*n*.prototxt'\n" for number in range(4500)) + "# caffe\n")
    for number in range(30):
        (tmp_path / f"n{number}.prototxt").write_text(f'layer {{ botom: "a" }} # {number}\n')
    config = Config()
    config.cache = False
    with soon(5):
        caffelint.check(["."], config)
