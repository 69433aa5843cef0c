"""A mean of zeros, and the comment that gives the mean which it stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caffelint.lint import Layer, NamedTuple, Place, compiled_later

_NUMBERS = compiled_later(
    r"(?<![\w.])\d{1,3}(?:\.\d{1,12})?(?:[ \t]{0,3},[ \t]{0,3}\d{1,3}(?:\.\d{1,12})?){1,5}(?!\w|\.\d)"
)
_MEAN_BEFORE = compiled_later(
    r"(?<![a-z])mean(?:[_ \t](?:values?|pixels?|image|bgr|rgb|of[ \t][a-z \t]{1,40}))?[ \t]{0,3}(?:[:=]|is(?![a-z]))?"
    r"[\[( \t]{0,4}\Z",
    re.IGNORECASE,
)
_NO_WORD = compiled_later(r"[#\[\]() \t\r.;]{0,20}")
_MEAN_AFTER = compiled_later(
    r"[\]) \t]{0,4}(?:is|are|=)[ \t]{0,3}(?:the[ \t])?mean(?:[ \t][a-z \t]{1,40})?[.; \t\r]{0,9}", re.IGNORECASE
)
"""Nothing else follows: "is subtracted by the script" would say that zeros are right."""
_OTHERWISE = compiled_later(
    r"(?<![a-z])(?:not|no|never|already|was|were|subtract\w{0,9}|std|deviation|i[uo]u?|map|accuracy|loss|error)(?![a-z])",
    re.IGNORECASE,
)
_LONGEST = 100
_NEAR = 500
_BESIDE = 2
"""Comments before and after one that may go on with its sentence."""
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
    document = layers[0].at().document
    comments = document.comments()
    for i, (start, stop) in enumerate(comments):
        comment = document.source.slice(start, stop)
        numbers = _mean(comment)
        # Those below 1 are of images that were divided by 255.
        if len(numbers) != channels or not all(1 < float(one) <= _LARGEST for one in numbers):
            continue
        beside = comments[max(0, i - _BESIDE) : i + _BESIDE + 1]
        said = " ".join(document.source.slice(*one) for one in beside)
        if any(_is_beside(start, stop, layer) for layer in layers) and not _OTHERWISE.search(said):
            return Mean(tuple(numbers), document.source.line_number(start), Place(document, start, stop))
    return None


def _mean(comment: str) -> list[str]:
    """The numbers that a comment gives as a mean, if it says nothing else after these or of them."""
    found = _NUMBERS.search(comment)
    if not found:
        return []
    before, after = comment[max(0, found.start() - _LONGEST) : found.start()], comment[found.end() :]
    is_mean = (
        _MEAN_BEFORE.search(before)
        if _NO_WORD.fullmatch(after)
        else _NO_WORD.fullmatch(before) and _MEAN_AFTER.fullmatch(after)
    )
    return [one.strip() for one in found[0].split(",")] if is_mean else []


def _is_beside(start: int, stop: int, layer: Layer) -> bool:
    """Is a comment in the block of a layer, or directly above it?"""
    if layer.node is None or layer.node.start - stop > _NEAR:
        return False
    between = layer.at().document.source.slice(stop, layer.node.start).splitlines() if stop < layer.node.start else []
    return start < layer.node.end and all(not line.strip() or line.lstrip().startswith("#") for line in between)


def subtracts_zeros(layer: Layer) -> bool:
    transform = layer.message.transform_param
    return len(transform.mean_value) > 1 and not any(transform.mean_value) and not transform.mean_file


def _is_normalised(layer: Layer) -> bool:
    """Does a layer that normalises read the images, or what the first layer with weights makes of them?"""
    images = set(layer.tops[:1])
    for one in layer.net.layers:
        if not images.isdisjoint(one.bottoms):
            if one.kind.normalises:
                return True
            if one.kind.has_weights:
                images.update(one.tops)
    return False
