"""Upgrades of older formats against Caffe's own programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format
from legacy_nets import LegacyNets, real_upgrade
from seeds import SEED, draws

from caffelint.caffe.refusal import Refusal
from caffelint.caffe.upgrade import net_generation, upgrade_net, upgrade_solver
from caffelint.schema.bind import bind
from caffelint.schema.messages import NetParameter, SolverParameter
from caffelint.text.parser import parse

NETS = draws(60, 1000)


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
