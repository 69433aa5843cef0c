"""The facts of a target, as `targets/NAME.toml` gives them; docs/deploy.md says how to write one."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from caffelint.deploy.condition import Condition, compile_condition
from caffelint.deploy.wrong_facts import WrongFacts

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "targets"
REFUSED, MISREAD, LIMITED = "refused", "misread", "limited"
"""It ends with an error; it gives other numbers, silently; it works for a part of the inputs."""
VERDICTS = (REFUSED, MISREAD, LIMITED)
RUN, READ, HEARD = "run", "read", "heard"
"""How a fact is known: seen side by side with a real Caffe; read in the sources or documents; told by users."""
_STATES = (RUN, READ, HEARD)


class Fact(NamedTuple):
    """What a target does to a layer of one of `types`, or to a net where there are none.

    does: what it does, as the end of a sentence that starts with its name. reads: the fields that it reads otherwise,
    with what for. left_out: does it pass the bottom on? remedy: what to do instead, "" if nothing is
    known. fields: those of the layer that it is about; a finding points at the first that is written. rewrite: the name
    of what mends the text. source: where it can be read. known: RUN, READ or HEARD.
    """

    verdict: str
    types: tuple[str, ...]
    when: Condition | None
    does: str
    remedy: str
    fields: tuple[str, ...]
    rewrite: str
    source: str
    known: str
    reads: tuple[tuple[str, Condition], ...] = ()
    left_out: bool = False


class Target(NamedTuple):
    """A converter or runtime. takes: the layer types that it knows, empty where nobody looked. otherwise: what it does
    with another one. reads_phases: does it leave out what Caffe leaves out for TEST? checks_shapes: the types
    at which it stops where bottoms do not fit each other, or weights their layer.
    """

    name: str
    title: str
    version: str
    known: str
    note: str
    takes: frozenset[str]
    otherwise: str
    reads_phases: bool
    checks_shapes: frozenset[str]
    of_nets: tuple[Fact, ...]
    by_type: Mapping[str, tuple[Fact, ...]]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys((*self.of_nets, *(fact for facts in self.by_type.values() for fact in facts))))


def names() -> list[str]:
    """The targets there are facts of, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def known(name: str) -> str:
    """The name, if it is that of a target. Raises `ValueError`, with a near one."""
    if name in names():
        return name
    from difflib import get_close_matches

    near = get_close_matches(name, names(), 1)
    more = f"did you mean {near[0]}?" if near else f"the targets are {', '.join(names())}"
    raise ValueError(f'no target "{name[:40]}"; {more}')


@lru_cache
def target(name: str) -> Target:
    """The target of that name. Raises `KeyError` where there is none, `WrongFacts` for a file that is wrong."""
    if name not in names():
        raise KeyError(name)
    path = FOLDER / f"{name}.toml"
    return parse(path.read_text(encoding="utf-8"), name, str(path))


def parse(text: str, name: str, path: str) -> Target:
    """The target that a file of facts describes. Raises `WrongFacts`."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WrongFacts(f"{path}: {error}") from error
    try:
        facts = [
            _fact(one, verdict, table["known"], f"{path}: {verdict} {number}")
            for verdict in VERDICTS
            for number, one in enumerate(table.pop(verdict, []), 1)
        ]
        by_type: dict[str, list[Fact]] = {}
        for fact in facts:
            for layer_type in fact.types:
                by_type.setdefault(layer_type, []).append(fact)
        made = Target(
            name,
            table.pop("title"),
            table.pop("version"),
            table.pop("known"),
            table.pop("note", ""),
            frozenset(table.pop("takes", ())),
            table.pop("otherwise", ""),
            table.pop("reads_phases", True),
            frozenset(table.pop("checks_shapes", ())),
            tuple(fact for fact in facts if not fact.types),
            {layer_type: tuple(found) for layer_type, found in by_type.items()},
        )
    except KeyError as error:
        raise WrongFacts(f"{path}: {error.args[0]} is missing") from error
    if table:
        raise WrongFacts(f"{path}: {', '.join(table)} means nothing here")
    return made


def _fact(table: dict[str, Any], verdict: str, known: str, place: str) -> Fact:
    when = table.pop("when", None)
    try:
        fact = Fact(
            verdict,
            tuple(_listed(table.pop("types", []))),
            compile_condition(when) if when is not None else None,
            table.pop("does"),
            table.pop("remedy", ""),
            tuple(_listed(table.pop("fields", []))),
            table.pop("rewrite", ""),
            table.pop("source"),
            table.pop("known", known),
            tuple((name, compile_condition(text)) for name, text in table.pop("reads", {}).items()),
            table.pop("left_out", False),
        )
    except KeyError as error:
        raise WrongFacts(f"{place}: {error.args[0]} is missing") from error
    except WrongFacts as error:
        raise WrongFacts(f"{place}: {error}") from error
    if table:
        raise WrongFacts(f"{place}: {', '.join(table)} means nothing here")
    if fact.known not in _STATES:
        raise WrongFacts(f"{place}: known is {fact.known!r}, not one of {', '.join(_STATES)}")
    return fact


def _listed(value: Any) -> Sequence[str]:
    return [value] if isinstance(value, str) else value
