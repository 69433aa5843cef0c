"""Twenty iterations from the same weights on the same data have the losses of a real Caffe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from google.protobuf import text_format

from caffelint.caffe.build import build
from caffelint.caffe.upgrade import upgrade_net, upgrade_solver
from caffelint.schema import NetParameter, SolverParameter
from caffelint.smoke.torch.net import TorchNet
from caffelint.smoke.torch.solver import make_solver

HERE = Path(__file__).parent
CLASSES = 4


def ip(name: str, bottom: str, top: str, outputs: int, more: str = "") -> str:
    return (
        f'layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{top}" {more}'
        f' inner_product_param {{ num_output: {outputs} weight_filler {{ type: "xavier" }} }} }}'
    )


CONVOLUTIONAL = f"""
layer {{ name: "data" type: "Input" top: "data" top: "label"
  input_param {{ shape {{ dim: 6 dim: 2 dim: 9 dim: 9 }} shape {{ dim: 6 }} }} }}
layer {{ name: "conv" type: "Convolution" bottom: "data" top: "conv" param {{ lr_mult: 1 }} param {{ lr_mult: 2 }}
  convolution_param {{ num_output: 5 kernel_size: 3 stride: 2 weight_filler {{ type: "msra" }} }} }}
layer {{ name: "relu" type: "ReLU" bottom: "conv" top: "conv" }}
layer {{ name: "pool" type: "Pooling" bottom: "conv" top: "pool" pooling_param {{ pool: AVE kernel_size: 2 }} }}
{ip("frozen", "pool", "frozen", 12, "param { lr_mult: 0 } param { lr_mult: 0 }")}
layer {{ name: "tanh" type: "TanH" bottom: "frozen" top: "tanh" }}
{ip("ip", "tanh", "ip", CLASSES, "param { lr_mult: 1 decay_mult: 1 } param { lr_mult: 2 decay_mult: 0 }")}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""

SHARED = 'param { name: "w" lr_mult: 1 } param { name: "b" lr_mult: 2 }'
SIAMESE = f"""
layer {{ name: "data" type: "Input" top: "left" top: "right" top: "label"
  input_param {{ shape {{ dim: 6 dim: 7 }} shape {{ dim: 6 dim: 7 }} shape {{ dim: 6 }} }} }}
{ip("a", "left", "a", 5, SHARED)}
{ip("b", "right", "b", 5, SHARED)}
layer {{ name: "difference" type: "Eltwise" bottom: "a" bottom: "b" top: "d" eltwise_param {{ coeff: 1 coeff: -1 }} }}
{ip("ip", "d", "ip", CLASSES)}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
{ip("aux", "a", "aux", CLASSES)}
layer {{ name: "loss2" type: "SoftmaxWithLoss" bottom: "aux" bottom: "label" top: "loss2" loss_weight: 0.3 }}
"""

NORMALIZED = f"""
layer {{ name: "data" type: "Input" top: "data" top: "label"
  input_param {{ shape {{ dim: 8 dim: 2 dim: 8 dim: 8 }} shape {{ dim: 8 }} }} }}
layer {{ name: "conv1" type: "Convolution" bottom: "data" top: "conv1"
  convolution_param {{ num_output: 6 kernel_size: 3 pad: 1 bias_term: false weight_filler {{ type: "msra" }} }} }}
layer {{ name: "bn1" type: "BatchNorm" bottom: "conv1" top: "bn1" }}
layer {{ name: "scale1" type: "Scale" bottom: "bn1" top: "bn1" scale_param {{ bias_term: true }} }}
layer {{ name: "relu1" type: "ReLU" bottom: "bn1" top: "bn1" }}
layer {{ name: "conv2" type: "Convolution" bottom: "bn1" top: "conv2"
  convolution_param {{ num_output: 6 kernel_size: 3 pad: 1 weight_filler {{ type: "msra" }} }} }}
layer {{ name: "sum" type: "Eltwise" bottom: "bn1" bottom: "conv2" top: "sum" }}
layer {{ name: "pool" type: "Pooling" bottom: "sum" top: "pool"
  pooling_param {{ pool: MAX kernel_size: 3 stride: 2 }} }}
{ip("ip", "pool", "ip", CLASSES)}
layer {{ name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }}
"""
NETS = {"convolutional": CONVOLUTIONAL, "siamese": SIAMESE, "normalized": NORMALIZED}

TYPES = {
    "SGD": "base_lr: 0.05 momentum: 0.9 weight_decay: 0.001",
    "Nesterov": "base_lr: 0.05 momentum: 0.9 weight_decay: 0.001",
    "AdaGrad": "base_lr: 0.05",
    "RMSProp": "base_lr: 0.01 rms_decay: 0.9",
    "AdaDelta": "base_lr: 1 momentum: 0.95 delta: 1e-6 weight_decay: 0.001",
    "Adam": "base_lr: 0.01 momentum: 0.9 weight_decay: 0.001",
}
POLICIES = [
    'lr_policy: "fixed"',
    'lr_policy: "step" gamma: 0.5 stepsize: 6',
    'lr_policy: "exp" gamma: 0.9',
    'lr_policy: "inv" gamma: 0.1 power: 0.75',
    'lr_policy: "multistep" gamma: 0.3 stepvalue: 5 stepvalue: 9',
    'lr_policy: "poly" power: 0.9 max_iter: 21',
    'lr_policy: "sigmoid" gamma: 0.7 stepsize: 6',
]
FURTHER = [
    "base_lr: 0.05 momentum: 0.9 iter_size: 3",
    "base_lr: 0.05 momentum: 0.9 clip_gradients: 0.3 iter_size: 2",
    'base_lr: 0.05 momentum: 0.5 weight_decay: 0.02 regularization_type: "L1"',
]


def cases() -> list[tuple[str, str, int]]:
    """Net, solver, iterations: each solver with each policy on one net, and with one policy on the others."""
    crossed = [
        ("convolutional", f'type: "{kind}" {own} {policy}', 20) for kind, own in TYPES.items() for policy in POLICIES
    ]
    others = [
        (net, f'type: "{kind}" {own} {POLICIES[0]}', 20)
        for net in ("siamese", "normalized")
        for kind, own in TYPES.items()
    ]
    return crossed + others + [(net, f"{text} {POLICIES[0]}", 20) for net in NETS for text in FURTHER]


def read(solver: str) -> Any:
    return upgrade_solver(text_format.Parse(solver, SolverParameter()))


@pytest.fixture(scope="module")
def recorded(caffe_python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("training")
    jobs = [
        {
            "solver": solver,
            "net": NETS[net],
            "iterations": iterations,
            "classes": CLASSES,
            "iter_size": read(solver).iter_size,
        }
        for net, solver, iterations in cases()
    ]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    command = [caffe_python, HERE / "train_with_caffe.py", folder / "jobs.json", folder / "out.npz"]
    subprocess.run(command, check=True, timeout=300)
    return dict(np.load(folder / "out.npz"))


def losses(
    net_text: str, solver_text: str, iterations: int, record: dict[str, Any], prefix: str
) -> tuple[Any, TorchNet]:
    message = read(solver_text)
    net = TorchNet(build(upgrade_net(text_format.Parse(net_text, NetParameter())), "TRAIN"))
    with torch.no_grad():
        for index, param in enumerate(net.params):
            param.data.copy_(torch.from_numpy(record[f"{prefix}/initial/{index}"]))
    solver = make_solver(message, net.params)
    names = [blob.name for layer in net.built.layers if layer.type == "Input" for blob in layer.tops]
    found = []
    passes = 0
    for _ in range(iterations):
        total = 0.0
        for _ in range(message.iter_size):
            net.forward({name: torch.from_numpy(record[f"{prefix}/inputs/{passes}/{name}"]) for name in names})
            net.backward()
            total += float(net.loss)
            passes += 1
        found.append(total / message.iter_size)
        solver.step([param.data.grad for param in net.params])
        net.clear_gradients()
    return np.array(found), net


def test_losses_are_those_of_caffe(recorded: dict[str, Any]) -> None:
    wrong = []
    for number, (net, solver, iterations) in enumerate(cases()):
        ours, _ = losses(NETS[net], solver, iterations, recorded, str(number))
        theirs = recorded[f"{number}/losses"]
        apart = np.abs(ours - theirs).max() / np.abs(theirs).max()
        assert theirs[-1] != theirs[0]
        if not apart <= 1e-5:
            wrong.append((net, solver, apart))
    assert wrong == []


def test_parameters_are_those_of_caffe(recorded: dict[str, Any]) -> None:
    """Shared ones once, frozen ones as they were, running statistics of BatchNorm among them."""
    for number, (name, solver, iterations) in enumerate(cases()):
        if solver.startswith('type: "SGD"') and "fixed" in solver:
            _, net = losses(NETS[name], solver, iterations, recorded, str(number))
            for index, param in enumerate(net.params):
                theirs = recorded[f"{number}/final/{index}"]
                assert param.data.detach().numpy() == pytest.approx(theirs, rel=1e-2, abs=1e-3), (name, index)
            assert f"{number}/final/{len(net.params)}" not in recorded
