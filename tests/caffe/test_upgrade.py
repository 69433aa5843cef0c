"""Upgrades of older formats against Caffe's own programs."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

from caffelint.caffe.refusal import Refusal
from caffelint.caffe.upgrade import (
    TRANSFORMED_TYPES,
    V0_FIELDS,
    V0_TYPES,
    V1_TYPES,
    net_generation,
    upgrade_net,
    upgrade_solver,
)
from caffelint.schema.bind import bind
from caffelint.schema.messages import NetParameter, SolverParameter, V1LayerParameter
from caffelint.text.parser import parse

SEED = int(os.environ.get("CAFFELINT_TEST_SEED", time.time()))
NETS = 60
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


def test_random_legacy_nets(caffe_exec: Callable[..., Any], tmp_path: Path) -> None:
    legacy = LegacyNets(SEED)
    wrong = []
    refused = 0
    for number in range(NETS):
        net = legacy.net()
        before = net.SerializePartialToString(deterministic=True)
        refusals: list[Refusal] = []
        upgraded = upgrade_net(net, None, refusals)
        assert net.SerializePartialToString(deterministic=True) == before
        real, log = real_upgrade(caffe_exec, "upgrade_net_proto_text", text_format.MessageToString(net), tmp_path)
        if refusals:
            refused += 1
            flat = " ".join(log.split())
            if real is not None or refusals[0].caffe not in flat:
                wrong.append(f"net {number}: {refusals[0]}, Caffe says {flat[-300:]}")
        elif real is None:
            wrong.append(f"net {number}: Caffe refuses: {log[-300:]}")
        elif upgraded != text_format.Parse(real, NetParameter()):
            wrong.append(f"net {number}: {text_format.MessageToString(upgraded)}\nCaffe says\n{real.decode()}")
    assert not wrong, f"seed {SEED}:\n" + "\n".join(wrong[:5])
    assert refused < NETS / 2


@pytest.mark.parametrize("solver_type", ["SGD", "NESTEROV", "ADAGRAD", "RMSPROP", "ADADELTA", "ADAM"])
def test_solver_types(caffe_exec: Callable[..., Any], tmp_path: Path, solver_type: str) -> None:
    text = f'net: "n.prototxt" base_lr: 0.1 solver_type: {solver_type}'
    real, _ = real_upgrade(caffe_exec, "upgrade_solver_proto_text", text, tmp_path)
    assert real is not None
    old = text_format.Parse(text, SolverParameter())
    assert upgrade_solver(old) == text_format.Parse(real, SolverParameter())
    assert old.HasField("solver_type")


def test_both_solver_types_are_refused(caffe_exec: Callable[..., Any], tmp_path: Path) -> None:
    text = 'type: "SGD" solver_type: ADAM'
    real, log = real_upgrade(caffe_exec, "upgrade_solver_proto_text", text, tmp_path)
    refusals: list[Refusal] = []
    assert upgrade_solver(text_format.Parse(text, SolverParameter()), None, refusals).type == "SGD"
    assert real is None
    assert refusals[0].caffe in log


def test_a_current_net_comes_back_itself() -> None:
    net = text_format.Parse('layer { name: "a" type: "ReLU" bottom: "x" top: "y" }', NetParameter())
    assert upgrade_net(net) is net
    assert net_generation(net) == 2
    solver = SolverParameter(type="Adam")
    assert upgrade_solver(solver) is solver


def test_every_part_knows_where_it_stems_from() -> None:
    text = """
        input: "data" input_dim: 1 input_dim: 3 input_dim: 4 input_dim: 4
        layers { bottom: "data" top: "c"
          layer { name: "c" type: "conv" num_output: 2 kernelsize: 1 blobs_lr: 1 weight_filler { type: "xavier" } } }
        """
    bound = bind(parse(text.encode()), NetParameter())
    new = upgrade_net(bound.message, bound)
    layer = new.layer[1]
    for part in (layer, layer.convolution_param, layer.convolution_param.weight_filler, layer.param[0], new.layer[0]):
        assert bound.node(part) is not None


def test_parts_stem_from_the_parts_of_the_same_name() -> None:
    filler = 'weight_filler { type: "msra" }'
    text = f'layers {{ name: "d" type: CONVOLUTION convolution_param {{ num_output: 3 {filler} }} }}'
    bound = bind(parse(text.encode()), NetParameter())
    (layer,) = upgrade_net(bound.message, bound).layer
    found = bound.origin(layer.convolution_param.weight_filler)
    assert found is not None
    assert text[found.start : found.end] == filler
    assert bound.origin(layer.convolution_param, "num_output") == bound.origin(
        bound.message.layers[0].convolution_param, "num_output"
    )
