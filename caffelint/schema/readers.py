"""Which Caffes read a text, and whether they read the current format, too: nobody needs an upgrade that none reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caffelint.schema.bound import Bound
from caffelint.schema.provenance import provenance

_CURRENT = 2


def readers(bound: Bound) -> frozenset[str]:
    """The forks that know everything in a text; empty if nothing in it is a fork's, or if no fork knows everything.

    Both fields and layer types that BVLC's Caffe lacks count; if they contradict each other, only the fields.
    """
    if bound.dialect is not None:
        return frozenset([bound.dialect])
    infer = provenance().infer
    fields, types = [use.forks for use in bound.fork_uses], _fork_types(bound.message)
    said = [*fields, *types]
    return infer(said) or infer(fields or said) if said else frozenset()


def _fork_types(message: Any) -> list[frozenset[str]]:
    """For each layer type that only forks register, those forks; a type of no known fork does not count."""
    known = provenance()
    types = {layer.type for layer in getattr(message, "layer", ())}
    return [forks for forks in map(known.layer_type, sorted(types)) if forks and "bvlc" not in forks]


def too_old(forks: frozenset[str]) -> str:
    """The Caffes that a net with old layers cannot be upgraded for; empty if it can."""
    return _why(forks, lambda fork: provenance().generation(fork) == _CURRENT, "no newer format", "reads", "read")


def without_input_layer(forks: frozenset[str]) -> str:
    """The Caffes that the inputs of a net cannot be upgraded for; empty if they can."""

    def reads(fork: str) -> bool:
        return provenance().generation(fork) == _CURRENT and provenance().may_have_type(fork, "Input")

    return _why(forks, reads, "no layer type Input")


def without_solver_type(forks: frozenset[str]) -> str:
    """The Caffes that solver_type of a solver cannot be upgraded for; empty if it can."""
    field = provenance().field("SolverParameter", "type")
    having = field.forks if field else frozenset()
    return _why(forks, having.__contains__, "no field type in a solver")


def _why(forks: frozenset[str], reads: Callable[[str], bool], lack: str, *verb: str) -> str:
    """The Caffes that cannot read a newer form; empty if the best known one of those that a text is for can."""
    known = provenance()
    caffes = frozenset(fork for fork in forks if known.is_caffe(fork)) or forks
    if not caffes or reads(min(caffes, key=known.forks.index)):
        return ""
    able = frozenset(filter(reads, caffes))
    one, several = verb or ("has", "have")
    unable = caffes - able
    why = f"{known.describe(unable)}, which {one if known.has(unable) == 'has' else several} {lack}"
    return f"{why}, or for {known.describe(able)} (then pass {known.option(able)})" if able else why
