"""What each rule's fixes promise, on its own examples: done once they are done, and no comment or line end is lost."""

from __future__ import annotations

import pytest

from caffelint.lint.examples import apply_fixes, findings_of
from caffelint.lint.finding import DISPLAY, UNSAFE, Finding
from caffelint.lint.registry import RuleInfo, all_rules
from caffelint.lint.rule import EVIDENCE, Files, Invalid
from caffelint.text.comments import find_comments
from caffelint.text.parser import parse

CASES = [
    pytest.param(info, number, id=f"{info.name}-{number}")
    for info in all_rules()
    if info.kind not in EVIDENCE
    for number, example in enumerate(info.load().INVALID)
    if example.fixed is not None
]
OF_COMMENTS = frozenset(["unused-suppression", "syntax-error"])
"""Rules whose fixes make or remove comments."""
ONE_LINE = frozenset([*OF_COMMENTS, "byte-order-mark", "unreadable-character"])
"""Rules about the text itself, whose examples mean something else with other blanks."""


def example_of(info: RuleInfo, number: int) -> Invalid:
    return info.load().INVALID[number]


def fixable(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.fixes and finding.fixes[0].safety != DISPLAY]


def parts(text: str | Files) -> list[str]:
    if isinstance(text, str):
        return [text]
    return [part for path, part in text.items() if not path.endswith(".py")]


def spread(text: str) -> str:
    """The text with a line for each field, a comment behind each line, tabs and CRLF."""
    out, depth = [], 0
    quote = ""
    for char in text.replace("\n", "\r\n"):
        if quote or char in "\"'":
            quote = "" if char == quote else quote or char
        elif char == "{":
            depth += 1
            out.append(f"{{  # {len(out)}\r\n" + "\t" * depth)
            continue
        elif char == "}":
            depth -= 1
            out.append("\r\n" + "\t" * depth + f"}}  # {len(out)}\r\n" + "\t" * depth)
            continue
        out.append(char)
    return "".join(out)


@pytest.mark.parametrize(("info", "number"), CASES)
def test_the_finding_is_gone_and_a_second_time_changes_nothing(info: RuleInfo, number: int) -> None:
    example = example_of(info, number)
    before = findings_of(info.load(), example.text, example.options)
    assert example.fixed is not None
    after = findings_of(info.load(), example.fixed, example.options)
    assert len(after) == len(before) - len(fixable(before))
    assert not fixable(after)
    for part in parts(example.fixed):
        assert not parse(part.encode()).problems or parse(part.encode()).problems[0].certain is False


@pytest.mark.parametrize(("info", "number"), [case for case in CASES if case.values[0].name not in ONE_LINE])
def test_comments_and_line_ends_stay(info: RuleInfo, number: int) -> None:
    example = example_of(info, number)
    if not isinstance(example.text, str):
        return
    text = spread(example.text)
    fixed = apply_fixes(text, findings_of(info.load(), text, example.options))
    assert isinstance(fixed, str)
    assert sorted(comments(fixed)) == sorted(comments(text))
    assert fixed.count("\r\n") == fixed.count("\n")


def comments(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in find_comments(text)]


WITHOUT_FILLERS = """layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }
layer { name: "fc1" type: "InnerProduct" bottom: "data" top: "fc1" inner_product_param { num_output: 9 } }
layer { name: "fc2" type: "InnerProduct" bottom: "fc1" top: "fc2" inner_product_param { num_output: 9 } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc2" bottom: "label" top: "loss" }
"""


@pytest.mark.parametrize(
    ("solver", "safety"),
    [
        ("base_lr: 0.1", [UNSAFE]),
        ("# fine-tuned from VGG\nbase_lr: 0.1", [DISPLAY]),
        ('base_lr: 0.1 weights: "vgg.caffemodel"', []),
    ],
)
def test_nothing_is_drawn_anew_where_weights_are_loaded(solver: str, safety: list[str]) -> None:
    rule = next(info for info in all_rules() if info.name == "missing-weight-filler").load()
    files = {"solver.prototxt": f'net: "net.prototxt"\n{solver}', "net.prototxt": WITHOUT_FILLERS}
    assert [fix.safety for finding in findings_of(rule, files) for fix in finding.fixes] == safety
