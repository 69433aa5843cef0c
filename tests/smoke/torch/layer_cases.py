"""Nets of one layer each, of all types of Caffe 1.0 that have no files, with random shapes, parameters and values."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from parity import Arrays, Case
from random_nets import Generator, affordable

from caffelint.caffe.build import build
from caffelint.caffe.layers import BVLC_TYPES, REGISTRY
from caffelint.caffe.layers.base import EXACT
from caffelint.schema.messages import NetParameter
from caffelint.smoke.torch.types import not_runnable

Shapes = list[tuple[int, ...]]
WITHOUT_A_CASE = {
    "Data": "reads a file",
    "ImageData": "reads files",
    "HDF5Data": "reads a file",
    "WindowData": "reads a file",
    "HDF5Output": "writes a file",
    "MemoryData": "takes its data from C++ alone",
    "Input": "is the bottom of all other cases",
    "DummyData": "has a test of its own",
    "Python": "is code of the user; test_python.py runs some",
}
TYPES = sorted(BVLC_TYPES - set(WITHOUT_A_CASE))
INDICES = {"Embed": (0,), "BatchReindex": (1,), "InfogainLoss": (1, 2)}
STATEFUL = {"BatchNorm", "LSTM", "RNN"}


def image(rng: random.Random) -> tuple[int, ...]:
    return rng.choice([1, 2, 3]), rng.choice([1, 2, 3, 4, 6]), rng.choice([1, 3, 4, 7, 8, 11]), rng.choice([3, 5, 8, 9])


def any_shape(rng: random.Random) -> tuple[int, ...]:
    if rng.random() < 0.5:
        return image(rng)
    return tuple(rng.choice([1, 2, 3, 4, 5]) for _ in range(rng.choice([1, 2, 2, 3, 4, 5])))


def scores(rng: random.Random) -> tuple[int, ...]:
    classes = rng.choice([2, 3, 5, 9])
    return rng.choice([(rng.choice([1, 3, 6]), classes), (2, classes, 3, 4), (3, classes, 5)])


def labels(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1 :])


def bottoms_of(layer_type: str, rng: random.Random, block: Any) -> Shapes:
    """Shapes of bottoms that such a layer mostly takes."""
    count = rng.choice([2, 2, 3, 4])
    shape = any_shape(rng)
    if layer_type in ("Convolution", "Deconvolution", "Im2col", "Pooling", "LRN", "SPP"):
        if layer_type in ("Convolution", "Deconvolution") and rng.random() < 0.3:
            shape = rng.choice([(2, 3, 9), (2, 2, 4, 5, 6), (2, 4, 1, 1), (2, 3, 4, 5)])
        else:
            shape = image(rng)
        return [shape] * (2 if layer_type in ("Convolution", "Deconvolution") and rng.random() < 0.1 else 1)
    if layer_type == "Eltwise":
        return [shape] * count
    if layer_type == "Concat":
        axis = rng.randrange(len(shape))
        return [(*shape[:axis], rng.choice([1, 2, 4]), *shape[axis + 1 :]) for _ in range(rng.choice([1, 2, 3]))]
    if layer_type in ("SoftmaxWithLoss", "InfogainLoss", "Accuracy"):
        shape = scores(rng)
        found = [shape, labels(shape, 1)]
        return [*found, (shape[1], shape[1])] if layer_type == "InfogainLoss" else found
    if layer_type in ("HingeLoss", "MultinomialLogisticLoss"):
        size = rng.choice([1, 3, 6])
        return [(size, rng.choice([2, 5])), (size,)]
    if layer_type in ("EuclideanLoss", "SigmoidCrossEntropyLoss"):
        return [shape, shape]
    if layer_type == "ContrastiveLoss":
        size = rng.choice([1, 3, 6])
        return [(size, 4), (size, 4), (size,)]
    if layer_type == "BatchReindex":
        return [shape, (rng.choice([1, 3, 5]),)]
    if layer_type == "Filter":
        return [*[(4, *any_shape(rng)[1:]) for _ in range(count - 1)], (4,)]
    if layer_type == "Crop":
        shape = image(rng)
        return [shape, tuple(rng.randint(1, size) for size in shape)]
    if layer_type in ("Scale", "Bias") and rng.random() < 0.4:
        start = rng.randrange(len(shape))
        return [shape, shape[start : rng.randint(start, len(shape))]]
    if layer_type in ("LSTM", "RNN"):
        steps, streams, size = rng.choice([1, 2, 4]), rng.choice([1, 3]), block.num_output
        found = [(steps, streams, rng.choice([1, 3])), (steps, streams)]
        found += [(streams, 2)] if rng.random() < 0.4 else []
        return found + [(1, streams, size)] * ((2 if layer_type == "LSTM" else 1) if block.expose_hidden else 0)
    if layer_type == "LSTMUnit":
        return [(1, 3, 4), (1, 3, 16), (1, 3)]
    if layer_type == "Parameter":
        return []
    if layer_type == "Embed":
        return [any_shape(rng)[:2]]
    return [shape]


def whole_numbers(low: int, high: int) -> Callable[[np.random.RandomState, tuple[int, ...]], Any]:
    return lambda random_state, shape: random_state.randint(low, high, shape)


def values_for(layer_type: str, index: int, shapes: Shapes, block: Any) -> Any:
    """What fills a bottom: a function of numpy's random state and the shape, None for any values."""
    bottom = len(shapes) - 1 if layer_type == "Filter" else 1
    if layer_type == "Dropout":
        # Its mask is read off its top, which must be 0 nowhere else.
        return lambda random_state, shape: random_state.randn(*shape)
    if layer_type == "Embed":
        return whole_numbers(0, block.input_dim)
    if layer_type == "BatchReindex" and index == 1:
        return whole_numbers(0, shapes[0][0])
    if layer_type == "Filter" and index == bottom:
        # At least one item is kept: Caffe dies of an empty batch.
        return lambda random_state, shape: np.where(np.arange(shape[0]) == 1, 1, random_state.randint(0, 2, shape))
    if layer_type in ("LSTM", "RNN") and index == 1 or layer_type == "LSTMUnit" and index == 2:
        return lambda random_state, shape: random_state.choice([0, 1, 1, 1, 0.5], shape)
    if layer_type in ("LSTM", "RNN", "LSTMUnit"):
        # Where large values saturate the gates, gradients are what rounding leaves.
        return lambda random_state, shape: random_state.randn(*shape)
    if layer_type == "ContrastiveLoss" and index == 2:
        return whole_numbers(0, 2)
    if layer_type in ("SoftmaxWithLoss", "InfogainLoss", "Accuracy", "HingeLoss", "MultinomialLogisticLoss"):
        if index == 1:
            axis = block.axis if layer_type in ("SoftmaxWithLoss", "InfogainLoss", "Accuracy") else 1
            return whole_numbers(0, shapes[0][axis])
        if layer_type == "MultinomialLogisticLoss":
            return lambda random_state, shape: random_state.choice([0, 1e-25, 0.3, 0.9], shape)
    if layer_type == "SigmoidCrossEntropyLoss" and index == 1:
        return lambda random_state, shape: random_state.choice([0, 1, 1, 0.3], shape)
    return None


def any_values(random_state: np.random.RandomState, shape: tuple[int, ...]) -> Any:
    """Mostly spread out, at times with many equal values and zeros, or with large ones."""
    style = random_state.rand()
    if style < 0.6:
        return random_state.randn(*shape)
    if style < 0.9:
        return random_state.randint(-2, 3, shape) / 2
    return random_state.randn(*shape) * 30


def layer_cases(layer_type: str, wanted: int, seed: int) -> Iterator[Case]:
    """Right nets of one layer of a type, as many as wanted."""
    generator = Generator(seed + zlib.crc32(layer_type.encode()))
    rng = generator.random
    made = tries = 0
    while made < wanted and tries < 400 * wanted:
        tries += 1
        net = NetParameter()
        layer = net.layer.add(name="tested", type=layer_type)
        layer_class = REGISTRY[layer_type]
        block = getattr(layer, layer_class.block) if layer_class.block else None
        if block is not None and generator.chance(0.9):
            block.SetInParent()
            generator.fill_block(block)
        if layer_class.is_loss and generator.chance(0.6):
            generator.fill_block(layer.loss_param)
        shapes = bottoms_of(layer_type, rng, block)
        case = _case(generator, layer, net, shapes, layer_class, rng.choice(["TRAIN", "TEST"]), f"{layer_type}-{made}")
        if case is not None:
            made += 1
            yield case


def _case(generator: Generator, layer: Any, net: Any, shapes: Shapes, layer_class: Any, phase: str, name: str) -> Any:
    rng = generator.random
    for index in range(len(shapes)):
        layer.bottom.append(f"x{index}")
    probe = layer_class(layer, "tested", layer.type, 0, phase, list(layer.bottom), [])
    least, most, _ = probe.wanted_tops()
    tops = len(shapes) if layer_class.equal_counts else rng.randint(least, least + 2 if most is None else most)
    tops = len(shapes) - 1 if layer.type == "Filter" else tops
    layer.top.extend(f"y{index}" for index in range(tops))
    if tops and shapes and probe.in_place == EXACT and generator.chance(0.2):
        layer.top[0] = "x0"
    if generator.chance(0.15) and layer.type != "BatchNorm":
        layer.param.add(lr_mult=rng.choice([0, 1]))
    tested = type(layer)()
    tested.CopyFrom(layer)
    del net.layer[:]
    unreachable = (len(shapes) - 1,) if layer.type == "Filter" else INDICES.get(layer.type, ())
    if not unreachable:
        net.force_backward = True
    elif tops:
        # Here force_backward ends the run, as a gradient would flow to an index; so the others are learned.
        tested.loss_weight.extend([1] * tops)
    for index, shape in enumerate(shapes):
        learned = bool(unreachable) and index not in unreachable
        source = net.layer.add(name=f"in{index}", type="Parameter" if learned else "Input", top=[f"x{index}"])
        (source.parameter_param.shape if learned else source.input_param.shape.add()).dim.extend(shape)
    net.layer.add().CopyFrom(tested)
    built = build(net, phase, dialect="bvlc")
    if built.refusals or not affordable(built) or any(0 in (blob.shape or ()) for blob in built.blobs.values()):
        return None
    spec = built.layers[-1]
    if not_runnable(built) and spec.has_backward or spec.type == "Pooling" and spec.parameters.pool == 2:
        return None
    if _is_odd(spec):
        return None
    if not all(layer.known for layer in built.layers) or any(blob.shape is None for blob in built.blobs.values()):
        return None
    if layer.type == "Pooling" and spec.parameters.pool == 0 and _has_empty_windows(spec, shapes[0]):
        return None
    given = _values(spec, shapes, tested, layer_class, rng.randrange(2**31))
    passes = 2 if layer.type in STATEFUL else 1
    return Case(name, net, phase, given, passes, backward=bool(tops) and (spec.has_backward or spec.type == "Embed"))


def _is_odd(spec: Any) -> bool:
    """Does it use what Caffe loads and nobody means? See the report of differences in test_layers.py."""
    if any(not 0 <= pad <= 100 for pad in getattr(spec, "pad", ())):
        return True
    if min(getattr(spec, "stride", ()), default=1) <= 0:
        return True
    if min(getattr(spec, "dilation", ()), default=0) < 0 or spec.type == "Log" and spec.parameters.scale == 0:
        return True
    if spec.type in ("BatchNorm", "MVN") and spec.parameters.eps < 0:
        return True
    if spec.type == "Dropout":
        return not 0 <= spec.parameters.dropout_ratio < 1
    return spec.type == "LRN" and (spec.parameters.alpha < 0 or spec.parameters.k <= 0)


def _has_empty_windows(spec: Any, shape: tuple[int, ...]) -> bool:
    """Does a window cover nothing? The backward of such a MAX writes before the start of the blob."""
    return any(
        (count - 1) * stride - pad >= size
        for count, stride, pad, size in zip(spec.windows, spec.stride, spec.pad, shape[2:], strict=True)
    )


def _values(spec: Any, shapes: Shapes, layer: Any, layer_class: Any, seed: int) -> Arrays:
    random_state = np.random.RandomState(seed)
    block = getattr(layer, layer_class.block) if layer_class.block else None
    given: Arrays = {}
    for index, shape in enumerate(shapes):
        make = values_for(layer.type, index, shapes, block) or any_values
        learned = spec.bottoms[index].producer.type == "Parameter"
        key = f"param/in{index}/0" if learned else f"input/x{index}"
        given[key] = np.asarray(make(random_state, shape), np.float32)
    for param in spec.params or ():
        values = random_state.randn(*param.shape)
        if layer.type == "BatchNorm" and param.index:
            values = random_state.uniform(0.1, 2, param.shape)
        given[f"param/tested/{param.index}"] = np.asarray(values, np.float32)
    for blob in spec.tops:
        if blob.name != "(automatic)":
            given[f"diff/{blob.name}"] = np.asarray(random_state.randn(*blob.shape), np.float32)
    return given
