"""Which solver a script trains with which weights, where its text has both paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_COMMAND = compiled_later(
    r"\bcaffe(?:\.bin|\.exe)?[\"']?[ \t]{1,9}train\b(?P<options>(?:[^\n\\;&|#]|\\\r?\n|\\[^\n]){0,2000})", re.ASCII
)
_OPTION = compiled_later(
    r"(?<![\w-])--?(?P<name>solver|weights|snapshot)(?:=|[ \t]{1,9})"
    r"(?P<quote>['\"]?)(?P<value>[^\s'\"\\]{1,300})(?P=quote)",
    re.ASCII,
)
_SET = compiled_later(
    r"^[ \t]{0,40}(?:export[ \t]{1,9})?(?P<name>[A-Za-z_]\w{0,60})[ \t]{0,9}=[ \t]{0,9}(?P<value>[^\n]{0,300})",
    re.MULTILINE,
)
_LITERAL = compiled_later(
    r"(?P<quote>['\"]?)(?P<value>[^\s'\"#;]{1,300})(?P=quote)[ \t]*;?[ \t]*(?:#[^\n]*)?\r?", re.ASCII
)
_NAMED = compiled_later(r"\$(?:(?P<plain>[A-Za-z_]\w{0,60})|\{(?P<braced>[A-Za-z_]\w{0,60})\})", re.ASCII)
_BUILDS = compiled_later(
    r"\b(?:\w{1,20}Solver|get_solver)\([ \t]{0,9}"
    r"(?:(?P<quote>['\"])(?P<path>[^\s'\"]{1,300})(?P=quote)|(?P<name>[A-Za-z_]\w{0,60}))[ \t]{0,9}[,)]",
    re.ASCII,
)
_BEHIND = compiled_later(r"(?<=[ \t])#[^\n]*")
"""A comment behind code."""
_LOADS = compiled_later(r"\.net\.copy_from\(|\brestore\(")
_COPIES = compiled_later(
    r"(?:\.net\.copy_from|\.restore)\([ \t]{0,9}"
    r"(?:(?P<quote>['\"])(?P<path>[^\s'\"]{1,300})(?P=quote)|(?P<name>[A-Za-z_]\w{0,60}))[ \t]{0,9}[,)]",
    re.ASCII,
)


class Training(NamedTuple):
    """solver, weights: their paths as the script has them, "" for no weights. resumes: from a snapshot. start: in the
    text. state: the path of that snapshot, as far as the script gives it."""

    solver: str
    weights: str
    resumes: bool
    start: int
    state: str = ""


def trainings(text: str) -> Iterator[Training]:
    """Each training by the tool, and one by pycaffe where there is one solver and one file that is loaded at most."""
    if "olver" not in text:
        return
    text = _BEHIND.sub(lambda found: " " * len(found[0]), text)
    values = constants(text)
    for found in _COMMAND.finditer(text):
        given = {one["name"]: filled(one["value"], values) for one in _OPTION.finditer(found["options"])}
        if given.get("solver"):
            yield Training(
                given["solver"], given.get("weights", ""), "snapshot" in given, found.start(), given.get("snapshot", "")
            )
    builds, copies = [*_BUILDS.finditer(text)], [*_COPIES.finditer(text)]
    if len(builds) == 1 and len(copies) == len(_LOADS.findall(text)) <= 1:
        solver, weights = (_path(one[0], values) if one else "" for one in (builds, copies))
        if solver and (weights or not copies):
            resumes = weights.endswith(".solverstate")
            yield Training(solver, "" if resumes else weights, resumes, builds[0].start(), weights * resumes)


def _path(found: re.Match[str], values: Mapping[str, str]) -> str:
    return found["path"] or values.get(found["name"], "")


def filled(value: str, values: Mapping[str, str]) -> str:
    """With what names of the shell stand for; empty where that is not known."""
    filled = _NAMED.sub(lambda found: values.get(found["plain"] or found["braced"], "\0"), value)
    return "" if "\0" in filled or "$" in filled else filled


def constants(text: str) -> dict[str, str]:
    """What names stand for that are set once, to a word."""
    values: dict[str, str] = {}
    twice = set()
    for found in _SET.finditer(text):
        literal = _LITERAL.fullmatch(found["value"])
        if found["name"] in values:
            twice.add(found["name"])
        values[found["name"]] = literal["value"] if literal else ""
    return {name: value for name, value in values.items() if value and name not in twice}
