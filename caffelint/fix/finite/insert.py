"""Puts the checks into a net's text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from caffelint.caffe.layers.python import FINITE_CHECK
from caffelint.fix.finite.old_format import objection
from caffelint.fix.finite.remove import MARK, MODULE, Cut, actions, apply, remove_checks
from caffelint.fix.finite.spots import Spot, block_of, is_list, spots
from caffelint.fix.finite.style import Item, place_after, quote, style_of
from caffelint.fix.finite.weight import Moved, move_weight
from caffelint.lint.file import loaded
from caffelint.lint.words import title
from caffelint.text.near import near
from caffelint.text.tree import MESSAGE

if TYPE_CHECKING:
    from caffelint.caffe.net import Net
    from caffelint.text.parser import Document

SUSPECTS, LOSSES, ALL = _WORDS = "suspects", "losses", "all"

ONE_OF_ALL, _NAMED = "all are checked", "named"
_BEARS_LOSS = "named; its loss weight moves to the check, or Caffe would drop the backward pass"

_SIMPLE_STRING = re.compile(r"\"[^\"\\\n]*\"|'[^'\\\n]*'")
_NOT_FOR_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_MOST_NAMED = 8


class PatchError(ValueError):
    """Why a net cannot be patched: one line, without the name of its file."""


class Check(NamedTuple):
    """A check that was inserted: its own name, the blob, the layer that makes the blob, its phases, and why."""

    name: str
    blob: str
    layer: str
    reason: str
    phases: tuple[str, ...]


class Patched(NamedTuple):
    """A net's text with its checks, the most likely suspects first; `left_out`: what else was asked for, and why not.

    `has_loss`: it can be trained or tested, and is not only for deployment.
    """

    data: bytes
    checks: tuple[Check, ...]
    left_out: tuple[str, ...]
    has_loss: bool


def insert_checks(
    data: bytes,
    where: str | Sequence[str] = SUSPECTS,
    path: str = "<text>",
    findings: Mapping[str, str] | None = None,
) -> Patched:
    """A net's text with layers that check blobs for nan and inf, in place of the checks that it had.

    where: "suspects", "losses" (what losses read), "all", the name of a layer whose tops are to be checked, or several
    of these. findings: for "suspects", the rule that finds a risk in a layer, by the layer's name.

    A loss is checked only if its layer is named, and then its weight moves to the check, which Caffe takes for the same
    loss with the same gradient. The `action` that somebody gave to an existing check is kept.

    Raises `PatchError` if the text is not a net in the current format, or has no layer of a given name.
    """
    from caffelint.fix.finite.suspects import is_loss

    acting = actions(data, path)
    data = remove_checks(data, path)
    net = _net(data, path)
    document = net.document
    chosen, left_out = _choose(net, spots(net), where, findings or {})
    cuts: list[Cut] = []
    blocks: dict[int, list[str]] = {}
    names = _Names(layer.name for layer in net.layers)
    checks: dict[int, Check] = {}
    for number, spot in sorted(enumerate(chosen), key=lambda pair: (pair[1].layer.index, pair[1].top)):
        reason = chosen[spot]
        if is_list(spot.after) or any(is_list(node) for node in map(block_of, spot.makers) if node):
            left_out.append(f'{_what(spot)}: its layer is an item of a list, "layer: [...]"')
            continue
        moved = move_weight(spot, document.source.text) if spot.weight is not None else None
        if isinstance(moved, str):
            left_out.append(f"{_what(spot)}: {moved}")
            continue
        name = names.free(spot.blob)
        settings = _settings(spot, reason, moved)
        if acting.get((spot.blob, spot.layer.name)):
            settings["action"] = acting[spot.blob, spot.layer.name].pop(0)
        at, block = _block(document, spot, name, settings, moved)
        blocks.setdefault(at, []).append(block)
        if moved:
            cuts.append(moved.cut)
        checks[number] = Check(name, spot.blob, spot.layer.name, reason, tuple(spot.layer.phases))
    cuts += [Cut(at, at, "".join(texts)) for at, texts in blocks.items()]
    patched = apply(document.source.text, cuts)
    if remove_checks(patched, path) != data:
        wrong = next((problem for problem in net.bound.problems if problem.certain), None)
        if wrong:
            raise PatchError(f"line {document.source.position(wrong.start).line}: {wrong.message}; fix it first")
        raise PatchError("the checks could not be removed again without a trace; please report it")
    made = tuple(checks[number] for number in sorted(checks))
    return Patched(patched, made, tuple(dict.fromkeys(left_out)), any(map(is_loss, net.layers)))


def require_readable(document: Document) -> None:
    """Raises `PatchError` where Caffe cannot read the text."""
    wrong = next((problem for problem in document.problems if problem.certain), None)
    if wrong:
        raise PatchError(f"line {document.source.position(wrong.start).line}: {wrong.message}; fix it first")


def _net(data: bytes, path: str) -> Net:
    file = loaded(data, path)
    require_readable(file.document)
    if file.net is None:
        raise PatchError("this is a solver; give the file of its net" if file.solver else "this is not a net")
    fields = {field.name for field in file.document.root.fields}
    if "layers" in fields:
        raise PatchError(objection(data, path))
    return file.net


def _choose(
    net: Net, all_spots: Sequence[Spot], where: str | Sequence[str], findings: Mapping[str, str]
) -> tuple[dict[Spot, str], list[str]]:
    """The spots to check with the reason for each, the most likely suspects first, and what is left out."""
    from caffelint.fix.finite.suspects import feeds_losses, suspects

    chosen: dict[Spot, str] = {}
    left_out: list[str] = []
    words = [where] if isinstance(where, str) else where
    # Named layers come first, so that they are not listed as left out as well.
    for word in sorted(words, key=_WORDS.__contains__):
        if word == SUSPECTS:
            found, too_many = suspects(net, all_spots, findings)
            left_out += too_many
        elif word == LOSSES:
            found = feeds_losses(all_spots)
        elif word == ALL:
            found = {spot: ONE_OF_ALL for spot in all_spots if not spot.loss}
            left_out += [_loss(spot) for spot in all_spots if spot.loss and spot not in chosen]
        else:
            found = _named_outright(net, all_spots, word, left_out)
        chosen = {**chosen, **{spot: reason for spot, reason in found.items() if spot not in chosen}}
    return chosen, left_out


def _named_outright(net: Net, all_spots: Sequence[Spot], name: str, left_out: list[str]) -> dict[Spot, str]:
    layers = [layer for layer in net.layers if layer.name == name]
    if not layers:
        raise PatchError(f'no layer "{name}"{_near(name, net)}')
    found = {}
    for spot in all_spots:
        if any(layer in spot.makers for layer in layers):
            if spot.weight is not None:
                found[spot] = _BEARS_LOSS
            elif spot.loss:
                left_out.append(_loss(spot))
            else:
                found[spot] = _NAMED
    if not any(layer in spot.makers for spot in all_spots for layer in layers):
        left_out.append(f'layer "{name}": it has no tops, or they are not in the text')
    return found


def _loss(spot: Spot) -> str:
    hint = f"; --check-finite={spot.layer.name} checks it" if spot.weight is not None else ""
    return f"{_what(spot)}: {spot.loss}{hint}"


def _near(name: str, net: Net) -> str:
    makers = [layer.name for layer in net.layers if name in layer.tops]
    if makers:
        return f'; blob "{name}" is made by layer "{makers[0]}": give --check-finite={makers[0]}'
    found = near(name, [*_WORDS, *(layer.name for layer in net.layers)], cutoff=0.6)
    return f"; did you mean {found[0]}?" if found else ""


def _what(spot: Spot) -> str:
    return f'blob "{spot.blob}" of ' + (f'layer "{spot.layer.name}"' if spot.layer.name else title(spot.layer))


def _settings(spot: Spot, reason: str, moved: Moved | None) -> dict[str, object]:
    """What `param_str` passes to the check."""
    settings: dict[str, object] = {"by": MARK, "blob": spot.blob, "made_by": _named(spot.makers)}
    if spot.readers:
        settings["read_by"] = _named(spot.readers)
    if reason not in (ONE_OF_ALL, _NAMED, _BEARS_LOSS):
        settings["why"] = reason.replace('"', "")
    if moved:
        settings["loss_weight"] = moved.how
    return settings


def _block(
    document: Document, spot: Spot, name: str, settings: Mapping[str, object], moved: Moved | None
) -> tuple[int, str]:
    """The offset of the check, and its text with the space before it."""
    text = document.source.text
    assert spot.after is not None
    like = spot.after
    if like.name != "layer":
        like = next(layer for layer in document.root.all("layer") if layer.kind == MESSAGE)
    style = style_of(text, like)
    at, space = place_after(text, spot.after, style)
    written = spot.written.text if _SIMPLE_STRING.fullmatch(spot.written.text) else quote(spot.blob)
    mark = written[0]
    items: list[Item] = [
        ("name", f"{mark}{name}{mark}"),
        ("type", f"{mark}Python{mark}"),
        ("bottom", written),
        ("top", written),
    ]
    if moved:
        items.append(("loss_weight", moved.weight))
    items += spot.rules
    module: list[Item] = [("module", f"{mark}{MODULE}{mark}"), ("layer", f"{mark}{FINITE_CHECK}{mark}")]
    items.append(("python_param", [*module, ("param_str", quote(json.dumps(settings)))]))
    return at, space + style.layer(text, items)


def _named(layers: Sequence[object]) -> list[str]:
    names = list(dict.fromkeys(str(getattr(layer, "name", "")) for layer in layers))
    return names if len(names) <= _MOST_NAMED else [*names[:_MOST_NAMED], "..."]


class _Names:
    """The names of a net's layers and of its checks."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def free(self, blob: str) -> str:
        """A name for one more check of a blob."""
        stem = name = "check_finite_" + _NOT_FOR_A_NAME.sub("_", blob)
        number = self._numbers.get(stem, 1)
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._numbers[stem] = number
        self._taken.add(name)
        return name


__all__ = ["ALL", "LOSSES", "SUSPECTS", "Check", "PatchError", "Patched", "insert_checks"]
