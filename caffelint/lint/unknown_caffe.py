"""Whether a net or a solver is for a Caffe that nobody knows: unknown names come together, and are no slips then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.schema.provenance import provenance

if TYPE_CHECKING:
    from caffelint.caffe.net import Net
    from caffelint.caffe.solver import Solver
    from caffelint.schema.bound import Bound


def is_for_unknown_caffe(subject: Net | Solver) -> bool:
    """Whether a net has fields or layer types, or a solver fields, that no known Caffe has, though none is given."""
    bound = subject.bound
    if bound.knows_caffe:
        return False
    return _has_own_fields(bound) or any(
        not provenance().layer_type(type_) for type_ in getattr(subject, "by_type", ())
    )


def _has_own_fields(bound: Bound) -> bool:
    return any(problem.kind == "unknown-field" and not problem.certain for problem in bound.problems)
