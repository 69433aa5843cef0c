"""What differs between two nets of which one is to run with the weights of the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caffelint.lint import TEST, TRAIN, Layer, NamedTuple, Net, titles

from ._layer_params import described, field_name, field_path, parameters

HIDDEN_SIGMOID = "SigmoidCrossEntropyLoss"

_ADDED_TO_TEST = "Softmax"
"""Test nets have it where the loss of the training net contains its own."""

_WINDOW = 4
"""The largest kernel of a Pooling that makes a map smaller; a larger one mostly covers the whole of it."""

_MOST = 2
"""In how many ways two nets may differ and be one: where there are more, they are two designs."""

_ALL = 3
"""Poolings of a net: where so many differ, and no other is left, that is meant."""

_SHOWN = 3
"""Layers that a message names all, so that it can say what each has."""

_SIZES = frozenset(["step", "upsample_h", "upsample_w"])

_SHAPES = frozenset(["shape", "num_output", "input_dim"])
"""Fields that give the weights their shape also in types that have no `shaped_by`: Parameter, LSTM, Embed."""

Parameters = Mapping[str, Mapping[str, Any]]
"""Of each layer by its name, as `parameters` has them."""


class Difference(NamedTuple):
    """Layers of one type that differ in one field: each with what it has, and what the layer of the other net has.

    also: the same of further fields of these layers.
    """

    field: str
    found: Sequence[tuple[Layer, str, str]]
    also: tuple[tuple[str, str, str], ...] = ()

    @property
    def path(self) -> tuple[str, str]:
        return field_path(self.found[0][0], self.field)

    def message(self, other: str, purpose: str = "training", beside: Iterable[Net] = ()) -> str:
        """other: the other net. purpose: training or testing. beside: further nets, which may have the same layers."""
        first, mine, theirs = self.found[0]
        whose = "its" if len(self.found) == 1 else "their"
        so = (
            f"so Caffe refuses {whose} weights"
            if self.field in first.kind.shaped_by or self.field in _SHAPES
            else f"but {whose} weights were trained with the latter"
            if first.kind.shaped_by
            else f"but the net was {purpose.removesuffix('ing')}ed with the latter"
        )
        is_one = len({(here, there) for _, here, there in self.found}) == 1
        if not is_one and len(self.found) <= _SHOWN:
            sides = (found[1:] for found in self.found)
            mine, theirs = (side[0] if len({*side}) == 1 else ", ".join(side) for side in zip(*sides, strict=True))
            is_one = True
        says = f"is {mine} here" if is_one else f'differs: in "{first.name}" it is {mine} here'
        layers = titles([layer for layer, *_ in self.found])
        more = "".join(f", and {field_name(field)} {here} and {there}" for field, here, there in self.also)
        remedy = self._remedy(purpose, beside)
        return f"{layers}: {field_name(self.field)} {says} and {theirs} in {other}{more}, {so}; {remedy}"

    def _remedy(self, purpose: str, beside: Iterable[Net]) -> str:
        """Which of two numbers of outputs is right only further nets tell: either may be of another data set."""
        if self.field == "num_output":
            first, mine, theirs = self.found[0]
            alike = [layers_in(net, TEST).get(first.name) for net in beside]
            votes = [described(parameters(one).get(self.field)) for one in alike if one and one.type == first.type]
            if votes.count(theirs) <= votes.count(mine):
                return "make the two equal"
        return f"set {'them' if self.also else 'it'} as in {purpose}"


def layers_in(net: Net, phase: str) -> dict[str, Layer]:
    """The layers of a phase by their names; of one name the first."""
    found: dict[str, Layer] = {}
    for layer in net.layers:
        if phase in layer.phases:
            found.setdefault(layer.name, layer)
    return found


def has_shape(layer: Layer) -> bool:
    """Do parameters of a layer have a shape that its text tells?"""
    return bool(layer.kind.shaped_by) or not _SHAPES.isdisjoint(layer.kind.computes_by)


def parameters_of(layers: Mapping[str, Layer]) -> Parameters:
    """Found out once for each net, which may be compared with many."""
    return {name: layer.net.once(_parameters)[layer.index] for name, layer in layers.items()}


def _parameters(net: Net) -> list[dict[str, Any]]:
    return [parameters(layer) for layer in net.layers]


def differences(
    mine: Mapping[str, Layer], theirs: Mapping[str, Layer], said: Parameters, accepted: Sequence[Parameters]
) -> list[Difference]:
    """Where layers of one name and type differ; not where one of `accepted`, whose first is `theirs`, agrees.

    None where they differ in so many ways that they are not one net.
    """
    merged = _norms(mine) < _norms(theirs)
    groups: dict[tuple[str, str], list[tuple[Layer, str, str]]] = {}
    windows: dict[int, tuple[str, str, str]] = {}
    for name, layer in mine.items():
        other = theirs.get(name)
        if other is None or other.type != layer.type:
            continue
        for field, value in accepted[0].get(name, {}).items():
            here = said[name].get(field, value)
            if here == value or any(one.get(name, {}).get(field) == here for one in accepted):
                continue
            # A BatchNorm that was merged into the layer above it leaves it a bias.
            if field == "bias_term" and merged:
                continue
            # A window over the whole of a map goes with the size of the input, and a size of 0 leaves it to Caffe.
            if field == "kernel" and not layer.kind.has_weights and max(value) > _WINDOW:
                windows[layer.index] = field, described(here), described(value)
                continue
            if field in _SIZES and not (value and (here or _is_odd(other))):
                continue
            # Left for somebody to complete.
            if field == "num_output" and not all(one.has(one.kind.block, field) for one in (layer, other)):
                continue
            # The axis counts in the blob that is read, which may have others.
            if field == "axis" and layer.bottoms != other.bottoms:
                continue
            shown = "not set" if field in _SIZES and not here else described(here)
            groups.setdefault((layer.type, field), []).append((layer, shown, described(value)))
    # Whoever has changed the pooling of a whole net has meant to.
    types = [layer.type for layer in mine.values()]
    groups = {(type_, field): found for (type_, field), found in groups.items() if not _is_meant(field, found, types)}
    return _together(groups, windows) if len(groups) <= _MOST else []


def _together(
    groups: Mapping[tuple[str, str], Sequence[tuple[Layer, str, str]]], windows: Mapping[int, tuple[str, str, str]]
) -> list[Difference]:
    """One for the fields in which the same layers differ, those first by which Caffe refuses their weights.

    windows: what a layer has for a window over a whole map, which is told only of one that differs otherwise, too.
    """
    told: dict[tuple[int, ...], Difference] = {}
    refused = [(type_, field) for type_, field in groups if field in groups[type_, field][0][0].kind.shaped_by]
    for type_, field in dict.fromkeys((*refused, *groups)):
        found = groups[type_, field]
        layers = tuple(layer.index for layer, *_ in found)
        first = told.get(layers)
        if first is None:
            also = windows.get(layers[0]) if len(layers) == 1 else None
            told[layers] = Difference(field, found, (also,) if also else ())
        elif len({(here, there) for _, here, there in found}) > 1:
            apart = (*layers, len(told))
            told[apart] = Difference(field, found)
        else:
            told[layers] = first._replace(also=(*first.also, (field, *found[0][1:])))
    return list(told.values())


def other_shapes(mine: Mapping[str, Layer], theirs: Parameters) -> list[tuple[Layer, str, str, str]]:
    """The layers whose weights have other shapes than those of their names, each with a field, and what both have."""
    found = []
    for name, said in parameters_of(mine).items():
        for field in mine[name].kind.shaped_by:
            other = theirs.get(name, {})
            if field in other and said.get(field) != other[field]:
                found.append((mine[name], field, described(said.get(field)), described(other[field])))
    return found


def _is_meant(field: str, found: Sequence[tuple[Layer, str, str]], types: Sequence[str]) -> bool:
    return field == "pool" and len(found) >= _ALL and len(found) == types.count(found[0][0].type)


def _is_odd(layer: Layer) -> bool:
    """Has an Upsample a size that its scale alone does not give, as that of a map of 45 rows, pooled to 23?"""
    if not layer.kind.upsamples or layer.kind.block != "upsample_param":
        return False
    said = layer.message.upsample_param
    return any(size % max(int(said.scale), 1) for size in (said.upsample_h, said.upsample_w))


def _norms(layers: Mapping[str, Layer]) -> int:
    return sum(bool(layer.kind.keeps_statistics) for layer in layers.values())


def activations_after(layer: Layer, phase: str) -> list[str] | None:
    """What bends a layer's output before the next one with weights or a loss; None where that cannot be told."""
    found: list[str] = []
    reading = layer.net.once(_readers)[phase]
    last = layer
    while last.tops:
        readers = reading.get(last.tops[0], [])
        after = bisect_right(readers, last.index, key=lambda reader: reader.index)
        if after == len(readers):
            break
        other = readers[after]
        if len(other.bottoms) == 1 and other.kind.keeps_channels is None or other.has("python_param"):
            return None
        if len(other.bottoms) > 1 or other.type == _ADDED_TO_TEST or not other.kind.keeps_channels:
            # A reader with weights, or one that is not part of a chain, ends the path.
            found += ["Sigmoid"] * (other.type == HIDDEN_SIGMOID)
            return found if len(other.bottoms) < 3 else None
        if not (other.kind.hands_on or other.kind.is_linear):
            found.append(other.type)
        last = other
    return found


def bends(layer: Layer, phase: str = TEST) -> list[str] | None:
    """The activations after a layer; None where that cannot be told."""
    after = activations_after(layer, phase)
    written = layer.net.by_type
    return after and [type_ for type_ in after if type_ in written and written[type_][0].kind.is_activation]


def computed_by_scripts(net: Net, activations: Sequence[str] | None) -> bool:
    """Does a script that names the net compute these activations of what it reads from it?"""
    return (
        bool(activations)
        and net.runs is not None
        and {one.lower() for one in activations or ()} <= set(net.runs.computes)
    )


def _readers(net: Net) -> dict[str, dict[str, list[Layer]]]:
    """The layers that read a blob, in order, by phase."""
    found: dict[str, dict[str, list[Layer]]] = {TRAIN: {}, TEST: {}}
    for phase, readers in found.items():
        for layer in net.in_phase(phase):
            for blob in dict.fromkeys(layer.bottoms):
                readers.setdefault(blob, []).append(layer)
    return found
