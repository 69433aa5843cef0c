"""What is looked for in scripts: the words that a phrase needs are in all that its pattern matches."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from seeds import SEED, draws

from caffelint.project import scripts
from caffelint.project.scripts import Phrase, Script

PHRASES = {name: one for name, one in vars(scripts).items() if isinstance(one, Phrase)} | scripts._COMPUTES


def test_there_are_phrases() -> None:
    assert len(PHRASES) == 26


@pytest.mark.parametrize("name", PHRASES)
def test_each_match_holds_a_word(name: str) -> None:
    phrase = PHRASES[name]
    used = set()

    @seed(SEED + 917)
    @settings(max_examples=draws(60, 2000), database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(re.compile(phrase.pattern.pattern)))
    def check(text: str) -> None:
        assert phrase.search(text)
        used.update(word for word in phrase.words if word in text)

    check()
    assert used == set(phrase.words)


class _Counted:
    """A pattern that counts how often it is asked."""

    asked = 0

    def search(self, text: str) -> re.Match[str] | None:
        self.asked += 1
        return re.search("[^ =]*$", text)


def test_the_places_that_name_a_solver_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = _Counted()
    monkeypatch.setattr(scripts, "_PATH_END", counted)
    folders = [f"/repo/a/{count}" for count in range(50)]
    lines = "".join(f"caffe train --solver=/home/a/{count}/solver.prototxt\n" for count in range(40))
    script = Script("run.sh", "/repo", lines)
    assert [script.is_about(folder, "solver.prototxt", lambda: folders) for folder in folders] == [True] * 40 + [
        False
    ] * 10
    assert counted.asked == 40


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("caffe train --solver=$1", True),
        ("import argparse", True),
        ("caffe train --solver=a_solver.prototxt $@", False),  # it only adds to what it runs
    ],
)
def test_who_starts_a_script_may_say_by_which_solver(text: str, takes: bool) -> None:
    assert scripts.Script("train.sh", "/top", text).takes_arguments == takes


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("./build/tools/caffe train --solver=a.prototxt > log 2>&1", False),
        ("../.build_release/tools/caffe train -solver a.prototxt | tee -a log", False),
        ("python build.py > a.prototxt", True),
        ("python tools/build_solver a.prototxt > log", True),
    ],
)
def test_a_folder_called_build_writes_nothing(text: str, is_said: bool) -> None:
    assert (Script("run.sh", "", text).writes("a.prototxt", "") is not None) == is_said
