"""How sure `unknown-bottom` is of a blob that one phase alone lacks, and what it says that was meant."""

from __future__ import annotations

from pathlib import Path

import bench_curves
import pytest

import caffelint

INPUT = 'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 } } } '
SCORES = 'layer { name: "prob" type: "Softmax" bottom: "data" top: "prob" } '
ACCURACY = 'layer { name: "top1" type: "Accuracy" bottom: "prob" bottom: "label" top: "top1" include { phase: TEST } } '
LOSS = (
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "data" top: "loss" include { phase: TRAIN } }'
)


@pytest.mark.parametrize(
    ("text", "severity"), [(INPUT + SCORES + ACCURACY, "error"), (INPUT + SCORES + ACCURACY + LOSS, "warning")]
)
def test_a_net_that_nothing_trains_is_for_test(text: str, severity: str) -> None:
    found = [one for one in caffelint.check_text(text, kind="net").findings if one.name == "unknown-bottom"]
    assert [(one.severity, one.phases) for one in found] == [(severity, ("TEST",))]


@pytest.mark.parametrize(("name", "severity"), [("net", "warning"), ("deploy", "error"), ("train_test", "warning")])
def test_a_net_that_is_there_to_be_run_by_its_name_is_for_test(tmp_path: Path, name: str, severity: str) -> None:
    python = 'layer { name: "p" type: "Python" bottom: "prob" top: "p" python_param { module: "m" layer: "L" } } '
    (tmp_path / f"{name}.prototxt").write_text(INPUT + SCORES + python + ACCURACY)
    found = [one for one in caffelint.check(tmp_path).findings if one.name == "unknown-bottom"]
    assert [(one.severity, one.phases) for one in found] == [(severity, ("TEST",))]


def test_layers_of_two_phases_that_lack_one_blob() -> None:
    """Accuracy is the first, in TEST; what Caffe refuses is the net of both phases."""
    loss = (
        LOSS.replace('bottom: "data" bottom: "data"', 'bottom: "data" bottom: "label"').partition(" include")[0] + " }"
    )
    found = caffelint.check_text(INPUT + SCORES + ACCURACY + loss, kind="net").findings
    assert [(one.severity, one.phases) for one in found if one.name == "unknown-bottom"] == [("error", ())]


PYTHON = 'layer { name: "in" type: "Python" top: "words" top: "data" python_param { module: "m" layer: "L" } }'
RELU = ' layer { name: "%s" type: "ReLU" bottom: "%s" top: "%s" }'
SILENCE = ' layer { name: "quiet" type: "Silence" bottom: "%s" }'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        # The layer is called so, however its top is.
        (INPUT + RELU % ("conv1", "data", "c") + RELU % ("b", "conv1", "d"), "c"),
        # Both are equally near, but something reads one of them.
        (
            INPUT + RELU % ("a", "data", "feat_a") + RELU % ("b", "feat_a", "feat_b") + RELU % ("c", "feat_c", "d"),
            "feat_b",
        ),
        # Nothing reads either, and the layer above makes one of them.
        (
            INPUT + RELU % ("a", "data", "feat_a") + RELU % ("b", "data", "feat_b") + RELU % ("c", "feat_c", "d"),
            "feat_b",
        ),
        # In place, so what is missing is the layer that makes it.
        (INPUT + RELU % ("a", "conv1", "conv1"), ""),
        # The one name that nothing makes, and the one that nothing reads, of a layer that is known or is not.
        (PYTHON + SILENCE % "words" + RELU % ("c", "features", "d"), "data"),
        # Scores that no layer makes are not the data, nor is a map the one of another number.
        (PYTHON + LOSS.replace('"data" bottom: "data"', '"score" bottom: "words"').replace("TRAIN", "TEST"), ""),
        (INPUT + RELU % ("a", "data", "pool1") + SILENCE % "data" + RELU % ("d", "pool2", "g"), ""),
        # What comes later is no answer.
        (INPUT + RELU % ("b", "conv1", "d") + RELU % ("conv1", "data", "c"), ""),
    ],
)
def test_the_top_that_is_meant(text: str, name: str) -> None:
    (message,) = [
        one.message for one in caffelint.check_text(text, kind="net").findings if one.name == "unknown-bottom"
    ]
    assert f'did you mean "{name}"' in message if name else "did you mean" not in message


NO_LABELS = "a deploy net has no labels, so remove "


@pytest.mark.parametrize(
    ("name", "layers", "advice"),
    [
        ("depoly.prototxt", '{ name: "a" type: "Accuracy" bottom: "data" bottom: "label" }', NO_LABELS + "it"),
        # A loss that became a Softmax.
        (
            "deploy.prototxt",
            '{ name: "a" type: "Accuracy" bottom: "data" bottom: "label" }'
            ' layer { name: "prob" type: "Softmax" bottom: "data" bottom: "label" top: "loss" }',
            NO_LABELS + 'Accuracy "a" and bottom "label" of Softmax "prob"',
        ),
        (
            "deploy.prototxt",
            '{ name: "loss" type: "SoftmaxWithLoss" bottom: "data" bottom: "label" top: "loss" }'
            ' layer { name: "prob" type: "Softmax" bottom: "data" top: "prob" }',
            NO_LABELS + 'it; Softmax "prob" gives the answer',
        ),
        # The loss of a fork, and what may be anything.
        ("deploy.prototxt", '{ name: "a" type: "OwnLoss" bottom: "data" bottom: "label" }', NO_LABELS + "it"),
        ("deploy.prototxt", '{ name: "a" type: "Own" bottom: "data" bottom: "boxes" top: "b" }', "correct the name"),
        ("net.prototxt", '{ name: "a" type: "Accuracy" bottom: "data" bottom: "label" }', "correct the name"),
    ],
)
def test_a_net_to_deploy_has_no_labels(tmp_path: Path, name: str, layers: str, advice: str) -> None:
    path = tmp_path / name
    path.write_text(INPUT + " layer " + layers)
    (found,) = [one for one in caffelint.check([path]).findings if one.name == "unknown-bottom"]
    assert advice in found.message


def test_layers_of_one_phase_are_not_gone_through_for_each_that_reads_nothing() -> None:
    layer = 'layer { name: "l@" type: "Accuracy" bottom: "c@" bottom: "label" top: "l@" include { phase: TEST } }\n'

    def look(number: int) -> None:
        text = "".join(layer.replace("@", str(count)) for count in range(number))
        assert not caffelint.check_text(text, path="net.prototxt").failures

    look(2)
    small, large = (bench_curves.calls(lambda: look(number)) for number in (50, 200))  # noqa: B023
    assert large < 6 * small, "the square would be 16 times"


@pytest.mark.parametrize(
    "field", ["input_shape { dim: 1 dim: 8 }", "input_dim: 1 input_dim: 8 input_dim: 1 input_dim: 1"]
)
def test_a_shape_without_an_input_makes_no_blob(field: str) -> None:
    """Unknown bottom blob 'data' of a real Caffe."""
    scores = 'layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 2 } }'
    (found,) = [
        one for one in caffelint.check_text(f"{field} {scores}", kind="net").findings if one.severity == "error"
    ]
    assert found.message.endswith(f'{field.split()[0].strip(":")} has no input; add input: "data"')


def test_a_slip_after_such_a_shape_is_told_as_one() -> None:
    text = (
        "input_dim: 1 input_dim: 8 input_dim: 1 input_dim: 1"
        ' layer { name: "ip" type: "InnerProduct" bottom: "data" top: "conv1" inner_product_param { num_output: 2 } }'
        ' layer { name: "relu" type: "ReLU" bottom: "conv_1" top: "relu" }'
    )
    found = [one.message for one in caffelint.check_text(text, kind="net").findings if one.severity == "error"]
    assert found[0].endswith('input_dim has no input; add input: "data"')
    assert found[1].endswith('did you mean "conv1"?')


def test_tops_that_are_shifted_by_one_layer() -> None:
    """Layer ip1 makes ip2, and ip2 makes feat: what is missing is the top of ip1."""
    net = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 8 } } }\n'
        'layer { name: "ip1" type: "AbsVal" bottom: "data" top: "ip2" }\n'
        'layer { name: "relu1" type: "ReLU" bottom: "ip1" top: "ip1" }\n'
        'layer { name: "ip2" type: "AbsVal" bottom: "ip1" top: "feat" }\n'
        'layer { name: "end" type: "AbsVal" bottom: "ip2" top: "end" }\n'
    )
    (message,) = [one.message for one in caffelint.check_text(net).findings if one.name == "unknown-bottom"]
    assert message.endswith('is not made by any layer above; layer "ip1" has top "ip2"; set top: "ip1" there')


_HEAD = """
layer { name: "in" type: "Input" top: "x" }
layer { name: "ip" type: "InnerProduct" bottom: "x" top: "ip" }
"""
_LAST = 'layer { name: "top" type: "ArgMax" bottom: "%s" top: "top" }\n'


def test_what_is_missing_between_is_told_by_the_name_of_what_it_makes() -> None:
    (one,) = [
        one for one in caffelint.check_text(_HEAD + _LAST % "ip_flatten", kind="net").findings if one.code == "G001"
    ]
    assert one.message.endswith('add the layers that make it of "ip", which nothing reads, with Flatten as the last')


def test_what_is_missing_is_told_by_the_training_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    between = 'layer { name: "prob" type: "Softmax" bottom: "ip" top: "scores" }\n'
    data = _HEAD.replace('"Input"', '"Data"').replace('top: "x" }\nlayer', 'top: "x" top: "y" }\nlayer')
    loss = 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "y" }\n'
    (tmp_path / "train.prototxt").write_text(data + between + _LAST % "scores" + loss)
    (tmp_path / "deploy.prototxt").write_text(_HEAD + _LAST % "scores")
    found = caffelint.check(["train.prototxt", "deploy.prototxt"]).findings
    (one,) = [one for one in found if one.code == "G001"]
    assert one.message.endswith('add Softmax "prob" and what leads to it, as in "train.prototxt"')
