"""What the text shows to be the author's own way, or a fork's, is an info; next to it what is still a warning."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

_INPUT = 'input: "data" input_dim: {batch} input_dim: 3 input_dim: 8 input_dim: 8 input: "label" input_dim: 1 '
_BN = 'layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" batch_norm_param { use_global_stats: false } }'
_FC = (
    'layer {{ name: "fc{n}" type: "InnerProduct" bottom: "data" top: "fc{n}" inner_product_param {{ num_output: 4'
    ' weight_filler {{ type: "{filler}" }} }} }} '
)
_ACCURACY = 'layer { name: "acc" type: "Accuracy" bottom: "data" bottom: "label" '


def _severities(folder: Path, rule: str) -> list[str]:
    config = Config()
    config.cache, config.select = False, [rule]
    return [finding.severity for finding in caffelint.check([folder], config).findings]


@pytest.mark.parametrize(
    ("rule", "net", "severity"),
    [
        ("batch-stats-in-testing", _INPUT.format(batch=1) + _BN, "warning"),
        ("batch-stats-in-testing", _INPUT.format(batch=8) + _BN, "warning"),
        ("unknown-filler-type", "".join(_FC.format(n=n, filler="prelu") for n in range(3)), "info"),
        ("unknown-filler-type", "".join(_FC.format(n=n, filler="prelu") for n in range(2)), "warning"),
        (
            "unknown-filler-type",
            "".join(_FC.format(n=n, filler=filler) for n, filler in enumerate(["prelu"] * 3 + ["xavier"])),
            "warning",
        ),
        ("wrong-blob-count", _INPUT.format(batch=8) + _ACCURACY + 'top: "a" top: "b" top: "c" }', "info"),
        ("wrong-blob-count", _INPUT.format(batch=8) + _ACCURACY + "}", "error"),
    ],
)
def test_explained_by_the_net(tmp_path: Path, rule: str, net: str, severity: str) -> None:
    (tmp_path / "deploy.prototxt").write_text(net, "utf-8")
    assert _severities(tmp_path, rule) == [severity]


@pytest.mark.parametrize(
    ("more", "severities"),
    [("", ["info", "info"]), ("momentum: 0.8", ["warning"])],
    ids=["rates alone", "momentum, too"],
)
def test_rates_of_a_sweep_are_infos(tmp_path: Path, more: str, severities: list[str]) -> None:
    layers = 'layer {{ name: "fc{0}" type: "InnerProduct" bottom: "{1}" top: "fc{0}" '
    layers += "inner_product_param {{ num_output: 4 }} }} "
    net = "".join(layers.format(n + 1, f"fc{n}") for n in range(8))
    loss = 'layer { name: "loss" type: "EuclideanLoss" bottom: "fc8" bottom: "label" top: "loss" }'
    (tmp_path / "net.prototxt").write_text(net + loss, "utf-8")
    for rate in ("0.001", "0.5", "0.7"):
        momentum = more if more and rate == "0.7" else "momentum: 0.9"
        (tmp_path / f"solver_{rate}.prototxt").write_text(
            f'net: "net.prototxt" base_lr: {rate} lr_policy: "fixed" {momentum} snapshot_prefix: "lr{rate}"', "utf-8"
        )
    assert _severities(tmp_path, "high-base-lr")[: len(severities)] == severities


@pytest.mark.parametrize(
    ("first", "second", "severities"),
    [
        ("batch_size: 8", "batch_size: 8", ["info", "info"]),
        # Forgotten, and not to be filled in.
        ("batch_size: 8", 'batch_size: 8 source: "val_lmdb"', ["error"]),
        ("batch_size: 8 backend: LMDB", "batch_size: 8", ["error", "info"]),
    ],
)
def test_data_without_any_source_are_filled_in(tmp_path: Path, first: str, second: str, severities: list[str]) -> None:
    data = 'layer {{ name: "data" type: "Data" top: "d" include {{ phase: {0} }} data_param {{ {1} }} }} '
    (tmp_path / "net.prototxt").write_text(data.format("TRAIN", first) + data.format("TEST", second), "utf-8")
    assert _severities(tmp_path, "data-layer-without-its-block") == severities
