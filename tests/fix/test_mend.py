"""The loop that mends: it ends, it does no harm, and it tells what it left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from caffelint.cli.asking import Asking
from caffelint.fix.mend import Mended, Mender
from caffelint.fix.run import fix
from caffelint.fix.written import MOST_TIMES
from caffelint.lint import SAFE, UNSAFE, Fix, Place, TextRule
from caffelint.lint.checker import Checker, Outcome
from caffelint.lint.config import Config
from caffelint.lint.finding import Finding
from caffelint.lint.plan import Job
from caffelint.lint.registry import describe
from caffelint.lint.rule import Rule
from caffelint.report import Look
from caffelint.text.edits import Edit


def rule(rule_name: str, pattern: str, text: str, how: str = SAFE, level: str = "warning") -> type[Rule]:
    """A rule that finds a pattern and offers to replace it by `text`."""

    class Made(TextRule):
        """Finds a pattern."""

        code, name, severity = "X001", rule_name, level

        def check(self, file: Any) -> Iterator[Finding]:
            for found in re.finditer(pattern, file.document.source.text):
                edits = ((file.path, Edit(*found.span(), found.expand(text))),)
                yield self.finding(Place(file.document, *found.span()), rule_name, fixes=(Fix("mend it", how, edits),))

    return Made


def mend(texts: Mapping[str, bytes], *rules: type[Rule], **more: Any) -> Mended:
    config = Config()
    mender = Mender(config, more.pop("writable", texts), **more)
    mender.guard.checker = Checker(config, infos=[*mender.guard.checker.judge.infos, *map(describe, rules)])
    for one in rules:
        mender.guard.checker.judge.rules.add(one)
    return mender.mend(Job(tuple(texts), frozenset(texts), ()), dict(texts))


NET = b'layer { name: "one" type: "ReLU" bottom: "data" top: "one" }\r\n'


def test_rules_follow_upon_each_other() -> None:
    mended = mend({"a": NET}, rule("x", '"one"', '"two"'), rule("y", '"two"', '"three"'))
    assert mended.texts == {"a": NET.replace(b"one", b"three")}
    assert [applied.name for applied in mended.applied] == ["x", "x", "y", "y"]
    assert mended.notes == []


def test_what_undoes_another_fix_is_left_out_and_the_others_go_on() -> None:
    mended = mend({"a": NET}, rule("x", '"one"', '"two"'), rule("y", '"two"', '"one"'), rule("z", '"data"', '"input"'))
    assert mended.texts == {"a": NET.replace(b"one", b"two").replace(b"data", b"input")}
    assert mended.notes == ["a:1: the fix of y (mend it) was left out: it undoes the fix of x; please report it"]
    assert [applied.name for applied in mended.applied] == ["x", "z", "x"]


def test_a_rule_takes_back_what_it_wrote_once_the_fix_of_another_has_made_it_wrong() -> None:
    back = rule("x", 'name: "two"(?= type: "ELU")', 'name: "one"')
    there = rule("x", 'name: "one"(?= type: "ReLU")', 'name: "two"')
    mended = mend({"a": NET}, there, back, rule("y", '"ReLU"', '"ELU"'))
    assert mended.texts == {"a": NET.replace(b"ReLU", b"ELU")}
    assert mended.notes == []


def test_rules_that_chase_each_other_come_to_an_end() -> None:
    chased = [rule(name, f'"{old}"', f'"{new}"') for name, old, new in (("x", 1, 2), ("y", 2, 3), ("z", 3, 1))]
    mended = mend({"a": NET.replace(b"one", b"1")}, *chased)
    assert len(mended.applied) <= 3 * MOST_TIMES * 2
    assert len(mended.notes) == 1
    assert "x (mend it) was left out: it was already applied there, without effect; please report it" in mended.notes[0]


def test_no_rule_writes_in_one_place_again_and_again() -> None:
    mended = mend({"a": NET}, rule("x", r'name: "(\w+)"', r'name: "\1a"'))
    assert mended.texts == {"a": NET.replace(b'name: "one"', b'name: "oneaaa"')}
    assert mended.notes == [
        "a:1: the fix of x (mend it) was left out: it was already applied there, without effect; please report it"
    ]
    mended = mend({"a": NET}, rule("x", "^", "# more\n"))
    assert mended.texts == {"a": b"# more\r\n" * MOST_TIMES + NET}


def test_fixes_that_come_one_at_a_time_wait_for_another_run() -> None:
    class Slow(TextRule):
        """Finds each q, and offers to take away the first."""

        code, name = "X003", "slow"

        def check(self, file: Any) -> Iterator[Finding]:
            first = file.document.source.text.find("q")
            for found in re.finditer("q", file.document.source.text):
                fix = Fix("take one away", SAFE, ((file.path, Edit(first, first + 1, "")),))
                yield self.finding(Place(file.document, *found.span()), "a q", fixes=(fix,))

    mended = mend({"a": b"# " + b"q" * 50 + b"\n" + NET}, Slow)
    assert mended.texts == {"a": b"# " + b"q" * 10 + b"\n" + NET}
    assert mended.notes == ["a: the fixes of slow wait for another run, as they came up last"]


def test_a_fix_that_brings_an_error_is_dropped_and_told_and_the_others_are_made() -> None:
    mended = mend(
        {"a": NET},
        rule("harm", 'type: "ReLU"', "type: ReLU"),
        rule("help", '"data"', '"input"'),
        rule("worse", "}\r\n", "\r\n"),
    )
    assert mended.texts == {"a": NET.replace(b"data", b"input")}
    assert mended.notes == [
        "a:1: the fix of harm (mend it) was left out: it would cause wrong-value-type in a; please report it",
        "a:1: the fix of worse (mend it) was left out: it would cause syntax-error in a; please report it",
    ]


def test_harm_is_seen_also_by_rules_that_were_not_asked_for() -> None:
    config = Config()
    config.select = ["byte-order-mark"]
    mender = Mender(config, ["a"])
    harm = rule("harm", 'type: "ReLU"', "type: ReLU")
    mender.guard.checker = Checker(config, infos=[describe(harm)])
    mender.guard.checker.judge.rules.add(harm)
    mended = mender.mend(Job(("a",), frozenset("a"), ()), {"a": NET})
    assert mended.texts == {}
    assert "it would cause wrong-value-type" in mended.notes[0]


def test_mending_an_error_may_bring_the_next_to_light() -> None:
    text = b'base_lr: 0.1 lr_policy: "polly" power: 1 net: "n"'
    config = Config()
    mended = Mender(config, ["a"], unsafe=True).mend(Job(("a",), frozenset("a"), ()), {"a": text})
    assert b'"poly"' in mended.texts["a"]
    assert "poly-without-max-iter" in {finding.name for finding in mended.outcome.findings}
    assert mended.notes == []


def test_edits_of_one_fix_that_overlap_are_reported() -> None:
    class Odd(TextRule):
        """Offers nonsense."""

        code, name = "X002", "odd"

        def check(self, file: Any) -> Iterator[Finding]:
            edits = ((file.path, Edit(0, 5, "")), (file.path, Edit(3, 6, "")))
            yield self.finding(Place(file.document, 0, 5), "odd", fixes=(Fix("break it", SAFE, edits),))

    mended = mend({"a": NET}, Odd)
    assert mended.texts == {}
    assert mend({"a": NET}, Odd, agreed=Asking(Look())).notes == mended.notes, "nobody is asked"
    assert mended.notes == [
        "a:1: the fix of odd (break it) was left out: two edits overlap at byte 3; please report it"
    ]


def test_unsafe_and_low_ones_wait_to_be_asked_for() -> None:
    rules = rule("x", '"one"', '"two"', UNSAFE), rule("y", '"data"', '"input"', level="info")
    assert mend({"a": NET}, *rules).texts == {"a": NET.replace(b"data", b"input")}
    assert mend({"a": NET}, *rules, least="warning").texts == {}
    assert mend({"a": NET}, *rules, unsafe=True, least="warning").texts == {"a": NET.replace(b"one", b"two")}


def test_inserted_lines_end_as_the_others() -> None:
    assert mend({"a": NET}, rule("x", '"data"', '"in"\n')).texts == {"a": NET.replace(b'"data"', b'"in"\r\n')}


def test_other_files_than_those_named_are_left_alone() -> None:
    assert mend({"a": NET, "b": NET}, rule("x", '"one"', '"two"'), writable=["b"]).texts.keys() == {"b"}


def test_a_note_for_each_answer() -> None:
    asked: list[str] = []

    def agreed(offer: Any, texts: dict[str, bytes]) -> bool:
        asked.append(offer.finding.name)
        return bool(offer.finding.name == "x")

    mended = mend({"a": NET}, rule("x", '"data"', '"input"'), rule("y", '"ReLU"', '"TanH"'), agreed=agreed)
    assert mended.texts == {"a": NET.replace(b"data", b"input")}
    assert sorted(asked) == ["x", "y"], "nobody is asked twice"


def test_a_mark_and_utf16_are_mended_although_errors_come_to_light(tmp_path: Path) -> None:
    text = 'layer { name: "a" type: ReLU }\r\n'
    for data in (b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16")):
        (tmp_path / "net.prototxt").write_bytes(data)
        config = Config()
        config.cache, config.select = False, ["byte-order-mark"]
        result = fix([tmp_path], config)
        assert (tmp_path / "net.prototxt").read_bytes() == text.encode()
        assert result.notes == []


def test_no_fix_takes_away_a_comment() -> None:
    text = b'layer { name: "o" # why\n "ne" type: "ReLU" bottom: "data" top: "#" }\n'
    mended = mend({"a": text}, rule("x", r'"o"[^/]*?"ne"', '"two"'), rule("y", '"#"', '"one"'))
    assert mended.texts == {"a": text.replace(b'"#"', b'"one"')}
    assert mended.notes == ["a:1: the fix of x (mend it) was left out: it would remove the comment # why"]
    mended = mend({"a": text}, rule("x", r'"o"( #.*\n )"ne"', r'"two"\1'))
    assert mended.texts == {"a": text.replace(b'"o"', b'"two"').replace(b'"ne"', b"")}


def test_no_fix_takes_away_what_another_has_written() -> None:
    needless = rule("needless", " phase: TRAIN", "")
    text = NET.replace(b" }", b" phase: TRAIN }")
    mended = mend({"a": text.replace(b"phase", b"Phase")}, needless)
    assert mended.texts == {"a": text}
    assert mended.notes == [
        "a:1: the fix of needless (mend it) was left out:"
        " it would remove what the fix of unknown-field has just written"
    ]
    assert mend({"a": text}, needless).texts == {"a": NET}, "asked for anew, it is made"


def test_what_a_fix_wrote_is_known_when_it_has_moved() -> None:
    longer = rule("first", '"one"', '"something"'), rule("second", '"ReLU"', '"TanH"')
    mended = mend({"a": NET}, *longer, rule("third", ' type: "TanH"', ""))
    assert b'"TanH"' in mended.texts["a"]
    assert len(mended.notes) == 1


def test_what_a_fix_wrote_may_be_written_anew() -> None:
    mended = mend({"a": NET}, rule("x", '"data"', '"input"'), rule("y", ' bottom: "input"', ' bottom: "images"'))
    assert mended.texts == {"a": NET.replace(b"data", b"images")}


def test_a_layer_that_gets_its_name_keeps_its_errors() -> None:
    mended = mend({"a": b"layer { name: z convolution_param { pad: 1 2 3 stride: 0x } }"})
    assert [applied.name for applied in mended.applied] == ["wrong-value-type"]
    assert mended.notes == []


def test_harm_in_a_broken_text_is_no_fault_of_the_program() -> None:
    harm = rule("x", '"data"', '"data')
    whole, broken = mend({"a": NET}, harm), mend({"a": NET + b"}"}, harm)
    assert whole.texts == broken.texts == {}
    assert whole.notes[0].endswith("; please report it")
    assert broken.notes[0].endswith("was left out: it would cause syntax-error in a")


def test_a_text_is_made_readable_before_anything_else() -> None:
    """What is in it may be otherwise then: a string that was never closed holds no layers."""
    x, text = rule("x", '"data"', '"input"'), NET.replace(b"top:", b"top")
    mended = mend({"a": text}, x)
    assert mended.texts == {"a": NET.replace(b"data", b"input")}
    assert [applied.name for applied in mended.applied] == ["syntax-error", "x"]
    declined = mend({"a": text}, x, agreed=_not_syntax)
    assert [applied.name for applied in declined.applied] == ["x"]


def _not_syntax(offer: Any, texts: Mapping[str, bytes]) -> bool:
    return bool(offer.finding.name == "x")


def test_thousands_of_fixes_take_no_more_readings_than_few(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = []
    check = Checker.job

    def counted(self: Checker, job: Job) -> Outcome:
        readings.append(job)
        return check(self, job)

    monkeypatch.setattr(Checker, "job", counted)
    layer = 'layer { name: "r%d" type: "ReLU" propagate_down: "true" bottom: "%s" top: "%s" }\r\n'
    for many in (5, 1500):
        text = NET.decode() + "".join(layer % (number, "one", "one") for number in range(many))
        readings.clear()
        mended = Mender(Config(), ["a"]).mend(Job(("a",), frozenset("a"), ()), {"a": text.encode()})
        assert mended.texts["a"].count(b"propagate_down: true") == many
        assert (mended.notes, len(mended.applied)) == ([], many)
        assert len(readings) == 2


def test_the_search_for_harm_among_many_fixes_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    text = NET * 64
    rules = rule("harm", 'type: "ReLU"', 'type: "ReLU" propagate_down: "true"'), rule("help", '"data"', '"input"')
    mended = mend({"a": text}, *rules)
    assert mended.texts == {"a": text.replace(b"data", b"input")}
    assert mended.notes[-1] == "a: other fixes of harm were left out: 3 like them would do harm"
    monkeypatch.setattr("caffelint.fix.mend.READ_BYTES", 0)
    mended = mend({"a": text}, *rules)
    assert mended.texts == {"a": text.replace(b"data", b"input")}
    assert mended.notes == [
        "a: other fixes of harm were left out:"
        " one of many that were left out would do harm: it would cause wrong-value-type in a"
    ]


def test_two_losses_after_one_sigmoid_in_place() -> None:
    """The fix of one makes the other read what the fix of the other takes away."""
    sigmoid = b'layer { name: "s" type: "Sigmoid" bottom: "fc" top: "fc" }\n'
    loss = b'layer { name: "@" type: "SigmoidCrossEntropyLoss" bottom: "fc" bottom: "t" top: "@" }\n'
    texts = {"net.prototxt": sigmoid + loss.replace(b"@", b"a") + loss.replace(b"@", b"b")}
    result = fix([], Config(), unsafe=True, write=False, texts=texts, alone=True)
    assert not result.notes
    assert result.changes[0].new == texts["net.prototxt"].replace(b'top: "fc"', b'top: "s"')


def test_all_that_was_left_out_is_counted_also_what_the_report_makes_an_info_of() -> None:
    """Of several that are alike the report shows the first, and each of their fixes was tried."""
    text = b'base_lr: 0.1 lr_policy: "multistep" gamma: 0.1\n'
    text += b"".join(b"stepvalue: %d\nstepvalue: # why\n %d\n" % (step, step) for step in (10, 20))
    fixed = fix([], Config(), unsafe=True, least="warning", texts={"a": text}, alone=True)
    assert len([note for note in fixed.notes if "it would remove the comment # why" in note]) == 2
    assert fixed.report.left == {"for the reason below": 2}


def test_the_right_name_in_a_comment_leaves_the_bytes_around_it(tmp_path: Path) -> None:
    text = b'lr_policy: "fixed"  # caffelint: ignore[%s] caf\xe9 \xc0\xed \xff\nbase_lr: 0.1\n'
    texts = {"solver.prototxt": text % b"poly-without-maxiter"}
    result = fix([], Config(), unsafe=True, write=False, texts=texts, alone=True)
    assert text % b"poly-without-max-iter" in [change.new for change in result.changes]


def test_no_fix_leaves_a_data_layer_without_its_block() -> None:
    net = b'layer { name: "d" type: "ImageData" image_data_param { shuffle: true } include { phase: TEST } }'
    result = fix([], Config(), unsafe=True, write=False, texts={"net.prototxt": net}, alone=True)
    assert not [note for note in result.notes if "please report it" in note]
    assert all(b"image_data_param" in change.new for change in result.changes)


def mended(text: str) -> str:
    result = fix([], Config(), unsafe=True, write=False, texts={"net.prototxt": text.encode()}, alone=True)
    return result.changes[0].new.decode() if result.changes else text


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ('source: "数据/train_lmdb\n batch_size: 4', 'source: "数据/train_lmdb"\n batch_size: 4'),
        ("source: données/lmdb batch_size: 4", 'source: "données/lmdb" batch_size: 4'),
        ("source: é/lmdb batch_size: 4", None),
    ],
)
def test_strings_of_other_letters_than_ascii(wrong: str, right: str | None) -> None:
    net = 'layer { name: "d" type: "Data" top: "x" top: "l"\n data_param { %s backend: LMDB } }\n'
    assert mended(net % wrong) == net % (right or wrong)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ('bottom: "é", "b"', 'bottom: ["é", "b"]'),
        ('bottom: ("a", "b")', None),
        (
            'bottom: "conv (1" top: "x" )\nlayer { name: "b" type: "ReLU" bottom: "x"',
            'bottom: "conv (1" top: "x" }\nlayer { name: "b" type: "ReLU" bottom: "x"',
        ),
        ('bottom: "a" concat_param { axis: [3; 3] }', None),
        ('bottom: "a" param: (name: "w")', None),
        (
            'bottom: "a" top: "x" ]\nlayer { name: "b" type: "ReLU" bottom: "x"',
            'bottom: "a" top: "x" }\nlayer { name: "b" type: "ReLU" bottom: "x"',
        ),
    ],
)
def test_brackets_that_are_no_braces(wrong: str, right: str | None) -> None:
    net = 'layer { name: "a" type: "Concat" %s top: "y" }\n'
    assert mended(net % wrong) == net % (right or wrong)


@pytest.mark.parametrize("value", ["num_output: : 487", "num_output:: 487", "num_output: = 487"])
def test_nothing_is_put_behind_a_value_that_is_broken(value: str) -> None:
    net = (
        'layer { name: "d" type: "Input" top: "d" top: "l" input_param { shape { dim: 4 dim: 3 } shape { dim: 4 } } }\n'
        f'layer {{ name: "f" type: "InnerProduct" bottom: "d" top: "f" inner_product_param {{ {value} }} }}\n'
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "f" bottom: "l" }\n'
    )
    assert "bias_filler" not in mended(net)


def test_nothing_is_put_into_blocks_that_are_not_closed() -> None:
    text = 'layer { name: "data"type:"Data"top:"label"include inner_product_param'
    text += ' layer { name: "b"type:"InnerProduct"{}inner_product_param{weight_filler{'
    assert "bias_filler" not in mended(text)


def test_a_field_of_three_is_moved_where_another_one_of_the_rule_goes() -> None:
    net = b'layer {}name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim"'
    result = fix([], Config(), unsafe=True, write=False, texts={"net.prototxt": net}, alone=True)
    assert not result.notes
    assert b'type: "ContrastiveLoss" }' in result.changes[0].new
