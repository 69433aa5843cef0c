"""The training net of a net that is run with its weights, found by its layers."""

from __future__ import annotations

import os

from caffelint.lint import INFO, TEST, Layer, NamedTuple, Net, compiled_later, file_name

from ._compared import Parameters, has_shape, layers_in, other_shapes, parameters_of

_LEAST_ALIKE = 2 / 3
"""The share of a deploy net's layers that a training net has to have, with parameters of the same shape."""

_LEAST_OF_ONE = 1 / 2
"""The same share of the one training net of a folder, if no more than one layer of the same name has another shape, or
several do and have the same other number, as that of classes."""

_CLOSE = 0.9
"""The same share where it is certain that the net is no other design."""

_MANY = 6
_FEW = 4
"""Layers of weights whose names tell two nets to be one, whatever their shapes, and these where no other is there."""

_ROLES = compiled_later(r"train|test|val|deploy|[^a-z0-9]")
"""What the name of a file has besides the name of the model."""


class Training(NamedTuple):
    """A net that may have trained the deploy net.

    layers: those of the TEST phase, by name. said: their parameters. alike: how many layers of weights are the same, of
    the `learned` ones of the deploy net.
    """

    net: Net
    layers: dict[str, Layer]
    said: Parameters
    alike: int
    learned: int

    @property
    def is_close(self) -> bool:
        """Has it nearly all layers of weights that the deploy net has, or all but one?"""
        return self.alike >= min(_CLOSE * self.learned, self.learned - 1)

    @property
    def file(self) -> str:
        return file_name(self.net.path)


def training_nets(net: Net) -> list[Training]:
    """The nets beside a net that may have trained it, the most similar first; none if it is trained itself."""
    if not net.siblings or net.solvers or net.is_trained:
        return []
    layers = layers_in(net, TEST)
    said = parameters_of(layers)
    others = [other for other in net.siblings if _is_training_net(other)]
    nets = [_training(other, layers, said, len(others) == 1) for other in others]
    found = sorted((one for one in nets if one is not None), key=lambda one: -one.alike)
    model = _model(net.path)
    own = [one for one in found if _model(one.net.path) == model]
    return own if model and len(own) == 1 and own[0].is_close else found


def tests_of(net: Net, training: Training) -> list[Training]:
    """The test nets of its training net's solvers, if like it: they have layers that nobody needs in training."""
    uses = [use for solver in training.net.solvers for use in solver.nets if use.tests]
    tests = {use.net.path: use.net for use in uses if not (use.trains or use.net.document.breaks_off)}
    tests.pop(training.net.path, None)
    if not tests:
        return []
    layers = layers_in(net, TEST)
    said = parameters_of(layers)
    found = [_training(test, layers, said) for test in tests.values()]
    return [one for one in found if one is not None and one.is_close]


def namesake(net: Net) -> Training | None:
    """The one training net beside a net with layers of weights of the same names and types, and of its own name.

    Asked where none has the same shapes: so many names do not agree by chance, but designs of other widths have them.
    """
    if not net.siblings or net.solvers or net.is_trained or net.once(training_nets):
        return None
    layers = layers_in(net, TEST)
    learned = _learned(layers)
    found = []
    for other in net.siblings:
        theirs = layers_in(other, TEST)
        if other.role == "train" and _is_training_net(other) and learned == _learned(theirs):
            said = parameters_of({name: theirs[name] for name in layers if name in theirs})
            found.append(Training(other, theirs, said, 0, len(learned)))
    if len(found) != 1 or _model(found[0].net.path) != _model(net.path):
        return None
    few = _FEW if {found[0].net.path, net.path} == {net.path, *(other.path for other in net.siblings)} else _MANY
    return found[0] if len(learned) >= few else None


def _model(path: str) -> str:
    """`nets/vgg_train_val.prototxt`: vgg."""
    return _ROLES.sub("", os.path.basename(path).lower().partition(".prototxt")[0])


def _learned(layers: dict[str, Layer]) -> dict[str, str]:
    return {name: layer.type for name, layer in layers.items() if has_shape(layer)}


def _is_training_net(net: Net) -> bool:
    if net.document.breaks_off:
        return False
    return "train" in file_name(net.path) or net.role == "train" and bool(net.solvers or net.is_trained)


def _training(net: Net, layers: dict[str, Layer], said: Parameters, is_one: bool = False) -> Training | None:
    """The net, if it is like enough to a deploy net of these layers. `is_one`: is it the one that is trained there?"""
    others = layers_in(net, TEST)
    learned = [name for name, layer in layers.items() if has_shape(layer)]
    alike = named = 0
    other_values: set[tuple[object, object]] = set()
    theirs = parameters_of({name: layer for name, layer in others.items() if name in layers})
    for name in learned:
        other = others.get(name)
        if other is not None and other.type == layers[name].type:
            named += 1
            pairs = [(said[name].get(field), theirs[name][field]) for field in theirs[name] if field != "bias_term"]
            differing = {pair for pair in pairs if pair[0] != pair[1]}
            alike += not differing
            other_values |= differing
    # One that is called a training net and has no loss explains a net that is all like it, and is no norm for others.
    least = _LEAST_ALIKE if net.role == "train" else 1
    if (
        is_one
        and net.role == "train"
        and min(named - alike, len(other_values)) <= 1
        and named >= _LEAST_ALIKE * len(learned)
    ):
        least = _LEAST_OF_ONE
    if len(learned) < 3 or alike < least * len(learned):
        return None
    return Training(net, others, theirs, alike, len(learned))


def refused_here(net: Net, layers: dict[str, Layer], nearest: Training) -> str | None:
    """How loud it is that Caffe refuses weights of a net: an info where another net for deployment fits better.

    Then this is for other weights, as one for the 81 classes of COCO beside one for the own 3.
    """
    refused = len(other_shapes(layers, nearest.said))
    others = (layers_in(other, TEST) for other in nearest.net.deployed if other is not net) if refused else ()
    fits = any(
        nearest.learned <= len(other.keys() & nearest.said) and len(other_shapes(other, nearest.said)) < refused
        for other in others
    )
    return INFO if fits else None
