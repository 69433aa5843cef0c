"""Nets of `layer` beside `layers { type: ENUM }`, which Caffe refuses: the author means the layers as written.

UpgradeV1Net in Caffe's util/upgrade_proto.cpp.
"""

from __future__ import annotations

from typing import Any

from caffelint.caffe.refusal import Kind, Refusal
from caffelint.schema.messages import NetParameter
from caffelint.text.parser import Document
from caffelint.text.tree import MESSAGE, Problem

_FORMS = ("layer", "layers")


def is_reported_by(problem: Problem) -> bool:
    """Whether a problem of the text is that the net holds both."""
    return problem.kind == "mixed-layer-formats" and problem.field in _FORMS


def in_text_order(document: Document, wanted: Any, refusals: list[Refusal]) -> tuple[Any, list[Refusal]]:
    """What the upgrade made of a net of both, without that refusal, its layers in the order of the text.

    The message has those of `layer` first. If a list holds several layers, everything stays as it is, and refused.
    """
    blocks = [field for field in document.root.fields if field.name in _FORMS]
    if any(block.kind != MESSAGE for block in blocks):
        return wanted, refusals
    made = list(wanted.layer)
    ordered = made[: len(made) - len(blocks)]  # the layer that the upgrade made of a net's inputs
    newer = iter(made[len(ordered) :])
    older = iter(made[len(ordered) + sum(block.name == "layer" for block in blocks) :])
    ordered += [next(newer if block.name == "layer" else older) for block in blocks]
    new = NetParameter()
    new.CopyFrom(wanted)
    del new.layer[:]
    new.layer.extend(ordered)
    return new, [refusal for refusal in refusals if refusal.kind is not Kind.MIXED_FORMATS]
