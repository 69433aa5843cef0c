"""Whether a net or a solver is for a Caffe that nobody knows: unknown names come together, and are no slips then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.schema.provenance import provenance
from caffelint.schema.spelling import suggest

if TYPE_CHECKING:
    from caffelint.caffe.net import Net
    from caffelint.caffe.solver import Solver
    from caffelint.lint.file import File
    from caffelint.schema.bound import Bound


def is_for_unknown_caffe(subject: Net | Solver) -> bool:
    """Whether a net has fields or layer types, or a solver fields, that no known Caffe has, though none is given."""
    bound = subject.bound
    if bound.knows_caffe:
        return False
    return _has_own_fields(bound) or any(
        not provenance().layer_type(type_) for type_ in getattr(subject, "by_type", ())
    )


def own_names(file: File) -> list[str]:
    """The layer types and fields of a file that no known Caffe has, without what is likely a slip."""
    if file.bound is None:
        return []
    known = provenance().layer_types()
    types = [
        type_
        for net in file.nets
        for type_, layers in net.by_type.items()
        if type_ and not provenance().layer_type(type_)
        if any(layer.has_block_of_its_own for layer in layers) or not suggest(type_, known)
    ]
    fields = (problem.field for problem in file.bound.problems if problem.kind == "unknown-field" and problem.own)
    return [*dict.fromkeys((*types, *(field.rpartition(".")[2] for field in fields)))]


def _has_own_fields(bound: Bound) -> bool:
    return any(problem.kind == "unknown-field" and not problem.certain for problem in bound.problems)
