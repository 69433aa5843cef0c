"""What a deploy net that somebody made by hand has otherwise than the one of its training net.

Somebody names the two nets, so every field counts. The rule deploy-mismatch guesses which nets belong together, and
looks at a few fields that tell (`computed_by`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from caffelint.caffe.net_parts import makers_of
from caffelint.caffe.states import TEST, State
from caffelint.caffe.windows import DILATION, KERNEL, PAD, STRIDE, side_field, sides
from caffelint.fix.deploy.make import STORED, DeployError, deploy, of_batch, readable, trained_sides
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


_SIDES_OF_IMAGE = 2


class Difference(NamedTuple):
    """line: of the deploy net, 0 where it lacks something. matters: are its outputs others, or do weights not fit?"""

    line: int
    message: str
    matters: bool


class _Unlike(NamedTuple):
    """What a layer has otherwise: layers of which the same is to be said are one difference.

    by_input: are its weights of another shape because of what it reads, while it makes as much as in training?
    """

    layer: BuiltLayer
    says: str
    matters: bool
    by_input: bool = False


def compare(
    trained: bytes, deployed: bytes, train_path: str = "<text>", path: str = "<text>", dialect: str | None = None
) -> list[Difference]:
    """What differs, in the order of the deploy net's text. Raises `DeployError` where one of them does not load."""
    shapes = _shapes(deployed, path, dialect)
    net = readable(trained, train_path, dialect)
    tops = {top for layer in net.layers for top in layer.tops}
    sides = trained_sides(net)
    # What the text does not tell of the data is taken from the deploy net; the crops that weights were trained on are
    # told, and a layer that reads all of a map has as many weights as these leave of it.
    read = {
        name: (*shape[:-2], *sides[name]) if name in sides and len(shape) > _SIDES_OF_IMAGE else shape
        for name, shape in shapes.items()
        if name in tops
    }
    made = deploy(trained, train_path, read, dialect)
    wanted, _ = _built(made.data, train_path, dialect)
    given, lines = _built(deployed, path, dialect)
    found = list(_differences(wanted, given, {layer.name for layer in of_batch(net)}))
    found = [*_inputs(given, sides, any(one.by_input for one in found)), *found]
    return sorted(_grouped(found, given, lines), key=lambda one: one.line or 1 << 31)


def _grouped(found: Iterable[_Unlike], given: BuiltNet, lines: Mapping[int | None, int]) -> Iterator[Difference]:
    alike: dict[tuple[str, str, bool], list[BuiltLayer]] = {}
    for one in found:
        alike.setdefault((one.layer.type, one.says, one.matters), []).append(one.layer)
    of_given = set(given.layers)
    for (_, says, matters), layers in alike.items():
        line = lines.get(layers[0].index, 0) if layers[0] in of_given else 0
        yield Difference(line, f"{titles(layers)}: {says}", matters)


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


def _differences(wanted: BuiltNet, given: BuiltNet, of_batch: Collection[str]) -> Iterator[_Unlike]:
    """of_batch: the layers that take the statistics of the batch in training and TEST alike."""
    ours = {layer.name: layer for layer in wanted.layers if layer.index is not None}
    theirs = {layer.name: layer for layer in given.layers if layer.index is not None}
    shared = theirs.keys() & ours.keys()
    merged: set[str] = set()
    for name, layer in theirs.items():
        if layer.is_data or layer.type == "Input":
            continue
        if name not in ours:
            if layer.params:
                yield _Unlike(layer, "no layer of the training net, so it finds no weights", True)
            else:
                yield _Unlike(layer, "no layer of the training net", False)
            continue
        other = ours[name]
        norms = _merged(layer, other, theirs)
        merged.update(norms)
        skipped = ({STORED} if name in of_batch else set()) | ({"bias_term"} if norms else set())
        yield from _unlike(layer, other, shared, skipped)
    stays = {layer for layer in wanted.layers if layer.name in theirs}
    needed = stays.union(makers_of(blob for layer in stays for blob in layer.bottoms))
    for name, layer in ours.items():
        if name in theirs or not layer.params or name in merged:
            continue
        if layer in needed:
            yield _Unlike(layer, "missing here", True)
        else:
            yield _Unlike(layer, "left out here, where nothing needs it", False)


def _inputs(given: BuiltNet, sides: Mapping[str, tuple[int, int]], misfit: bool) -> Iterator[_Unlike]:
    """The inputs whose images are of another size than those of training, which a net of windows alone takes.

    misfit: has a layer other weights because of what it reads? Net::CopyTrainedLayersFrom (net.cpp) aborts at it.
    """
    for layer in given.layers:
        shape = layer.tops[0].shape if layer.type == "Input" and layer.tops else None
        there = sides.get(layer.tops[0].name) if shape and len(shape) > _SIDES_OF_IMAGE else None
        if shape and there and tuple(shape[-2:]) != there:
            says = f"images of {_dims([shape[-2:]])} here, of {_dims([there])} in the training net"
            yield _Unlike(layer, says, misfit)


def _unlike(
    layer: BuiltLayer, other: BuiltLayer, shared: Collection[str], skipped: Collection[str]
) -> Iterator[_Unlike]:
    """What differs between two layers of one name. skipped: the fields that are to differ."""
    merged = "bias_term" in skipped
    mine, trained = _weights(layer), _weights(other)
    if layer.type != other.type:
        same = _is_form(layer, other) and (mine == trained or merged)
        matters = not same and (bool(layer.known and other.known) or mine != trained)
        yield _Unlike(layer, f"{other.type} in the training net", matters)
        if not same:
            return
    if merged:
        says = "a bias here for the BatchNorm after it in training, which must be merged into its weights"
        yield _Unlike(layer, says, True)
    elif mine is not None and trained is not None and mine != trained:
        says = f"weights of {_dims(mine)} here, of {_dims(trained)} in the training net, so Caffe refuses them"
        yield _Unlike(layer, says, True, by_input=[one[:1] for one in mine] == [one[:1] for one in trained])
        return
    yield from _fields(layer, other, skipped)
    if not merged:
        yield from _wires(layer, other, shared)


def _is_form(layer: BuiltLayer, other: BuiltLayer) -> bool:
    """Is one a form of the other, as DepthwiseConvolution is of Convolution?"""
    return layer.known and other.known and (isinstance(layer, type(other)) or isinstance(other, type(layer)))


def _merged(layer: BuiltLayer, other: BuiltLayer, theirs: Collection[str]) -> set[str]:
    """The layers that normalise what it makes in the training net and are gone here, where it has a bias for them."""
    mine, trained = _weights(layer), _weights(other)
    if not mine or not trained or mine[:-1] != trained or not _is_form(layer, other):
        return set()
    gone: set[str] = set()
    waiting = list(other.tops)
    while waiting:
        for reader, _ in waiting.pop().readers:
            if reader.name not in theirs and (reader.keeps_statistics or gone and reader.params):
                gone.add(reader.name)
                waiting += reader.tops
    return gone


def _weights(layer: BuiltLayer) -> list[Any] | None:
    return None if layer.params is None else [param.shape for param in layer.params]


def _wires(layer: BuiltLayer, other: BuiltLayer, shared: Collection[str]) -> Iterator[_Unlike]:
    """What it reads from, if that is another layer of both nets than in training."""
    here, there = _sources(layer, shared), _sources(other, shared)
    if layer.type == "Eltwise":
        here, there = sorted(here), sorted(there)  # their order matters for coefficients alone
    for mine, trained in zip(here, there, strict=False):
        if mine != trained:
            yield _Unlike(layer, f"reads from {_said(mine)} here, from {_said(trained)} in the training net", True)


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


def _fields(layer: BuiltLayer, other: BuiltLayer, skipped: Collection[str]) -> Iterator[_Unlike]:
    block = layer.block_of(layer.message)
    if not block or other.block_of(other.message) != block:
        return
    mine, trained = getattr(layer.message, block), getattr(other.message, block)
    for field in mine.DESCRIPTOR.fields:
        if field.name in skipped or field.name in _NO_MATTER or field.name in _SIDES and hasattr(mine, KERNEL):
            continue
        here, there = _value(mine, field.name), _value(trained, field.name)
        if here != there:
            yield _Unlike(layer, f"{field.name} is {here} here, {there} in the training net", True)


def _value(message: Any, name: str) -> Any:
    """What a field means in the TEST phase, however it is written."""
    if name in _WINDOW and hasattr(message, KERNEL):
        return list(sides(message, name))
    if name == STORED and not message.HasField(name):
        return True
    if text := enum_name(message, name):
        return text
    value = getattr(message, name)
    return list(value) if hasattr(value, "__len__") and not isinstance(value, (str, bytes)) else value


def _dims(shapes: list[Any]) -> str:
    return " and ".join("x".join(map(str, shape)) for shape in shapes) or "none"
