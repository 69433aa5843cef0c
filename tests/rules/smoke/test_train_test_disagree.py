"""What is said of TEST, by what it asks and by the layers that normalise by its batch."""

from __future__ import annotations

from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.smoke.events import Iteration, Tested, to_line
from caffelint.smoke.run import run_of

_SOLVER = 'net: "n.prototxt"\nbase_lr: 0.1 lr_policy: "fixed" test_iter: 1 test_interval: 100\n'
_NET = (
    'layer { name: "data" type: "DummyData" top: "data" top: "label" include { phase: TRAIN }\n'
    "  dummy_data_param { shape { dim: 8 dim: 4 } shape { dim: 8 } } }\n"
    'layer { name: "data" type: "DummyData" top: "data" top: "label" include { phase: TEST }\n'
    "  dummy_data_param { shape { dim: 1 dim: 4 } shape { dim: 1 } } }\n"
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 10 } }\n'
)
_NORMED = (
    'layer { name: "bn" type: "BatchNorm" bottom: "fc" top: "fc" batch_norm_param { use_global_stats: false } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }\n'
)
_OTHERS = (
    'layer { name: "hinge" type: "HingeLoss" bottom: "fc" bottom: "label" top: "loss" include { phase: TRAIN } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" include { phase: TEST } }\n'
)


def _messages(layers: str, tested: float) -> list[str]:
    events = [Iteration(number, 0.1, 2.3 - number / 50, {"loss": 2.0}) for number in range(20)]
    lines = [to_line(one) for one in (*events, Tested(1, 1, tested, {}, True))]
    run = run_of({"s.prototxt": _SOLVER, "n.prototxt": _NET + layers, "events": "\n".join(lines)})
    findings, _ = Checker(Config()).evidence("smoke", run, {})
    return [one.message for one in findings if one.name == "train-test-disagree"]


def test_a_single_record_normalised_by_itself() -> None:
    (message,) = _messages(_NORMED, 9.0)
    assert 'BatchNorm "bn" normalises by the TEST batch of 1 itself, which gives 0 for every record' in message


def test_other_losses_are_not_compared() -> None:
    assert _messages(_OTHERS, 90.0) == []
    (message,) = _messages(_OTHERS.replace("HingeLoss", "SoftmaxWithLoss"), 90.0)
    assert message.endswith("the TEST data is unlike the TRAIN data")
