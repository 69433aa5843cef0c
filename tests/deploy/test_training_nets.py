"""Of a training net only what is deployed is held against targets, and nothing where its deploy net is beside it."""

from __future__ import annotations

from pathlib import Path

from caffelint.fix.deploy import deploy
from caffelint.lint.config import Config
from caffelint.lint.engine import check

TRAIN = """
layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN }
  transform_param { crop_size: 24 } data_param { source: "x" batch_size: 4 } }
layer { name: "spp" type: "SPP" bottom: "data" top: "spp" spp_param { pyramid_height: 2 } }
layer { name: "fc" type: "InnerProduct" bottom: "spp" top: "fc" inner_product_param { num_output: 3 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""


def found(folder: Path) -> list[tuple[str, str]]:
    """The file and the subject of each finding for ncnn."""
    config = Config()
    config.target = ["ncnn"]
    config.select = ["C101", "C102", "C103"]
    config.cache = False
    report = check([str(folder)], config)
    assert not report.failures
    return [(Path(one.file).name, one.message.partition(":")[0]) for one in report.findings]


def test_layers_of_a_training_net(tmp_path: Path) -> None:
    (tmp_path / "train_val.prototxt").write_text(TRAIN)
    assert found(tmp_path) == [("train_val.prototxt", "the net"), ("train_val.prototxt", 'SPP "spp"')]


def test_deploy_net_beside_it(tmp_path: Path) -> None:
    (tmp_path / "train_val.prototxt").write_text(TRAIN)
    (tmp_path / "deploy.prototxt").write_bytes(deploy(TRAIN.encode()).data)
    assert found(tmp_path) == [("deploy.prototxt", 'SPP "spp"')]
