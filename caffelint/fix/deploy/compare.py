"""What a deploy net that somebody made by hand has otherwise than the one of its training net."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from caffelint.caffe.states import TEST, State
from caffelint.caffe.windows import DILATION, KERNEL, PAD, STRIDE, side_field, sides
from caffelint.fix.deploy.make import DeployError, deploy, readable
from caffelint.lint.words import listed, titles
from caffelint.schema.enums import enum_name

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net_parts import Blob

_NO_MATTER = frozenset(
    ["weight_filler", "bias_filler", "filler", "slope_filler", "engine", "dropout_ratio", "moving_average_fraction"]
)
"""Fields that change nothing of what a net with weights computes."""


_WINDOW = (KERNEL, STRIDE, PAD, DILATION)
_SIDES = frozenset(side_field(name, axis) for name in (KERNEL, STRIDE, PAD) for axis in (0, 1))
"""Told by the fields for both sides."""


class Difference(NamedTuple):
    """line: of the deploy net, 0 where it lacks something. matters: are its outputs others, or do weights not fit?"""

    line: int
    message: str
    matters: bool


def compare(
    trained: bytes, deployed: bytes, train_path: str = "<text>", path: str = "<text>", dialect: str | None = None
) -> list[Difference]:
    """What differs, in the order of the deploy net's text. Raises `DeployError` where one of them does not load."""
    shapes = _shapes(deployed, path, dialect)
    tops = {top for layer in readable(trained, train_path, dialect).layers for top in layer.tops}
    made = deploy(trained, train_path, {name: shape for name, shape in shapes.items() if name in tops}, dialect)
    wanted, _ = _built(made.data, train_path, dialect)
    given, lines = _built(deployed, path, dialect)
    return sorted(_differences(wanted, given, lines), key=lambda one: one.line or 1 << 31)


def _shapes(data: bytes, path: str, dialect: str | None) -> dict[str, tuple[int, ...]]:
    """The shapes of the inputs of a deploy net, for those of the training net."""
    built, _ = _built(data, path, dialect)
    inputs = (top for layer in built.layers if layer.type == "Input" for top in layer.tops)
    return {top.name: tuple(top.shape) for top in inputs if top.shape is not None}


def _built(data: bytes, path: str, dialect: str | None) -> tuple[BuiltNet, dict[int | None, int]]:
    """The net for TEST, and the lines of its layers by their places."""
    try:
        net = readable(data, path, dialect)
    except DeployError as error:
        raise DeployError(f"{path}: {error}") from error
    (built,) = net.build([State(TEST)])
    if built.refusals:
        raise DeployError(f'Caffe does not load {path}: layer "{built.refusals[0].layer}": {built.refusals[0].message}')
    return built, {layer.index: layer.at().line for layer in net.layers}


def _differences(wanted: BuiltNet, given: BuiltNet, lines: dict[int | None, int]) -> Iterator[Difference]:
    ours = {layer.name: layer for layer in wanted.layers if layer.index is not None}
    theirs = {layer.name: layer for layer in given.layers if layer.index is not None}
    added: list[BuiltLayer] = []
    for name, layer in theirs.items():
        line = lines.get(layer.index, 0)
        other = ours.get(name)
        if layer.is_data or layer.type == "Input":
            continue
        if other is None:
            if not layer.params:
                added.append(layer)
            if layer.params:
                yield Difference(
                    line, f'{layer.type} "{name}" is no layer of the training net, so it finds no weights', True
                )
            continue
        if layer.type != other.type:
            same = layer.known and other.known or _weights(layer) != _weights(other)
            yield Difference(line, f'"{name}" is {layer.type}, and {other.type} in the training net', same)
            continue
        mine, trained = _weights(layer), _weights(other)
        if mine is not None and trained is not None and mine != trained:
            yield Difference(
                line, f'{layer.type} "{name}" has weights of {_dims(mine)}, the training net {_dims(trained)}', True
            )
        else:
            yield from _fields(layer, other, line)
            yield from _wires(layer, other, theirs.keys() & ours.keys(), line)
    if added:
        line = lines.get(added[0].index, 0)
        yield Difference(line, f"{titles(added)}, which the training net has not", False)
    needed = _above(wanted, theirs.keys())
    missing = [layer for name, layer in ours.items() if name not in theirs and layer.params]
    for layer in missing:
        if layer in needed:
            yield Difference(0, f'{layer.type} "{layer.name}" of the training net is missing', True)
    if left := [f'"{layer.name}"' for layer in missing if layer not in needed]:
        yield Difference(0, f"{listed(left)} of the training net, which nothing here needs, left out", False)


def _weights(layer: BuiltLayer) -> list[Any] | None:
    return None if layer.params is None else [param.shape for param in layer.params]


def _above(built: BuiltNet, names: Collection[str]) -> set[BuiltLayer]:
    """The layers that what has one of these names hangs on."""
    waiting = [layer for layer in built.layers if layer.name in names]
    found: set[BuiltLayer] = set()
    while waiting:
        layer = waiting.pop()
        if layer not in found:
            found.add(layer)
            waiting += [blob.original.producer for blob in layer.bottoms if blob.original.producer is not None]
    return found


def _wires(layer: BuiltLayer, other: BuiltLayer, shared: Collection[str], line: int) -> Iterator[Difference]:
    """What it reads from, if that is another layer of both nets than in training."""
    here, there = _sources(layer, shared), _sources(other, shared)
    if layer.type == "Eltwise":
        here, there = sorted(here), sorted(there)  # their order matters for coefficients alone
    for mine, trained in zip(here, there, strict=False):
        if mine != trained:
            message = f'{layer.type} "{layer.name}" reads from {_said(mine)}, in the training net from {_said(trained)}'
            yield Difference(line, message, True)


def _sources(layer: BuiltLayer, shared: Collection[str]) -> list[list[str]]:
    """For each bottom the layers of both nets that it comes from; "" for an input. What one net alone has is passed."""
    sources = []
    for bottom in layer.bottoms:
        found: dict[str, None] = {}
        waiting = [bottom]
        seen: set[Blob] = set()
        while waiting:
            blob = waiting.pop()
            if blob in seen:
                continue
            seen.add(blob)
            maker = blob.maker
            if maker is None or maker.is_data or maker.type == "Input" or not maker.bottoms:
                found[""] = None
            elif maker.name in shared and maker.type != "Dropout":
                found[maker.name] = None
            else:
                waiting += maker.bottoms
        sources.append(sorted(found))
    return sources


def _said(names: list[str]) -> str:
    return listed([f'"{name}"' if name else "an input" for name in names]) or "nothing"


def _fields(layer: BuiltLayer, other: BuiltLayer, line: int) -> Iterator[Difference]:
    block = layer.block_of(layer.message)
    if not block or other.block_of(other.message) != block:
        return
    mine, trained = getattr(layer.message, block), getattr(other.message, block)
    for field in mine.DESCRIPTOR.fields:
        if field.name in _NO_MATTER or field.name in _SIDES and hasattr(mine, KERNEL):
            continue
        here, there = _value(mine, field.name), _value(trained, field.name)
        if here != there:
            yield Difference(
                line, f'{layer.type} "{layer.name}" has {field.name}: {here}, the training net {there}', True
            )


def _value(message: Any, name: str) -> Any:
    """What a field means in the TEST phase, however it is written."""
    if name in _WINDOW and hasattr(message, KERNEL):
        return list(sides(message, name))
    if name == "use_global_stats" and not message.HasField(name):
        return True
    if text := enum_name(message, name):
        return text
    value = getattr(message, name)
    return list(value) if hasattr(value, "__len__") and not isinstance(value, (str, bytes)) else value


def _dims(shapes: list[Any]) -> str:
    return " and ".join("x".join(map(str, shape)) for shape in shapes) or "none"
