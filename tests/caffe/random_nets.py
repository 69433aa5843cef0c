"""Random nets, right and wrong, over all layer types of Caffe 1.0 and all their parameters.

A net grows layer by layer. A layer that the model of Caffe refuses is mostly thrown away, so that about half of the
nets load; what the model says is then held against the real Caffe. A wrong model shows either way: it keeps a layer
that Caffe refuses, or ends a net with one that Caffe takes.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BVLC_TYPES, REGISTRY
from caffelint.caffe.refusal import Refusal
from caffelint.schema.messages import BlobShape, ClipParameter, FillerParameter, LayerParameter, NetParameter

# These read files, or run code.
LEFT_OUT = {"Data", "ImageData", "HDF5Data", "WindowData", "Python"}
SOURCES = {"Input", "DummyData", "MemoryData", "Parameter"}
TYPES = sorted(BVLC_TYPES - LEFT_OUT - SOURCES)
FIRST_FORK_NUMBER = 10_000
FILLERS = ["constant", "gaussian", "positive_unitball", "uniform", "xavier", "msra", "bilinear"]
# Larger blobs are not filled in a test; a Caffe that fills one would need the memory for it.
MOST_ELEMENTS = 200_000


def cause(layer_type: str, refusal: Refusal) -> str:
    """What a refusal is about, without the names and numbers of this net."""
    kind = "" if refusal.source.startswith("insert_splits") else layer_type + ": "
    return kind + re.sub(r"'[^']*'|type: \w+|name: \w*|Layer \w+ has|-?\d+", "#", refusal.caffe)


class Generator:
    """Makes nets from a seed; the rarer a cause, the more often a layer that is refused for it is kept."""

    def __init__(self, seed: int, types: Sequence[str] = TYPES) -> None:
        self.types = types
        self.random = random.Random(seed)
        self.seen: Counter[str] = Counter()

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def net(self) -> tuple[Any, str]:
        """A NetParameter, and the phase to build it in."""
        rng = self.random
        net = NetParameter()
        phase = rng.choice(["TRAIN", "TEST"])
        wanted = rng.choice([1, 2, 3, 4, 5, 6, 8, 12])
        endangered = self.chance(0.5)
        for _ in range(rng.choice([1, 2, 2, 3])):
            self.add(net, phase, rng.choice(["Input", "Input", "Input", *sorted(SOURCES)]), 0.1)
        tries = 0
        while wanted and tries < 80:
            tries += 1
            verdict = self.add(net, phase, rng.choice(self.types), 0.4 if endangered else 0.0)
            wanted -= verdict is True
            if verdict is False:
                break
        if net.layer and self.chance(0.2):
            self.plant_defect(net)
        if self.chance(0.05):
            net.force_backward = True
        if not affordable(build(net, phase, dialect="bvlc")):
            return self.net()
        return net, phase

    def add(self, net: Any, phase: str, layer_type: str, keep_wrong: float) -> bool | None:
        """Add a layer: True if it loads, False if it was kept though the model refuses it, None if thrown away."""
        layer = net.layer.add()
        self.layer(net, layer, layer_type)
        built = build(net, phase, dialect="bvlc")
        if built.refusals:
            found = cause(layer_type, built.refusals[0])
            if affordable(built) and self.chance(keep_wrong / (1 + self.seen[found])):
                self.seen[found] += 1
                return False
            del net.layer[-1]
            return None
        if not affordable(built):
            del net.layer[-1]
            return None
        return True

    def layer(self, net: Any, layer: Any, layer_type: str) -> None:
        rng = self.random
        number = len(net.layer)
        layer.name = f"l{number}" if self.chance(0.97) else "same"
        layer.type = layer_type
        layer_class = REGISTRY[layer_type]
        made = [name for other in net.layer for name in other.top] or ["none"]
        probe = layer_class(layer, layer.name, layer_type, None, "TRAIN", [], [])
        if layer_class.block and self.chance(0.9):
            block = getattr(layer, layer_class.block)
            block.SetInParent()
            self.fill_block(block)
        if self.chance(0.1):
            self.fill_block(layer.loss_param)
        least, most, _ = probe.wanted_bottoms()
        count = rng.randint(least, min(most if most is not None else least + 2, least + 2))
        if self.chance(0.02):
            count = max(0, count + rng.choice([-1, 1]))
        recent = made[-4:]
        alike = rng.choice(recent)
        for _ in range(count):
            layer.bottom.append(alike if self.chance(0.3) else rng.choice(recent if self.chance(0.7) else made))
        least, most, _ = probe.wanted_tops()
        tops = rng.randint(least, min(most if most is not None else least + 2, least + 2))
        if layer_class.equal_counts:
            tops = count
        if layer_type == "Filter":
            tops = max(1, count - 1)
        if layer_class.auto_tops and self.chance(0.3):
            tops = 0
        if self.chance(0.02):
            tops = max(0, tops + rng.choice([-1, 1]))
        for index in range(tops):
            in_place = index < count and self.chance(0.12)
            layer.top.append(layer.bottom[index] if in_place else f"b{number}_{index}")
        if self.chance(0.01):
            layer.top.append(rng.choice(made))
        self.common_fields(layer, tops, count)

    def common_fields(self, layer: Any, tops: int, bottoms: int) -> None:
        rng = self.random
        if self.chance(0.08):
            wrong = rng.choice([-1, 1]) if self.chance(0.1) else 0
            layer.loss_weight.extend(rng.choice([0, 1, 0.5, 2]) for _ in range(max(0, tops + wrong)))
        if self.chance(0.05):
            wrong = rng.choice([-1, 1]) if self.chance(0.2) else 0
            layer.propagate_down.extend(self.chance(0.5) for _ in range(max(0, bottoms + wrong)))
        if self.chance(0.25):
            for _ in range(rng.choice([1, 1, 2, 2, 3])):
                param = layer.param.add()
                if self.chance(0.3):
                    param.name = rng.choice(["w", "v", "b"])
                if self.chance(0.6):
                    param.lr_mult = rng.choice([0, 0, 1, 2])
                if self.chance(0.4):
                    param.decay_mult = rng.choice([0, 1])
                if self.chance(0.1):
                    param.share_mode = rng.choice([0, 1])
        if self.chance(0.03):
            layer.phase = rng.choice([0, 1])
        if self.chance(0.06):
            rules = layer.include if self.chance(0.5) else layer.exclude
            rule = rules.add()
            if self.chance(0.7):
                rule.phase = rng.choice([0, 1])
            if self.chance(0.2):
                rule.min_level = rng.choice([-1, 0, 1])
            if self.chance(0.2):
                rule.max_level = rng.choice([-1, 0, 1])
            if self.chance(0.1):
                rule.not_stage.append("extra")
            if self.chance(0.1):
                layer.exclude.add().phase = 1

    def fill_block(self, block: Any) -> None:
        """Give a random choice of a parameter message's fields random values."""
        often = self.random.choice([0.1, 0.3, 0.5])
        for field in block.DESCRIPTOR.fields:
            if field.number >= FIRST_FORK_NUMBER or field.name in ("source", "debug_info", "force_nd_im2col"):
                continue
            likely = field.name in LIKELY_FIELDS or field.name in NEEDED_FIELDS
            required = field in REQUIRED
            if not required and not self.chance(
                0.95 if field.name in NEEDED_FIELDS else 0.6 if likely else often * 0.4
            ):
                continue
            value = getattr(block, field.name)
            if hasattr(value, "extend"):
                for _ in range(self.random.choice([1, 1, 1, 1, 2, 2, 3])):
                    if hasattr(value, "add"):
                        self.fill_message(value.add())
                    else:
                        value.append(self.value(field))
            elif hasattr(value, "CopyFrom"):
                self.fill_message(value)
            else:
                setattr(block, field.name, self.value(field))

    def fill_message(self, message: Any) -> None:
        message.SetInParent() if hasattr(message, "SetInParent") else None
        if message.DESCRIPTOR.full_name == FillerParameter.DESCRIPTOR.full_name:
            self.filler(message)
        elif message.DESCRIPTOR.full_name == BlobShape.DESCRIPTOR.full_name:
            self.shape(message)
        else:
            self.fill_block(message)

    def filler(self, filler: Any) -> None:
        rng = self.random
        if self.chance(0.9):
            filler.type = rng.choice(FILLERS) if self.chance(0.98) else "Xavier"
        for name, values in (
            ("value", [0, 1, -1]),
            ("min", [-1, 0, 0.5, 1]),
            ("max", [-1, 0, 1, 2]),
            ("std", [0, 0.01, 1, -1]),
            ("sparse", [-2, -1, -1, 0, 1, 3]),
            ("variance_norm", [0, 1, 2]),
        ):
            if self.chance(0.1):
                setattr(filler, name, rng.choice(values))

    def shape(self, shape: Any) -> None:
        rng = self.random
        style = rng.random()
        if style < 0.55:
            dims = [rng.choice([1, 2, 2, 3, 4]), rng.choice([1, 2, 3, 4, 6, 8])]
            side = rng.choice([1, 2, 3, 4, 5, 7, 8, 12])
            dims += [side, side if self.chance(0.8) else rng.choice([1, 2, 3, 6])]
        elif style < 0.9:
            dims = [rng.choice([1, 1, 2, 2, 3, 4, 5, 8]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5]))]
        else:
            dims = [rng.choice([-1, 0, 0, 1, 2, 3, 4, 6]) for _ in range(rng.choice([1, 2, 3, 4]))]
        if self.chance(0.005):
            dims.append(rng.choice([-1, 0, 2**31 - 1, 2**31, 2**32 + 3, 10**18]))
        if self.chance(0.002):
            dims = [1] * rng.choice([32, 33])
        shape.dim.extend(dims)

    def value(self, field: Any) -> Any:
        rng = self.random
        if field.enum_type is not None:
            return rng.choice([value.number for value in field.enum_type.values if value.number < FIRST_FORK_NUMBER])
        kind = field.cpp_type
        if kind == field.CPPTYPE_BOOL:
            return self.chance(0.5)
        if kind == field.CPPTYPE_STRING:
            return f"{rng.random()}.h5" if self.chance(0.8) else ""
        if kind in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
            return rng.choice([-2, -1, 0, 0.25, 0.5, 1, 2, 3])
        if field.name in ("num_output", "group", "tiles", "stride", "input_dim", "batch_size", "channels"):
            value = rng.choice([1, 1, 2, 2, 3, 4, 4, 6, 8])
        elif kind == field.CPPTYPE_UINT32:
            value = rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5])
        else:
            value = rng.choice([-3, -2, -1, -1, 0, 0, 1, 1, 2, 2, 3, 4])
        if self.chance(0.01):
            value = rng.choice([0, 33, 2**31 - 1])
        if self.chance(0.005) and kind == field.CPPTYPE_UINT32:
            value = 2**32 - 1
        return value

    def plant_defect(self, net: Any) -> None:
        """What people get wrong: names, order, types, double layers."""
        rng = self.random
        layer = rng.choice(list(net.layer))
        defect = rng.randrange(9)
        if defect == 0 and layer.bottom:
            layer.bottom[0] += "x"
        elif defect == 1 and layer.top:
            layer.top[0] += "x"
        elif defect == 2:
            layer.type = rng.choice([layer.type.lower(), layer.type + "2", "Normalize", ""])
        elif defect == 3:
            net.layer.add().CopyFrom(layer)
        elif defect == 4 and len(net.layer) > 1:
            del net.layer[rng.randrange(len(net.layer))]
        elif defect == 5 and len(net.layer) > 1:
            layers = list(net.layer)
            moved = LayerParameter()
            moved.CopyFrom(layers.pop(rng.randrange(len(layers))))
            layers = [LayerParameter.FromString(other.SerializePartialToString()) for other in layers]
            layers.insert(rng.randrange(len(layers) + 1), moved)
            del net.layer[:]
            net.layer.extend(layers)
        elif defect == 6:
            layer.include.add().phase = rng.choice([0, 1])
        elif defect == 7 and layer.bottom:
            layer.bottom.append(layer.bottom[0])
        elif defect == 8 and layer.top:
            layer.top.append(layer.top[0])


REQUIRED = set(ClipParameter.DESCRIPTOR.fields)
NEEDED_FIELDS = {
    "kernel_size",
    "num_output",
    "shape",
    "input_dim",
    "tiles",
    "pyramid_height",
    "min",
    "max",
    "file_name",
}
LIKELY_FIELDS = {"batch_size", "channels", "height", "width", "weight_filler", "stride", "pad", "axis"}


def affordable(built: BuiltNet) -> bool:
    """Is nothing in it so large that a real Caffe would fill the machine's memory?"""
    for layer in built.layers:
        if any(_elements(shape) > MOST_ELEMENTS for shape in layer.param_shapes or ()):
            return False
        if any(blob.shape is not None and _elements(blob.shape) > MOST_ELEMENTS for blob in layer.tops):
            return False
        wanted = getattr(layer.message, "convolution_param", None)
        if wanted is not None and wanted.num_output > MOST_ELEMENTS // 64 and wanted.num_output < 2**31 - 1:
            return False
    return True


def _elements(shape: tuple[int, ...]) -> int:
    product = 1
    for dim in shape:
        product *= dim
    return product


def to_text(net: Any) -> str:
    """The net as a prototxt that Caffe reads."""
    return text_format.MessageToString(net)
