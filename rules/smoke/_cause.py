"""Why the updates of a run were too large: what multiplies them, from the surest cause to the likeliest."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import CERTAIN, LIKELY, Cause, CauseKind, Place, Suggested, title
from caffelint.smoke.rule import BLOB, DATA, PARAM, BuiltLayer, Run

from ._learning import first_ratios, is_zero, size, weights
from ._loss import begins, chance
from ._numbers import number

_ADAPTIVE = ("AdaGrad", "RMSProp", "Adam", "AdaDelta")
_RISES = 3.0
_MULTIPLIES = 50.0
_USUAL = 0.01
_LARGE_INPUT = 30.0
_BAD_FROM_THE_START = 3.0
_RULES = (
    "high-base-lr",
    "dense-loss-unnormalized",
    "learning-rate-grows",
    "unscaled-input",
    "suspicious-loss-weight",
)


def too_large(run: Run, after: int | None = None) -> Cause:
    """The likeliest cause of updates that are too large. after: the iteration that broke, None for the last."""
    return next(_causes(run, after))


def _cause(
    run: Run,
    kind: CauseKind,
    why: str,
    place: Place,
    certainty: str = CERTAIN,
    suggested: Suggested | None = None,
    rules: tuple[str, ...] = _RULES,
) -> Cause:
    """Why it happened; what happened is for the finding to say. rules: those of the text that say the same."""
    return Cause(kind, "", why, certainty, place, run.known(rules=rules), suggested)


def _causes(run: Run, after: int | None) -> Iterator[Cause]:
    message, solver = run.solver.message, run.solver
    if message.iter_size < 1:
        better = Suggested("iter_size", 1)
        text = f"iter_size {message.iter_size} makes the update divide 0 by 0; set {better.text}"
        yield _cause(run, "iter-size", text, solver.at("iter_size"), suggested=better)
    if message.momentum >= 1 and solver.type not in ("AdaGrad", "RMSProp"):
        what = "divides by 1 - momentum^t = 0" if solver.type == "Adam" else "lets updates grow without end"
        better = Suggested("momentum", 0.9)
        text = f"momentum {message.momentum:g} {what}; try {better.text}"
        yield _cause(run, "momentum", text, solver.at("momentum"), suggested=better)
    if solver.type == "Adam" and message.momentum2 >= 1:
        better = Suggested("momentum2", 0.999)
        text = f"momentum2 {message.momentum2:g} makes Adam divide 0 by 0; try {better.text}"
        yield _cause(run, "momentum", text, solver.at("momentum2"), suggested=better)
    if solver.type in _ADAPTIVE and message.delta <= 0 and any(is_zero(one.gradient) for one in weights(run)):
        text = f"{solver.type} divides by sqrt(history) + delta, and delta {message.delta:g} does not keep that above 0"
        yield _cause(run, "delta", text, solver.at("delta"))
    yield from _sign(run)
    yield from _decay(run)
    if (blank := blank_statistics(run)) is not None:
        yield blank
    used = [event.rate for event in run.iterations if after is None or event.iteration < max(after, 1)]
    if used and abs(used[-1]) > _RISES * abs(used[0]) > 0:
        text = f"the rate rises from {number(used[0])} to {number(used[-1])}; use a schedule that lowers it"
        yield _cause(run, "schedule", text, solver.at("lr_policy"))
    for layer in run.loss_layers:
        weight = max(map(abs, layer.loss_weights), default=1)
        if weight >= _MULTIPLIES and weight * _loss_of(run, layer.tops[0].name) >= _MULTIPLIES:
            text = f"loss_weight {weight:g} multiplies every gradient and is most likely too high"
            yield _cause(run, "loss-weight", text, run.place(layer.name, 0, "loss_weight"), LIKELY)
    ratios = first_ratios(run)
    largest = max(ratios, key=lambda layer: ratios[layer], default="")
    layer_of = run.layer(largest)
    if layer_of is not None and layer_of.params and layer_of.params[0].lr_mult >= _MULTIPLIES:
        mult = layer_of.params[0].lr_mult
        text = f"lr_mult {mult:g} multiplies the rate of {title(layer_of)} and is most likely too high"
        yield _cause(run, "lr-mult", text, run.place(largest, 0, "param", 0, "lr_mult"), LIKELY)
    rate = _rate(run, max(ratios.values(), default=0.0))
    start = bad_start(run, rate.suggested)
    if start is not None:
        yield start
    yield rate


def _sign(run: Run) -> Iterator[Cause]:
    """A loss whose weight is negative grows without end, whatever the rate."""
    for layer in run.loss_layers:
        weight = layer.loss_weights[0]
        if weight < 0 and layer.never_negative:
            yield _cause(
                run,
                "loss-weight",
                f"loss_weight {weight:g} makes the loss of {title(layer)} grow, whatever the rate; remove the"
                " minus sign",
                run.place(layer.name, 0, "loss_weight"),
                rules=("suspicious-loss-weight",),
            )


def bad_start(run: Run, better: Suggested | None) -> Cause | None:
    """A loss far above chance before any update: the input or the first weights are too large, not the rate.

    better: the rate that would do for the input as it is.
    """
    first, near = begins(run), chance(run)
    if near is None or not first > _BAD_FROM_THE_START * near > 0:
        return None
    text = f"the loss is {number(first)} before any update, but chance gives {number(near)}"
    layer = _large_input(run)
    if layer is None:
        text += ", so the rate is not the cause; scale the input or the fillers down"
        return _cause(run, "start", text, run.nets[0].at(), LIKELY)
    found = run.statistics(-1, layer.name, BLOB, layer.tops[0].name, DATA)
    assert found is not None
    text += f': "{layer.tops[0].name}" holds {number(found.min)} to {number(found.max)}; scale it to about 1'
    scaled = None
    largest = max(abs(found.min), abs(found.max))
    if layer.transforms and layer.message.transform_param.scale == 1 and 0 < largest < math.inf:
        scaled = Suggested("scale", 2.0 ** -math.ceil(math.log2(largest)), layer.name)
        text += f" with transform_param {{ {scaled.text} }}"
    text += f", or try {better.text}" if better else ""
    return _cause(run, "input-scale", text, run.place(layer.name), LIKELY, scaled, ("unscaled-input",))


def _decay(run: Run) -> Iterator[Cause]:
    """Weight decay that overshoots: L2 subtracts rate * decay of each weight, L1 rate * decay from each."""
    message = run.solver.message
    rate = max((abs(event.rate) for event in run.iterations[:5] if math.isfinite(event.rate)), default=0.0)
    taken = rate * abs(message.weight_decay)
    built_up = ""
    if 0 < message.momentum < 1:
        built_up = f" once momentum {message.momentum:g} has built up"
    if message.momentum < 1:
        taken /= 1 - max(message.momentum, 0)
    sizes = [size(one.data) for one in weights(run) if one.data is not None and size(one.data) > 0]
    better = Suggested("weight_decay", 0.0005)
    text = ""
    if message.regularization_type == "L1":
        if sizes and taken > 2 * max(sizes):
            text = f"subtracts {number(taken)} from every weight in an update, more than the weights themselves"
    elif taken > 2:
        text = f"subtracts {number(taken)} times each weight in an update{built_up}, so it overshoots"
    if text:
        yield _cause(
            run,
            "weight-decay",
            f"weight_decay {message.weight_decay:g} {text}; try {better.text}",
            run.solver.at("weight_decay"),
            suggested=better,
            rules=("weight-decay-out-of-range",),
        )


def _rate(run: Run, ratio: float) -> Cause:
    share = min(0.1, _USUAL / ratio) if ratio > 0 else 0.1
    rate = float(f"{run.solver.message.base_lr * share:.1g}")
    # One suggestion is easier to believe than two that nearly agree.
    rate = min([rate, *(one.value for one in run.suggested("high-base-lr") if one.value >= rate / 10)])
    better = Suggested("base_lr", rate)
    text = f"{run.rate_text} is most likely too high; try {better.text}"
    if layer := _large_input(run):
        top = layer.tops[0].name
        found = run.statistics(-1, layer.name, BLOB, top, DATA)
        assert found is not None
        text += f', or scale the input to about 1 ("{top}" holds {number(found.min)} to {number(found.max)})'
    return _cause(run, "rate", text, run.solver.at("base_lr"), LIKELY, better)


def _large_input(run: Run) -> BuiltLayer | None:
    """The layer without bottoms whose first top is large and read by weights."""
    for layer in run.built[0].layers:
        if layer.bottoms or not layer.tops:
            continue
        top = layer.tops[0]
        found = run.statistics(-1, layer.name, BLOB, top.name, DATA)
        read = any(_has_weights(reader) for reader, _ in top.consumers)
        if found is not None and size(found) > _LARGE_INPUT and read:
            return layer
    return None


def _has_weights(layer: object) -> bool:
    params = getattr(layer, "params", None)
    tops = getattr(layer, "tops", ())
    inserted = getattr(layer, "index", 0) is None
    return bool(params) or (inserted and any(_has_weights(reader) for top in tops for reader, _ in top.consumers))


def _loss_of(run: Run, name: str) -> float:
    return next((abs(event.losses.get(name, 1.0)) for event in run.started), 1.0)


def blank_statistics(run: Run) -> Cause | None:
    """A BatchNorm of the TRAIN net that normalises with stored statistics that are all 0."""
    blank = [
        layer
        for layer in run.built[0].layers
        if layer.type == "BatchNorm"
        and layer.parameters.use_global_stats
        and (found := run.statistics(-1, layer.name, PARAM, 2, DATA)) is not None
        and found.max == 0
    ]
    if not blank:
        return None
    more = f" and {len(blank) - 1} more" if len(blank) > 1 else ""
    return _cause(
        run,
        "statistics",
        f"{title(blank[0])}{more}: use_global_stats: true without trained statistics divides by sqrt(eps), which"
        " multiplies by 316; remove it in TRAIN, or load weights",
        run.place(blank[0].name, 0, "batch_norm_param", "use_global_stats"),
    )
