"""Which fork of Caffe knows which message, field, enum value and layer type, from `proto/provenance.json`.

Sets of forks stand there as expressions, read from left to right: `all`, `@family` or `@group` and a fork's name add,
the same with a `-` in front takes away. They are read when asked for, so that loading costs a few milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from caffelint.schema.pool import read_data
from caffelint.schema.spelling import distance
from caffelint.text.records import NamedTuple

_SHOWN = 2
"""How many forks `describe` names before it counts the rest."""
_HELP = "caffelint dialects lists them"
_FEWEST_TYPES = 35
"""No release of Caffe that has a registry registers fewer layer types."""


class Alternative(NamedTuple):
    """How some forks declare a field: `label` is optional, repeated or required; `default` None if none is stated."""

    label: str
    type: str
    default: str | None
    forks: frozenset[str]


class FieldFacts(NamedTuple):
    """The forks that know a field. `alternatives` is empty if all of them declare it as the merged schema does."""

    forks: frozenset[str]
    alternatives: tuple[Alternative, ...] = ()

    def alternative(self, fork: str) -> Alternative | None:
        """How `fork` declares the field; None if as the merged schema does, or not at all."""
        return next((alternative for alternative in self.alternatives if fork in alternative.forks), None)


class Fork(NamedTuple):
    """What to tell of a fork: the name that `--dialect` takes, and where it is on GitHub.

    `generation` is the newest layer format that it reads (`Provenance.generation`), `layer_types` those that BVLC's
    master lacks, the ones that fewest other forks have first.
    """

    name: str
    title: str
    repository: str
    ref: str
    generation: int
    aliases: tuple[str, ...]
    layer_types: tuple[str, ...]


class Provenance:
    """The table. `forks` are all names of forks, "bvlc" first and then best known first."""

    def __init__(self, table: dict[str, Any]):
        self._table = table
        self.forks: tuple[str, ...] = tuple(table["forks"])
        self._sets: dict[str, frozenset[str]] = {"all": frozenset(self.forks)}
        self._types_known: dict[str, int] = {}
        self._fields: dict[str, FieldFacts | None] = {}
        families: dict[str, set[str]] = {}
        for fork, facts in table["forks"].items():
            families.setdefault(facts["family"], set()).add(fork)
        self._groups: dict[str, str] = {name: " ".join(forks) for name, forks in families.items()} | table["groups"]

    def dialect(self, name: str) -> str:
        """The fork that a user's `name` means, e.g. "faster-rcnn"; ValueError, with a suggestion, if unknown.

        A repository of GitHub, such as weiliu89/caffe, means the best known of its forks.
        """
        for fork, _ in self.forks_of(name.strip()):
            return fork
        wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
        fork = self._table["aliases"].get(wanted, wanted)
        if fork in self._table["forks"]:
            return str(fork)
        close = next((known for known in (*self.forks, *self._table["aliases"]) if _alike(wanted, known)), None)
        meant = f'; did you mean "{close}"?' if close else ""
        raise ValueError(f'unknown dialect "{name}"{meant} ({_HELP})')

    def about(self, fork: str) -> Fork:
        """What to tell of `fork`; KeyError if unknown."""
        facts = self._table["forks"][fork]
        aliases = tuple(alias for alias, name in self._table["aliases"].items() if name == fork)
        having = {type: self.layer_type(type) for type in self.layer_types()}
        own = [type for type, forks in having.items() if fork in forks and "bvlc" not in forks]
        own.sort(key=lambda type: (len(having[type]), type))
        where = facts["repository"], facts["ref"]
        return Fork(fork, facts["title"], *where, self.generation(fork), aliases, tuple(own))

    def forks_of(self, repository: str) -> tuple[tuple[str, str], ...]:
        """The forks that are in a repository of GitHub, best known first, each with its branch or tag."""
        forks = self._table["forks"].items()
        same = ((name, facts) for name, facts in forks if facts["repository"].lower() == repository.lower())
        return tuple((name, facts["ref"]) for name, facts in same)

    def family(self, fork: str) -> str:
        """The overlay of `proto/forks/` that `fork` belongs to, "bvlc" for BVLC's master; KeyError if unknown."""
        return str(self._table["forks"][fork]["family"])

    def generation(self, fork: str) -> int:
        """The newest layer format that `fork` reads: 0 `layers { layer {`, 1 `layers { type: ENUM`, 2 `layer {`."""
        return int(self._table["forks"][fork]["generation"])

    def describe(self, forks: Iterable[str], best: str = "") -> str:
        """For a message, best known first: "SSD (weiliu89/caffe), Intel Caffe and 12 more"; "no fork" if empty.

        best: the one of them to name first.
        """
        wanted = set(forks)
        known: dict[str, str] = {}
        for fork in (best, *self.forks):
            if fork in wanted:
                facts = self._table["forks"][fork]
                known.setdefault(facts["title"], facts["repository"])
        if not known:
            return "no fork"
        first, *others = known
        names = [f"{first} ({known[first]})", *others[: _SHOWN - 1]]
        left = len(known) - len(names)
        if left == 1:
            names.append(others[-1])
        elif left:
            names.append(f"{left} more")
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    def has(self, forks: Iterable[str]) -> str:
        """The verb after `describe`: "has" where it names one fork, else "have"."""
        return "has" if len({self._table["forks"][fork]["title"] for fork in forks}) == 1 else "have"

    def dialects(self, forks: Iterable[str]) -> str:
        """For a message, names as one types them, best known first: "dialect c3d-1.0, video-caffe and 3 more"."""
        wanted = set(forks)
        names = [fork for fork in self.forks if fork in wanted]
        left = len(names) - _SHOWN
        if left > 1:
            names[_SHOWN:] = [f"{left} more"]
        return "dialect " + " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "no dialect"

    def best(self, forks: Iterable[str]) -> str:
        """The best known of the forks, at least one."""
        return min(forks, key=self.forks.index)

    def option(self, forks: Iterable[str]) -> str:
        """What to type for the best known of the forks: "--dialect ssd"."""
        return f"--dialect {self.best(forks)}"

    def types_known(self, fork: str) -> int:
        """How many layer types the fork is known to register; few where only what it adds is known, or nothing."""
        if fork not in self._types_known:
            self._types_known[fork] = sum(fork in self.layer_type(type) for type in self.layer_types())
        return self._types_known[fork]

    def adds_to_bvlc(self, fork: str) -> bool:
        """Is of the fork only known what it adds, so that BVLC's own is to be taken as there?"""
        return 0 < self.types_known(fork) < _FEWEST_TYPES

    def is_caffe(self, fork: str) -> bool:
        """Whether it trains nets; a converter or an inference engine reads them, and registers no layer type."""
        return self.generation(fork) < 2 or self.types_known(fork) > 0

    def message(self, name: str) -> frozenset[str]:
        """The forks that know a message, e.g. "PriorBoxParameter"; empty if none."""
        return self._forks("messages", name)

    def field(self, message: str, field: str) -> FieldFacts | None:
        """What is known of a field; None if no fork has it."""
        name = f"{message}.{field}"
        if name not in self._fields:
            self._fields[name] = self._field(name)
        return self._fields[name]

    def _field(self, name: str) -> FieldFacts | None:
        entry = self._table["fields"].get(name)
        if entry is None:
            return None
        if isinstance(entry, str):
            return FieldFacts(self._evaluate(entry))
        alternatives = (
            Alternative(label, type_, default, self._evaluate(forks))
            for label, type_, default, forks in entry["alternatives"]
        )
        return FieldFacts(self._evaluate(entry["forks"]), tuple(alternatives))

    def enum_value(self, enum: str, value: str) -> frozenset[str]:
        """The forks that know a value of an enum, e.g. ("PoolingParameter.PoolMethod", "AVE"); empty if none."""
        return self._forks("enum_values", f"{enum}.{value}")

    def layer_type(self, type: str) -> frozenset[str]:
        """The forks that register a layer type (V2 name); empty if none. Converters register none."""
        return self._forks("layer_types", type)

    def may_have_type(self, fork: str, type: str) -> bool:
        """May the fork have a layer type: does it register it, or is too little known of its types?"""
        forks = self.layer_type(type)
        if fork in forks or not forks:
            return bool(forks)
        known = self.types_known(fork)
        return known < _FEWEST_TYPES and ("bvlc" in forks or not known)

    def layer_types(self) -> tuple[str, ...]:
        """Every layer type that some fork registers."""
        return tuple(self._table["layer_types"])

    def solver_types(self) -> tuple[str, ...]:
        """Every solver type that some fork registers."""
        return tuple(self._table["solver_types"])

    def solver_type(self, type: str) -> frozenset[str]:
        """The forks that register a solver type, e.g. "Adam"; empty if none."""
        return self._forks("solver_types", type)

    def param_blocks(self, type: str) -> frozenset[str]:
        """The blocks of LayerParameter that a layer type reads; empty if unknown, or if it reads none.

        Known of BVLC's types, from its source, and of those that at least three forks have, of which at least three
        read the block where the type is registered: there it may lack one.
        """
        return frozenset(self._table["param_blocks"].get(type, "").split())

    def v1_type(self, enum_name: str) -> str | None:
        """The type that a V1 layer's enum is upgraded to, e.g. "Pooling" for "POOLING"; None if unknown."""
        type_: str | None = self._table["v1_types"].get(enum_name)
        return type_

    def like_v1_type(self, name: str) -> str | None:
        """The type whose V1 enum differs from a name in case and "_" only: SoftmaxWithLoss for "SoftmaxLoss"."""
        plain = {enum.replace("_", ""): enum for enum in self._table["v1_types"]}
        enum = plain.get(name.replace("_", "").upper())
        return self.v1_type(enum) if enum else None

    def infer(self, names: Iterable[frozenset[str]]) -> frozenset[str]:
        """The forks that know all of a text's names, each given by its forks; all forks if there is no name."""
        return self._sets["all"].intersection(*set(names))

    def _forks(self, section: str, name: str) -> frozenset[str]:
        return self._evaluate(self._table[section].get(name, ""))

    def _evaluate(self, expression: str) -> frozenset[str]:
        found = self._sets.get(expression)
        if found is None:
            forks: set[str] = set()
            for term in expression.split():
                name = term.removeprefix("-")
                if name == "all":
                    members = self._sets["all"]
                elif name.startswith("@"):
                    members = self._evaluate(self._groups[name[1:]])
                else:
                    members = frozenset([name])
                forks = forks - members if term.startswith("-") else forks | members
            found = self._sets[expression] = frozenset(forks)
        return found


def _alike(name: str, known: str) -> bool:
    """Whether a name is surely meant for a known one: begins it, continues it, or has one slip.

    One other letter of a short name makes another net of it: SENet is no ENet, MTCNN no MSCNN.
    """
    short, long = sorted((name, known), key=len)
    if long.startswith(short) and len(short) > 2 and 2 * len(short) >= len(long):
        return True
    return distance(name, known, 1) == 1 and (len(short) > 5 or set(name) == set(known))


@cache
def provenance() -> Provenance:
    """The table, loaded at the first call."""
    return Provenance(json.loads(read_data("provenance.json")))
