"""What `caffelint new-rule` writes: a small rule of each kind that works, to be changed bit by bit.

CLASS, CODE and NAME are replaced by those of the new rule. The sample findings only show how it is done.
"""

from __future__ import annotations

from caffelint.text.records import NamedTuple


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
        "`snapshot` without `snapshot_prefix` names the snapshots after the file of the solver.",
        "Say what Caffe does then, and where that can be read: in its source, or in a thread.",
        "snapshot: 1000",
        'snapshot: 1000 snapshot_prefix: "run"',
        "",
        """VALID = ['base_lr: 0.01 snapshot: 1000 snapshot_prefix: "run"']
    INVALID = [
        Invalid(
            "base_lr: 0.01 snapshot: 1000",
            span="snapshot: 1000",
            message="snapshot 1000 without snapshot_prefix takes the solver's name; set snapshot_prefix",
        ),
    ]""",
        """def check(self, solver: Solver) -> Iterator[Finding]:
        interval = solver.message.snapshot
        if interval and not solver.has("snapshot_prefix"):
            message = f"snapshot {interval} without snapshot_prefix takes the solver's name; set snapshot_prefix"
            yield self.finding(solver.at("snapshot"), message)""",
    ),
    "layer": _Sample(
        "LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, title",
        "LayerRule",
        "A `dropout_ratio` above 0.9 drops nearly all of the input.",
        "Say what Caffe does then, and where that can be read: in its source, or in a thread.",
        "dropout_param { dropout_ratio: 0.95 }",
        "dropout_param { dropout_ratio: 0.5 }",
        '    layer_types = ("Dropout",)\n',
        """VALID = ['layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 0.5 } }']
    INVALID = [
        Invalid(
            'layer { name: "drop" type: "Dropout" bottom: "a" top: "a" dropout_param { dropout_ratio: 0.95 } }',
            span="dropout_ratio: 0.95",
            message='Dropout "drop": dropout_ratio 0.95 drops nearly all of the input; set dropout_ratio: 0.5',
        ),
    ]""",
        """def check(self, layer: Layer) -> Iterator[Finding]:
        ratio = layer.param("dropout_param").dropout_ratio
        if ratio > 0.9:
            message = f"{title(layer)}: dropout_ratio {ratio:g} drops nearly all of the input; set dropout_ratio: 0.5"
            yield self.finding(layer.at("dropout_param", "dropout_ratio"), message)""",
    ),
    "refusal": _Sample(
        "ERROR, Finding, Invalid, Kind, RefusalRule, Refused",
        "RefusalRule",
        "A group, or a number of tops, does not divide the number of channels.",
        "Say where Caffe checks it, and what people most likely meant.",
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
            message='Convolution "conv": num_output 20 is not a multiple of group 3; set one that is, or another'
            " group",
        ),
    ]""",
        """def report(self, refused: Refused) -> Iterator[Finding]:
        message, evidence = self.message(refused), self.evidence(refused)
        yield self.finding(refused.place, message, evidence=evidence, phases=refused.phases)""",
    ),
    "net": _Sample(
        "LIKELY, WARNING, Finding, Invalid, Net, NetRule, title",
        "NetRule",
        "Two layers have the same name, but weights are copied by name.",
        "Say what Caffe does then, and where that can be read: in its source, or in a thread.",
        'layer { name: "conv1" ... } layer { name: "conv1" ... }',
        'layer { name: "conv1" ... } layer { name: "conv2" ... }',
        "",
        """VALID = ['layer { name: "a" type: "ReLU" top: "x" } layer { name: "b" type: "TanH" top: "y" }']
    INVALID = [
        Invalid(
            'layer { name: "a" type: "ReLU" top: "x" } layer { name: "a" type: "TanH" top: "y" }',
            span='name: "a"',
            message='TanH "a": an earlier layer has the same name; rename one',
        ),
    ]""",
        """def check(self, net: Net) -> Iterator[Finding]:
        seen = set()
        for layer in net.layers:
            name = layer.message.name
            if name in seen:
                yield self.finding(layer.at("name"), f"{title(layer)}: an earlier layer has the same name; rename one")
            seen.add(name)""",
    ),
    "project": _Sample(
        "LIKELY, TEST, WARNING, Finding, Invalid, ProjectRule, Solver",
        "ProjectRule",
        "`test_iter` with a net that has no layer in the TEST phase.",
        "Say what Caffe does then, and where that can be read: in its source, or in a thread.",
        'net: "net.prototxt" test_iter: 10  # all its layers have include { phase: TRAIN }',
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
            message='test_iter asks for tests, but "net.prototxt" has no layer in TEST; remove test_iter',
        ),
    ]""",
        """def check(self, solver: Solver) -> Iterator[Finding]:
        if not solver.has("test_iter"):
            return
        for use in solver.nets:
            if use.tests and not use.net.in_phase(TEST):
                message = f'test_iter asks for tests, but "{use.net.path}" has no layer in TEST; remove test_iter'
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
            message="this comment says that something is still to be done; do it, or remove the comment",
        ),
    ]""",
        """def check(self, file: File) -> Iterator[Finding]:
        document = file.document
        for start, end in document.comments():
            if "TODO" in document.source.slice(start, end):
                message = "this comment says that something is still to be done; do it, or remove the comment"
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
