"""A deploy net beside its training net: settings of layers that have no weights."""

from __future__ import annotations

from pathlib import Path

import caffelint
from caffelint.lint.config import Config

CONVS = "".join(
    f'layer {{ name: "c{number}" type: "Convolution" bottom: "b{number}" top: "b{number + 1}" convolution_param {{'
    " num_output: 8 kernel_size: 3 } }\n"
    for number in range(4)
)
DATA = 'layer { name: "data" type: "Data" top: "b0" top: "label" }\n' + CONVS
SHAPE = "shape { dim: 1 dim: 3 dim: 32 dim: 32 }"
INPUT = f'layer {{ name: "data" type: "Input" top: "b0" input_param {{ {SHAPE} }} }}\n{CONVS}'
LOSS = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "b4" bottom: "label" }\n'
SOLVER = 'train_net: "train.prototxt" test_net: "test.prototxt" test_iter: 1 base_lr: 0.1\n'


def messages(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / f"{name}.prototxt").write_text(text)
    config = Config()
    config.cache = False
    report = caffelint.check(folder, config)
    assert not report.failures
    return [one.message for one in report.findings if one.name == "deploy-mismatch"]


def found_boxes(of: str, classes: int, keep: int = 200) -> str:
    settings = f"detection_output_param {{ num_classes: {classes} keep_top_k: {keep} }}"
    return f'layer {{ name: "found" type: "{of}" bottom: "b4" bottom: "b3" bottom: "b2" top: "found" {settings} }}\n'


def test_detections_are_compared_with_the_test_net(tmp_path: Path) -> None:
    """Training has no such layer. How many boxes are kept is a choice."""
    for of in ("DetectionOutput", "CenterGridOutput"):
        texts = {"solver": SOLVER, "train": DATA + LOSS, "test": DATA + found_boxes(of, 2)}
        assert messages(tmp_path, **texts, deploy=INPUT + found_boxes(of, 2, 50)) == []
        assert messages(tmp_path, **texts, deploy=INPUT + found_boxes(of, 6)) == [
            f'{of} "found": num_classes is 6 here and 2 in "test.prototxt", but the net was tested with the latter;'
            " set it as in testing"
        ]


def test_shape_of_a_parameter(tmp_path: Path) -> None:
    def parameter(rows: int) -> str:
        shape = f"parameter_param {{ shape {{ dim: {rows} dim: 128 }} }}"
        return f'layer {{ name: "centers" type: "Parameter" top: "centers" {shape} }}\n'

    train = DATA + parameter(5) + LOSS
    assert messages(tmp_path, train=train, deploy=INPUT + parameter(5)) == []
    assert messages(tmp_path, train=train, deploy=INPUT + parameter(3)) == [
        'Parameter "centers": shape is 3x128 here and 5x128 in "train.prototxt", so Caffe refuses its weights; set it'
        " as in training"
    ]


def test_kernels_of_three_axes(tmp_path: Path) -> None:
    def volumes(first: str) -> str:
        return "".join(
            f'layer {{ name: "c{number}" type: "Convolution" bottom: "b{number}" top: "b{number + 1}"'
            f" convolution_param {{ num_output: 8 {first if number == 0 else 'kernel_size: 3'} }} }}\n"
            for number in range(4)
        )

    def deep(size: int) -> str:
        return f"kernel_size: 3 kernel_size: 3 kernel_size: {size}"

    train = DATA.replace(CONVS, volumes(deep(2))) + LOSS
    data = INPUT.replace("dim: 32 }", "dim: 32 dim: 5 }")
    assert messages(tmp_path, train=train, deploy=data.replace(CONVS, volumes(deep(2)))) == []
    assert messages(tmp_path, train=train, deploy=data.replace(CONVS, volumes(deep(3)))) == [
        'Convolution "c0": kernel_size is 3 here and 3x3x2 in "train.prototxt", so Caffe refuses its weights; set it'
        " as in training"
    ]


def test_which_number_of_outputs_is_right(tmp_path: Path) -> None:
    """No shape tells; another net that has the layer does."""

    def score(outputs: int) -> str:
        block = f"inner_product_param {{ num_output: {outputs} }}"
        return f'layer {{ name: "score" type: "InnerProduct" bottom: "b4" top: "b5" {block} }}\n'

    def remedies(**texts: str) -> list[str]:
        return [message.rpartition("; ")[2] for message in messages(tmp_path, **texts)]

    train = DATA + score(10) + LOSS.replace("b4", "b5")
    assert remedies(train=train, deploy=INPUT + score(2)) == ["make the two equal"]
    assert remedies(deploy_test=INPUT + score(10)) == ["set it as in training"]
    assert set(remedies(deploy_test=INPUT + score(2))) == {"make the two equal"}


def test_what_each_of_a_few_layers_has(tmp_path: Path) -> None:
    def scores(*counts: int) -> str:
        return "".join(
            f'layer {{ name: "s{number}" type: "InnerProduct" bottom: "b4" top: "s{number}"'
            f" inner_product_param {{ num_output: {count} }} }}\n"
            for number, count in enumerate(counts)
        )

    [message] = messages(tmp_path, train=DATA + scores(21, 84) + LOSS, deploy=INPUT + scores(6, 24))
    assert message.startswith('InnerProduct "s0", "s1": num_output is 6, 24 here and 21, 84 in "train.prototxt", so')


def test_the_training_net_of_its_own_name_goes_first(tmp_path: Path) -> None:
    """Another one that has what it has explains it only where none is called as it is."""
    fc = 'layer { name: "fc" type: "InnerProduct" bottom: "b4" top: "fc" inner_product_param { num_output: %d } }\n'
    loss = LOSS.replace("b4", "fc")
    texts = {"a_train_ohem": DATA + fc % 81 + loss, "a_test": INPUT + fc % 81, "b_train": DATA + fc % 21 + loss}
    assert messages(tmp_path, **texts) == []
    (message,) = messages(tmp_path, a_train=DATA + fc % 21 + loss)
    assert message.startswith('InnerProduct "fc": num_output is 81 here and 21 in "a_train.prototxt"')


def test_a_missing_activation_is_told_once(tmp_path: Path) -> None:
    relu = 'layer { name: "relu" type: "ReLU" bottom: "b4" top: "b4" }\n'
    fc = 'layer { name: "fc" type: "InnerProduct" bottom: "b4" top: "fc" inner_product_param { num_output: 9 } }\n'
    (tmp_path / "train.prototxt").write_text(DATA + relu + fc + LOSS.replace("b4", "fc"))
    (tmp_path / "deploy.prototxt").write_text(INPUT + fc)
    config = Config()
    config.cache = False
    found = [one.name for one in caffelint.check(tmp_path, config).findings]
    assert found.count("deploy-lacks-activation") == 1
    assert "deploy-mismatch" not in found


def test_sizes_that_a_scale_does_not_give(tmp_path: Path) -> None:
    """Of a pooled map of 45 rows, 23 are left, and twice that is one too many."""
    upsample = (
        'layer { name: "up" type: "Upsample" bottom: "b4" bottom: "mask" top: "up" upsample_param { scale: 2 %s } }'
    )
    odd, even = "upsample_w: 60 upsample_h: 45", "upsample_w: 60 upsample_h: 44"
    (message,) = messages(tmp_path, train=DATA + LOSS + upsample % odd, deploy=INPUT + upsample % "")
    assert "upsample_h is not set here and 45 in" in message
    assert not messages(tmp_path, train=DATA + LOSS + upsample % even, deploy=INPUT + upsample % "")


def test_fields_of_the_same_layers_are_one_finding(tmp_path: Path) -> None:
    def convs(*wide: str) -> str:
        settings = [*wide, *["kernel_size: 3 pad: 1"] * (8 - len(wide))]
        return "".join(
            f'layer {{ name: "c{number}" type: "Convolution" bottom: "b{number % 4}" top: "b{number % 4 + 1}"'
            f" convolution_param {{ num_output: 8 {one} }} }}\n"
            for number, one in enumerate(settings)
        )

    train, deploy = DATA.replace(CONVS, "%s") + LOSS, INPUT.replace(CONVS, convs())
    assert messages(tmp_path, train=train % convs(*["kernel_size: 9 pad: 4"] * 2), deploy=deploy) == [
        'Convolution "c0", "c1": kernel_size is 3 here and 9 in "train.prototxt", and pad 1 and 4, so Caffe refuses'
        " their weights; set them as in training"
    ]
    apart = train % convs("kernel_size: 9 pad: 4", "kernel_size: 9 pad: 2")
    assert len(messages(tmp_path, train=apart, deploy=deploy)) == 2


def test_a_window_over_the_whole_map_is_named_with_what_else_differs(tmp_path: Path) -> None:
    def pool(settings: str) -> str:
        return f'layer {{ name: "p" type: "Pooling" bottom: "b4" top: "p" pooling_param {{ {settings} }} }}\n'

    train, deploy = DATA + pool("pool: MAX kernel_size: 26") + LOSS.replace("b4", "p"), INPUT
    assert messages(tmp_path, train=train, deploy=deploy + pool("pool: MAX kernel_size: 7")) == []
    assert messages(tmp_path, train=train, deploy=deploy + pool("pool: AVE kernel_size: 7")) == [
        'Pooling "p": pool is AVE here and MAX in "train.prototxt", and kernel_size 7 and 26, but the net was trained'
        " with the latter; set them as in training"
    ]
