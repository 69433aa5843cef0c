"""What `caffelint new-rule` writes: a small rule of each kind that works, to be changed bit by bit.

CLASS, CODE and NAME stand for the new rule's own. The sample findings are there to show the way, not to be kept.
"""

from __future__ import annotations

from typing import NamedTuple


class _Sample(NamedTuple):
    imports: str
    base: str
    summary: str
    why: str
    bad: str
    good: str
    attributes: str
    examples: str
    check: str


_RULE = '''from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import {imports}


class CLASS({base}):
    """{summary}

    ## Why is this bad?
    {why}

    ## Example
    ```
    {bad}
    ```
    Use instead:
    ```
    {good}
    ```
    """

    code = "CODE"
    name = "NAME"
    severity = WARNING
    certainty = LIKELY
{attributes}    {examples}

    {check}
'''

_SAMPLES = {
    "solver": _Sample(
        "LIKELY, WARNING, Finding, Invalid, Solver, SolverRule",
        "SolverRule",
        "`snapshot` without `snapshot_prefix` leaves the files' names to chance.",
        "Say what Caffe does then, and where in its source, or in which thread, that can be read.",
        "snapshot: 1000",
        'snapshot: 1000 snapshot_prefix: "run"',
        "",
        """VALID = ['base_lr: 0.01 snapshot: 1000 snapshot_prefix: "run"']
    INVALID = [
        Invalid(
            "base_lr: 0.01 snapshot: 1000",
            span="snapshot: 1000",
            message="snapshot is 1000 and snapshot_prefix is not set: name the files",
        ),
    ]""",
        """def check(self, solver: Solver) -> Iterator[Finding]:
        interval = solver.message.snapshot
        if interval and not solver.has("snapshot_prefix"):
            message = f"snapshot is {interval} and snapshot_prefix is not set: name the files"
            yield self.finding(solver.at("snapshot"), message)""",
    ),
    "layer": _Sample(
        "LIKELY, WARNING, Finding, Invalid, Layer, LayerRule",
        "LayerRule",
        "A `dropout_ratio` above 0.9 leaves next to nothing of the signal.",
        "Say what Caffe does then, and where in its source, or in which thread, that can be read.",
        "dropout_param { dropout_ratio: 0.95 }",
        "dropout_param { dropout_ratio: 0.5 }",
        '    layer_types = ("Dropout",)\n',
        """VALID = ['layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 0.5 } }']
    INVALID = [
        Invalid(
            'layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 0.95 } }',
            span="dropout_ratio: 0.95",
            message="dropout_ratio is 0.95, which drops nearly all of the signal: 0.5 is usual",
        ),
    ]""",
        """def check(self, layer: Layer) -> Iterator[Finding]:
        ratio = layer.param("dropout_param").dropout_ratio
        if ratio > 0.9:
            message = f"dropout_ratio is {ratio:g}, which drops nearly all of the signal: 0.5 is usual"
            yield self.finding(layer.at("dropout_param", "dropout_ratio"), message)""",
    ),
    "refusal": _Sample(
        "ERROR, Finding, Invalid, Kind, RefusalRule, Refused",
        "RefusalRule",
        "A group, or a number of tops, that does not divide what it is to divide.",
        "Say where Caffe checks it, and what people mean who meet it.",
        "convolution_param { num_output: 20 kernel_size: 5 group: 3 }",
        "convolution_param { num_output: 21 kernel_size: 5 group: 3 }",
        "    claims = (Kind.NOT_DIVISIBLE,)\n",
        """_NET = (
        'layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }'
        ' layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"'
        " convolution_param { num_output: %d kernel_size: 5 group: 3 } }"
    )
    VALID = [_NET % 21]
    INVALID = [
        Invalid(
            _NET % 20,
            span="group: 3",
            message='Convolution "conv": num_output 20 cannot be divided by group 3; look at both numbers',
        ),
    ]""",
        """def report(self, refused: Refused) -> Iterator[Finding]:
        message = f"{self.message(refused)}; look at both numbers"
        yield self.finding(refused.place, message, evidence=self.evidence(refused), phases=refused.phases)""",
    ),
    "net": _Sample(
        "LIKELY, WARNING, Finding, Invalid, Net, NetRule",
        "NetRule",
        "Two layers of one name: weights are copied by name.",
        "Say what Caffe does then, and where in its source, or in which thread, that can be read.",
        'layer { name: "conv1" ... } layer { name: "conv1" ... }',
        'layer { name: "conv1" ... } layer { name: "conv2" ... }',
        "",
        """VALID = ['layer { name: "a" type: "ReLU" top: "x" } layer { name: "b" type: "TanH" top: "y" }']
    INVALID = [
        Invalid(
            'layer { name: "a" type: "ReLU" top: "x" } layer { name: "a" type: "TanH" top: "y" }',
            span='name: "a"',
            message='a second layer is called "a": give each its own name',
        ),
    ]""",
        """def check(self, net: Net) -> Iterator[Finding]:
        seen = set()
        for layer in net.layers:
            name = layer.message.name
            if name in seen:
                yield self.finding(layer.at("name"), f'a second layer is called "{name}": give each its own name')
            seen.add(name)""",
    ),
    "project": _Sample(
        "LIKELY, TEST, WARNING, Finding, Invalid, ProjectRule, Solver",
        "ProjectRule",
        "`test_iter` with a net of which no layer is left in the TEST phase.",
        "Say what Caffe does then, and where in its source, or in which thread, that can be read.",
        'net: "net.prototxt" test_iter: 10  # every layer there has include { phase: TRAIN }',
        'net: "net.prototxt"',
        "",
        """VALID = [
        {
            "solver.prototxt": 'net: "net.prototxt" test_iter: 10 test_interval: 10',
            "net.prototxt": 'layer { name: "a" type: "ReLU" bottom: "x" top: "y" }',
        }
    ]
    INVALID = [
        Invalid(
            {
                "solver.prototxt": 'net: "net.prototxt" test_iter: 10 test_interval: 10',
                "net.prototxt": 'layer { name: "a" type: "ReLU" bottom: "x" top: "y" include { phase: TRAIN } }',
            },
            span="test_iter: 10",
            message="test_iter asks for tests, but net.prototxt has no layer in the TEST phase",
        ),
    ]""",
        """def check(self, solver: Solver) -> Iterator[Finding]:
        if not solver.has("test_iter"):
            return
        for use in solver.nets:
            if use.tests and not use.net.in_phase(TEST):
                message = f"test_iter asks for tests, but {use.net.path} has no layer in the TEST phase"
                yield self.finding(solver.at("test_iter"), message)""",
    ),
    "text": _Sample(
        "LIKELY, WARNING, File, Finding, Invalid, Place, TextRule",
        "TextRule",
        "A comment says that something is still to be done.",
        "Say what goes wrong for whom, and where that can be read.",
        "base_lr: 0.1  # TODO tune",
        "base_lr: 0.01",
        "",
        """VALID = ["base_lr: 0.01  # tuned"]
    INVALID = [
        Invalid(
            "base_lr: 0.1  # TODO tune",
            span="# TODO tune",
            message="this comment says that something is still to be done: do it, or drop the comment",
        ),
    ]""",
        """def check(self, file: File) -> Iterator[Finding]:
        document = file.document
        for start, end in document.comments():
            if "TODO" in document.source.slice(start, end):
                message = "this comment says that something is still to be done: do it, or drop the comment"
                yield self.finding(Place(document, start, end, file.layer_at(start)), message)""",
    ),
}

KINDS = tuple(_SAMPLES)


def rule_text(kind: str, code: str, name: str) -> str:
    """The file of a new rule."""
    class_name = "".join(word.capitalize() for word in name.split("-"))
    text = _RULE.format(**_SAMPLES[kind]._asdict())
    if kind == "refusal":
        text = text.replace("severity = WARNING\n    certainty = LIKELY", "severity = ERROR")
    return text.replace("CLASS", class_name).replace('"CODE"', f'"{code}"').replace('"NAME"', f'"{name}"')
