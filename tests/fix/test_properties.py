"""What fixes promise holds for every rule's examples, for the fixtures, and for every two of them together."""

from __future__ import annotations

import itertools
import random
from typing import Any

import fixcheck
import pytest
from seeds import SEED, draws

from caffelint.lint.config import Config
from caffelint.lint.engine import planned
from caffelint.lint.file import load
from caffelint.lint.plan import Job, plan
from caffelint.lint.registry import RuleInfo, all_rules
from caffelint.lint.rule import Invalid

FIXABLE = [info for info in all_rules() if any(example.fixed is not None for example in info.load().INVALID)]


def _examples(info: RuleInfo) -> list[Invalid]:
    return [example for example in info.load().INVALID if example.fixed is not None]


def _hold(text: Any, config: Config, tmp_path: Any = None) -> fixcheck.Held:
    files = {"<text>": text} if isinstance(text, str) else dict(text)
    texts = {path: part.encode("utf-8", "surrogateescape") for path, part in files.items()}
    if len(texts) == 1:
        return fixcheck.hold(Job(tuple(texts), frozenset(texts), ()), texts, config, unsafe=True)
    (job, *_) = sorted(plan(list(texts), texts=texts), key=lambda job: -len(job.files))
    return fixcheck.hold(job, {path: texts[path] for path in job.files}, config, unsafe=True)


@pytest.mark.parametrize("info", FIXABLE, ids=lambda info: info.name)
def test_examples(info: RuleInfo, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, example in enumerate(_examples(info)):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        if not isinstance(example.text, str):
            for name, text in example.text.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        options = dict(example.options)
        config = Config()
        config.dialect = options.pop("dialect", None)
        config.rules = {info.name: options} if options else {}
        held = _hold(example.text, config)
        assert held.wrong == []


@pytest.mark.parametrize("unsafe", [False, True])
def test_fixtures(root: Any, unsafe: bool) -> None:
    config = Config()
    config.cache = False
    for job in planned([root / "fixtures/right", root / "fixtures/wrong"], config, None, {}).jobs:
        assert fixcheck.hold(job, fixcheck.texts_of(job), config, unsafe).wrong == []


def _mergeable() -> list[tuple[str, str, str]]:
    """The first example of each rule that is one text: the rule, `net` or `solver`, the text."""
    found = []
    for info in FIXABLE:
        for example in _examples(info):
            if isinstance(example.text, str) and not example.options:
                kind = load(example.text.encode("utf-8", "surrogateescape")).kind
                if kind in ("net", "solver"):
                    found.append((info.name, kind, example.text))
                    break
    return found


def test_every_pair_of_rules_comes_to_rest() -> None:
    """Both examples in one text; a tenth of all pairs, or every pair at night."""
    pairs = [pair for pair in itertools.combinations(_mergeable(), 2) if pair[0][1] == pair[1][1]]
    for first, second in random.Random(SEED + 3).sample(pairs, len(pairs) // draws(10, 1)):
        assert _pair(first, second) == [], (first[0], second[0])


def _pair(first: tuple[str, str, str], second: tuple[str, str, str]) -> list[str]:
    return _hold(f"{first[2]}\n{second[2]}", Config()).wrong
