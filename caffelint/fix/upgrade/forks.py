"""Which Caffes read a text, and whether they read the current format, too: nobody needs an upgrade that none reads."""

from __future__ import annotations

from typing import Any

from caffelint.caffe.old_formats import V1_FORK_TYPES, V1_TYPES
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
    known = provenance()
    if not forks or any(known.generation(fork) == _CURRENT for fork in forks):
        return ""
    return f"{known.describe(forks)}, which {'reads' if _is_one(forks) else 'read'} no newer format"


def without_input_layer(forks: frozenset[str]) -> str:
    """The Caffes that the inputs of a net cannot be upgraded for; empty if they can."""
    known = provenance()
    if not forks or any(known.generation(fork) == _CURRENT and known.may_have_type(fork, "Input") for fork in forks):
        return ""
    return f"{known.describe(forks)}, which {known.has(forks)} no layer type Input"


def without_solver_type(forks: frozenset[str]) -> str:
    """The Caffes that solver_type of a solver cannot be upgraded for; empty if it can."""
    known = provenance()
    field = known.field("SolverParameter", "type")
    if not forks or field is None or forks & field.forks:
        return ""
    return f"{known.describe(forks)}, which {known.has(forks)} no field type in a solver"


def _is_one(forks: frozenset[str]) -> bool:
    return provenance().has(forks) == "has"


def type_name(enum_name: str) -> str | None:
    """Today's name of a V1 type; for the type of a fork, if a fork that reads the current format has both names."""
    if enum_name in V1_TYPES:
        return V1_TYPES[enum_name]
    name = V1_FORK_TYPES.get(enum_name)
    if name is None:
        return None
    known = provenance()
    forks = known.enum_value("V1LayerParameter.LayerType", enum_name) & known.layer_type(name)
    return name if any(known.generation(fork) == _CURRENT for fork in forks) else None
