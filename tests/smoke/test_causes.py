"""What a run is said to break of: what the text says comes before the rate, which every run has."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from caffelint.lint import Known, Suggested
from caffelint.lint.cause import ReportedCause
from caffelint.lint.examples import findings_of
from caffelint.lint.registry import RuleInfo, all_rules
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.diagnosis.trouble import NEGATIVE
from caffelint.smoke.rule import (
    BLOB,
    CHANGE,
    DATA,
    DIFF,
    FORWARD,
    PARAM,
    Iteration,
    NonFinite,
    Run,
    Statistics,
    hypotheses,
    trouble,
)
from caffelint.smoke.run import run_of

too_large = import_module("caffelint.rules.smoke._cause").too_large
_example: Any = import_module("caffelint.rules.smoke._example")
NET, losses, project, spread = _example.NET, _example.losses, _example.project, _example.spread
_SOLVER = 'net: "n.prototxt"\nbase_lr: 0.01 lr_policy: "fixed" momentum: 0.9\n'
_IMAGES = NET.replace(
    'type: "DummyData" top: "data" top: "label"\n  dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }',
    'type: "ImageData" top: "data" top: "label"'
    ' image_data_param { source: "list" batch_size: 8 new_height: 4 new_width: 4 } }',
)


def run(net: str = NET, solver: str = _SOLVER, first: float = 2.3) -> Run:
    update = [spread(-1, "fc", PARAM, "0", 0.2), spread(0, "fc", PARAM, "0", 3, 0, CHANGE)]
    data = Statistics(-1, "data", BLOB, "data", DATA, 0, 255, 127, 73, 0)
    return run_of(project(*losses(first, 70.2, 80.3, rate=0.01), *update, data, net=net, solver=solver))


def test_a_negative_weight_of_a_loss() -> None:
    cause = too_large(run(NET.replace('type: "SoftmaxWithLoss"', 'type: "SoftmaxWithLoss" loss_weight: -1')))
    assert cause.why == ('loss_weight -1 makes SoftmaxWithLoss "loss" grow, whatever the rate; remove the minus sign')
    assert cause.place is not None
    assert (cause.kind, cause.certainty, cause.place.text) == ("loss-weight", "certain", "loss_weight: -1")


def test_pixels_as_they_are() -> None:
    assert "the loss is already 77.9 before any update" in too_large(run(_IMAGES, first=77.9)).why
    assert (
        "with transform_param { scale: 0.00390625 }, or try base_lr: 7e-06" in too_large(run(_IMAGES, first=77.9)).why
    )
    assert too_large(run(_IMAGES)).why.startswith("base_lr 0.01 with momentum 0.9 is most likely too high; try")


def test_a_start_that_is_far_above_chance() -> None:
    found = run(first=77.9)
    found._statistics = {key: one for key, one in found._statistics.items() if one.layer != "data"}
    assert too_large(found).why.endswith(", so the rate is not the cause; scale the input or the fillers down")


def test_weight_decay_with_what_a_check_says_of_it() -> None:
    cause = too_large(run(solver=_SOLVER + "weight_decay: 50"))
    assert cause.why == (
        "weight_decay 50 makes an update subtract 5 times the value of each weight once momentum 0.9 has built up, so"
        " weights change sign and grow; try weight_decay: 0.0005"
    )
    assert (cause.kind, cause.suggested) == ("weight-decay", Suggested("weight_decay", 0.0005))


@pytest.mark.parametrize(
    ("low", "high", "remedy"),
    [
        (0, 9, '"other", another top of DummyData "data", holds 0 to 9, as labels do; make that the label'),
        (0, 2.5, "set num_output: 25 if all of them are classes"),
        (0, 30, "set num_output: 25 if all of them are classes"),
    ],
)
def test_labels_that_another_top_holds(low: float, high: float, remedy: str) -> None:
    net = NET.replace('top: "label"', 'top: "label" top: "other"').replace(
        "shape { dim: 8 } }", "shape { dim: 8 } shape { dim: 8 } }"
    )
    tops = [Statistics(-1, "data", BLOB, "label", DATA, 0, 24, 12, 7, 0)]
    tops.append(Statistics(-1, "data", BLOB, "other", DATA, low, high, 1, 1, 0))
    rule = import_module("caffelint.rules.smoke.label_out_of_range").LabelOutOfRange()
    (finding,) = rule.check(run_of(project(*losses(2.3, 2.2), *tops, net=net)))
    assert finding.evidence == remedy


def test_labels_that_two_losses_exchange() -> None:
    net = NET.replace('top: "label"', 'top: "label" top: "other"')
    net = net.replace("shape { dim: 8 } }", "shape { dim: 8 } shape { dim: 8 } }") + (
        'layer { name: "fc2" type: "InnerProduct" bottom: "data" top: "fc2" inner_product_param { num_output: 25 } }\n'
        'layer { name: "loss2" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "other" top: "loss2" }\n'
    )
    tops = [Statistics(-1, "data", BLOB, "label", DATA, 0, 24, 12, 7, 0)]
    tops.append(Statistics(-1, "data", BLOB, "other", DATA, 0, 9, 1, 1, 0))
    rule = import_module("caffelint.rules.smoke.label_out_of_range").LabelOutOfRange()
    (finding,) = rule.check(run_of(project(*losses(2.3, 2.2), *tops, net=net)))
    assert finding.evidence == (
        '"other", another top of DummyData "data", holds 0 to 9, and SoftmaxWithLoss "loss2" reads it; exchange'
        ' "label" and "other"'
    )


@pytest.mark.parametrize(
    ("outputs", "label", "remedy"),
    [
        (2, (0, 255, 63.75, 110.42, 0.75), "every label is 0 or 255; divide them by 255, as classes count 0, 1"),
        (2, (0, 255, 63.75, 100, 0.7), "255 often marks pixels to ignore; set loss_param { ignore_label: 255 }"),
        (10, (48, 57, 52, 3, 0), "the labels count from 48, the code of the character 0; subtract 48 from each"),
    ],
)
def test_labels_of_another_scale(outputs: int, label: tuple[float, ...], remedy: str) -> None:
    top = Statistics(-1, "data", BLOB, "label", DATA, *label)
    net = NET.replace("num_output: 10", f"num_output: {outputs}")
    rule = import_module("caffelint.rules.smoke.label_out_of_range").LabelOutOfRange()
    (finding,) = rule.check(run_of(project(*losses(2.3, 2.2), top, net=net)))
    assert finding.evidence == remedy


def test_a_label_that_another_layer_leaves_out_is_one_to_ignore() -> None:
    top = Statistics(-1, "data", BLOB, "label", DATA, -1, 9, 4, 3, 0)
    net = NET + 'layer { name: "a" type: "Accuracy" bottom: "log" bottom: "label" top: "a"'
    net += " accuracy_param { ignore_label: -1 } }"
    rule = import_module("caffelint.rules.smoke.label_out_of_range").LabelOutOfRange()
    (finding,) = rule.check(run_of(project(*losses(2.3, 2.2), top, net=net)))
    assert finding.evidence == 'Accuracy "a" leaves out -1; set loss_param { ignore_label: -1 } here, too'


def test_a_loss_whose_weight_makes_it_grow() -> None:
    net = NET.replace('top: "loss" }', 'top: "loss" }\nlayer { name: "kl" type: "Reduction" bottom: "fc" top: "kl"')
    net += " loss_weight: -0.01 }"
    each = [(2.3, 50.0), (2.2, 900.0), (2.2, 9e4)]
    events = [Iteration(at, 0.1, a - 0.01 * b, {"loss": a, "kl": b}) for at, (a, b) in enumerate(each)]
    found = run_of(project(*events, net=net))
    was = trouble(found)
    assert was is not None
    assert was.kind == NEGATIVE
    (blamed,) = [one for one in hypotheses(found) if one.kind == "loss-weight"]
    assert [one.text for one in blamed.changes] == ["loss_weight: 0.01"]
    (finding,) = import_module("caffelint.rules.smoke.diverging").Diverging().check(found)
    assert 'with loss_weight -0.01, training increases Reduction "kl", to 9e+04 by then' in finding.message


def test_an_input_far_from_0_is_centred_and_scaled() -> None:
    net = _IMAGES.replace("image_data_param", "transform_param { scale: 3 mean_value: 0.25 } image_data_param")
    top = Statistics(-1, "data", BLOB, "data", DATA, -0.75, -0.74, -0.748, 0.003, 0)
    found = hypotheses(run_of(project(*losses(2.3, 2.3), top, net=net)))
    (blamed,) = [one for one in found if one.kind == "input-scale"]
    assert blamed.changes[0].text == "transform_param { mean_value: 0.0006667 } transform_param { scale: 900 }"


@pytest.mark.parametrize(("values", "blamed"), [([2.3, 70, 7e4, 7e7], False), ([0.3] * 60, True)])
def test_pairs_the_other_way_round_are_suspected_only_of_a_loss_that_stays(values: list[float], blamed: bool) -> None:
    loss = 'type: "ContrastiveLoss" bottom: "log" bottom: "fc" bottom: "label"'
    net = NET.replace('type: "SoftmaxWithLoss" bottom: "log" bottom: "label"', loss)
    found = hypotheses(run_of(project(*losses(*values, rate=0.01), net=net, solver=_SOLVER)))
    assert ("inverted" in [one.field for one in found]) is blamed


def test_a_test_net_that_only_shows_what_broke_in_train() -> None:
    inf = NonFinite(4, 1, FORWARD, "log", BLOB, "log", 0, 8, 80, 0, 0, 0, {"fc": (0.0, 1e9, 0)})
    net = NET.replace('top: "loss" }', 'top: "loss" loss_weight: -1 }')
    first = [spread(-1, "fc", PARAM, "0", 0.2), spread(-1, "fc", BLOB, "fc", 0.1)]
    found = run_of(project(*losses(2.3, 70, 7e4, 7e7, rate=0.01), *first, inf, net=net, solver=_SOLVER))
    assert not list(import_module("caffelint.rules.smoke.non_finite_forward").NonFiniteForward().check(found))
    (finding,) = import_module("caffelint.rules.smoke.diverging").Diverging().check(found)
    assert finding.cause is not None
    assert finding.cause.kind == "loss-weight"


def test_a_dead_layer_without_weights_is_reported_to_load_some() -> None:
    nothing = [
        spread(-1, "fc", PARAM, "0", 0),
        spread(-1, "fc", PARAM, "0", 0, 1, DIFF),
        spread(2, "fc", PARAM, "0", 0, 1, CHANGE),
        spread(-1, "relu", BLOB, "fc", 0, 1),
    ]
    found = run_of(project(*losses(2.302585, 2.302585, 2.302585), *nothing))
    rule = import_module("caffelint.rules.smoke.not_learning").NotLearning()
    (finding,) = rule.check(found)
    assert finding.evidence.startswith('the weights of InnerProduct "fc" are 0; load some with --weights, or give it')


def test_the_frozen_layers_are_named_through_which_nothing_but_0_comes() -> None:
    net = """layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 4 dim: 3 dim: 8 dim: 8 } } }
layer { name: "label" type: "Input" top: "label" input_param { shape { dim: 4 } } }
layer { name: "c1" type: "Convolution" bottom: "x" top: "c1" param { lr_mult: 0 } param { lr_mult: 0 }
  convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "r1" type: "ReLU" bottom: "c1" top: "c1" }
layer { name: "pool" type: "Pooling" bottom: "c1" top: "pool" pooling_param { kernel_size: 2 stride: 2 } }
layer { name: "fc" type: "InnerProduct" bottom: "pool" top: "fc"
  inner_product_param { num_output: 10 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
"""
    zeros = [spread(-1, name, BLOB, blob, 0) for name, blob in (("c1", "c1"), ("pool", "pool"), ("fc", "fc"))]
    nothing = [
        *(spread(-1, "c1", PARAM, "0", 0), spread(-1, "fc", PARAM, "0", 0.1), *zeros),
        *(spread(-1, "fc", PARAM, "0", 0, 1, DIFF), spread(2, "fc", PARAM, "0", 0, 1, CHANGE)),
    ]
    found = run_of(project(*losses(2.302585, 2.302585, 2.302585), *nothing, net=net))
    rule = import_module("caffelint.rules.smoke.not_learning").NotLearning()
    (finding,) = rule.check(found)
    assert finding.evidence.startswith('the weights of Convolution "c1" are 0, and lr_mult 0 keeps them so; set lr')


def test_a_loss_that_rests_high_on_made_up_data_is_no_error() -> None:
    gradient = spread(-1, "fc", PARAM, "0", 0.1, 0, DIFF)
    found = run_of(project(*losses(*(87.3365,) * 6), gradient))
    rule = import_module("caffelint.rules.smoke.not_learning").NotLearning()
    assert [one.severity for one in rule.check(found)] == ["error"]
    found.synthetic = True
    assert [(one.severity, one.certainty) for one in rule.check(found)] == [("warning", "likely")]


@pytest.mark.parametrize("info", [info for info in all_rules() if info.kind == "smoke"], ids=lambda info: info.name)
def test_every_finding_of_a_run_is_worded_from_a_cause(info: RuleInfo) -> None:
    rule = info.load()
    found = [finding for example in rule.INVALID for finding in findings_of(rule, example.text, example.options)]
    assert found
    for finding in found:
        assert finding.cause is not None
        assert finding.cause.what
        assert finding.cause.what in finding.message


def of_the_text(name: str, suggested: Suggested | None, message: str, layer: str = "") -> ReportedFinding:
    cause = ReportedCause("rate", "base_lr is high", "", "likely", "s.prototxt", 2, (), suggested)
    values: dict[str, Any] = dict.fromkeys(ReportedFinding._fields, ())
    values |= {"name": name, "severity": "warning", "message": message, "file": "s.prototxt", "line": 2}
    values["layer"] = layer
    return ReportedFinding(**values | {"cause": cause})


def test_the_rate_that_a_check_suggests_is_taken_up_whatever_its_words() -> None:
    for message in ("base_lr is high; try base_lr: 1e-9", "anything at all"):
        found = run(solver=_SOLVER)
        found.static = [of_the_text("high-base-lr", Suggested("base_lr", 2e-6), message)]
        cause = too_large(found)
        assert (cause.kind, cause.suggested) == ("rate", Suggested("base_lr", 2e-6))
        assert cause.why.startswith("base_lr 0.01 with momentum 0.9 is most likely too high; try base_lr: 2e-06")
        assert cause.known == (Known("high-base-lr", "s.prototxt", 2, "base_lr is high"),)


def test_a_factor_of_loaded_statistics_that_caffe_never_saves() -> None:
    bn = 'layer { name: "bn" type: "BatchNorm" bottom: "fc" top: "bn" batch_norm_param { use_global_stats: true } }\n'
    net = NET.replace('layer { name: "relu"', f'{bn}layer {{ name: "relu"')
    found = run_of(project(*losses(70.2, 80.3, rate=0.01), spread(-1, "bn", PARAM, "2", 5e6), net=net))
    found.loaded = True
    (blamed,) = [one for one in hypotheses(found) if one.kind == "weights"]
    assert (blamed.field, blamed.layers[0].name, blamed.changes) == ("stored", "bn", ())
    cause = too_large(found)
    assert cause.why.startswith('the weights that were loaded give BatchNorm "bn" a factor of 1e+07, by which')


def test_weights_are_left_out_with_the_statistics_that_came_with_them() -> None:
    bn = 'layer { name: "bn" type: "BatchNorm" bottom: "fc" top: "bn" batch_norm_param { use_global_stats: true } }\n'
    net = NET.replace('layer { name: "relu"', f'{bn}layer {{ name: "relu"')
    found = run_of(project(*losses(70.2, 80.3, rate=0.01), spread(-1, "fc", PARAM, "0", 5e6), net=net))
    found.loaded = True
    (blamed,) = [one for one in hypotheses(found) if one.kind == "weights"]
    (change,) = blamed.changes
    assert not change.loads
    assert [edit.text for _, edit in change.edits] == ["false"]


def test_files_of_other_shapes() -> None:
    """Caffe reads these beside the end of their rows."""
    found = run_of(
        project(
            *losses(2.3), NonFinite(1, 0, FORWARD, "data", BLOB, "data", 4, 0, 8, 0.0, 1.0, 0.01, {}), solver=_SOLVER
        )
    )
    said = 'HDF5Data "data": records of "train.txt" differ in shape: 3x12x12 (320 times), 3x10x10 (320 times)'
    found.static = [of_the_text("record-shapes-differ", None, said, layer="data")]
    because = import_module("caffelint.rules.smoke._words").because
    assert because(found, found.first(NonFinite)).why == said
