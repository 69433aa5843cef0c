"""Takes out of a net what `insert_checks` put into it, and nothing else."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple

from caffelint.caffe.layers.python import FINITE_CHECK
from caffelint.text.parser import Document, parse
from caffelint.text.scalars import string_value
from caffelint.text.tree import STRING, Field

MODULE, MARK = "check_finite_layer", "caffelint"
ADDED, MOVED = "added", "moved"
"""How a check came by its loss weight: the loss layer had none written, or the one that the check bears now."""


class Cut(NamedTuple):
    """Put `text` in place of the text from `start` to `end`; all in characters of one byte each."""

    start: int
    end: int
    text: str


def remove_checks(data: bytes, path: str = "<text>") -> bytes:
    """The text without the checks of `insert_checks`; the same bytes if it has none.

    Where nothing but the checks' own surroundings was changed since, each is taken out with the space before it, and a
    loss gets its weight back. Checks that a person wrote are left.
    """
    if FINITE_CHECK.encode() not in data:
        return data
    document = parse(data, path)
    text = document.source.text
    cuts: list[Cut] = []
    comments = document.comments()
    for layer, settings in own_checks(document):
        cuts.append(_without(document.source.text, layer, comments))
        cuts += _weight_given_back(document, layer, settings)
    return apply(text, cuts)


def own_checks(document: Document) -> Iterator[tuple[Field, dict[str, Any]]]:
    """The layers that `insert_checks` wrote, with the settings in their `param_str`."""
    for layer in document.root.all("layer"):
        settings = _settings(layer)
        if settings.get("by") == MARK and layer.start < layer.value_start:
            yield layer, settings


def actions(data: bytes, path: str = "<text>") -> dict[tuple[str, str], list[str]]:
    """What the checks of a text do that a person gave an `action`, by blob and its first layer; several in order."""
    found: dict[tuple[str, str], list[str]] = {}
    if FINITE_CHECK.encode() not in data:
        return found
    for _, settings in own_checks(parse(data, path)):
        action, makers = settings.get("action"), settings.get("made_by")
        if isinstance(action, str) and isinstance(makers, list) and makers:
            found.setdefault((str(settings.get("blob")), str(makers[0])), []).append(action)
    return found


def apply(text: str, cuts: list[Cut]) -> bytes:
    pieces: list[str] = []
    done = 0
    for cut in sorted(cuts):
        pieces += (text[done : cut.start], cut.text)
        done = cut.end
    return "".join((*pieces, text[done:])).encode("latin-1")


def _settings(layer: Field) -> dict[str, Any]:
    python = layer.first("python_param")
    if python is None or _string(python, "layer") != FINITE_CHECK or _string(layer, "type") != "Python":
        return {}
    try:
        found = json.loads(_string(python, "param_str"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _string(block: Field, name: str) -> str:
    field = block.first(name)
    return string_value(field.text) if field and field.kind == STRING else ""


def _without(text: str, layer: Field, comments: list[tuple[int, int]]) -> Cut:
    """Cut a check and the space before it; the space stays where it ends a comment that would swallow what follows."""
    start = layer.start
    while start and text[start - 1].isspace():
        start -= 1
    if text[layer.end : layer.end + 1].strip():
        before = bisect_left(comments, (start,)) - 1
        if before >= 0 and start <= comments[before][1]:
            start = layer.start
    return Cut(start, layer.end, "")


def _weight_given_back(document: Document, check: Field, settings: dict[str, Any]) -> list[Cut]:
    """Undo what moved the weight of a loss to its check."""
    how = settings.get("loss_weight")
    weight = check.first("loss_weight")
    # The nearest before the check: TRAIN and TEST may each have a loss of that name.
    for layer in reversed(document.root.all("layer") if how else []):
        if layer.start >= check.start or _string(layer, "name") not in settings.get("made_by", [])[:1]:
            continue
        tops = layer.all("top")
        weights = layer.all("loss_weight")
        top = next((i for i, t in enumerate(tops) if string_value(t.text) == settings.get("blob")), len(tops))
        if how == ADDED and weights and tops and weights[0].start < tops[0].start:
            end = weights[0].end
            follows = document.source.text[end : tops[0].start]
            return [Cut(weights[0].start, tops[0].start if not follows.strip() else end, "")]
        if how == MOVED and top < len(weights) and weight:
            return [Cut(weights[top].value_start, weights[top].end, weight.text)]
    return []
