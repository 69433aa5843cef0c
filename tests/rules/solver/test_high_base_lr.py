"""What the figures of a net say of its own rate counts for more than what is usual."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.lint.config import Config

NET = (
    'layer {{ name: "data" type: "DummyData" top: "data" top: "label" dummy_data_param {{ shape {{ dim: 32 dim: 20 }}'
    ' shape {{ dim: 32 }} data_filler {{ type: "gaussian" std: {size} }} data_filler {{ type: "constant" }} }} }}'
    ' layer {{ name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param {{ num_output: 4'
    ' weight_filler {{ type: "xavier" }} }} }}'
    ' layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}'
)


LONG = NET + 4000 * ' layer {{ type: "Silence" bottom: "data" }}'


@pytest.mark.parametrize(
    ("net", "size", "severity"),
    [(NET, 0.1, "info"), (NET, 6, "info"), (NET.replace("xavier", "strange"), 0.1, "warning"), (LONG, 0.1, "info")],
    ids=["small", "large", "unknown", "long"],
)
def test_known_updates_make_it_an_info(tmp_path: Path, net: str, size: float, severity: str) -> None:
    (tmp_path / "net.prototxt").write_text(net.format(size=size), "utf-8")
    (tmp_path / "solver.prototxt").write_text(
        'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" momentum: 0.9', "utf-8"
    )
    config = Config()
    config.cache, config.select = False, ["high-base-lr"]
    report = caffelint.check([tmp_path / "solver.prototxt"], config)
    assert [finding.severity for finding in report.findings] == [severity]


@pytest.mark.parametrize(
    ("name", "other", "severity"),
    [
        ("solver_lr1_gm5.prototxt", "solver_lr2_gm5.prototxt", "info"),
        ("solver_lr0.1.prototxt", "solver_lr0.01.prototxt", "info"),
        ("solver_lr1_gm5.prototxt", "solver_lr2_gm9.prototxt", "warning"),
        # The name does not say this rate, or nothing of one.
        ("solver_lr2.prototxt", "solver_lr1.prototxt", "warning"),
        ("solver_1.prototxt", "solver_2.prototxt", "warning"),
    ],
)
def test_a_file_that_is_called_by_its_rate_is_part_of_a_search(
    tmp_path: Path, name: str, other: str, severity: str
) -> None:
    (tmp_path / "net.prototxt").write_text((NET.replace("xavier", "strange")).format(size=0.1), "utf-8")
    for file, rate in ((name, 0.1), (other, 0.01)):
        text = f'net: "net.prototxt" base_lr: {rate} lr_policy: "fixed" momentum: 0.9 max_iter: {1000 * rate:g}'
        (tmp_path / file).write_text(text, "utf-8")
    config = Config()
    config.cache, config.select = False, ["high-base-lr"]
    assert [one.severity for one in caffelint.check([tmp_path / name], config).findings] == [severity]


BENT = (
    ' layer {{{{ name: "ip{0}" type: "InnerProduct" bottom: "{1}" top: "ip{0}"'
    " inner_product_param {{{{ num_output: 4 }}}} }}}}"
    ' layer {{{{ name: "bend{0}" type: "{2}" bottom: "ip{0}" top: "ip{0}" }}}}'
)


@pytest.mark.parametrize(
    ("bends", "rate", "severity"),
    [
        (("Sigmoid", "Sigmoid"), 0.1, "info"),
        (("TanH", "Sigmoid"), 0.3, "info"),
        (("Sigmoid", "Sigmoid"), 3, "warning"),
        (("Sigmoid", "ReLU"), 0.1, "warning"),
        # The layer without one hands on whatever it makes.
        (("Sigmoid", "Dropout"), 0.1, "warning"),
    ],
)
def test_what_keeps_the_signal_between_bounds_takes_a_high_rate(
    tmp_path: Path, bends: tuple[str, str], rate: float, severity: str
) -> None:
    layers = BENT.format(1, "data", bends[0]) + BENT.format(2, "ip1", bends[1])
    text = NET.replace("xavier", "strange").replace(' layer {{ name: "fc"', layers + ' layer {{ name: "fc"')
    text = text.replace('bottom: "data" top: "fc"', 'bottom: "ip2" top: "fc"')
    (tmp_path / "net.prototxt").write_text(text.format(size=1))
    (tmp_path / "solver.prototxt").write_text(f'net: "net.prototxt" base_lr: {rate} lr_policy: "fixed" momentum: 0.9')
    config = Config()
    config.cache, config.select = False, ["high-base-lr"]
    assert [one.severity for one in caffelint.check([tmp_path / "solver.prototxt"], config).findings] == [severity]
