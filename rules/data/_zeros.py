"""A mean of zeros, and the comment that gives the mean which it stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caffelint.lint import Layer, NamedTuple, Place, compiled_later

_NUMBERS = compiled_later(
    r"(?<![\w.])\d{1,3}(?:\.\d{1,12})?(?:[ \t]{0,3},[ \t]{0,3}\d{1,3}(?:\.\d{1,12})?){1,5}(?![\w.])"
)
_MEAN = compiled_later(r"(?<![a-z])means?(?![a-z])", re.IGNORECASE)
_LARGEST = 255.0


class Mean(NamedTuple):
    """numbers: one for each channel, as they are written. place: of the comment."""

    numbers: tuple[str, ...]
    line: int
    place: Place


def mean_in_comment(layers: Sequence[Layer]) -> Mean | None:
    """What a comment before the end of these layers gives as the mean of their images.

    None where the net normalises these itself.
    """
    if layers[0].node is None or any(map(_is_normalised, layers)):
        return None
    channels = len(layers[0].message.transform_param.mean_value)
    end = max(layer.node.end for layer in layers if layer.node)
    document = layers[0].at().document
    for start, stop in document.comments():
        if start > end:
            break
        comment = document.source.slice(start, stop)
        found = _NUMBERS.search(comment) if _MEAN.search(comment) else None
        numbers = [one.strip() for one in found[0].split(",")] if found else []
        if len(numbers) == channels and all(0 < float(one) <= _LARGEST for one in numbers):
            return Mean(tuple(numbers), document.source.line_number(start), Place(document, start, stop))
    return None


def subtracts_zeros(layer: Layer) -> bool:
    transform = layer.message.transform_param
    return len(transform.mean_value) > 1 and not any(transform.mean_value) and not transform.mean_file


def _is_normalised(layer: Layer) -> bool:
    """Does a layer that normalises read the images?"""
    return any(one.kind.normalises and not set(layer.tops[:1]).isdisjoint(one.bottoms) for one in layer.net.layers)
