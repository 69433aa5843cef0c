"""The text of the net for deployment, with the comments and the layout of the training net."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from caffelint.caffe.layers.data import DataLayer
from caffelint.caffe.states import TEST, TRAIN, State
from caffelint.deploy.kept import Kept, kept, makes_data
from caffelint.fix.deploy.card import Card, card, resize
from caffelint.fix.upgrade import upgrade_text
from caffelint.lint.asked_shape import asked_shape
from caffelint.lint.edits import quoted, unused_name
from caffelint.lint.file import load
from caffelint.lint.words import listed, title, titles
from caffelint.text.edits import Edit, apply_edits, with_line_ends_of
from caffelint.text.layout import take_out

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net import Layer, Net
    from caffelint.caffe.net_parts import Blob
    from caffelint.caffe.shapes import PartialShape, Shape

_OF_EVERY_CAFFE = ("syntax-error", "mixed-layer-formats")
"""Problems of a text that no Caffe reads, whichever fork it is for."""
_OF_PHASES = ("include", "exclude", "phase")


STORED = "use_global_stats"
"""Does a layer normalise with what it has stored, rather than with what it measures?"""


class DeployError(ValueError):
    """Why no net for deployment can be made: one line, without the name of its file."""


class Deployed(NamedTuple):
    """A net's text for deployment. cards: how its inputs are made. notes: what was guessed, or is left to do."""

    data: bytes
    cards: tuple[Card, ...]
    notes: tuple[str, ...]


def deploy(
    data: bytes,
    path: str = "<text>",
    input_shapes: Mapping[str, tuple[int, ...]] | None = None,
    dialect: str | None = None,
) -> Deployed:
    """A net's text with data layers as Input layers with a batch of 1, losses as what they make of scores, and nothing
    that only trains or measures.

    Layers that stay keep their names, so that weights fit, and their text. input_shapes: of tops of data layers that
    the text gives no shape for. Raises `DeployError` where the text is no net that Caffe would load.
    """
    net = readable(_current(data, path, dialect), path, dialect)
    net.input_shapes = _unknown(net, input_shapes or {})
    built = _built(net)
    stays = kept(built)
    if not stays.layers:
        raise DeployError("no layer leads from data to a prediction")
    if missing := [blob.name for blob in stays.inputs if blob.shape is None]:
        raise DeployError(_without_shape(built, missing))
    shapes: dict[str, Shape] = {blob.name: (1, *blob.shape[1:]) for blob in stays.inputs if blob.shape is not None}
    cards = tuple(made for blob in stays.inputs if (made := _card(blob, shapes[blob.name])))
    text = _text(net, stays, shapes, cards)
    notes = [_assumed(name, shape) for name, shape in built.assumed.items() if name in shapes]
    if changed := [layer for layer in of_batch(net) if layer.index in stays.layers]:
        notes.append(
            f"{titles(changed)}: {STORED}: false is removed, since a deployed net has no batch to take statistics of"
        )
    notes += [_undecoded(layer) for layer in built.layers if layer.is_loss and layer.fork]
    return Deployed(text, cards, (*notes, *_proved(net, built, text, path, dialect)))


def readable(data: bytes, path: str, dialect: str | None) -> Net:
    """The net of a text that Caffe can read. Raises `DeployError`."""
    file = load(data, path, dialect=dialect)
    if file.net is None or not file.net.layers:
        raise DeployError("this is a solver; give the net that it trains" if file.solver else "holds no net")
    for problem in file.problems:
        if problem.kind in _OF_EVERY_CAFFE:
            line = file.document.source.position(problem.start).line
            raise DeployError(f"Caffe does not read it: line {line}: {problem.message}")
    return file.net


def _current(data: bytes, path: str, dialect: str | None) -> bytes:
    """The text in the current format, which is what converters read, even if its own Caffe does not."""
    result = upgrade_text(data, path, dialect=dialect)
    if result.left and dialect is None:
        result = upgrade_text(data, path, dialect="bvlc")
    if result.left:
        raise DeployError(f"it is in an older format that cannot be upgraded: {result.left[0].message}")
    return result.data


def _unknown(net: Net, given: Mapping[str, tuple[int, ...]]) -> dict[str, Shape]:
    """The given shapes of tops that the text tells none of, with the batch that it does tell: that of the labels."""
    made = {top for layer in net.layers for top in layer.tops}
    if strangers := [name for name in given if name not in made]:
        raise DeployError(f"no layer makes {listed([quoted(name) for name in strangers])}")
    found: dict[str, Shape] = {}
    built = _built(net)
    for layer in built.layers:
        image = layer.partial_image() if isinstance(layer, DataLayer) else None
        for top in layer.tops if makes_data(layer) else ():
            if top.name in given and (top.shape is None or top.name in built.assumed):
                batch = image[0] if image and image[0] else given[top.name][0]
                found[top.name] = (batch, *given[top.name][1:])
    return found


def _without_shape(built: BuiltNet, missing: Sequence[str]) -> str:
    images = {layer.tops[0].name: _image(layer) for layer in built.layers if makes_data(layer) and layer.tops}
    asked = [(name, *asked_shape((1, *(images.get(name) or (None,) * 4)[1:]))) for name in missing]
    given = " ".join(f"--input-shape {name}={shape}" for name, shape, _ in asked)
    return f"the shape of {listed([quoted(name) for name in missing])} is not in the text; give {given}{asked[0][2]}"


def _image(layer: BuiltLayer) -> PartialShape | None:
    """What the text says of the images that a layer hands on."""
    if isinstance(layer, DataLayer):
        return layer.partial_image()
    crop = layer.message.transform_param.crop_size
    sides = (crop, crop) if crop else resize(layer)
    return (None, None, *sides) if sides else None


def trained_sides(net: Net) -> dict[str, tuple[int, int]]:
    """The heights and widths of images that the text tells of the tops of data layers, by the tops' names."""
    found = {}
    for layer in _built(net).layers:
        image = _image(layer) if makes_data(layer) and layer.tops else None
        if image and image[-2] and image[-1]:
            found[layer.tops[0].name] = (image[-2], image[-1])
    return found


def _built(net: Net) -> BuiltNet:
    """For TEST, or for TRAIN where the net has no data for TEST."""
    refusals = []
    for phase in (TEST, TRAIN):
        built = net.likely(State(phase))
        if not built.refusals:
            return built
        refusals += built.refusals
    layer = f'layer "{refusals[0].layer}": ' if refusals[0].layer else ""
    raise DeployError(f"Caffe does not load it: {layer}{refusals[0].message}")


def _card(blob: Blob, shape: Shape) -> Card | None:
    return card(blob.producer, blob.name, shape) if blob.producer is not None and blob.top == 0 else None


def _undecoded(loss: BuiltLayer) -> str:
    read = listed([quoted(name) for name in dict.fromkeys(blob.original.name for blob in loss.bottoms)])
    return f"{title(loss)} is taken out; add what makes results of {read}, such as DetectionOutput"


def _assumed(name: str, shape: Shape) -> str:
    dims = "x".join(map(str, (1, *shape[1:])))
    return f'the shape of "{name}" is not in the text and taken as {dims}; give --input-shape {name}=... for another'


def _text(net: Net, stays: Kept, shapes: Mapping[str, Shape], cards: Iterable[Card]) -> bytes:
    document = net.document
    batch_stats = of_batch(net)
    nodes = [layer.node for layer in net.layers if layer.index not in stays.layers]
    edits = take_out(document, document.root, [node for node in nodes if node is not None])
    for layer in net.layers:
        if layer.index in stays.layers and layer.node is not None:
            gone = [field for name in _OF_PHASES for field in layer.node.all(name)]
            if layer in batch_stats and (block := layer.node.first(layer.block)) is not None:
                edits += take_out(document, block, block.all(STORED))
            edits += take_out(document, layer.node, gone)
    edits += take_out(document, document.root, document.root.all("state"))
    taken = {layer.name for layer in net.layers if layer.index in stays.layers}
    head = [f"# {line}" for made in cards for line in made.lines()]
    head += [line for name, shape in shapes.items() for line in _input(name, shape, taken)]
    tail = [line for blob, layer_type in stays.endings for line in _ending(blob, layer_type, taken, stays)]
    first = net.layers[0].node
    at = first.start if first is not None else 0
    at = next((edit.start for edit in edits if edit.start <= at < edit.end), at)
    text = document.source.text
    if head:
        edits.append(Edit(at, at, with_line_ends_of(document.source.data, "\n".join([*head, ""]))))
    if tail:
        begin = "" if not text or text.endswith("\n") else "\n"
        ending = with_line_ends_of(document.source.data, begin + "\n".join([*tail, ""]))
        edits.append(Edit(len(text), len(text), ending))
    return apply_edits(document.source.data, edits)


def of_batch(net: Net) -> list[Layer]:
    """The layers that take the statistics of the batch in TEST, too, where one that is deployed has one image."""
    return [
        layer
        for layer in net.layers
        if layer.kind.keeps_statistics and layer.block and hasattr(layer.param(layer.block), STORED)
        if layer.has(layer.block, STORED) and not getattr(layer.param(layer.block), STORED)
    ]


def _input(name: str, shape: Shape, taken: set[str]) -> Iterator[str]:
    own = unused_name(name, taken)
    taken.add(own)
    yield "layer {"
    yield f"  name: {quoted(own)}"
    yield '  type: "Input"'
    yield f"  top: {quoted(name)}"
    yield f"  input_param {{ shape {{ {' '.join(f'dim: {dim}' for dim in shape)} }} }}"
    yield "}"


def _ending(blob: Blob, layer_type: str, taken: set[str], stays: Kept) -> Iterator[str]:
    stem = "prob" if len(stays.endings) == 1 else f"{blob.name}_prob"
    name = unused_name(stem, taken)
    taken.add(name)
    yield "layer {"
    yield f"  name: {quoted(name)}"
    yield f'  type: "{layer_type}"'
    yield f"  bottom: {quoted(blob.name)}"
    yield f"  top: {quoted(name)}"
    yield "}"


def _proved(net: Net, old: BuiltNet, text: bytes, path: str, dialect: str | None) -> Iterator[str]:
    """What is not as it should be: the new net loads, and the weights of the old one fit it."""
    new = load(text, path, dialect=dialect).net
    assert new is not None
    (built,) = new.build([State(TEST)])
    if built.refusals:
        one = built.refusals[0]
        yield f'Caffe will not load it with a batch of 1: layer "{one.layer}": {one.message}'
        return
    shapes = {layer.name: [param.shape for param in layer.params or ()] for layer in old.layers}
    unlike = [
        layer.name
        for layer in built.layers
        if layer.params and [param.shape for param in layer.params] != shapes.get(layer.name)
    ]
    if unlike:
        yield f"the weights of {listed(unlike)} will not fit; a shape of the data is another one"
