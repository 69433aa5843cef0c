"""Quotes around a word that nobody filled in are no safe fix."""

from __future__ import annotations

import pytest

import caffelint


@pytest.mark.parametrize(
    ("word", "safety"),
    [
        ("__net__", "unsafe"),
        ("TODO", "unsafe"),
        ("data", "safe"),
        ("FC6", "safe"),
        ("conv1_1", "safe"),
    ],
)
def test_quotes_for_a_placeholder_are_no_safe_fix(word: str, safety: str) -> None:
    report = caffelint.check_text(f'layer {{ name: {word} type: "ReLU" bottom: "a" top: "b" }}')
    fixes = [fix for finding in report.findings if finding.name == "wrong-value-type" for fix in finding.fixes]
    assert [(fix.safety, fix.edits[0][1].text) for fix in fixes] == [(safety, f'"{word}"')]


@pytest.mark.parametrize("word", ["PATH_TO_LMDB", "YOUR_NAME", "__NET__"])
def test_a_name_that_somebody_is_to_replace_makes_a_template(word: str) -> None:
    report = caffelint.check_text(f'layer {{ name: {word} type: "ReLU" bottom: "a" top: "b" }}')
    assert [finding.name for finding in report.findings] == ["unfilled-template"]


def test_a_value_that_is_commented_out_with_a_placeholder_in_it_makes_a_template() -> None:
    report = caffelint.check_text('layer { name: "d" type: "Data" data_param { source: #"<your folder>/lmdb"\n} }')
    assert [finding.message for finding in report.findings] == [
        "this is a template with 1 placeholder, <your folder>; not checked further"
    ]


def test_a_value_that_is_commented_out_is_missing() -> None:
    report = caffelint.check_text('layer { name: "d" type: "Data" data_param { source: #"train_lmdb"\n} }')
    assert [finding.name for finding in report.findings if finding.severity == "error"] == ["syntax-error"]


def test_nothing_hangs_on_a_net_whose_name_cannot_be_read() -> None:
    solver = 'net:\ntest_iter: 3 test_interval: 10 base_lr: 0.01 lr_policy: "fixed" max_iter: 10'
    report = caffelint.check_text(solver)
    assert [finding.name for finding in report.findings if finding.severity == "error"] == ["syntax-error"]


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("GRIDVALUE", "unfilled-template"),
        ("X  #Here should be changing!", "unfilled-template"),
        ("X  # the rate", "wrong-value-type"),
        ("AVE", "wrong-value-type"),
        ("fast", "wrong-value-type"),
    ],
)
def test_one_name_for_a_number(value: str, rule: str) -> None:
    report = caffelint.check_text(f'lr_policy: "fixed" max_iter: 9\nbase_lr: {value}\n')
    assert rule in [finding.name for finding in report.findings]
    assert (len(report.findings) == 1) == (rule == "unfilled-template")


def test_strings_without_quotes_are_one_mistake() -> None:
    text = "layer {{ name: {0}a{0} type: {0}ReLU{0} bottom: {0}x{0} top: {0}y{0} }}"
    report = caffelint.check_text(text.format(""), kind="net")
    (one,) = [finding for finding in report.findings if finding.name == "wrong-value-type"]
    assert one.message == "name takes a string in quotes, not a; 3 more strings have no quotes"
    (fix,) = one.fixes
    assert (fix.safety, [edit.text for _, edit in fix.edits]) == ("safe", ['"a"', '"ReLU"', '"x"', '"y"'])


@pytest.mark.parametrize(
    ("text", "is_checked"),
    [
        ('input: "a" input_shape { dim: $BATCH dim: 3 dim: 4 dim: 4 }', True),
        ('input: "a" input_dim: {{ batch }} input_dim: 3 input_dim: 4 input_dim: 4', True),
        ('layer { name: "a" type: "Input" top: "a" input_param { shape: { dim: %N% dim: 3 dim: 4 dim: 4 } } }', True),
        ('layer { name: "a" type: "Data" top: "a" data_param { source: "$LMDB" batch_size: $BATCH } }', True),
        ('input: "a" input_shape { dim: 1 dim: 3 dim: $SIDE dim: 4 }', False),
        (
            'layer { name: "a" type: "Data" top: "a" data_param { batch_size: $BATCH } include { phase: $PHASE } }',
            False,
        ),
    ],
)
def test_what_hangs_on_no_data_is_checked(text: str, is_checked: bool) -> None:
    pooled = ' layer { name: "p" type: "ReLU" bottom: "a" top: "p" pooling_param { stride: 2 } }'
    report = caffelint.check_text(text + pooled)
    names = {finding.name for finding in report.findings}
    assert "unfilled-template" in names
    assert ("unused-parameter-block" in names) is is_checked
