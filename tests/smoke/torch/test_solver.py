"""Updates are a real Caffe's: every solver and policy, decay, clipping, multipliers, on the same gradients."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from google.protobuf import text_format

from caffelint.caffe.upgrade import upgrade_solver
from caffelint.schema import SolverParameter
from caffelint.smoke.torch.solver import SOLVERS, Solver, make_solver, refusal

HERE = Path(__file__).parent
ITERATIONS = 12

NET = """
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 2 dim: 5 } } }
layer { name: "a" type: "InnerProduct" bottom: "data" top: "a" param { lr_mult: 1 } param { lr_mult: 2 decay_mult: 0 }
  inner_product_param { num_output: 7 weight_filler { type: "xavier" } bias_filler { type: "uniform" } } }
layer { name: "b" type: "InnerProduct" bottom: "a" top: "b" param { lr_mult: 0 } param { lr_mult: 0.3 decay_mult: 3 }
  inner_product_param { num_output: 3 weight_filler { type: "xavier" } } }
layer { name: "loss" type: "EuclideanLoss" bottom: "b" bottom: "b" top: "loss" }
"""
MULTIPLIERS = [(1, 1), (2, 0), (0, 1), (0.3, 3)]

TYPES = {
    "SGD": "momentum: 0.9",
    "Nesterov": "momentum: 0.9",
    "AdaGrad": "delta: 1e-6",
    "RMSProp": "rms_decay: 0.95",
    "AdaDelta": "momentum: 0.95 delta: 1e-6",
    "Adam": "momentum: 0.9 momentum2: 0.999",
}
POLICIES = [
    'lr_policy: "fixed"',
    'lr_policy: "step" gamma: 0.5 stepsize: 4',
    'lr_policy: "exp" gamma: 0.9',
    'lr_policy: "inv" gamma: 0.1 power: 0.75',
    'lr_policy: "multistep" gamma: 0.3 stepvalue: 3 stepvalue: 5',
    'lr_policy: "poly" power: 0.9 max_iter: 14',
    'lr_policy: "sigmoid" gamma: 0.7 stepsize: 6',
]
FURTHER = [
    "momentum: 0.5 weight_decay: 0.05",
    'momentum: 0.5 weight_decay: 0.05 regularization_type: "L1"',
    "clip_gradients: 0.5 weight_decay: 0.01",
    "clip_gradients: 1e6",
    "clip_gradients: 0 momentum: 0.9",
    "iter_size: 4 clip_gradients: 2 weight_decay: 0.01",
    "iter_size: 3",
    "momentum: 1.5",
    'type: "Adam" momentum: 0.9',
    'type: "Adam" weight_decay: 0.1 iter_size: 2 delta: 0.1',
    'type: "Nesterov" weight_decay: 0.1',
    'type: "AdaDelta" delta: 0.1 weight_decay: 0.2',
    'type: "AdaDelta" momentum: 0.9 delta: 0',
    'type: "AdaGrad" delta: 0',
    'type: "RMSProp" delta: 0 weight_decay: 0.1',
    'type: "Adam" momentum: 0.9 delta: 0',
    "solver_type: RMSPROP rms_decay: 0.5",
]


def solvers() -> list[str]:
    crossed = [f'type: "{kind}" {own} {policy}' for kind, own in TYPES.items() for policy in POLICIES]
    return [f"base_lr: 0.05 {text}" for text in crossed + [f'lr_policy: "fixed" {text}' for text in FURTHER]]


class Parameter(NamedTuple):
    data: torch.Tensor
    lr_mult: float
    decay_mult: float


def read(text: str) -> Any:
    return upgrade_solver(text_format.Parse(text, SolverParameter()))


@pytest.fixture(scope="module")
def recorded(caffe_python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("updates")
    jobs = [{"solver": text, "net": NET, "iterations": ITERATIONS, "gradients": True} for text in solvers()]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    command = [caffe_python, HERE / "train_with_caffe.py", folder / "jobs.json", folder / "out.npz"]
    subprocess.run(command, check=True, timeout=300)
    return dict(np.load(folder / "out.npz"))


def of(recorded: dict[str, Any], prefix: str) -> list[torch.Tensor]:
    return [torch.tensor(recorded[f"{prefix}/{index}"]) for index in range(len(MULTIPLIERS))]


def test_updates_are_those_of_caffe(recorded: dict[str, Any]) -> None:
    """Not finite where Caffe's is not; a CPU's BLAS hides a nan behind a factor of 0, so frozen values may differ."""
    wrong = []
    for number, text in enumerate(solvers()):
        ours = [
            Parameter(data, *multipliers)
            for data, multipliers in zip(of(recorded, f"{number}/initial"), MULTIPLIERS, strict=True)
        ]
        solver = make_solver(read(text), ours)
        for iteration in range(ITERATIONS):
            solver.step(of(recorded, f"{number}/gradients/{iteration}"))
            theirs = of(recorded, f"{number}/params/{iteration}")
            for index, (our, their) in enumerate(zip(ours, theirs, strict=True)):
                if our.lr_mult and not torch.allclose(our.data, their, rtol=2e-5, atol=1e-6, equal_nan=True):
                    wrong.append((text, iteration, index, (our.data - their).abs().max().item()))
    assert wrong == []


def test_no_gradient_is_a_gradient_of_zeros() -> None:
    """Weight decay moves a parameter that no gradient reaches."""
    parameter = Parameter(torch.ones(3), 1, 1)
    make_solver(read('base_lr: 0.1 lr_policy: "fixed" weight_decay: 0.5'), [parameter]).step([None])
    assert parameter.data.tolist() == pytest.approx([0.95] * 3)


def test_a_rate_that_is_not_finite_spoils_frozen_parameters_too() -> None:
    frozen = Parameter(torch.ones(3), 0, 1)
    solver = make_solver(read('base_lr: 0.1 lr_policy: "poly" power: 0.5'), [frozen])
    assert math.isnan(solver.rate)
    solver.step([None])
    assert frozen.data.isnan().all()


def test_a_delta_of_zero_spoils_what_gets_no_gradient() -> None:
    for kind in ("AdaGrad", "RMSProp", "Adam"):
        frozen = Parameter(torch.ones(3), 0, 1)
        solver = make_solver(read(f'base_lr: 0.1 lr_policy: "fixed" delta: 0 type: "{kind}"'), [frozen])
        solver.step([None])
        assert frozen.data.isnan().all(), kind


def test_an_iter_size_of_zero_divides_by_it() -> None:
    parameter = Parameter(torch.ones(3), 1, 1)
    make_solver(read('base_lr: 0.1 lr_policy: "fixed" iter_size: 0'), [parameter]).step([None])
    assert parameter.data.isnan().all()


def test_updates_are_reported() -> None:
    moving, frozen = Parameter(torch.ones(3), 1, 1), Parameter(torch.ones(2), 0, 1)
    solver: Solver = make_solver(read('base_lr: 0.1 lr_policy: "fixed"'), [moving, frozen])
    solver.step([torch.full((3,), 2.0), None])
    assert list(solver.updates) == [0]
    assert solver.updates[0].tolist() == pytest.approx([0.2] * 3)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('type: "Adagrad" lr_policy: "fixed"', "type"),
        ('type: "AdaGrad" momentum: 0.9 lr_policy: "fixed"', "momentum"),
        ('type: "RMSProp" rms_decay: 1 lr_policy: "fixed"', "rms_decay"),
        ('regularization_type: "l2" weight_decay: 0.1 lr_policy: "fixed"', "regularization_type"),
        ('lr_policy: "steps"', "lr_policy"),
    ],
)
def test_what_cannot_run_is_reported_before(text: str, field: str) -> None:
    found = refusal(read(text))
    assert found is not None
    assert found[0] == field


def test_all_solvers_run() -> None:
    assert sorted(SOLVERS) == sorted(TYPES)
    assert [text for text in solvers() if refusal(read(text))] == []
