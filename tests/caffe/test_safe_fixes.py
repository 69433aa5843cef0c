"""A safe fix of a certain error: a real Caffe refuses the text before, and trains with the one behind.

Each example of a rule that shows such a fix is asked about; a fragment stands in `WHOLE` made a net of its own, and
what cannot be asked in `LEFT_OUT`, with the reason.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from caffelint.lint.examples import apply_fixes, findings_of
from caffelint.lint.file import load
from caffelint.lint.finding import CERTAIN, ERROR, SAFE
from caffelint.lint.registry import all_rules, find_rule

LEFT_OUT = {"prefetch-zero": "it takes a data base to wait for, and Caffe waits for ever"}


def dummy(*tops: str, dims: str = "dim: 4 dim: 3", filler: str = 'type: "gaussian"') -> str:
    """A layer that makes random blobs."""
    names = " ".join(f'top: "{top}"' for top in tops)
    shapes = " ".join(f"shape {{ {dims} }}" for _ in tops)
    fill = f"data_filler {{ {filler} }}"
    return f'layer {{ name: "{tops[0]}" type: "DummyData" {names} dummy_data_param {{ {fill} {shapes} }} }}\n'


LABEL = dummy("label", dims="dim: 4", filler='type: "constant" value: 1')
MAP = dummy("data", dims="dim: 1 dim: 2 dim: 8 dim: 8")
FC = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 } }\n'
NET = (
    dummy("data", "target")
    + 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3'
    ' weight_filler { type: "xavier" } } }\nlayer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "target" }'
)
SOLVER = {"net": '"net.prototxt"', "base_lr": "0.01", "lr_policy": '"fixed"', "max_iter": "4"}
POOL = 'layer { name: "pool" type: "Pooling" bottom: "data" top: "pool" pooling_param { '
RELU = ' bottom: "data" top: "relu" '

WHOLE = {
    ("in-place-not-supported", 2): dummy("data", "more")
    + 'layer { name: "sum" type: "Eltwise" bottom: "more" bottom: "data" top: "data" }',
    ("phase-rule-conflict", 0): NET
    + dummy("more").replace("dummy_data", "exclude { phase: TEST } include { phase: TRAIN } dummy_data", 1),
    ("propagate-down-count", 0): dummy("data", "target")
    + FC
    + 'layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "target" propagate_down: true }',
    ("unknown-filler-type", 0): dummy("data")
    + FC.replace("num_output: 3", 'num_output: 3 weight_filler { type: "Xavier" }'),
    ("infogain-unnormalized", 3): dummy("data")
    + LABEL
    + FC
    + 'layer { name: "loss" type: "InfogainLoss" bottom: "fc" bottom: "label" top: "loss"'
    ' infogain_loss_param { source: "H.binaryproto" } loss_param { normalize: true } }',
    ("suspicious-loss-weight", 4): dummy("data")
    + LABEL
    + FC
    + 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }\n'
    'layer { name: "accuracy" type: "Accuracy" bottom: "fc" bottom: "label" top: "acc" loss_weight: 1 }',
    ("gradient-to-labels", 1): dummy("data")
    + LABEL
    + FC
    + 'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label"'
    " propagate_down: true propagate_down: true }",
    ("syntax-error", 0): dummy("data") + 'layer { name: "relu" type "ReLU"' + RELU + "}",
    ("wrong-value-type", 0): MAP + POOL + 'pool: "MAX" kernel_size: 2 } }',
    ("wrong-value-type", 1): dummy("data") + FC.replace("num_output: 3", "num_output: 3.0"),
    ("wrong-value-type", 3): dummy("data") + 'layer { name: relu type: "ReLU"' + RELU + "}",
    ("wrong-value-type", 5): dummy("data") + 'layer { name: "relu-<run>" type: "ReLU" bottom: "data" top: <run> }',
    ("wrong-value-type", 7): MAP + POOL + "kernel_h: [3] kernel_w: 2 } }",
    ("wrong-value-type", 9): dummy("data") + 'layer { name: "relu" type: ReLU' + RELU + "}",
    ("repeated-scalar", 1): dummy("data") + 'layer { name: "r" type: "ReLU"' + RELU + "relu_param { } relu_param { } }",
    ("mixed-layer-formats", 0): dummy("data") + dummy("more") + 'layers { name: "relu" type: RELU' + RELU + "}",
    (
        "mixed-layer-formats",
        1,
    ): 'layers { name: "data" type: DUMMY_DATA top: "data" dummy_data_param { shape { dim: 4 } } }'
    ' layers { name: "relu" type: "ReLU" bottom: "data" top: "relu" }',
    ("mixed-layer-formats", 2): dummy("data") + 'layer { name: "relu" type: RELU' + RELU + "}",
    ("unknown-layer-type", 0): dummy("data") + FC.replace("InnerProduct", "innerproduct"),
    ("unknown-layer-type", 2): dummy("data")
    + FC.replace("InnerProduct", "innerproduct")
    + ' layer { name: "fc2" type: "innerproduct" bottom: "fc" top: "fc2" inner_product_param { num_output: 2 } }',
    ("python-module-is-path", 0): 'layer { name: "p" type: "Python" top: "p"'
    ' python_param { module: "/home/me/layers/loss.py" layer: "Loss" } }',
    ("python-module-is-path", 1): 'layer { name: "p" type: "Python" top: "p"'
    ' python_param { module: "loss.py" layer: "Loss" } }',
    ("too-many-params", 0): dummy("data") + 'layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn"'
    " param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 } param { lr_mult: 0 } }",
    ("unknown-layer-type", 5): dummy("data") + 'layer { name: "relu" type: "Relu"' + RELU + "}",
    ("byte-order-mark", 0): "\ufeff" + NET,
    ("unreadable-character", 0): dummy("data") + 'layer { name: \u201crelu\u201d type: "ReLU"' + RELU + "}",
}
"""By rule and number of the example."""


def shown() -> list[tuple[str, int, str]]:
    """Rule, number and text of the examples that show a safe fix of a certain error."""
    found = []
    for info in all_rules():
        for number, example in enumerate(info.load().INVALID):
            if isinstance(example.text, str):
                findings = findings_of(info.load(), example.text, example.options)
                if any(
                    finding.severity == ERROR
                    and finding.certainty == CERTAIN
                    and finding.fixes[:1]
                    and finding.fixes[0].safety == SAFE
                    for finding in findings
                ):
                    found.append((info.name, number, example.text))
    return found


def job(text: str) -> dict[str, str]:
    """A solver and a net to run, one of which is `text`; what it lacks is added."""
    file = load(text.encode())
    if file.kind == "net":
        return {"net": text, "solver": "\n".join(f"{field}: {value}" for field, value in SOLVER.items())}
    given = {field.name for field in file.document.root.fields}
    rest = [f"{field}: {value}" for field, value in SOLVER.items() if field not in given]
    return {"net": NET, "solver": "\n".join([text, *rest])}


@pytest.mark.caffe
def test_caffe_refuses_before_and_trains_after(caffe_python: Path) -> None:
    cases = [case for case in shown() if case[0] not in LEFT_OUT]
    assert len(cases) > 30
    assert WHOLE.keys() <= {case[:2] for case in cases}
    jobs = []
    for name, number, text in cases:
        before = WHOLE.get((name, number), text)
        info = find_rule(name)
        assert info is not None
        findings = findings_of(info.load(), before)
        assert findings, f"{name} says nothing of {before}"
        after = apply_fixes(before, [finding for finding in findings if finding.fixes[0].safety == SAFE])
        assert isinstance(after, str)
        jobs += [job(before), job(after)]
    script = Path(__file__).with_name("stepping.py")
    lines = "".join(json.dumps(one) + "\n" for one in jobs)
    done = subprocess.run([caffe_python, script], input=lines.encode(), capture_output=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(jobs)
    wrong = []
    for index, (name, number, _) in enumerate(cases):
        before, after = answers[2 * index : 2 * index + 2]
        if before is None:
            wrong.append(f"{name} {number}: it trained before: {jobs[2 * index]}")
        if after is not None:
            wrong.append(f"{name} {number}: {after}: {jobs[2 * index + 1]}")
    assert not wrong, "\n".join(wrong)
