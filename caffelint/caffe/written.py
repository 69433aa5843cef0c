"""A layer as it is written: what every build of its net reads of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caffelint.caffe.states import StateRule, state_rule

if TYPE_CHECKING:
    from caffelint.schema.messages import LayerParameter
    from caffelint.schema.project import TakenCounts

_NO_STAGES: frozenset[str] = frozenset()
"""One for all layers: each `frozenset()` takes as much memory as a layer's names do."""


class WrittenLayer:
    """One layer of a net, read once however many states the net is built in.

    message: its LayerParameter, in current format. index: its place in the net's `layer` list. include, exclude: the
    states that it is part of the net in. any_stage: such a state has one of these stages; empty where it needs none.
    """

    taken: TakenCounts | None = None
    """How many bottoms and tops its type takes in the Caffe of its net's own project, if that tells."""

    __slots__ = (
        "any_stage",
        "bottoms",
        "exclude",
        "include",
        "index",
        "is_conditional",
        "loss_weights",
        "message",
        "name",
        "tops",
        "type",
    )

    def __init__(self, message: LayerParameter, index: int):
        self.message = message
        self.index = index
        self.name: str = message.name
        self.type: str = message.type
        self.bottoms: tuple[str, ...] = tuple(message.bottom[:])
        self.tops: tuple[str, ...] = tuple(message.top[:])
        self.loss_weights: tuple[float, ...] = tuple(message.loss_weight[:])
        include: Any = message.include
        exclude: Any = message.exclude
        # Does it hang on the state whether the layer is part of the net?
        self.is_conditional = bool(include or exclude)
        self.include: tuple[StateRule, ...] = ()
        self.exclude: tuple[StateRule, ...] = ()
        self.any_stage = _NO_STAGES
        if self.is_conditional:
            self.include = tuple(map(state_rule, include))
            self.exclude = tuple(map(state_rule, exclude))
            stages = [rule.stages for rule in self.include]
            if all(stages):
                self.any_stage = self.any_stage.union(*stages)
