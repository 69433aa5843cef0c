"""Findings that are kept packed: nothing but the memory differs."""

import io
import random
import sys
from pathlib import Path

import pytest

import caffelint
from caffelint.lint import baseline, packed
from caffelint.lint.config import Config
from caffelint.lint.packed import Chosen, Packed, by_file, gathered, those
from caffelint.lint.report import Report, ReportedFinding, in_order
from caffelint.report import FORMATS, Look, write

NET = """
layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ dim: 1 dim: 3 dim: {size} dim: 10 }} }} }}
layer {{ name: "p" type: "Pooling" bottom: "data" top: "p" pooling_param {{ pool: AVE kernel_size: 3 stride: 5 }} }}
layer {{ name: "c" type: "Convolution" bottom: "p" top: "c" convolution_param {{ num_output: 4 }} }}
layer {{ name: "d" type: "ReLU" bottom: "lacking" top: "d" }}
"""
SOLVER = 'net: "net.prototxt" base_lr: 0.1 lr_policy: "poly" power: 1 type: "{type}"'


def one(number: int) -> ReportedFinding:
    file = f"f{number // 3}.prototxt"
    return ReportedFinding(
        "L001", "a-rule", "error", "certain", f"message {number}", "", file, number, 1, number, 9, (), "x", "", "k", ""
    )


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Projects in folders whose files do not come in the order of their paths, some of them copies of others."""
    monkeypatch.chdir(tmp_path)
    for number, folder in enumerate(("b", "b/inner", "b-c", "a/deep", "a", "z", "z/other/deep")):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "net.prototxt").write_text(NET.format(size=10 + number // 2))
        (tmp_path / folder / "solver.prototxt").write_text(SOLVER.format(type="Adm" if number % 2 else "SGD"))
        if number % 3 == 0:
            (tmp_path / folder / "README.md").write_text("see deploy.prototxt")
            (tmp_path / folder / "LICENSE").write_text("free")
    config = Config()
    config.cache = False
    return config


def written(report: Report, group: str) -> dict[str, str]:
    texts = {}
    for name in FORMATS:
        out = io.StringIO()
        write(name, report, out, Look(least="info", group=group))
        texts[name] = out.getvalue()
    return texts


@pytest.mark.parametrize("group", ["cause", "rule", "file"])
def test_reports_are_the_same(projects: Config, monkeypatch: pytest.MonkeyPatch, group: str) -> None:
    plain = caffelint.check(["."], projects)
    assert isinstance(plain.findings, tuple)
    assert len(plain.findings) > 40
    assert any("has the same content" in finding.evidence for finding in plain.findings)
    monkeypatch.setattr(packed, "MOST", 1)
    monkeypatch.setattr(packed, "_BLOCK", 4)
    report = caffelint.check(["."], projects)
    assert isinstance(report.findings, Chosen)  # put into order, too
    assert tuple(report.findings) == plain.findings
    assert written(report, group) == written(plain, group)
    assert report.exit_status() == plain.exit_status() == 1
    assert report.fixable() == plain.fixable()
    assert tuple(report.only(["error"]).findings) == tuple(plain.only(["error"]).findings)


def test_a_baseline_takes_away_the_same(projects: Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    baseline.write(tmp_path / "known.json", caffelint.check(["a", "z"], projects).findings)
    projects.baseline = str(tmp_path / "known.json")
    plain = caffelint.check(["."], projects)
    assert plain.baselined
    assert plain.findings
    monkeypatch.setattr(packed, "MOST", 1)
    report = caffelint.check(["."], projects)
    assert (tuple(report.findings), report.baselined) == (plain.findings, plain.baselined)


def test_a_sequence_as_others() -> None:
    every = [one(number) for number in range(20_000)]
    found = gathered(iter(every))
    assert isinstance(found, Packed)
    assert list(found) == every
    assert (len(found), found[0], found[-1], found[7777]) == (20_000, every[0], every[-1], every[7777])
    assert list(found[5000:20:-7]) == every[5000:20:-7]
    assert list(those(found, lambda finding: finding.line in (1, 9000))[1:]) == [every[9000]]
    with pytest.raises(IndexError):
        found[20_000]
    assert gathered(every[:3]) == tuple(every[:3])


def test_files_are_put_into_order() -> None:
    every = [one(number) for number in range(18_000)]
    files = [every[first : first + 3] for first in range(0, 18_000, 3)]
    random.Random(1).shuffle(files)
    shuffled = by_file(gathered(finding for file in files for finding in file))
    assert tuple(shuffled) == in_order(every)


def test_packed_findings_are_small() -> None:
    found = gathered(one(number) for number in range(20_000))
    assert isinstance(found, Packed)
    assert sum(map(sys.getsizeof, found._blocks)) < 20_000 * 100 < 20_000 * sys.getsizeof(one(1))


def test_a_long_line_is_kept_once_for_all_findings_on_it() -> None:
    lines = ("x" * 100_000, "y")
    found = [one(number)._replace(source=lines if number % 3 else ("short",)) for number in range(6000)]
    kept = Packed(found)
    assert list(kept) == found
    assert kept[4097] == found[4097]
    assert list(kept[300:310]) == found[300:310]
    assert sum(map(len, kept._blocks)) < 1_000_000
    assert {id(one.source[0]) for one in kept if len(one.source) == 2} == {id(lines[0])}
