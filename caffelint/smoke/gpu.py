"""What of a project asks for a GPU."""

from __future__ import annotations

from typing import Any

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.solver import Solver

_GPU, _CUDNN = 1, 2


def asks_for_gpu(solver: Solver, built: BuiltNet) -> list[BuiltLayer | Solver]:
    """The solver if its text has solver_mode: GPU, and the layers that name an engine that only a GPU has.

    Without solver_mode `caffe train` takes the CPU (tools/caffe.cpp, train).
    """
    asking: list[BuiltLayer | Solver] = []
    if solver.has("solver_mode") and solver.message.solver_mode == _GPU:
        asking.append(solver)
    return asking + [layer for layer in built.layers if wants_cudnn(layer)]


def wants_cudnn(layer: BuiltLayer) -> bool:
    """Does it name the engine CUDNN? A Caffe without it refuses the layer (layer_factory.cpp)."""
    if layer.message is None or not layer.block or not layer.has_setting("engine"):
        return False
    block: Any = getattr(layer.message, layer.block)
    return bool(block.HasField("engine") and block.engine == _CUDNN)
