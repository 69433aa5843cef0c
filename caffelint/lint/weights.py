"""Does a net start from weights that are there already, or from its fillers?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.text.patterns import compiled_later

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer, Net

_LOADED = compiled_later(r"fine.?tun|pre.?train|transfer|distill|teacher|\.caffemodel|imagenet")
"""Words, in small letters, of a text that speaks of weights that are there already."""
_WORDS_LOADED = ("fine", "pre", "transfer", "distill", "teacher", ".caffemodel", "imagenet")
"""One of them is in each such text, and to look for them takes a tenth of the time."""
_FINE_TUNED = compiled_later(r"fine.?tun|pre.?train|\.caffemodel")

_LOW_RATE = 1e-3
_NEW, _MOST_NEW = 10.0, 3
"""By what factor new layers learn faster, and how many of them there are at most."""


def starts_from_weights(net: Net) -> bool:
    """Does something in the text say that weights are loaded before training?

    `weights` in the solver, a frozen layer, a new head that learns ten times as fast as the rest, or one on layers
    without fillers: the first layer with weights leaves its filler out and a later one has one. The data layer of the
    R-CNN detectors says so as well: their training scripts always load an ImageNet model.
    """
    return net.once(_has_data_of_detector) or net.once(_is_written_for_weights)


def starts_as_detectors_do(net: Net) -> bool:
    """Is its data layer all that says so?"""
    return net.once(_has_data_of_detector) and not net.once(_is_written_for_weights)


def _has_data_of_detector(net: Net) -> bool:
    python = net.layers_having("python_param")
    return any(layer.message.python_param.module.startswith("roi_data_layer") for layer in python)


def _is_written_for_weights(net: Net) -> bool:
    if any(solver.message.weights for solver in net.solvers):
        return True
    layers = net.layers_that(lambda kind: kind.has_weights)
    rates = [_rate(layer) for layer in layers]
    if any(not rate and not layer.kind.upsamples for rate, layer in zip(rates, layers, strict=True)):
        return True
    if len(rates) > 2 * _MOST_NEW and sorted(rates)[-_MOST_NEW - 1] * _NEW <= rates[-1]:
        return True
    return bool(layers) and not _has_filler(layers[0]) and any(_has_filler(layer) for layer in layers)


def _has_filler(layer: Layer) -> bool:
    return layer.has(layer.kind.block, "weight_filler")


def _rate(layer: Layer) -> float:
    params = layer.message.param
    return float(params[0].lr_mult) if params else 1.0


def has_rate_of_fine_tuning(net: Net) -> bool:
    """Are the rates of its solvers those for a trained net? Few start a new one so low without adapting the rate."""
    return bool(net.solvers) and all(
        solver.message.base_lr <= _LOW_RATE and solver.type == "SGD" for solver in net.solvers
    )


def speaks_of_weights(net: Net) -> bool:
    """Do the words of the net, of its path or of its solvers say that weights are loaded?"""
    return net.once(_speaks_of_weights)


def speaks_of_fine_tuning(net: Net) -> bool:
    """Do the words of the net, of its path or of its solvers call it one for a trained net, and not only its data?"""
    return any(_FINE_TUNED.search(text) for text in _texts(net))


def _speaks_of_weights(net: Net) -> bool:
    return any(any(word in text for word in _WORDS_LOADED) and _LOADED.search(text) for text in _texts(net))


def _texts(net: Net) -> list[str]:
    """In small letters: to search without regard to the case takes ten times as long."""
    texts = [net.document.source.text, net.path, *(solver.document.source.text for solver in net.solvers)]
    return [text.lower() for text in texts]
