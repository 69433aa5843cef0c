"""Which Caffes read a text, and whether they read the current format too: an upgrade for nobody is none."""

from __future__ import annotations

from typing import Any

from caffelint.caffe.old_formats import V1_FORK_TYPES, V1_TYPES
from caffelint.schema.bound import Bound
from caffelint.schema.provenance import provenance

_CURRENT = 2


def readers(bound: Bound) -> frozenset[str]:
    """The forks that know all that a text says; empty where it says nothing of a fork's, or no fork knows it all.

    Fields tell, and layer types that BVLC's Caffe lacks; where the two contradict each other, the fields.
    """
    if bound.dialect is not None:
        return frozenset([bound.dialect])
    infer = provenance().infer
    fields, types = [use.forks for use in bound.fork_uses], _fork_types(bound.message)
    said = [*fields, *types]
    return infer(said) or infer(fields or said) if said else frozenset()


def _fork_types(message: Any) -> list[frozenset[str]]:
    """Of each layer type that forks alone register, those forks; a type that none is known to have tells nothing."""
    known = provenance()
    types = {layer.type for layer in getattr(message, "layer", ())}
    return [forks for forks in map(known.layer_type, sorted(types)) if forks and "bvlc" not in forks]


def too_old(forks: frozenset[str]) -> str:
    """The Caffes that a net with old layers cannot be upgraded for; empty if it can."""
    known = provenance()
    if not forks or any(known.generation(fork) == _CURRENT for fork in forks):
        return ""
    return f"{known.describe(forks)}, which {_reads(forks)} no newer format"


def without_input_layer(forks: frozenset[str]) -> str:
    """The Caffes that the inputs of a net cannot be upgraded for; empty if they can."""
    known = provenance()
    if not forks or any(known.generation(fork) == _CURRENT and known.may_have_type(fork, "Input") for fork in forks):
        return ""
    return f"{known.describe(forks)}, where there is no layer of type Input"


def without_solver_type(forks: frozenset[str]) -> str:
    """The Caffes that solver_type of a solver cannot be upgraded for; empty if it can."""
    known = provenance()
    field = known.field("SolverParameter", "type")
    if not forks or field is None or forks & field.forks:
        return ""
    return f"{known.describe(forks)}, where a solver has no field type"


def _reads(forks: frozenset[str]) -> str:
    return "reads" if provenance().has(forks) == "has" else "read"


def type_name(enum_name: str) -> str | None:
    """Today's name of a V1 type; of a fork's one, where a fork that reads the current format has both."""
    if enum_name in V1_TYPES:
        return V1_TYPES[enum_name]
    name = V1_FORK_TYPES.get(enum_name)
    if name is None:
        return None
    known = provenance()
    forks = known.enum_value("V1LayerParameter.LayerType", enum_name) & known.layer_type(name)
    return name if any(known.generation(fork) == _CURRENT for fork in forks) else None
