"""All layer types that torch runs, by name, and what cannot run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.caffe.layers.loss import Loss
from caffelint.schema.tables import FIRST_FORK_NUMBER
from caffelint.smoke.torch import (  # noqa: F401  (importing a family registers its types)
    arrange,
    concat,
    convolution,
    data,
    detection,
    linear,
    loss,
    multibox,
    neuron,
    normalization,
    pooling,
    python,
    recurrent,
    reduce,
    resample,
    scale,
    volume,
)
from caffelint.smoke.torch.base import REGISTRY
from caffelint.smoke.torch.fillers import FILLERS

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer

__all__ = ["NO_CLASS", "REGISTRY", "not_runnable"]

DIFFER = "forks differ in what it computes"
NO_CLASS: dict[str, str] = {
    "BoxAnnotatorOHEM": DIFFER,
    "ClockworkRNN": DIFFER,
    "CuDNNBatchNorm": DIFFER,
    "DetectionEvaluate": "it counts what a DetectionOutput found, and has no part in training",
    "DetectionOutput": "it lists found boxes for a test, and has no part in training",
    "GRU": DIFFER,
    "GroupNorm": DIFFER,
    "HardSigmoid": DIFFER,
    "InstanceNorm": DIFFER,
    "KLDivLoss": DIFFER,
    "LargeMarginInnerProduct": DIFFER,
    "LayerNorm": DIFFER,
    "Lstm": DIFFER,
    "MarginInnerProduct": DIFFER,
    "NormalizedSigmoidCrossEntropyLoss": DIFFER,
    "Proposal": "how many regions it proposes hangs on the data",
    "ProposalTarget": "how many regions it draws hangs on the data",
    "ROIAlign": DIFFER,
    "SigmoidCrossEntropyBalanceLoss": DIFFER,
    "SmoothL1LossOHEM": DIFFER,
    "SoftmaxWithLossOHEM": DIFFER,
    "SymmetricRectify": DIFFER,
}
"""Types that caffelint knows and torch does not run, with the reason."""


def not_runnable(built: BuiltNet) -> list[tuple[BuiltLayer, str]]:
    """What of a net cannot run in torch: (layer, why), in Caffe's order. A net that Caffe refuses is not looked at."""
    found = []
    for layer in built.layers:
        why = _why_not(layer) if layer.message is not None else None
        if why is not None:
            found.append((layer, why))
    return found


def _why_not(layer: BuiltLayer) -> str | None:
    torch_class = REGISTRY.get(layer.type)
    if torch_class is None:
        return NO_CLASS.get(layer.type, f"what a {layer.type} layer computes is not known here")
    why = torch_class.why_not(layer)
    if why is None and torch_class.param_shapes(layer) is None:
        why = "the shapes of its parameters are not known before it runs"
    if why is not None:
        return _fork_fields(layer) or why
    for field, value in layer.parameters.ListFields() if layer.block else ():
        for filler in (value if field.is_repeated else [value]) if field.name.endswith("filler") else ():
            if filler.type not in FILLERS:
                return f'how a {field.name} of type "{filler.type}" fills is not known here'
    for index, flows in enumerate(layer.propagate_down):
        if flows and layer.need_backward and not _passes(layer, index):
            return f"a gradient would flow to its bottom {index}, where Caffe ends the run"
    return None


def _fork_fields(layer: BuiltLayer) -> str | None:
    """That a layer has fields whose effect is not known, which `forks.py` has left."""
    if not layer.has_fork_fields():
        return None
    names = [field.name for field, _ in layer.parameters.ListFields() if field.number >= FIRST_FORK_NUMBER]
    return f"what the {'fields' if len(names) > 1 else 'field'} {', '.join(names)} of a fork changes is not known here"


def _passes(layer: BuiltLayer, bottom: int) -> bool:
    """Has Caffe a gradient for that bottom? Of a fork's layers that is not known."""
    if layer.fork:
        return True
    if isinstance(layer, Loss):
        return bottom in layer.differentiable
    return layer.passes_gradient(bottom) is not False
