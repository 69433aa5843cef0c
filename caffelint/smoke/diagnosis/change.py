"""What an experiment changes: the text of a solver or a net, in the way that a person would."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net import Layer
from caffelint.caffe.old_formats import V1_PARAM_FIELDS
from caffelint.lint.cause import Suggested
from caffelint.lint.edits import Edits, join, quoted, remove, write
from caffelint.smoke.run import Run
from caffelint.text.edits import Edit
from caffelint.text.tree import Field


class Change(NamedTuple):
    """text: what is written, as in a prototxt: `base_lr: 0.01`. layer: in which layer, "" for the solver.

    edits: of the user's own texts. suggested: the value, where it is a number. loads: are the weights loaded
    that are given? more: in how many other layers the same is written. skips: batches that are left out, as in `Job`.
    parts: the two that are made at once. seed: another one to draw from, 0 for the same. weights: a file to load.
    """

    text: str
    edits: tuple[tuple[str, Edit], ...]
    layer: str = ""
    suggested: Suggested | None = None
    loads: bool = True
    more: int = 0
    skips: tuple[int, ...] = ()
    parts: tuple[Change, ...] = ()
    seed: int = 0
    weights: str = ""

    @property
    def of_solver(self) -> bool:
        """Does it change nothing but how weights are updated, or which ones are drawn?"""
        parts = self.parts or (self,)
        return all(not one.layer and one.loads and not one.skips and not one.weights for one in parts)


_ROOM = 0.8
"""Of 1, where the largest of a first batch is to end."""


UNLOADED = Change("no weights loaded", (), loads=False)
"""The run without the weights that are given."""


NONE = Change("", ())
"""For what no change of the text can test."""


def of_solver(run: Run, field: str, value: float | str) -> tuple[Change, ...]:
    """Another value of a field of the solver; none where its text does not allow it."""
    text = value if isinstance(value, str) else f"{value:.7g}"
    suggested = None if isinstance(value, str) else Suggested(field, value)
    return _change(f"{field}: {text}", write(run.solver, field, value=text), "", suggested)


def of_layer(run: Run, layer: BuiltLayer, *path: str | int, value: float | str) -> tuple[Change, ...]:
    """Another value of a field of a layer."""
    written = written_layer(run, layer)
    if written is None:
        return ()
    if written.node is not None and written.node.name == "layers":
        if path == ("type",):
            return ()  # its types have names of their own
        path = spelled(written, path)
    text = value if isinstance(value, str) else f"{value:.7g}"
    names = [name for name in path if isinstance(name, str)]
    suggested = None if isinstance(value, str) else Suggested(names[-1], value, layer.name)
    whole = f"{names[-1]} {text}" if text.startswith("{") else f"{names[-1]}: {text}"
    for name in reversed(names[:-1]):
        whole = f"{name} {{ {whole} }}"
    return _change(whole, write(written, *path, value=text), layer.name, suggested)


def spelled(layer: Layer, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The path of a field as the text of the layer has it: `blobs_lr` for `param`, `lr_mult` in the older format."""
    if layer.node is None or layer.node.name != "layers" or path[0] != "param":
        return path
    old = {new: name for name, new in V1_PARAM_FIELDS.items()}
    return (old[str(path[2])], path[1])


def of_one(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Several changes as one; the same in several layers is named by the first."""
    if not changes:
        return ()
    edits = join(change.edits for change in changes)
    texts = list(dict.fromkeys(change.text for change in changes if change.layer == changes[0].layer))
    more = len({change.layer for change in changes}) - 1
    return (changes[0]._replace(edits=edits, text=" ".join(texts), more=more),) if edits else ()


def both(first: Change, second: Change) -> tuple[Change, ...]:
    """Two changes at once; none where they write the same."""
    written = [{(path, edit.start, edit.end) for path, edit in one.edits} for one in (first, second)]
    edits = join([first.edits, second.edits])
    if written[0] & written[1] or not (first.edits and second.edits and edits):
        return ()
    return (Change(f"{first.text} and {second.text}", edits, parts=(first, second)),)


def scaled_input(run: Run, layer: BuiltLayer, top: int, largest: float) -> tuple[Change, ...]:
    """A top of a layer that brings data, so that its values are at most about 1, in all phases."""
    written = written_layer(run, layer)
    if written is None or not 0 < largest < math.inf:
        return ()
    scale = float(f"{2.0 ** -math.ceil(math.log2(largest)):.7g}")
    if layer.transforms and not top:
        scale = float(f"{layer.message.transform_param.scale * scale:.6g}")
        change = of_layer(run, layer, "transform_param", "scale", value=scale)
        others = [one for one in _makers(run, layer) if one is not written and one.type == written.type]
        each = [write(one, "transform_param", "scale", value=f"{scale:.7g}") for one in others]
        more = len(others)
        return tuple(one._replace(edits=join([one.edits, *each]) or one.edits, more=more) for one in change)
    blob = layer.tops[top].name
    name = f"{blob}_scale"
    return _after(run, layer, _power(written, name, blob, blob, scale), Suggested("scale", scale, name))


def centred_input(run: Run, layer: BuiltLayer, top: int, mean: float, factor: float = 1.0) -> tuple[Change, ...]:
    """A top of a layer that brings data, less its mean, then times a factor, in all phases."""
    written = written_layer(run, layer)
    if written is None or not math.isfinite(mean):
        return ()
    if layer.transforms and not top:
        p = layer.message.transform_param
        if p.mean_file or len(p.mean_value) > 1 or not p.scale:
            return ()
        whole = float(f"{(p.mean_value[0] if p.mean_value else 0.0) + mean / p.scale:.4g}")
        path = ("transform_param", "mean_value", 0) if p.mean_value else ("transform_param", "mean_value")
        values: list[tuple[tuple[str | int, ...], float]] = [(path, whole)]
        values += [(("transform_param", "scale"), p.scale * factor)] if factor != 1 else []
        change = of_one(tuple(one for way, value in values for one in of_layer(run, layer, *way, value=value)))
        others = [one for one in _makers(run, layer) if one is not written and one.type == written.type]
        each = [write(one, *way, value=f"{value:.7g}") for one in others for way, value in values]
        return tuple(one._replace(edits=join([one.edits, *each]) or one.edits) for one in change)
    blob = layer.tops[top].name
    shift = float(f"{-mean * factor:.4g}")
    return _after(run, layer, _power(written, f"{blob}_centred", blob, blob, factor, shift))


def normalised_input(run: Run, layer: BuiltLayer, top: int) -> tuple[Change, ...]:
    """Each channel of a top of a layer that brings data, at a mean of 0 and a variance of 1."""
    blob, name = quoted(layer.tops[top].name), quoted(f"{layer.tops[top].name}_norm")
    written = written_layer(run, layer)
    if written is None or written.node is None or written.node.name != "layer":
        return ()  # the older format has no BatchNorm
    return _after(run, layer, f'layer {{ name: {name} type: "BatchNorm" bottom: {blob} top: {blob} }}')


def normalised(run: Run, layers: Sequence[BuiltLayer]) -> tuple[Change, ...]:
    """What each of these layers makes at a mean of 0 and a variance of 1, by a BatchNorm layer after it."""
    found = []
    for layer in layers:
        written = written_layer(run, layer)
        if written is None or written.node is None or written.node.name != "layer" or len(layer.tops) != 1:
            return ()
        top = quoted(layer.tops[0].name)
        text = f'layer {{ name: {quoted(layer.name + "_bn")} type: "BatchNorm" bottom: {top} top: {top} }}'
        edit = Edit(written.node.end, written.node.end, f"\n{text}")
        found.append(Change(text, ((run.nets[0].document.path, edit),), layer.name))
    return of_one(tuple(found))


def without_mean(run: Run, layer: BuiltLayer) -> tuple[Change, ...]:
    """What a layer brings without the mean of its mean_file taken off, in all phases."""
    makers = [one for one in _makers(run, layer) if one.message.transform_param.mean_file]
    edits = join([remove(one, "transform_param", "mean_file") for one in makers])
    return (Change("no mean_file", edits, layer.name),) if edits else ()


def uncropped(run: Run) -> tuple[Change, ...]:
    """All that data layers bring in its whole size, in all phases."""
    layers = [one for net in dict.fromkeys(run.nets) for one in net.layers if not one.bottoms]
    cropping = [one for one in layers if one.message.transform_param.crop_size > 0]
    each = [write(one, "transform_param", "crop_size", value="0") for one in cropping]
    edits = join(each)
    more = len({one.name for one in cropping}) - 1
    return (Change("crop_size: 0", edits, cropping[0].name, more=more),) if edits else ()


def _after(run: Run, layer: BuiltLayer, text: str, suggested: Suggested | None = None) -> tuple[Change, ...]:
    """Another layer after those that bring the same in all phases."""
    makers = _makers(run, layer)
    last = makers[-1].node if makers else None
    if last is None or _oldest(last):
        return ()
    edit = Edit(last.end, last.end, f"\n{text}")
    return (Change(text, ((run.nets[0].document.path, edit),), layer.name, suggested),)


def _makers(run: Run, layer: BuiltLayer) -> list[Layer]:
    return [one for one in run.nets[0].layers if not one.bottoms and layer.tops[0].name in one.tops]


def scaled_target(
    run: Run, loss: BuiltLayer, bottom: int, largest: float, exact: bool = False, least: float = 0.0
) -> tuple[Change, ...]:
    """A bottom of a loss, by a Power layer before it, so that its values are at most about 1; exactly so, if wanted.

    least: below 0 for values that are to be from 0 on. What has a fraction may be larger in other batches.
    """
    if not 0 < largest < math.inf:
        return ()
    if least < 0:
        scale = float(f"{1 / (largest - least):.7g}")
        return _changed_target(run, loss, bottom, "scaled", scale, float(f"{-least * scale:.7g}"))
    if exact and largest % 1:
        decade = 10.0 ** math.floor(math.log10(_ROOM / largest))
        scale = float(f"{math.floor(_ROOM / largest / decade) * decade:.1g}")
    else:
        scale = float(f"{1 / largest if exact else 10.0 ** -round(math.log10(largest)):.7g}")
    return _changed_target(run, loss, bottom, "scaled", scale)


def centred_target(run: Run, loss: BuiltLayer, bottom: int, mean: float, spread: float) -> tuple[Change, ...]:
    """A bottom of a loss, less its mean and scaled, by a Power layer before it, so that it is about 1 from 0."""
    if not math.isfinite(mean) or not 0 < spread < math.inf:
        return ()
    scale = float(f"{1 / spread:.1g}")
    return _changed_target(run, loss, bottom, "scaled", scale, float(f"{-mean * scale:.2g}"))


def inverted_target(run: Run, loss: BuiltLayer, bottom: int) -> tuple[Change, ...]:
    """A bottom of a loss that holds 0 and 1, the other way round, by a Power layer before it."""
    return _changed_target(run, loss, bottom, "inverted", -1.0, 1.0)


def swapped(run: Run, layer: BuiltLayer, first: int, second: int) -> tuple[Change, ...]:
    """Two bottoms of a layer in the place of each other."""
    written = written_layer(run, layer)
    if written is None:
        return ()
    one, other = (quoted(layer.message.bottom[number]) for number in (first, second))
    edits = join([write(written, "bottom", first, value=other), write(written, "bottom", second, value=one)])
    return _change(f"bottom: {other} before {one}", edits or (), layer.name, None)


def without_signs(run: Run, layer: BuiltLayer) -> tuple[Change, ...]:
    """What a layer reads, without its signs, by an AbsVal layer before it."""
    written = written_layer(run, layer)
    if written is None or written.node is None or written.node.name != "layer" or _oldest(written.node):
        return ()
    old, new = layer.message.bottom[0], f"{layer.message.bottom[0]}_abs"
    text = f'layer {{ name: {quoted(new)} type: "AbsVal" bottom: {quoted(old)} top: {quoted(new)} }}'
    return _before(run, layer, written, 0, text, new, None)


def _changed_target(
    run: Run, loss: BuiltLayer, bottom: int, how: str, scale: float, shift: float = 0.0
) -> tuple[Change, ...]:
    written = written_layer(run, loss)
    if written is None or written.node is None or _oldest(written.node):
        return ()
    old = loss.message.bottom[bottom]
    new = f"{old}_{how}"
    text = _power(written, new, old, new, scale, shift)
    return _before(run, loss, written, bottom, text, new, None if shift else Suggested("scale", scale, new))


def _before(
    run: Run, layer: BuiltLayer, written: Layer, bottom: int, text: str, top: str, suggested: Suggested | None
) -> tuple[Change, ...]:
    """Another layer before this one, which reads its top."""
    start = written.at().start
    before = ((run.nets[0].document.path, Edit(start, start, f"{text}\n")),)
    edits = join([before, write(written, "bottom", bottom, value=quoted(top))])
    return _change(f'{text} and bottom: {quoted(top)} in "{layer.name}"', edits, layer.name, suggested)


def _oldest(node: Field) -> bool:
    """Is a layer in the format of generation 0, a block in a block?"""
    return node.name == "layers" and any(one.name == "layer" for one in node.walk())


def _power(beside: Layer, name: str, bottom: str, top: str, scale: float, shift: float = 0.0) -> str:
    """A Power layer in the format of the layer beside it."""
    older = beside.node is not None and beside.node.name == "layers"
    start = f"layers {{ name: {quoted(name)} type: POWER" if older else f'layer {{ name: {quoted(name)} type: "Power"'
    how = " ".join([*([f"scale: {scale:.7g}"] if scale != 1 else []), *([f"shift: {shift:.7g}"] if shift else [])])
    return f"{start} bottom: {quoted(bottom)} top: {quoted(top)} power_param {{ {how} }} }}"


def written_layer(run: Run, layer: BuiltLayer) -> Layer | None:
    """The layer in the user's text of its net."""
    net = next((number for number, built in enumerate(run.built) if layer in built.layers), 0)
    layers = run.nets[net].layers
    if layer.index is None or layer.index >= len(layers):
        return None
    return layers[layer.index]


def _change(text: str, edits: Edits, layer: str, suggested: Suggested | None) -> tuple[Change, ...]:
    return (Change(text, edits, layer, suggested),) if edits else ()
