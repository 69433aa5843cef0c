"""Comments that silence findings: where they reach, and what is said of those that silence nothing."""

from __future__ import annotations

import pytest
from cost import follows, soon

import caffelint
from caffelint.lint.config import Config

POLY = 'base_lr: 0.01\nlr_policy: "poly"{}\npower: 1\nnet: "n.prototxt"\n'


def names(text: str) -> set[str]:
    config = Config()
    config.select = ["poly-without-max-iter", "unused-suppression", "pooling-stride-exceeds-kernel"]
    return {finding.name for finding in caffelint.check_text(text, config=config).findings}


def test_finding_without_comment() -> None:
    assert names(POLY.format("")) == {"poly-without-max-iter"}


@pytest.mark.parametrize(
    "comment",
    [
        "  # caffelint: ignore[poly-without-max-iter] stepped from Python with max_iter set there",
        "  # caffelint: ignore[S101]",
        "  # caffelint:ignore[s101, P001]",
        "  # caffelint: ignore",
        "  # caffelint: ignore[all]",
        "  # caffelint: ignore S101 set in Python",
        "  # caffelint: ignore: poly-without-max-iter, P001",
        "  # caffelint: ignore set in Python",
        "  # as in the paper  # caffelint: ignore[S101] max_iter is set in Python",
        "  # caffelint: ignore[S101] set in Python # caffelint: ignore[P001] pasted",
        "  # caffelint: ignore[P001] pasted # caffelint: ignore[S101] set in Python",
    ],
)
def test_comment_on_the_line(comment: str) -> None:
    assert names(POLY.format(comment)) == set()


def test_comment_above_covers_the_next_field_alone() -> None:
    above = POLY.format("").replace("lr_policy", "# caffelint: ignore[S101]\nlr_policy")
    assert names(above) == set()
    too_early = POLY.format("").replace("base_lr", "# caffelint: ignore[S101]\nbase_lr")
    assert names(too_early) == {"poly-without-max-iter", "unused-suppression"}


def test_comment_for_the_file() -> None:
    assert names(POLY.format("") + "# caffelint: ignore-file[S101] old\n") == set()


def test_comment_behind_a_brace_covers_the_block() -> None:
    net = (
        'layer {{{}\n  name: "p" type: "Pooling" bottom: "a" top: "b"\n'
        "  pooling_param {{ pool: AVE stride: 5\n kernel_size: 3 }}\n}}\n"
    )
    assert names(net.format("")) == {"pooling-stride-exceeds-kernel"}
    assert names(net.format("  # caffelint: ignore[L002]")) == set()


def test_forgotten_brackets_silence_no_other_rule() -> None:
    assert names(POLY.format("  # caffelint: ignore P010 pasted")) == {"poly-without-max-iter"}
    assert names(POLY.format("") + "# caffelint: ignore-file L002, P010\n") == {"poly-without-max-iter"}
    assert names(POLY.format("  # caffelint: ignore S999")) == {"poly-without-max-iter", "unused-suppression"}


@pytest.mark.parametrize("comment", ["disable=P002", "noqa", "", "ignore-line[L002]", "ignore[S102", "ignore(S102)"])
def test_a_comment_that_is_no_directive_is_reported(comment: str) -> None:
    text = f'base_lr: 0.01 lr_policy: "fixed" net: "n.prototxt"  # old # caffelint: {comment} \n'
    config = Config()
    config.select = ["unused-suppression"]
    (finding,) = caffelint.check_text(text, config=config).findings
    told = "this is not a directive; write ignore[RULE] or ignore-file[RULE] and the reason"
    assert (finding.code, finding.severity, finding.message, finding.fixes) == ("P015", "warning", told, ())
    assert (finding.column, finding.end_column) == (59, 71 + len(f" {comment}".rstrip()))


@pytest.mark.parametrize("comment", ["ignore[S101]", "ignore[poly-without-maxiter]", "ignore-file[L002]"])
def test_comment_that_silences_nothing(comment: str) -> None:
    found = names(f'base_lr: 0.01 lr_policy: "fixed" net: "n.prototxt"  # caffelint: {comment}\n')
    assert found == {"unused-suppression"}


def test_comment_for_a_rule_that_does_not_run() -> None:
    assert names('base_lr: 0.01 lr_policy: "fixed"  # caffelint: ignore[unknown-lr-policy]\n') == set()


@pytest.mark.parametrize("comment", ["ignore", "ignore[all]", "ignore[train-test-nets-differ]"])
def test_comment_of_which_this_run_cannot_tell(comment: str) -> None:
    config = Config()
    text = f'layer {{ name: "a" type: "ReLU" bottom: "a" top: "b" }}  # caffelint: {comment}\n'
    for select in (["P", "S"], []):
        config.select = select
        assert "unused-suppression" not in {f.name for f in caffelint.check_text(text, config=config).findings}


def test_comment_in_a_string_is_none() -> None:
    assert names(POLY.format("").replace("n.prototxt", "# caffelint: ignore-file")) == {"poly-without-max-iter"}


@pytest.mark.parametrize("comment", ["ignore-line[L002]", "ignored", "ignore[S102", "ignore(S102)", "ignore-files"])
def test_a_slip_silences_no_more_than_was_meant(comment: str) -> None:
    assert "poly-without-max-iter" in names(POLY.format(f"  # caffelint: {comment}"))


def test_line_ends_of_windows() -> None:
    text = POLY.format("  # caffelint: ignore[S101] set in Python").replace("\n", "\r\n")
    assert names(text) == set()
    wrong = caffelint.check_text('lr_policy: "fixed" # caffelint: ignore[S999] x\r\nbase_lr: 1\r\n').findings
    (unused,) = [finding for finding in wrong if finding.name == "unused-suppression"]
    assert unused.fixes[0].edits[0][1] == (19, 46, "")


def test_many_comments_take_no_longer_than_they_should() -> None:
    layer = 'layer { name: "p" type: "ReLU" # caffelint: ignore[S101]\nbottom: "a" top: "b" }\n'
    config = Config()
    config.select = ["poly-without-max-iter"]

    def look(size: int) -> None:
        caffelint.check_text((layer * size).encode(), config=config)

    look(9)
    assert follows(look, 300, 4_800)


BLOCK = 'layer {\n  name: "p"\n  type: "ReLU"\n%s}\n%slayer { name: "q" type: "Relu" }\n'


def of_the_second_layer(text: str) -> set[str]:
    return {finding.name for finding in caffelint.check_text(text).findings if finding.layer == "q"}


@pytest.mark.parametrize("rules", ["[P002, L002]", "", "[all]"])
def test_a_comment_at_the_end_of_a_block_covers_nothing_behind_the_brace(rules: str) -> None:
    comment = f"  # as it is\n  # caffelint: ignore{rules} a reason\n"
    assert of_the_second_layer(BLOCK % (comment, "")) == of_the_second_layer(BLOCK % ("", "")) != set()
    (finding,) = [f for f in caffelint.check_text(BLOCK % (comment, "")).findings if f.name == "unused-suppression"]
    told = "no field follows this comment in its block, so it silences nothing; write it above a field"
    assert (finding.message, finding.line, finding.fixes) == (told, 5, ())


def test_other_comments_and_empty_lines_may_stand_before_the_field() -> None:
    assert of_the_second_layer(BLOCK % ("", "# caffelint: ignore[all] x\n\n  # a } note\n")) == set()


def test_a_comment_for_the_file_covers_what_stands_at_its_very_end() -> None:
    text = 'layer {\n  name: "p"\n# caffelint: ignore-file[syntax-error, unused-suppression]'
    assert "syntax-error" not in {finding.name for finding in caffelint.check_text(text).findings}


def test_comments_between_a_comment_and_its_field_take_no_time() -> None:
    text = "# caffelint: ignore[dead-units]\n" + "# " * 200_000 + "x\n" + "#" * 200_000 + "\n!\nname: 'a'"
    with soon():
        caffelint.check_text(text)


FILLERLESS = (
    'layer {{ name: "{0}" type: "InnerProduct" bottom: "{1}" top: "{0}"\n  inner_product_param {{ num_output: 9 }}'
)
TRAINED = (
    'layer { name: "data" type: "Data" top: "data" top: "label" include { phase: TRAIN } }\n%s'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "c" bottom: "label" top: "loss" }\n'
)


def test_a_finding_on_several_layers_needs_a_comment_in_each() -> None:
    comment = "  # caffelint: ignore[missing-bias-filler] so it was"
    left = []
    for count in range(4):
        pairs = zip("abc", ("data", "a", "b"), strict=True)
        blocks = (FILLERLESS.format(*pair) + comment * (number < count) + "\n}\n" for number, pair in enumerate(pairs))
        report = caffelint.check_text(TRAINED % "".join(blocks))
        found = [finding for finding in report.findings if finding.name == "missing-bias-filler"]
        left.append([(one.layer, *(key.split(":")[1] for key, _ in one.others)) for one in found])
        assert all(bool(one.fixes) == (not count) for one in found)
        assert "unused-suppression" not in {finding.name for finding in report.findings}
    assert left == [[("a", "b", "c")], [("b", "c")], [("c",)], []]
