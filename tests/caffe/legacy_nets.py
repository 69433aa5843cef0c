"""Random nets of older formats, and what Caffe's own programs make of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from caffelint.caffe.old_formats import TRANSFORMED_TYPES, V0_FIELDS, V0_TYPES, V1_TYPES
from caffelint.schema.messages import NetParameter, V1LayerParameter

FIRST_FORK_NUMBER = 10_000


class LegacyNets:
    """Random nets of generations 0 and 1, or 2 with old inputs and BatchNorm parameters."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def net(self) -> Any:
        net = NetParameter()
        if self.chance(0.5):
            net.name = "net"
        self.inputs(net)
        generation = self.random.choice([0, 1, 1, 2])
        for number in range(self.random.choice([1, 2, 4])):
            (self.v0_layer, self.v1_layer, self.v2_layer)[generation](net, number)
        if self.chance(0.1):
            net.force_backward = True
        if self.chance(0.1):
            net.state.stage.append("s")
        if self.chance(0.05):
            net.layer.add(name="extra", type="ReLU")
        return net

    def inputs(self, net: Any) -> None:
        count = self.random.choice([0, 0, 1, 2])
        net.input.extend(f"in{i}" for i in range(count))
        style = self.random.choice(["dim", "shape", "none"])
        if style == "dim":
            net.input_dim.extend(self.random.choice([1, 3, 8]) for _ in range(4 * count))
        elif style == "shape":
            for _ in range(count):
                net.input_shape.add().dim.extend([1, 2])

    def v0_layer(self, net: Any, number: int) -> None:
        rng = self.random
        connection = net.layers.add()
        if self.chance(0.05):
            self.ends(net, connection, number)
            return
        old = connection.layer
        old.name = f"l{number}"
        if self.chance(0.95):
            old.type = rng.choice([*V0_TYPES, "conv", "pool", "padding", "padding"]) if self.chance(0.97) else "odd"
        self.ends(net, connection, number)
        for field in old.DESCRIPTOR.fields:
            if field.number >= FIRST_FORK_NUMBER or field.name in ("name", "type", "blobs"):
                continue
            if old.type in V0_FIELDS.get(field.name, ()) and self.chance(0.5) or self.chance(0.05):
                self.fill(old, field)

    def ends(self, net: Any, layer: Any, number: int) -> None:
        made = [*net.input, *(top for other in net.layers for top in other.top)]
        if made and self.chance(0.9):
            layer.bottom.append(made[-1] if self.chance(0.8) else self.random.choice(made))
        if self.chance(0.03):
            layer.bottom.append("unknown")
        layer.top.append(f"b{number}")

    def v1_layer(self, net: Any, number: int) -> None:
        layer = net.layers.add()
        if self.chance(0.95):
            layer.type = V1LayerParameter.LayerType.Value(self.random.choice([*V1_TYPES, *TRANSFORMED_TYPES]))
        for field in layer.DESCRIPTOR.fields:
            if field.number < FIRST_FORK_NUMBER and field.name not in ("type", "layer", "blobs") and self.chance(0.15):
                self.fill(layer, field)
        block = TRANSFORMED_TYPES.get(V1LayerParameter.LayerType.Name(layer.type))
        if block and self.chance(0.7):
            getattr(layer, block).scale = 0.5

    def v2_layer(self, net: Any, number: int) -> None:
        layer = net.layer.add(name=f"l{number}", type=self.random.choice(["BatchNorm", "ReLU"]))
        for _ in range(self.random.choice([0, 2, 3, 3, 4])):
            layer.param.add(lr_mult=self.random.choice([0, 1]))

    def fill(self, message: Any, field: Any) -> None:
        value = getattr(message, field.name)
        if hasattr(value, "extend"):
            for _ in range(self.random.choice([1, 2, 3])):
                if field.message_type is not None:
                    self.fill_message(value.add())
                else:
                    value.append(self.value(field))
        elif field.message_type is not None:
            value.SetInParent()
            self.fill_message(value)
        else:
            setattr(message, field.name, self.value(field))

    def fill_message(self, message: Any) -> None:
        for field in message.DESCRIPTOR.fields:
            if field.number < FIRST_FORK_NUMBER and self.chance(0.3):
                self.fill(message, field)

    def value(self, field: Any) -> Any:
        if field.enum_type is not None:
            return self.random.choice([v.number for v in field.enum_type.values if v.number < FIRST_FORK_NUMBER])
        if field.cpp_type == field.CPPTYPE_STRING:
            return self.random.choice(["a", "b"])
        if field.cpp_type == field.CPPTYPE_BOOL:
            return self.chance(0.5)
        return self.random.choice([0, 1, 2, 3])


def real_upgrade(run: Callable[..., Any], program: str, text: str, folder: Path) -> tuple[bytes | None, str]:
    """What Caffe's program makes of the text, None where it refuses, and its log."""
    source, target = folder / "old.prototxt", folder / "new.prototxt"
    source.write_text(text)
    target.unlink(missing_ok=True)
    log = run(program, source, target).stderr.decode("utf8", "replace")
    return (target.read_bytes() if target.exists() else None), log
