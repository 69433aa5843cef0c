"""What a person reads."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest

from caffelint.lint.finding import Fix
from caffelint.lint.report import Applied, Report, ReportedFinding
from caffelint.report import Look, write
from caffelint.text.edits import Edit

Make = Callable[..., ReportedFinding]


def shown(report: Report, name: str = "text", **look: Any) -> str:
    out = io.StringIO()
    write(name, report, out, Look(**look))
    return out.getvalue()


def test_everything_at_once(report: Report) -> None:
    assert (
        shown(report)
        == """\
net/solver.prototxt:3:1: error: max_iter is not set: the first rate is 0/0 = nan [S101 poly-without-max-iter]
    3 | lr_policy: "poly"  # decays
      | ^^^^^^^^^^^^^^^^^
      = `caffe train` ends after no iteration

net/solver.prototxt:9:1: error: and once more, with 100 % of <it> & "all" [S101 poly-without-max-iter]
    9 | lr_policy: "poly"  # decays
      | ^^^^^^^^^^^^^^^^^

net/a b,c:d%.prototxt:12:3: warning: stride 5 exceeds kernel 3, <U+0000> and <U+001B>[31m stays out [L401 pooling-stride-exceeds-kernel, likely, TRAIN]
   12 |   pooling_param {
      |   ^^^^^^^^^^^^^^^
   13 |     stride: 5
   14 |   }
      = net/other.prototxt:4:7: the bottom is made here
      = line 40: and read here
      = fix (unsafe): set stride to 2
      = try: or think again

2 errors, 1 warning in 5 files (1 info not shown without -v; 2 suppressed; 1 in the baseline; 2 paths not checked)
1 fixable with --fix --unsafe-fixes
"""  # noqa: E501
    )


def test_the_same_mistake_is_shown_once_with_its_places(finding: Make) -> None:
    layers = [finding(layer=name, line=line, message=f'ReLU "{name}": no') for name, line in (("a", 3), ("b", 12))]
    elsewhere = [finding(file=f"net/{number}.prototxt", layer="a", message='ReLU "a": no') for number in range(12)]
    different = finding(line=20, layer="c", message='PReLU "c": no')
    text = shown(Report((*layers, different, *elsewhere), 14))
    first, second, table, end = text.split("\n\n")
    listed = ", ".join(f"net/{number}.prototxt:3:1" for number in range(10))
    assert first.splitlines()[3:] == [
        '      = the same 1 time more in this file: "b" (12)',
        f"      = also in 12 other files: {listed} and 2 more",
    ]
    assert second.startswith('net/solver.prototxt:20:1: error: PReLU "c": no')
    assert "the same" not in second
    assert table == "findings  files  severity  rule\n      15     13  error     S101 poly-without-max-iter"
    assert end == "15 errors in 14 files\n"


def test_other_phases_certainty_or_evidence_make_another_mistake(finding: Make) -> None:
    others = [finding(), finding(phases=("TEST",)), finding(certainty="likely"), finding(evidence="e")]
    assert "the same" not in shown(Report(tuple(others), 1))


def test_infos_are_shown_when_asked_for(report: Report) -> None:
    text = shown(report, least="info")
    first = "/data/labels.prototxt: info: this is a label map of TensorFlow, not a net [P014 not-caffe]"
    assert f"\n\n{first}\n\n" in text
    assert "2 errors, 1 warning, 1 info in 5 files (2 suppressed" in text


@pytest.mark.parametrize(
    ("safe", "unsafe", "fixed", "line"),
    [
        (2, 0, 0, "2 fixable with --fix"),
        (2, 1, 0, "2 fixable with --fix (1 more with --unsafe-fixes)"),
        (0, 1, 0, "1 fixable with --fix --unsafe-fixes"),
        (0, 1, 3, "fixed 3 findings in 2 files (1 more with --unsafe-fixes)"),
        (0, 0, 1, "fixed 1 finding in 1 file"),
    ],
)
def test_the_last_line_tells_of_fixes(finding: Any, safe: int, unsafe: int, fixed: int, line: str) -> None:
    edits = (("a", Edit(0, 1, "x")),)
    fixes = [Fix("mend", "safe", edits)] * safe + [Fix("mend", "unsafe", edits)] * unsafe
    display = Fix("think", "display", edits)
    applied = [Applied(f"file{number % 2}", "S101", "x", "said", "mend", "safe") for number in range(fixed)]
    report = Report([finding(fixes=(display, fix)) for fix in fixes], files=1, applied=applied)
    assert shown(report).splitlines()[-1] == line


def test_clean(clean: Report) -> None:
    assert shown(clean) == "no errors or warnings in 3 files\n"
    assert shown(clean, least="info") == "no findings in 3 files\n"
    assert shown(clean, quiet=True) == ""


def test_no_file_is_not_a_clean_file() -> None:
    assert shown(Report()) == "no prototxt file was checked\n"


def test_color_changes_nothing_but_color(report: Report) -> None:
    colored = shown(report, color=True, least="info")
    assert "\x1b[1;31merror\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == shown(report, least="info")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_wrapping_keeps_the_words_and_the_width(report: Report, width: int) -> None:
    text, wrapped = shown(report), shown(report, width=width)
    assert wrapped.split() == text.split()
    assert [line for line in wrapped.splitlines() if columns(line, len(line)) > width] == []


def columns(line: str, until: int) -> int:
    """Columns that a terminal gives to the first characters of a line: a count of its own, for these tests' texts."""
    return sum(2 if c > "\u2fff" else 0 if "\u0300" <= c <= "\u036f" else 1 for c in line[:until])


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('lr_policy: "poly"', 'lr_policy: "poly"'),
        ('\tlr_policy: "poly"', 'lr_policy: "poly"'),
        ('a: 1\t\tlr_policy: "poly"\t# x', 'lr_policy: "poly"'),
        ('name: "学习率" lr_policy: "poly"', 'lr_policy: "poly"'),
        ('name: "学习率" # 注释', 'name: "学习率"'),
        ('name: "e\u0301cole" lr_policy: "poly"', 'lr_policy: "poly"'),
        ('a:\u00a01 \x07 lr_policy: "poly"', 'lr_policy: "poly"'),
        ("top: '\uff46\uff55\uff4c\uff4c'", "'\uff46\uff55\uff4c\uff4c'"),
        ("x" * 5000 + ' lr_policy: "poly" ' + "y" * 5000, 'lr_policy: "poly"'),
        ("x: 1 " * 30 + 'lr_policy: "poly"', 'lr_policy: "poly"'),
        ('lr_policy: "poly" ' + "y" * 5000, 'lr_policy: "poly"'),
    ],
)
def test_carets_stand_below_what_they_mean(finding: Any, line: str, wanted: str) -> None:
    start = line.index(wanted)
    found = finding(column=start + 1, end_column=start + len(wanted) + 1, source=(line,))
    _, text, carets, *_ = shown(Report([found], files=1)).splitlines()
    at = text.index(wanted)
    assert carets.index("^") == columns(text, at)
    assert len(carets) == columns(text, at + len(wanted))
    assert set(carets[9:]) <= {"^", " "}
    assert len(text) < 200


def test_a_caret_for_a_place_without_width(finding: Any) -> None:
    found = finding(column=28, end_column=28)
    assert shown(Report([found], files=1)).splitlines()[2] == "      | " + " " * 27 + "^"


def test_a_long_span_is_cut_short(finding: Any) -> None:
    source = ('layer {  # "pool"', "  name: 1", "  type: 2")
    found: ReportedFinding = finding(column=1, end_line=30, end_column=2, source=source)
    lines = shown(Report([found], files=1)).splitlines()
    assert lines[1:6] == [
        '    3 | layer {  # "pool"',
        "      | ^^^^^^^^^^^^^^^^^",
        "    4 |   name: 1",
        "    5 |   type: 2",
        "  ...",
    ]


def test_concise(report: Report) -> None:
    assert shown(report, "concise").splitlines() == [
        "net/a b,c:d%.prototxt:12:3: warning: stride 5 exceeds kernel 3, <U+0000> and <U+001B>[31m stays out"
        " [L401 pooling-stride-exceeds-kernel, likely, TRAIN]",
        "net/solver.prototxt:3:1: error: max_iter is not set: the first rate is 0/0 = nan [S101 poly-without-max-iter]",
        'net/solver.prototxt:9:1: error: and once more, with 100 % of <it> & "all" [S101 poly-without-max-iter]',
    ]


def test_statistics(report: Report) -> None:
    assert (
        shown(report, "statistics")
        == """\
findings  files  severity  rule
       2      1  error     S101 poly-without-max-iter
       1      1  warning   L401 pooling-stride-exceeds-kernel
       1      1  info      P014 not-caffe

2 errors, 1 warning, 1 info in 5 files (2 suppressed; 1 in the baseline; 2 paths not checked)
1 fixable with --fix --unsafe-fixes
"""
    )


@pytest.mark.parametrize("name", ["text", "concise"])
def test_a_message_that_quotes_a_megabyte_is_cut(finding: Any, name: str) -> None:
    message = f"bottom is {'x' * 1_000_000}, which no layer makes"
    found = finding(message=message, evidence=message, source=("y" * 1_000_000,), end_column=1_000_000)
    text = shown(Report([found], files=1), name)
    assert len(text) < 3000
    assert "error: bottom is xxx" in text
    assert "xxx, which no layer makes [S101" in text


def places(text: str) -> list[str]:
    return re.findall(r"^(\S+):\d+:\d+: ", text, re.MULTILINE)


def test_files_with_errors_come_first_and_the_worst_of_a_file_first(finding: Make) -> None:
    warning, error = {"severity": "warning"}, {"severity": "error"}
    found = [
        finding(file="a.prototxt", line=1, message="one", **warning),
        finding(file="b.prototxt", line=2, message="two", **warning),
        finding(file="b.prototxt", line=9, message="three", **error),
        finding(file="c.prototxt", line=4, message="four", **warning),
    ]
    report = Report(tuple(found), 3)
    lines = [line for line in shown(report).splitlines() if ".prototxt:" in line]
    assert [re.split(": |, ", line)[0] for line in lines] == [
        "b.prototxt:9:1",
        "b.prototxt:2:1",
        "a.prototxt:1:1",
        "c.prototxt:4:1",
    ]
    assert places(shown(report, sort="place")) == ["a.prototxt", "b.prototxt", "b.prototxt", "c.prototxt"]
    assert shown(report, top=1).endswith("3 findings more; --top 0 shows all\n")


def test_a_cause_is_shown_once_whatever_names_and_numbers_it_has(finding: Make) -> None:
    found = [finding(file=f"{n}.prototxt", message=f'net "n{n}": base_lr {n} is too large') for n in range(3)]
    other = finding(file="1.prototxt", message="something else")
    text = shown(Report((*found, other), 3))
    assert places(text) == ["0.prototxt", "1.prototxt"]
    assert "also in 2 other files: 1.prototxt:3:1, 2.prototxt:3:1" in text


def test_what_differs_within_a_file_is_shown_one_by_one(finding: Make) -> None:
    found = [finding(layer=f"l{n}", line=n, message=f'"l{n}": kernel_size {n}') for n in (1, 2)]
    assert len(places(shown(Report(tuple(found), 1)))) == 2
    assert len(places(shown(Report(tuple(found), 1), group="rule"))) == 1


def test_by_file_each_finding_is_a_line(finding: Make) -> None:
    found = [finding(file="a.prototxt", message="one"), finding(file="b.prototxt", message="two")]
    text = shown(Report(tuple(found), 2), group="file", quiet=True)
    tag = "[S101 poly-without-max-iter]"
    assert text == f"a.prototxt\n      3:1  error    one {tag}\n\nb.prototxt\n      3:1  error    two {tag}\n\n"


def test_what_is_frequent_comes_first_if_asked_for(finding: Make) -> None:
    found = [finding(file="a.prototxt", message="rare")]
    found += [finding(file=f"b{n}.prototxt", message="often") for n in range(2)]
    assert places(shown(Report(tuple(found), 3), sort="count")) == ["b0.prototxt", "a.prototxt"]


def test_names_the_dialect_that_silences_much(finding: Make) -> None:
    few = [finding(severity="info", file="a.prototxt", line=line, dialects=("ssd", "intel")) for line in range(1, 4)]
    more = [finding(severity="info", file="b.prototxt", line=line, dialects=("intel",)) for line in range(1, 3)]
    assert "dialect" not in shown(Report((*few, *more[:1]), 2), least="info")
    report = Report((*few, *more), 2)
    said = '2 files fit Intel Caffe (intel/caffe): set dialect = "intel" to silence 5 of these findings\n'
    assert shown(report, least="info").endswith(said)
    assert "dialect" not in shown(report)
