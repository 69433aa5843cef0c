"""One cause is one finding, as loud as what it costs: templates, files that are not Caffe's, what only a fork has."""

from __future__ import annotations

from pathlib import Path

import pytest

import caffelint
from caffelint.cli.main import main
from caffelint.lint.config import Config, ConfigError, load_config

TEMPLATE = 'layer { name: "a" type: "ReLU" include { phase: TRIAN } power_param { power: $POWER scale: ${SCALE} } }'
SOLVER = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "fixed" max_iter: 9 solver_mode: GPU'


def found(folder: Path, templates: str = "skip") -> list[tuple[str, str, str, int]]:
    config = Config()
    config.templates = templates
    report = caffelint.check(str(folder), config)
    assert not report.failures
    return [(one.file.rpartition("/")[2], one.severity, one.name, len(one.related)) for one in report.findings]


def test_a_template_is_one_info_and_its_filled_copy_is_checked(tmp_path: Path) -> None:
    (tmp_path / "net.template.prototxt").write_text(TEMPLATE)
    (tmp_path / "net.prototxt").write_text(TEMPLATE.replace("$POWER", "1").replace("${SCALE}", "1"))
    rows = found(tmp_path)
    assert ("net.prototxt", "error", "unknown-enum-value", 0) in rows
    assert [row for row in rows if row[0] != "net.prototxt"] == [
        ("net.template.prototxt", "info", "unfilled-template", 1)
    ]


def test_the_rest_of_a_template_is_checked_if_asked(tmp_path: Path) -> None:
    (tmp_path / "net.prototxt").write_text(TEMPLATE)
    assert [row[2] for row in found(tmp_path)] == ["unfilled-template"]
    names = {row[2] for row in found(tmp_path, "check")}
    assert {"unfilled-template", "unknown-enum-value"} <= names


def test_a_template_that_a_solver_names(tmp_path: Path) -> None:
    """With several placeholders it is filled by a script, with one it may be a slip."""
    (tmp_path / "net.prototxt").write_text(TEMPLATE)
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    assert ("net.prototxt", "info", "unfilled-template", 1) in found(tmp_path)
    (tmp_path / "solver.prototxt").write_text(SOLVER.replace("0.1", "$RATE"))
    assert {row[1] for row in found(tmp_path)} == {"info"}


def test_only_skip_and_check_are_taken(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="templates is 'no'; it takes one of skip, check"):
        load_config(tmp_path, overrides={"templates": "no"})
    (tmp_path / "net.prototxt").write_text(TEMPLATE)
    assert main(["check", "-q", "--templates", "check", str(tmp_path)]) == 1
    assert main(["check", "-q", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    "text",
    [
        "TRAIN: \n  SCALES: !!python/tuple [600]\n  BATCH: 3\n",
        "import caffe\nfrom x import y\nprint(3)\n",
        "<html><body>x</body></html>",
    ],
)
def test_what_is_not_caffes_is_one_info(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.prototxt").write_text(text)
    assert [row[1:] for row in found(tmp_path)] == [("info", "not-caffe", 0)]


def test_a_block_is_not_reported_besides_the_unknown_type_of_its_layer(tmp_path: Path) -> None:
    text = 'layer { name: "a" type: "%s" bottom: "x" top: "y" my_own_param { gain: 1 } }'
    (tmp_path / "net.prototxt").write_text(text % "MyOwn")
    assert [row[1:3] for row in found(tmp_path)] == [("info", "unknown-layer-type")]
    (tmp_path / "net.prototxt").write_text(text % "ReLU")
    assert ("info", "unknown-field") in [row[1:3] for row in found(tmp_path)]


def test_the_order_of_mixed_formats_is_no_second_mistake(tmp_path: Path) -> None:
    mixed = (
        'input: "data" input_dim: 1 input_dim: 3 input_dim: 9 input_dim: 9\n'
        'layer { name: "b" type: "ReLU" bottom: "%s" top: "b" } layer { name: "e" type: "ReLU" bottom: "b" top: "e" }'
        'layers { name: "a" type: "ReLU" bottom: "data" top: "a" }'
    )
    (tmp_path / "net.prototxt").write_text(mixed % "a")
    assert [row[2] for row in found(tmp_path) if row[1] == "error"] == ["mixed-layer-formats"]
    (tmp_path / "net.prototxt").write_text(mixed % "c")
    errors = {row[2] for row in found(tmp_path) if row[1] == "error"}
    assert errors == {"mixed-layer-formats", "unknown-bottom"}


def test_a_block_in_the_old_format_is_not_reported_besides_its_type(tmp_path: Path) -> None:
    text = 'layers { name: "a" type: MULTI_STAGE_MEANFIELD multi_stage_meanfield_param { num_iterations: 1 } }'
    (tmp_path / "net.prototxt").write_text(text)
    assert [row[1:3] for row in found(tmp_path) if row[2] != "legacy-format"] == [("info", "unknown-enum-value")]


def test_a_layer_of_volumes_may_be_for_a_fork(tmp_path: Path) -> None:
    text = (
        'layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 1 dim: 2 dim: 4 dim: 4 dim: 4 } } }'
        'layer { name: "p" type: "PReLU" bottom: "d" top: "p" }'
    )
    (tmp_path / "net.prototxt").write_text(text)
    assert ("info", "refused-by-caffe") in [row[1:3] for row in found(tmp_path)]
    config = Config()
    config.dialect = "bvlc"
    (one,) = [one for one in caffelint.check(str(tmp_path), config).findings if one.name == "refused-by-caffe"]
    assert one.severity == "error"


def test_new_contents_in_old_blocks_are_one_mistake(tmp_path: Path) -> None:
    def errors(text: str) -> list[str]:
        (tmp_path / "net.prototxt").write_text(text)
        return [row[2] for row in found(tmp_path) if row[1] == "error"]

    new = 'layer { name: "a" type: "ReLU" bottom: "d" top: "a" }\n'
    norm = 'layers { name: "b" type: "LRN" bottom: "d" top: "b" }\n'
    prelu = 'layers { name: "c" type: "PReLU" bottom: "d" top: "c" }\n'
    dropout = 'layers { name: "e" type: "Dropout" bottom: "d" top: "e" }\n'
    param = 'layers { name: "f" type: RELU bottom: "d" top: "f" param { lr_mult: 1 } blobs_lr: 1 }\n'
    assert errors(new + norm) == ["mixed-layer-formats"]
    assert errors(norm) == ["mixed-layer-formats"]
    assert errors(prelu + dropout + param) == ["mixed-layer-formats"]
    assert errors(param) == ["wrong-value-type"]
    quoted = param.replace("RELU", '"RELU"').replace("param { lr_mult: 1 }", "")
    assert errors(prelu + quoted) == ["mixed-layer-formats", "wrong-value-type"]


def test_statistics_of_a_net_that_is_named_in_the_place_of_another_are_no_second_mistake(tmp_path: Path) -> None:
    data = 'layer { name: "data" type: "Data" top: "data" top: "label" data_param { source: "db" batch_size: 8 } } '
    norms = "".join(
        f'layer {{ name: "c{n}" type: "Convolution" bottom: "{below}" top: "c{n}" convolution_param {{ num_output: 8'
        f' kernel_size: 1 weight_filler {{ type: "msra" }} }} }} layer {{ name: "b{n}" type: "BatchNorm"'
        f' bottom: "c{n}" top: "c{n}" batch_norm_param {{ use_global_stats: true }} }} '
        for n, below in enumerate(["data", *(f"c{n}" for n in range(11))])
    )
    loss = 'layer { name: "fc" type: "InnerProduct" bottom: "c11" top: "fc" inner_product_param { num_output: 9 } } '
    loss += 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" } '
    score = 'layer { name: "top1" type: "Accuracy" bottom: "c11" bottom: "label" top: "top1" }'
    solver = 'train_net: "a_test.prototxt" test_net: "a_train.prototxt" test_iter: 9 test_interval: 9 base_lr: 0.1'
    (tmp_path / "solver.prototxt").write_text(f'{solver} lr_policy: "fixed" max_iter: 99')
    (tmp_path / "a_test.prototxt").write_text(data + norms + score)
    (tmp_path / "a_train.prototxt").write_text(data + norms.replace("true", "false") + loss)
    severities = {row[2]: row[1] for row in found(tmp_path) if row[0] == "a_test.prototxt"}
    assert severities["no-loss"] == "error"
    assert severities["global-stats-in-training"] == "info"


def test_what_a_net_without_a_loss_does_not_learn_is_no_second_mistake(tmp_path: Path) -> None:
    (tmp_path / "solver.prototxt").write_text(SOLVER)
    (tmp_path / "net.prototxt").write_text(
        'layer { name: "d" type: "Data" top: "d" data_param { source: "a" batch_size: 9 } }'
        ' layer { name: "bn" type: "BatchNorm" bottom: "d" top: "bn" }'
        ' layer { name: "relu" type: "ReLU" bottom: "bn" top: "bn" }'
    )
    rows = {row[2]: row[1] for row in found(tmp_path)}
    assert (rows["no-loss"], rows["batchnorm-without-scale"]) == ("error", "info")


def test_the_format_of_a_layer_after_an_open_quote_is_no_second_mistake(tmp_path: Path) -> None:
    text = "layer { name: \"loss'\n type: EUCLIDEAN_LOSS bottom: 'data' bottom: 'label' }\n"
    (tmp_path / "net.prototxt").write_text('layer { name: "in" type: "Input" top: "data" top: "label" } ' + text)
    rows = [row[1:3] for row in found(tmp_path) if row[2] in ("syntax-error", "mixed-layer-formats")]
    assert rows == [("error", "syntax-error"), ("info", "mixed-layer-formats")]


def test_other_numbers_are_told_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, decay in (("a", 2), ("b", 2), ("c", 3)):
        (tmp_path / f"{name}.prototxt").write_text(f"{SOLVER.replace('net', 'no')} weight_decay: {decay}\n# {name}\n")
    (one,) = [one for one in caffelint.check(".").findings if (one.code, one.severity) == ("S205", "warning")]
    assert one.evidence.endswith("the same in b.prototxt:1; with other numbers in c.prototxt:1")
