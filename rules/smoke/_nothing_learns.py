"""Why no parameter of a net could learn."""

from __future__ import annotations

from caffelint.lint import CauseKind, Place, title
from caffelint.smoke.rule import Run


def nothing_to_learn(run: Run) -> tuple[CauseKind, str, Place]:
    """Why no parameter of the TRAIN net could learn, and where."""
    whole = run.nets[0].at()
    if not run.loss_layers:
        return "loss-weight", "no top of the TRAIN net has a loss weight", whole
    params = [param for layer in run.built[0].layers for param in layer.params or () if param.lr_mult]
    if not params:
        frozen = [
            one for one in run.built[0].layers if one.has_weights and one.message is not None and one.message.param
        ]
        place = run.place(frozen[-1].name, 0, "param", 0, "lr_mult") if frozen else whole
        return "lr-mult", "every lr_mult is 0; set lr_mult: 1 in each layer that is to learn", place
    why = "no gradient gets from the loss to a parameter"
    written = [one for one in run.built[0].layers if one.message is not None and False in one.message.propagate_down]
    if not written:
        return "layer", f"{why}; check propagate_down", whole
    stop = written[-1]
    place = run.place(stop.name, 0, "propagate_down", list(stop.message.propagate_down).index(False))
    return "layer", f"{why}, because {title(stop)} has propagate_down: false; remove it", place
