from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    LIKELY,
    WARNING,
    Cause,
    Finding,
    Fix,
    Invalid,
    NamedTuple,
    Net,
    ProjectRule,
    Solver,
    Suggested,
    replace,
    title,
)
from caffelint.lint.numerics import HOT, OVERSHOOT, is_calm, is_usable, judged

from ._rates import (
    UNUSUAL,
    depth,
    fastest_of,
    has_few_fast,
    is_bounded,
    is_mostly_frozen,
    is_of_sweep,
    is_recurrent,
    is_unaveraged,
    may_normalise,
    multiplier,
    normalises,
    share_of,
)

_ADAPTIVE = {"Adam": 0.0099, "RMSProp": 0.021, "AdaGrad": 0.11}
"""The rate from which each is suspicious; their momentum, if any, does not multiply it."""
_NOT_JUDGED = (is_recurrent, is_mostly_frozen)
_SHALLOW, _SHALLOW_TAKES = 3, 10.0
"""Up to so many layers with weights, adaptive solvers bear a rate that is larger by this factor."""
_OFTEN_TRAIN, _SMALL = ("Adam", "AdaGrad"), 6
"""Half of the random nets of so few layers with weights trained with these all the same."""
_PLAIN, _RESIDUAL, _EMBEDDED, _NORMALISED = 0.95, 2.0, 2.0, 10.0
"""The same for base_lr * lr_mult / (1 - momentum) of SGD and Nesterov, by what keeps the activations in range. What an
Embed gives is as small as its filler: four such nets bisected on Caffe learned up to 2.7 and 11."""
_NEW_TAKES = 3.0
"""What a few new layers bear that learn faster than the trained ones below."""
_USUAL = {"Adam": 0.001, "RMSProp": 0.001, "AdaGrad": 0.01}
_HEAVY, _HEAVY_TAKES = 0.05, 3.0
"""1 - momentum below which updates add up too slowly to do their whole harm, and what they bear."""
_KNOWN_TAKES = 100.0
"""The same for so few layers whose own figures are known and name no fault: of those up to here, a quarter trained."""
_DELTA = 0.01
"""From which on `delta` outweighs the usual gradients, so that an adaptive solver divides by little else."""
_NET = (
    'layer { name: "ip" type: "InnerProduct" bottom: "data" top: "ip" inner_product_param { num_output: 10 } }\n'
    'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }'
)
_BN = 'layer { name: "bn" type: "BatchNorm" bottom: "data" top: "bn" }\n'
_WORDS = 'layer { name: "w" type: "Embed" bottom: "word" top: "data" embed_param { input_dim: 9 num_output: 4 } }\n'
_DEEPER = (
    'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 10 } }\n'
    + _NET.replace('bottom: "data"', 'bottom: "fc"')
)
_OWN = _NET.replace('type: "SoftmaxWithLoss"', 'type: "Python" loss_weight: 1 python_param { module: "d" layer: "D" }')
_FINETUNED = _NET.replace("inner_product_param", "param { lr_mult: 10 } param { lr_mult: 20 } inner_product_param")


class _Limit(NamedTuple):
    """The effective rate from which to report, the usual one, and what both are for."""

    rate: float
    usual: float
    why: str


class HighBaseLr(ProjectRule):
    """The learning rate is much higher than nets of this kind take.

    ## Why is this bad?
    Too high a rate is the most frequent cause of a loss of nan, or 87.3365. With momentum the updates add up, in a long
    training, so base_lr * lr_mult / (1 - momentum) counts: 0.1 for AlexNet and GoogLeNet, 1 for nets with BatchNorm,
    more for batches of more than 256; 0.001 is usual for Adam, up to 0.01 for RMSProp, 0.01 for AdaGrad.

    ## Example
    ```
    net: "alexnet.prototxt" base_lr: 0.1 momentum: 0.9
    ```
    Use instead:
    ```
    net: "alexnet.prototxt" base_lr: 0.01 momentum: 0.9
    ```

    ## Known problems
    It judges only from names and numbers, so it is likely, never certain. It does not report AdaDelta, whose rate is
    about 1, an adaptive solver with a delta of 0.01 or more, which makes it behave like SGD, with SGD losses that are
    not averaged over the batch or the map or are all Python layers of one's own, loss weights below 0.1, recurrent
    nets, or solvers in which a fork's LARS or warm-up scales the rate. With an adaptive solver,
    nets of up to three layers with weights are reported from ten times the rate of others, and a few layers that learn
    faster than the rest, as new ones on trained ones do, from three times. The finding is an info in a search for a
    rate (three solvers of a net differ in base_lr alone, or names of files say the rates), for nets of up to six layers
    with weights, for Adam and AdaGrad, and where the first updates of all of them are known, from the text or from the
    data with `--read-data`, and are small or the rate is below 100 times the usual; so it is below that where a Sigmoid
    or TanH after each of them bounds the signal.

    ## References
    - BVLC/caffe issues 409, 4449 and 6047; the solvers under models/ and examples/ of BVLC/caffe
    """

    code = "S201"
    name = "high-base-lr"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"s.prototxt": 'net: "n.prototxt" base_lr: 0.01 momentum: 0.9', "n.prototxt": _NET},
        {"s.prototxt": 'net: "n.prototxt" base_lr: 0.001 momentum: 0.9', "n.prototxt": _FINETUNED},
        {
            "s.prototxt": 'net: "n.prototxt" base_lr: 0.01 momentum: 0.9',
            "n.prototxt": _DEEPER.replace('"ip" inner', '"ip" param { lr_mult: 10 } inner'),
        },
        {"s.prototxt": 'net: "n.prototxt" base_lr: 0.1 momentum: 0.9', "n.prototxt": _BN + _NET},
        {"s.prototxt": 'net: "n.prototxt" base_lr: 1 type: "AdaDelta" momentum: 0.95', "n.prototxt": _NET},
        {"s.prototxt": 'net: "n.prototxt" base_lr: 7 momentum: 0.9 local_lr_auto: true', "n.prototxt": _NET},
        {"s.prototxt": 'net: "n.prototxt" base_lr: 0.1', "n.prototxt": _NET},
        {"s.prototxt": 'net: "n.prototxt" base_lr: 0.15 momentum: 0.9', "n.prototxt": _WORDS + _NET},
        {"s.prototxt": 'net: "n.prototxt" base_lr: 0.2 momentum: 0.9', "n.prototxt": _OWN},
        {"s.prototxt": 'net: "n.prototxt" base_lr: 0.05 type: "RMSProp" delta: 1', "n.prototxt": _NET},
        'net: "n.prototxt" base_lr: 0.1 momentum: 0.9',
    ]
    INVALID = [
        Invalid(
            {"s.prototxt": 'net: "n.prototxt"\nbase_lr: 0.1 momentum: 0.9', "n.prototxt": _NET},
            span="base_lr: 0.1",
            message="base_lr 0.1 with momentum 0.9 is in effect 1, 10 times the usual 0.1 for a net without batch"
            " normalisation, so training may diverge; try base_lr: 0.01",
        ),
        Invalid(
            {"s.prototxt": 'net: "n.prototxt"\nbase_lr: 0.01 momentum: 0.9', "n.prototxt": _FINETUNED},
            span="base_lr: 0.01",
            message="base_lr 0.01 with lr_mult 10 and momentum 0.9 is in effect 1, 10 times the usual 0.1 for a net"
            " without batch normalisation, so training may diverge; try base_lr: 0.001",
        ),
        Invalid(
            {
                "s.prototxt": 'net: "n.prototxt"\nbase_lr: 0.01 momentum: 0.9',
                "n.prototxt": _FINETUNED.replace("lr_mult: 10", "lr_mult: 100"),
            },
            span="lr_mult: 100",
            message='InnerProduct "ip": lr_mult 100 makes its rate 1, in effect 10 with momentum 0.9, 100 times the'
            " usual 0.1 for a net without batch normalisation, so training may diverge; try lr_mult: 1",
        ),
        Invalid(
            {"s.prototxt": 'net: "n.prototxt"\nbase_lr: 2 momentum: 0.9', "n.prototxt": _BN + _NET},
            span="base_lr: 2",
            message="base_lr 2 with momentum 0.9 is in effect 20, 20 times the usual 1 for a net with batch"
            " normalisation, so training may diverge; try base_lr: 0.1",
        ),
        Invalid(
            'net: "n.prototxt"\nbase_lr: 0.01 type: "Adam" momentum: 0.9',
            span="base_lr: 0.01",
            message="base_lr 0.01 is 10 times the usual 0.001 for Adam, so training may diverge; try base_lr: 0.001",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message, type_, net, rate = solver.message, solver.type, solver.train_net, solver.message.base_lr
        if (
            type_ == "AdaDelta"
            or type_ in _ADAPTIVE
            and message.delta >= _DELTA
            or solver.scales_rates
            or not 0 < rate < float("inf")
            or net
            # An adaptive solver divides by the size of the gradient.
            and (type_ not in _ADAPTIVE and net.once(is_unaveraged) or any(map(net.once, _NOT_JUDGED)))
        ):
            return
        fast = net.once(fastest_of) if net else None
        fastest = multiplier(fast) if fast else 1.0
        added = 1.0
        if type_ in ("SGD", "Nesterov"):
            if not 0 <= message.momentum < 1:
                return
            added = (1 - message.momentum) / share_of(message.momentum, message.max_iter)
        limit = _limit(type_, net, message.iter_size)
        effective = rate * fastest / added
        bears = (_HEAVY_TAKES if added < _HEAVY else 1) * (_NEW_TAKES if net and net.once(has_few_fast) else 1)
        if effective < limit.rate * bears or _is_judged(solver):
            return
        raised = [f"lr_mult {fastest:g}"] * (fastest != 1) + [f"momentum {message.momentum:g}"] * (added != 1)
        acts = f" with {' and '.join(raised)} is in effect {effective:.3g}," if raised else " is"
        lower = Suggested("base_lr", float(f"{limit.usual * added / fastest:.1g}"))
        times = f"{effective / limit.usual:.3g} times the usual {limit.usual:g}"
        what, place = f"base_lr {rate:g}{acts} {times} for {limit.why}", solver.at("base_lr")
        if fast and fastest >= UNUSUAL and effective / fastest < limit.rate:
            lower, place = Suggested("lr_mult", 1), fast.at("param", 0, "lr_mult")
            what = f"{title(fast)}: lr_mult {fastest:g} makes its rate {rate * fastest:g}, in effect {effective:.3g}"
            what += f" with momentum {message.momentum:g}" if added != 1 else ""
            what += f", {times} for {limit.why}"
        why = f"training may diverge; try {lower.text}"
        yield self.finding(
            place,
            f"{what}, so {why}",
            cause=Cause("rate", what, why, LIKELY, suggested=lower),
            severity=INFO if _often_trains(solver, net, effective / limit.usual) or is_of_sweep(solver, net) else None,
            evidence="too high a rate leads to a loss of nan or 87.3365, often after some hundred iterations",
            fixes=(Fix(f"set {lower.text}", DISPLAY, (replace(place, lower.text),)),),
        )


def _often_trains(solver: Solver, net: Net | None, times: float) -> bool:
    """times: the usual rate."""
    if net is None or net.once(depth) > _SMALL:
        return False
    calm = is_calm(solver)
    if solver.type in _OFTEN_TRAIN or calm:
        return True
    return times < _KNOWN_TAKES and (calm is not None or net.once(is_bounded))


def _is_judged(solver: Solver) -> bool:
    """Is the rate reported with figures of this very net?"""
    found = judged(solver)
    return found is not None and found.kind in (HOT, OVERSHOOT) and is_usable(found.cures[0])


def _limit(type_: str, net: Net | None, iter_size: int) -> _Limit:
    if type_ in _ADAPTIVE:
        takes = _SHALLOW_TAKES if net and net.once(depth) <= _SHALLOW else 1.0
        return _Limit(_ADAPTIVE[type_] * takes, _USUAL[type_], type_)
    if net is None:
        return _Limit(_NORMALISED, 0.1, "SGD")
    larger_batch = max(1.0, net.once(_batch) * max(iter_size, 1) / 256)
    if net.once(normalises):
        return _Limit(_NORMALISED * larger_batch, 1.0, "a net with batch normalisation")
    if net.once(may_normalise):
        return _Limit(_NORMALISED * larger_batch, 0.1, "SGD")
    if "Embed" in net.by_type:
        return _Limit(_EMBEDDED * larger_batch, 0.1, "a net that embeds its data")
    takes, what = (_RESIDUAL, "a residual net") if "Eltwise" in net.by_type else (_PLAIN, "a net")
    return _Limit(takes * larger_batch, 0.1, f"{what} without batch normalisation")


def _batch(net: Net) -> int:
    """The largest batch size of a data layer for TRAIN; 0 if none is known."""
    return max((layer.kind.batch_size for layer in net.layers if "TRAIN" in layer.phases), default=0)
