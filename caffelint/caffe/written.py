"""A layer as it is written: what every build of its net reads of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffelint.schema.messages import LayerParameter


class WrittenLayer:
    """One layer of a net, read once however many states the net is built in.

    message: its LayerParameter, in current format. index: its place in the net's `layer` list.
    """

    __slots__ = ("bottoms", "index", "is_conditional", "loss_weights", "message", "name", "tops", "type")

    def __init__(self, message: LayerParameter, index: int):
        self.message = message
        self.index = index
        self.name: str = message.name
        self.type: str = message.type
        self.bottoms: tuple[str, ...] = tuple(message.bottom[:])
        self.tops: tuple[str, ...] = tuple(message.top[:])
        self.loss_weights: tuple[float, ...] = tuple(message.loss_weight[:])
        # Does it hang on the state whether the layer is part of the net?
        self.is_conditional = bool(message.include or message.exclude)
