"""What makes a blob, told from the text alone."""

from __future__ import annotations

from math import e, exp, log

import pytest

from caffelint.lint import TEST, TRAIN, Layer, source, sources
from caffelint.lint.file import load
from caffelint.rules.objective._graph import keeps_classes

NET = b"""
layer { name: "data" type: "Data" top: "data" top: "label" }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }
layer { name: "relu" type: "ReLU" bottom: "fc" top: "fc" }
layer { name: "drop" type: "Dropout" bottom: "fc" top: "fc" }
layer { name: "prob" type: "Softmax" bottom: "fc" top: "fc" include { phase: TEST } }
layer { name: "reshape" type: "Reshape" bottom: "fc" top: "flat" }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "flat" bottom: "label" top: "loss" }
layer { name: "later" type: "InnerProduct" bottom: "data" top: "flat" }
"""


@pytest.fixture
def loss() -> Layer:
    net = load(NET).net
    assert net is not None
    return next(layer for layer in net.layers if layer.name == "loss")


def test_last_writer_before_the_layer_counts(loss: Layer) -> None:
    made = source(loss, 0, TRAIN)
    assert made is not None
    assert made.layer.name == "relu"


def test_each_phase_has_its_own(loss: Layer) -> None:
    found = [(made.layer.name, phases) for made, phases in sources(loss, 0)]
    assert found == [("relu", (TRAIN,)), ("prob", (TEST,))]


def test_sees_through_layers_that_keep_the_classes(loss: Layer) -> None:
    made = source(loss, 0, TRAIN, keeps_classes)
    assert made is not None
    assert made.layer.name == "fc"


def test_says_which_top(loss: Layer) -> None:
    made = source(loss, 1, TRAIN)
    assert made is not None
    assert (made.layer.name, made.top) == ("data", 1)


def test_nothing_is_known_of_a_bottom_that_is_not_there(loss: Layer) -> None:
    assert source(loss, 2, TRAIN) is None


def test_softmax_of_a_perfect_answer_has_the_loss_that_the_rule_states() -> None:
    classes = 10
    scores = [1.0] + [0.0] * (classes - 1)
    total = sum(exp(score) for score in scores)
    assert -log(exp(1.0) / total) == pytest.approx(log(1 + (classes - 1) / e))


def test_sigmoid_of_a_sigmoid_has_the_losses_that_the_rule_states() -> None:
    def sigmoid(x: float) -> float:
        return 1 / (1 + exp(-x))

    assert round(-log(sigmoid(1.0)), 2) == 0.31
    assert round(-log(1 - sigmoid(0.0)), 2) == 0.69
