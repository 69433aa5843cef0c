"""What a name that two layers have does to a net that only takes weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caffelint.cli.main import main

NET = """layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 5 } } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 } }
layer { name: "fc" type: "Softmax" bottom: "fc" top: "prob" }
"""
TURNED = """layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 5 } } }
layer { name: "fc" type: "ReLU" bottom: "data" top: "data" }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 } }
"""


@pytest.mark.parametrize(("text", "severity"), [(NET, "info"), (TURNED, "warning")])
def test_weights_go_to_the_first_of_the_name(
    text: str, severity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A real Caffe copies a trained `fc` into the first net; at the second: "Incompatible number of blobs"."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deploy.prototxt").write_text(text)
    main(["check", "deploy.prototxt", "--format", "json", "--select", "G004", "--no-cache"])
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["severity"] == severity
