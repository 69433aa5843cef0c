"""Why nothing may learn: what passes no gradient on, and when a loss is 0."""

from __future__ import annotations

from caffelint.lint import CERTAIN, LIKELY, CauseKind
from caffelint.smoke.rule import BLOB, DATA, Run, Statistics

from ._learning import is_zero

ENDS = {
    "Softmax": "it is saturated: one probability is 1 and all others 0; scores lie too far apart, or it is followed by"
    " a loss that has its own softmax",
    "Sigmoid": "it is saturated at 0 and 1: scale what it reads down",
    "TanH": "it is saturated at -1 and 1: scale what it reads down",
    "SoftmaxWithLoss": "every label may be ignored, or be right with a probability of exactly 1",
    "Threshold": "a step has no gradient",
    "Dropout": "it drops everything: dropout_ratio is the share that is dropped",
    "Scale": "its scale is 0",
}
"""Why a type passes no gradient on."""
NOT_SURE = frozenset(["Softmax", "SoftmaxWithLoss"])


def why_nothing(run: Run) -> tuple[CauseKind, str]:
    if not run.loss_layers:
        return "loss-weight", "no top of the TRAIN net has a loss weight"
    params = [param for layer in run.built[0].layers for param in layer.params or () if param.lr_mult]
    if not params:
        return "lr-mult", "every lr_mult is 0"
    return "layer", "no gradient gets from the loss to a parameter: look at propagate_down"


def why_zero(run: Run) -> tuple[str, str]:
    """Why a loss may be 0 all the time, the surest first, and how sure that is."""
    for layer in run.loss_layers:
        scores = layer.bottoms[0].shape if layer.bottoms else None
        if layer.type == "SoftmaxWithLoss" and scores and len(scores) > 1 and scores[1] == 1:
            why = f'"{layer.name}" chooses from a single class: give the layer before it one output for each class'
            return why, CERTAIN
        if layer.type == "SoftmaxWithLoss" and layer.message.loss_param.HasField("ignore_label"):
            return f"ignore_label {layer.message.loss_param.ignore_label} may be every label that comes", LIKELY
        if layer.type == "ContrastiveLoss":
            margin = layer.message.contrastive_loss_param.margin
            return f"all pairs are further apart than the margin, {margin:g}, or the same: raise the margin", LIKELY
        if layer.type == "HingeLoss":
            return "every margin is kept", CERTAIN
    return "the loss may have no weight, or what it compares be the same", LIKELY


def gives_zero(run: Run, event: Statistics, at: int) -> str:
    """The layer, where the event says that all it gives in that iteration is 0."""
    if (event.iteration, event.kind, event.part) != (at, BLOB, DATA) or not is_zero(event):
        return ""
    layer = run.layer(event.layer)
    return event.layer if layer and layer.bottoms and layer.need_backward and not layer.is_loss else ""
