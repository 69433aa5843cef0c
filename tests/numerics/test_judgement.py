"""What is said of a net as a whole, and that nothing is said where something is not known."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message

from caffelint.caffe.states import State
from caffelint.lint.file import load
from caffelint.numerics.judgement import (
    ALIKE,
    CLIP,
    DECAY,
    HOT,
    LOSS,
    OVERSHOOT,
    RATE,
    STILL,
    WEIGHT_DECAY,
    Judgement,
    judge,
)

_NET = (
    'layer {{ name: "data" type: "DummyData" top: "x" top: "label" top: "cont" dummy_data_param {{'
    " shape {{ dim: 8 dim: 4 dim: 50 }} shape {{ dim: 8 }} shape {{ dim: 8 dim: 4 }}"
    ' data_filler {{ type: "gaussian" }} data_filler {{ type: "constant" }} data_filler {{ type: "constant" }} }} }}\n'
    "{middle}"
    'layer {{ name: "fc" type: "InnerProduct" bottom: "{last}" top: "fc" inner_product_param {{ num_output: 5'
    " {filler} }} }}\n"
    'layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }}'
)
_FILLER = 'weight_filler { type: "xavier" }'


def _judged(
    rate: float, more: str = "", middle: str = "", last: str = "x", filler: str = _FILLER, steps: float = 1000
) -> Judgement | None:
    net = load(_NET.format(middle=middle, last=last, filler=filler).encode(), "net.prototxt").net
    assert net is not None
    return judge(net.likely(State("TRAIN")), _solver(f'base_lr: {rate} lr_policy: "fixed" {more}'), rate, steps=steps)


def _solver(text: str) -> Message:
    solver = load(text.encode(), "solver.prototxt", "solver").solver
    assert solver is not None
    return solver.message


@pytest.mark.parametrize(
    ("rate", "more", "kind", "cure"),
    [
        (1000, "", HOT, RATE),
        (1e-9, "", STILL, RATE),
        (0.01, "clip_gradients: 1e-9", STILL, CLIP),
        (0.01, "weight_decay: 9", DECAY, WEIGHT_DECAY),
        (0.01, "", "", ""),
    ],
)
def test_what_is_wrong_and_the_change_that_mends_it(rate: float, more: str, kind: str, cure: str) -> None:
    found = _judged(rate, more)
    assert (found.kind, found.cures[0].kind) == (kind, cure) if found else not kind


def test_nothing_is_still_where_the_length_is_not_known() -> None:
    assert _judged(1e-9, steps=float("inf")) is None


@pytest.mark.parametrize(("rate", "kind"), [(1e-9, STILL), (0.002, "")])
def test_a_trial_is_judged_as_if_it_went_on(rate: float, kind: str) -> None:
    """At 0.002 weights move by 0.2 of their size in 50 iterations, and in 300 by more than the least."""
    found = _judged(rate, "max_iter: 50", steps=50)
    assert found.kind == kind if found else not kind


@pytest.mark.parametrize(("rate", "records", "kind"), [(1000, 8, HOT), (1000, 1, ""), (0.01, 1, "")])
def test_statistics_of_one_value_tell_nothing(rate: float, records: int, kind: str) -> None:
    """They make all values 0; the text may only hold the place of a batch. A rule of their own tells them."""
    middle = (
        'layer { name: "h" type: "InnerProduct" bottom: "x" top: "h"'
        f" inner_product_param {{ num_output: 9 {_FILLER} }} }}"
        ' layer { name: "norm" type: "BatchNorm" bottom: "h" top: "norm" }'
        ' layer { name: "s" type: "Sigmoid" bottom: "norm" top: "s" }'
    )
    text = _NET.format(middle=middle, last="s", filler=_FILLER).replace(
        "dim: 8 dim: 4 dim: 50", f"dim: {records} dim: 50"
    )
    net = load(text.replace("dim: 8 }", f"dim: {records} }}").encode(), "net.prototxt").net
    assert net is not None
    found = judge(net.likely(State("TRAIN")), _solver(f'base_lr: {rate} lr_policy: "fixed"'), rate, steps=1000)
    assert (found.kind if found else "") == kind


@pytest.mark.parametrize(("weight", "kind"), [("1e-3", DECAY), ("1e-12", "")])
def test_no_decay_is_to_blame_where_there_are_no_gradients(weight: str, kind: str) -> None:
    net = load(
        (_NET.replace('top: "loss"', f'top: "loss" loss_weight: {weight}'))
        .format(middle="", last="x", filler=_FILLER)
        .encode(),
        "net.prototxt",
    ).net
    assert net is not None
    solver = _solver('base_lr: 0.01 lr_policy: "fixed" weight_decay: 0.005')
    found = judge(net.likely(State("TRAIN")), solver, 0.01, steps=float("inf"))
    assert (found.kind if found else "") == kind


def test_weights_of_0_are_no_sign_of_what_comes() -> None:
    assert _judged(0.01, filler="") is None


@pytest.mark.parametrize("bend", ["ReLU", "Sigmoid"])
def test_dead_units(bend: str) -> None:
    """All inputs of the units are -30: with ReLU nothing comes through."""
    hidden = (
        'layer { name: "h" type: "InnerProduct" bottom: "x" top: "h" inner_product_param { num_output: 9'
        ' weight_filler { type: "xavier" } bias_filler { type: "constant" value: -30 } } }\n'
        f'layer {{ name: "bend" type: "{bend}" bottom: "h" top: "h" }}\n'
    )
    found = _judged(0.01, middle=hidden, last="h", filler=f'{_FILLER} bias_filler {{ type: "constant" value: 1 }}')
    assert found is not None
    assert found.kind == ALIKE


@pytest.mark.parametrize("kind", ["LSTM", "RNN", "Strange", "BatchNorm", "PReLU"])
@pytest.mark.parametrize("rate", [1e-9, 100])
def test_a_layer_of_any_kind(kind: str, rate: float) -> None:
    """Nothing is raised, and nothing is said to stand still where some updates are not known."""
    recurrent = kind in ("LSTM", "RNN")
    middle = (
        f'layer {{ name: "m" type: "{kind}" bottom: "x" {chr(34).join(["bottom: ", "cont", ""]) if recurrent else ""}'
        f' top: "m" {"recurrent_param { num_output: 6 " + _FILLER + " }" if recurrent else ""} }}\n'
    )
    found = _judged(rate, middle=middle, last="m")
    if kind == "Strange":
        assert found is None or found.kind != STILL


@pytest.mark.parametrize(("rate", "more", "kind"), [(1, "", OVERSHOOT), (1, "clip_gradients: 1", ""), (0.01, "", "")])
def test_a_distance_is_left_from_a_rate_on(rate: float, more: str, kind: str) -> None:
    """Its curvature is 26: that of 200 numbers of size 1, which 8 samples share, and 1 of the bias."""
    net = _NET.replace("SoftmaxWithLoss", "EuclideanLoss").replace("num_output: 5", "num_output: 1")
    built = load(net.format(middle="", last="x", filler=_FILLER).encode(), "net.prototxt").net
    assert built is not None
    found = judge(built.likely(State("TRAIN")), _solver(f'base_lr: {rate} lr_policy: "fixed" {more}'), rate, steps=1000)
    assert (found.kind if found else "") == kind


@pytest.mark.parametrize(("rate", "kind"), [(0.001, ""), (30, HOT)])
def test_weights_of_a_recurrent_layer_grow_before_they_count(rate: float, kind: str) -> None:
    """Adam moves each by about the rate, which is far more than weights that are next to 0: nets so filled do train."""
    filler = 'weight_filler { type: "gaussian" std: 5e-6 }'
    middle = (
        'layer { name: "rec" type: "LSTM" bottom: "x" bottom: "cont" top: "rec"'
        f" recurrent_param {{ num_output: 12 {filler} }} }}\n"
    )
    found = _judged(rate, 'type: "Adam" momentum: 0.9', middle, "rec", filler)
    assert (found.kind if found else "") == kind


@pytest.mark.parametrize(("spread", "kind"), [(1, ""), (100, OVERSHOOT)])
def test_a_distance_is_steeper_where_targets_are_far_apart(spread: float, kind: str) -> None:
    """Weights have to grow for such targets, and what is steep as weights see it grows with them."""
    net = load(
        (
            'layer { name: "data" type: "DummyData" top: "x" top: "y" dummy_data_param { shape { dim: 20 dim: 50 }'
            ' shape { dim: 20 dim: 1 } data_filler { type: "gaussian" }'
            f' data_filler {{ type: "gaussian" std: {spread} }} }} }}\n'
            + "".join(
                f'layer {{ name: "fc{n}" type: "InnerProduct" bottom: "{"x" if n == 1 else f"fc{n - 1}"}" top: "fc{n}"'
                f' inner_product_param {{ num_output: {1 if n == 3 else 50} weight_filler {{ type: "msra" }} }} }}\n'
                for n in (1, 2, 3)
            )
            + 'layer { name: "loss" type: "EuclideanLoss" bottom: "fc3" bottom: "y" top: "loss" }'
        ).encode(),
        "net.prototxt",
    ).net
    assert net is not None
    rate = 0.002
    found = judge(net.likely(State("TRAIN")), _solver(f'base_lr: {rate} lr_policy: "fixed"'), rate, steps=1000)
    assert found.kind == kind if found else not kind


def test_a_check_for_nan_changes_nothing() -> None:
    check = (
        'layer {{ name: "check" type: "Python" bottom: "{0}" top: "{0}"'
        ' python_param {{ module: "check_finite_layer" layer: "checkFiniteLayer" }} }}\n'
    )
    for rate, kind in ((1000, HOT), (1e-9, STILL), (0.01, "")):
        with_checks = _judged(rate, middle=check.format("x") + check.format("label"))
        assert (with_checks.kind if with_checks else "") == kind


@pytest.mark.parametrize(
    ("spread", "filler", "kind"), [(0.05, 'type: "msra"', ""), (0.3, 'type: "gaussian" std: 3', LOSS)]
)
def test_a_distance_of_usual_weights_is_no_loss_that_never_comes_down(spread: float, filler: str, kind: str) -> None:
    """Targets that are close to each other make any first loss large against that of their mean."""
    net = load(
        (
            'layer { name: "data" type: "DummyData" top: "x" top: "y" dummy_data_param { shape { dim: 20 dim: 50 }'
            ' shape { dim: 20 dim: 1 } data_filler { type: "gaussian" }'
            f' data_filler {{ type: "gaussian" std: {spread} }} }} }}\n'
            'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" inner_product_param { num_output: 1'
            f" weight_filler {{ {filler} }} }} }}\n"
            'layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "y" top: "loss" }'
        ).encode(),
        "net.prototxt",
    ).net
    assert net is not None
    found = judge(net.likely(State("TRAIN")), _solver('base_lr: 0.001 lr_policy: "fixed"'), 0.001, 1e6)
    assert (found.kind if found else "") == kind


@pytest.mark.parametrize(("rate", "kind"), [(0.01, ""), (1e-6, STILL)])
def test_biases_that_move_open_what_tiny_weights_close(rate: float, kind: str) -> None:
    """A step of AdaGrad is as large for the smallest gradients: on Caffe, such a net learns at 0.01."""
    filler = 'weight_filler { type: "gaussian" std: 1e-5 }'
    middle = "".join(
        f'layer {{ name: "m{n}" type: "InnerProduct" bottom: "{f"m{n - 1}" if n else "x"}" top: "m{n}"'
        f" inner_product_param {{ num_output: 9 {filler} }} }}\n"
        for n in range(4)
    )
    found = _judged(rate, 'type: "AdaGrad"', middle, "m3", filler)
    assert (found.kind if found else "") == kind
