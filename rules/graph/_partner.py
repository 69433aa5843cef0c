"""The training net of a net that is run with its weights, found by its layers."""

from __future__ import annotations

from typing import NamedTuple

from caffelint.lint import TEST, Layer, Net

from ._compared import Parameters, layers_in, parameters_of

_LEAST_ALIKE = 2 / 3
"""The share of a deploy net's layers that a training net has to have, with parameters of the same shape."""


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
    def file(self) -> str:
        return self.net.path.replace("\\", "/").rpartition("/")[2]


def training_nets(net: Net) -> list[Training]:
    """The nets beside a net that may have trained it, the most similar first; none if it is trained itself."""
    if not net.siblings or net.solvers or net.is_trained:
        return []
    layers = layers_in(net, TEST)
    said = parameters_of(layers)
    nets = [_training(other, layers, said) for other in net.siblings if _is_training_net(other)]
    return sorted((one for one in nets if one is not None), key=lambda one: -one.alike)


def _is_training_net(net: Net) -> bool:
    if net.document.breaks_off:
        return False
    return "train" in net.path.rpartition("/")[2] or net.role == "train" and bool(net.solvers or net.is_trained)


def _training(net: Net, layers: dict[str, Layer], said: Parameters) -> Training | None:
    """The net, if it is like enough to a deploy net of these layers."""
    others = layers_in(net, TEST)
    learned = [name for name, layer in layers.items() if layer.kind.shaped_by]
    alike = 0
    theirs = parameters_of({name: layer for name, layer in others.items() if name in layers})
    for name in learned:
        other = others.get(name)
        if other is not None and other.type == layers[name].type:
            alike += all(field == "bias_term" or said[name].get(field) == theirs[name][field] for field in theirs[name])
    # One that is called a training net and has no loss explains a net that is all like it, and is no norm for others.
    least = _LEAST_ALIKE if net.role == "train" else 1
    if len(learned) < 3 or alike < least * len(learned):
        return None
    return Training(net, others, theirs, alike, len(learned))
