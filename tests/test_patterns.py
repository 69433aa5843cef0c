"""No regular expression of the project takes more than linear time, whatever text it meets.

Each pattern that the source compiles is run over long texts made to hurt it: for every place where it may stand when
something repeats, a text that leads there, followed by many copies of one or two of its own characters or of what
repeats there, and an end that does not match.
"""

from __future__ import annotations

import ast
import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

try:
    from re import _constants as constants  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_constants as constants  # type: ignore[no-redef]
    import sre_parse as parser  # type: ignore[no-redef]

ROOT = Path(__file__).parent.parent
FOLDERS = ("caffelint", "rules")
LATER = ROOT / "caffelint/text/patterns.py"
"""Compiles what other files give it."""
SIZES = (*range(8, 40, 4), 100, 1_000)
"""In small steps at first: some patterns take twice the time with each character."""
GROWING = 100
"""From this many letters on it is the growth that counts: what is exponential is found before."""
LONG = 16_000
SUSPECT = 3e-4
"""Seconds of CPU time over at most 1,000 characters."""
GROWTH = 64
"""How many times as long 16 times the text may take: 16 times if linear, 256 times if quadratic."""
TRIES = 10
ENDS = ("\0", '\n"')
ANCHORED = {"match", "fullmatch"}
METHODS = {*ANCHORED, "search", "sub", "subn", "split", "findall", "finditer"}
COMPILE = "compile"
METHOD_OF = {f"re.{name}": name for name in (*METHODS, COMPILE)} | {"compiled_later": COMPILE}
"""The method of a pattern that a call stands for, or that it compiles one, by the name of what is called."""
CATEGORIES = {
    constants.CATEGORY_DIGIT: "1",
    constants.CATEGORY_NOT_DIGIT: "a",
    constants.CATEGORY_SPACE: " \n",
    constants.CATEGORY_NOT_SPACE: "a",
    constants.CATEGORY_WORD: "a1",
    constants.CATEGORY_NOT_WORD: " .",
}
MOST_CHARACTERS = 9


class Pattern(NamedTuple):
    """A pattern of the source: where it is written.

    anchored: is it only ever tried at one place of a text? whole: has it to match to the end somewhere?
    """

    where: str
    compiled: re.Pattern[Any]
    anchored: bool
    whole: bool = False


def patterns() -> Iterator[Pattern]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path != LATER:
                yield from patterns_of(path)


def patterns_of(path: Path) -> Iterator[Pattern]:
    text = path.read_text()
    for statement in ast.walk(ast.parse(text)):
        if not (isinstance(statement, ast.Call) and statement.args):
            continue
        method = METHOD_OF.get(ast.unparse(statement.func))
        if method is None:
            continue
        where = f"{path.relative_to(ROOT)}:{statement.lineno}"
        first = statement.args[0]
        if isinstance(first, ast.Call) and isinstance(first.func, ast.Name) and first.func.id == "translate":
            continue  # fnmatch's own, in which no star gives back what it took
        if isinstance(first, ast.Call) and ast.unparse(first.func) == "re.escape":
            continue  # plain words
        if not isinstance(first, ast.Constant):
            assert "_CLASSES" in text, f"{where}: a pattern that this test cannot read"
            continue  # one of a table of plain words
        flags = [word.value for word in statement.keywords if word.arg == "flags"]
        if method == COMPILE:
            flags += statement.args[1:2]
        flag = eval(compile(ast.Expression(flags[0]), where, "eval"), {"re": re}) if flags else 0
        used = {method} if method != COMPILE else uses(text, statement)
        anchored = bool(used) and used <= ANCHORED
        yield Pattern(where, re.compile(first.value, flag), anchored, "fullmatch" in used)


def uses(text: str, compiled: ast.Call) -> set[str]:
    """The methods called on what a pattern was assigned to; empty where that is not seen."""
    assignments = [statement for statement in ast.walk(ast.parse(text)) if isinstance(statement, ast.Assign)]
    names = [
        target.id
        for statement in assignments
        if any(ast.dump(inner) == ast.dump(compiled) for inner in ast.walk(statement))
        for target in statement.targets
        if isinstance(target, ast.Name)
    ]
    if not all(name.startswith("_") for name in names):  # other files may import it
        text = "\n".join(path.read_text() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    found = [re.findall(rf"\b{name}(?:\[\w+\])?\.(\w+)\(", text) for name in names]
    return set(itertools.chain.from_iterable(found))


def of_set(items: Any) -> str:
    """A few characters of a set; of the others for one that is negated."""
    negated = items[0][0] is constants.NEGATE
    found = ""
    for kind, value in items[negated:]:
        if kind is constants.LITERAL:
            found += chr(value)
        elif kind is constants.RANGE:
            found += chr(value[0])
        else:
            found += CATEGORIES.get(value, "")
    if not negated:
        return found or "a"
    return "".join(char for char in 'a1 .\\"\n' if char not in found) or "~"


def characters(tree: Any) -> str:
    """What a pattern speaks of."""
    found = ""
    for kind, value in tree:
        if kind in (constants.LITERAL, constants.NOT_LITERAL):
            found += chr(value)
        elif kind is constants.IN:
            found += of_set(value)
        elif kind is constants.ANY:
            found += "a"
        for inner in branches(kind, value):
            found += characters(inner)
    return found


def branches(kind: Any, value: Any) -> list[Any]:
    if kind is constants.BRANCH:
        return list(value[1])
    if kind is constants.SUBPATTERN:
        return [value[3]]
    if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
        return [value[2]]
    if kind in (constants.ASSERT, constants.ASSERT_NOT):
        return [value[1]]
    return []


def sample(tree: Any) -> str:
    """A text that the pattern matches, where nothing looks around."""
    found = ""
    for kind, value in tree:
        if kind is constants.LITERAL:
            found += chr(value)
        elif kind is constants.NOT_LITERAL:
            found += "b" if value == ord("a") else "a"
        elif kind is constants.ANY:
            found += "a"
        elif kind is constants.IN:
            found += of_set(value)[0]
        elif kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            found += sample(value[2]) * max(value[0], 1)
        elif kind not in (constants.ASSERT, constants.ASSERT_NOT):
            found += "".join(sample(inner) for inner in branches(kind, value)[:1])
    return found


def repeats(tree: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Of each repetition without a bound: a text that leads to it, and one that it matches."""
    for index, (kind, value) in enumerate(tree):
        here = before + sample(tree[:index])
        if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT) and value[1] > 50:
            yield here, sample(value[2])
        for inner in branches(kind, value):
            yield from repeats(inner, here)


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Beginnings and what to repeat after them."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(source, pattern.flags & ~re.UNICODE)
    found = list(repeats(tree))
    if not found:
        return
    alphabet = "".join(dict.fromkeys(characters(tree)))[:MOST_CHARACTERS]
    pumps = {*alphabet, *(a + b for a in alphabet for b in alphabet), *(body for _, body in found)}
    pumps |= {sample(tree), sample(tree)[:-1]}
    for before in sorted({"", *(before for before, _ in found)}):
        for pump in sorted(pumps - {""}):
            yield before, pump


def taken(pattern: Pattern, text: str, enough: float = 0) -> float:
    """Seconds of CPU time; the least of several where it is more than `enough`, since others run beside."""
    subject: Any = text if isinstance(pattern.compiled.pattern, str) else text.encode("latin-1", "replace")
    least = 1e9
    for _ in range(TRIES):
        start = time.process_time()
        if pattern.whole:
            pattern.compiled.fullmatch(subject)
        elif pattern.anchored:
            pattern.compiled.match(subject)
        else:
            for _ in pattern.compiled.finditer(subject):
                pass
        least = min(least, time.process_time() - start)
        if least < enough:
            break
    return least


def slow(pattern: Pattern) -> str | None:
    """A text over which the pattern takes too long, in words."""
    for before, pump in attacks(pattern.compiled):
        for end in ENDS:
            for size in SIZES:
                text = before + pump * (size // len(pump)) + end
                if (short := taken(pattern, text, SUSPECT)) > SUSPECT:
                    long = before + pump * (LONG * size // SIZES[-1] // len(pump)) + end
                    if size < GROWING or taken(pattern, long, GROWTH * short) > GROWTH * short:
                        return f"{before!r} + {pump!r} * {size // len(pump)} + {end!r}"
    return None


@pytest.mark.parametrize("pattern", list(patterns()), ids=lambda pattern: pattern.where)
def test_takes_linear_time(pattern: Pattern) -> None:
    assert slow(pattern) is None


@pytest.mark.parametrize(
    ("written", "anchored"),
    [(r'"((?:[^"\\]+|\\.)*)"', True), (r"(?:a|a)*b", True), (r"[ \t]*;", False), (r"\s*\n\s*x", True)],
)
def test_finds_what_is_slow(written: str, anchored: bool) -> None:
    assert slow(Pattern("", re.compile(written), anchored))


def test_finds_what_is_slow_only_if_it_has_to_match_all() -> None:
    assert slow(Pattern("", re.compile(r"(?:[\s,;]+|#[^\n]*)*"), anchored=True, whole=True))
