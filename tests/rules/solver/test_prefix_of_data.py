"""A prefix that is the folder of the data: by its path it was to lead into it, by a bare word it may name the model."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint

_NET = """
layer {{ name: "d" type: "Data" top: "x" top: "y" data_param {{ source: "{}/train_lmdb" batch_size: 4 }} }}
layer {{ name: "ip" type: "InnerProduct" bottom: "x" top: "ip" inner_product_param {{ num_output: 8 }} }}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "y" }}
"""


@pytest.mark.parametrize(("folder", "severity"), [("siamese", "info"), ("data/siamese", "warning")])
def test_a_bare_word_may_name_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, severity: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.prototxt").write_text(_NET.format(folder))
    (tmp_path / "solver.prototxt").write_text(
        f'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9 snapshot: 5 snapshot_prefix: "{folder}"'
    )
    (one,) = [one for one in caffelint.check(["solver.prototxt", "net.prototxt"]).findings if one.code == "S302"]
    assert (one.severity, "is the folder of" in one.message) == (severity, True)
