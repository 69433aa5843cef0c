"""What the numbers of a solver and its net lead to, for rules that judge them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from caffelint.caffe.learning_rate import Schedule, schedule
from caffelint.caffe.likely import Images, brings_data, with_likely_shapes
from caffelint.caffe.net_parts import makers_of
from caffelint.caffe.states import TRAIN, State
from caffelint.lint.cause import Cause, CauseKind, Suggested
from caffelint.lint.finding import LIKELY
from caffelint.lint.weights import starts_from_weights
from caffelint.numerics import judgement
from caffelint.numerics.forward import unit
from caffelint.numerics.judgement import (
    ALIKE,
    CLIP,
    CLIPS_LESS,
    DECAY,
    FILLER,
    HOT,
    INPUT,
    LOSS,
    LOSS_WEIGHT,
    MOMENTUM,
    OVERSHOOT,
    RATE,
    STILL,
    TRIAL,
    WEIGHT_DECAY,
    Cure,
    Judgement,
    judge,
)
from caffelint.numerics.scales import rates
from caffelint.numerics.start import NO_CHANGE, Change
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net import Net
    from caffelint.caffe.shapes import Shape
    from caffelint.caffe.solver import Solver
    from caffelint.numerics.signal import Signal

__all__ = [
    "ALIKE",
    "CLIP",
    "CLIPS_LESS",
    "DECAY",
    "FILLER",
    "HOT",
    "INPUT",
    "LOSS",
    "LOSS_WEIGHT",
    "MOMENTUM",
    "OVERSHOOT",
    "RATE",
    "STILL",
    "WEIGHT_DECAY",
    "Cure",
    "Judgement",
    "drawn",
    "fault",
    "given",
    "is_calm",
    "is_trial",
    "is_unscaled",
    "is_usable",
    "judge",
    "judged",
    "largest_rate",
    "least",
    "number",
    "remedy",
    "steps",
    "training",
]

_JUDGED, _TRAINING = "_judged", "_training"


def judged(solver: Solver) -> Judgement | None:
    """What is wrong with the start of the training; None where nothing is, or where nobody can know: the net is loaded
    from weights, or a fork changes the rates.
    """
    if _JUDGED not in solver.__dict__:
        solver.__dict__[_JUDGED] = _judged(solver)
    found: Judgement | None = solver.__dict__[_JUDGED]
    return found


class Training(NamedTuple):
    """What is judged of a solver. rate: the first one. steps: how many of it all rates add up to."""

    net: Net
    built: BuiltNet
    solver: Any
    rate: float
    steps: float
    given: Change

    @property
    def is_shaped(self) -> bool:
        """Are the shapes of all data known?"""
        data = [layer for layer in self.built.layers if brings_data(layer)]
        return all(top.shape is not None for layer in data for top in layer.tops)

    def alternatives(self) -> Iterator[BuiltNet]:
        """The net; where nothing tells the shape of its data, with large ones and with small ones."""
        if self.is_shaped:
            yield self.built
        else:
            yield self.net.once(_large)
            yield self.net.once(_small)


def training(solver: Solver) -> Training | None:
    """None where nobody can know what the numbers lead to. Found out once: `_may_judge` counts."""
    if _TRAINING not in solver.__dict__:
        solver.__dict__[_TRAINING] = _found_training(solver)
    found: Training | None = solver.__dict__[_TRAINING]
    return found


def _found_training(solver: Solver) -> Training | None:
    net, message = solver.train_net, solver.message
    if solver.runs and solver.runs.trains_on:
        return None
    if net is None or solver.scales_rates or 0 < message.max_iter < _SHORTEST:
        return None
    course = schedule(message)
    rate = course.rate(0)
    if not 0 < rate < math.inf or not 0 <= message.momentum < 1:
        return None
    built = drawn(net)
    if built is None or not _may_judge(net):
        return None
    return Training(net, built, message, rate, steps(course, message.max_iter), net.once(given))


def drawn(net: Net) -> BuiltNet | None:
    """The net for TRAIN; None where its weights do not begin as fillers draw them."""
    if starts_from_weights(net):
        return None
    net.states()  # which other rules ask for, and which is also the likely one where nothing has to be assumed
    built = net.likely(State(TRAIN))
    return built if built.is_sound and any(layer.has_weights for layer in built.layers) else None


def given(net: Net) -> Change:
    """What is known of its data beyond the text, the same for all of its solvers."""
    return _known(net.likely(State(TRAIN)), net.measure())


def _known(built: BuiltNet, measured: Mapping[str, Signal]) -> Change:
    """What is known of the data. Who scales data of which nothing tells how large they are brings them to about 1."""
    signals = dict(measured)
    for layer in built.layers:
        if layer.tops and is_unscaled(layer, measured):
            readers = layer.tops[0].readers
            factor = readers[0][0].factor if len(readers) == 1 else None
            if factor and math.isfinite(factor):
                signals[layer.tops[0].name] = unit().times(1 / abs(factor))
            elif layer.transforms:
                signals[layer.tops[0].name] = unit()
    return Change(signals=signals) if signals else NO_CHANGE


def _judged(solver: Solver) -> Judgement | None:
    try:
        one = training(solver)
        if one is None:
            return None
        if solver.runs and solver.runs.customs.makes_floats and any(map(_takes_bytes, one.built.layers)):
            return None
        found = judge(*one[1:]) if one.is_shaped else _whichever(one)
        if found is None or any(_may_hold_floats(layer, one) for layer in _blamed_data(found)):
            return None
        if not one.is_shaped:
            return found
        unscaled = [layer for layer in one.built.layers if is_unscaled(layer, one.given.signals)]
        handed_over = any(not layer.prefetches for layer in unscaled)
        if unscaled and not _is_sure(found, handed_over):
            return None
        return found._replace(assumed=bool(unscaled))
    except ArithmeticError:  # beyond what can be told
        return None


def is_calm(solver: Solver) -> bool | None:
    """Do the figures of this very net say that its rate is not too high? None where they are not known."""
    try:
        one = training(solver)
        if one is None:
            return None
        found = [judgement.is_calm(built, *one[2:4], one.given) for built in one.alternatives()]
        return None if None in found else all(found)
    except ArithmeticError:
        return None


def is_trial(solver: Solver) -> bool:
    """Are there so few iterations that they measure the time, or show that it all works?"""
    return bool(0 < solver.message.max_iter < TRIAL)


def largest_rate(solver: Solver) -> float | None:
    """The rate beyond which the figures of the net say that it learns nothing; None where they say nothing."""
    try:
        one = training(solver)
        found = rates(one.built, one.solver, one.given) if one is not None and one.is_shaped else []
        return found[0].largest if found else None
    except ArithmeticError:
        return None


def is_unscaled(layer: BuiltLayer, signals: Mapping[str, Signal]) -> bool:
    """Does nothing tell of data how large they are?"""
    if not (layer.is_data or brings_data(layer)) or layer.transforms and not _holds_fractions(layer):
        return False
    return not any(top.name in signals and not signals[top.name].assumed for top in layer.tops)


def _holds_fractions(layer: BuiltLayer) -> bool:
    """Are records numbers between 0 and 1? Nobody takes part of a grey level off bytes and leaves them as large."""
    if layer.data_source and not layer.has_setting("backend"):
        return False
    t = layer.message.transform_param
    return bool(t.mean_value) and all(0 < mean < 1 for mean in t.mean_value) and bool(t.scale >= 1)


def _blamed_data(found: Judgement) -> Iterator[BuiltLayer]:
    """The data layers whose values are to blame, where any are."""
    layer = found.cures[0].layer if found.cures and found.cures[0].kind == INPUT else None
    above = [] if layer is None else [layer, *makers_of(layer.bottoms)]
    return (one for one in above if one.is_data)


def _may_hold_floats(layer: BuiltLayer, training: Training) -> bool:
    """May data that are taken for pixels be other numbers? Those that a program hands over, records whose name says
    so, and records that are no image for all that the text says: neither transformed nor read by windows.
    """
    if not layer.is_data or not layer.transforms or any(top.name in training.given.signals for top in layer.tops):
        return False
    if not layer.data_source:
        return True
    if not layer.has_setting("backend") or layer.message.HasField("transform_param"):
        return False
    readers = [reader for top in layer.tops[:1] for reader, _ in top.readers]
    return bool(_NORMALISED.search(layer.data_source)) or not any(reader.written_windows() for reader in readers)


def _may_judge(net: Net) -> bool:
    """Is the net not yet judged for so many solvers that more of them would take too long?"""
    layers = net.__dict__[_JUDGED] = net.__dict__.get(_JUDGED, 0) + len(net.layers)
    return bool(layers <= max(_MOST, len(net.layers)))


def _is_sure(one: Judgement, handed_over: bool = False) -> bool:
    """Does it hold for data of a scale that nothing tells, within reason? `handed_over`: a program or HDF5 files do.

    How far updates overshoot grows with the square of the data.
    """
    if one.kind == OVERSHOOT and handed_over:
        return one.size >= _SURE_OF_ANY
    return one.kind != LOSS and (one.kind not in (HOT, OVERSHOOT) or one.size >= _SURE)


def _takes_bytes(layer: BuiltLayer) -> bool:
    """Are its records taken for the bytes of images, since nothing in the text says otherwise? Crops do not."""
    if not (layer.is_data and layer.transforms and layer.has_setting("backend")):
        return False
    t = layer.message.transform_param
    return not (t.HasField("scale") or t.mean_value or t.mean_file)


_NORMALISED = compiled_later(r"gcn|zca|white?n|normali[sz]ed|float|feature", re.IGNORECASE)
_MOST = 6_000
"""Layers that are gone through for all solvers of a net together."""
_SHORTEST = 30
"""Iterations: of runs of fewer nobody expects that anything is learned."""
_SURE = 4.0
"""The least update, and rate that overshoots, to tell of where the scale of the data is unknown."""
_SURE_OF_ANY = 100.0
"""The same of a rate where a program hands the data over: a spectrum may have values of 0.1."""


def _large(net: Net) -> BuiltNet:
    return _with_data(net, Images((3, 1), (224, 64)))


def _small(net: Net) -> BuiltNet:
    return _with_data(net, Images((1, 3), (28, 64, 224)))


def _with_data(net: Net, images: Images) -> BuiltNet:
    """The net with data of this kind where nothing tells their shape."""
    shapes: dict[str, Shape] = {}
    built = net.likely(State(TRAIN))
    for layer in built.layers:
        if brings_data(layer):
            built = with_likely_shapes(partial(net.likely, State(TRAIN)), built, layer, shapes, images)
    return built


def _whichever(training: Training) -> Judgement | None:
    """What holds for small data as for large ones; nothing of a net with layers that nobody knows."""
    if not all(layer.known for layer in training.built.layers):
        return None
    found: list[Judgement] = []
    for built in training.alternatives():
        one = judge(built, *training[2:]) if built.is_known else None
        if one is None or not _is_sure(one):
            return None
        found.append(one)
    if found[0].kind != found[1].kind:
        return None
    if found[0].kind == STILL:  # larger images move the weights more: by no more than those do
        unscaled = any(is_unscaled(layer, training.given.signals) for layer in training.built.layers)
        return max(found, key=lambda one: one.size)._replace(at_least=True, assumed=unscaled)
    return min(found, key=lambda one: one.size)._replace(at_least=True, assumed=True)


_POINTS = 50


def steps(rates: Schedule, iterations: int) -> float:
    """How many updates at the first rate all updates come to; inf where the text does not say how many there are."""
    if iterations <= 0:
        return math.inf
    every = range(0, iterations, max(iterations // _POINTS, 1))
    total = sum(rates.rate(iteration) for iteration in every)
    return total / len(every) * iterations / rates.rate(0) if math.isfinite(total) else math.inf


def least(found: Judgement) -> str:
    """What precedes a size that depends on data whose shape nothing tells."""
    return "at least " if found.at_least else ""


def number(value: float) -> str:
    """As much of a number as can be told."""
    return f"{float(f'{value:.2g}'):g}"


_FAULTS: dict[str, CauseKind] = {
    RATE: "rate",
    MOMENTUM: "momentum",
    CLIP: "clip-gradients",
    CLIPS_LESS: "clip-gradients",
    WEIGHT_DECAY: "weight-decay",
    LOSS_WEIGHT: "loss-weight",
    INPUT: "input-scale",
    FILLER: "fillers",
}
_FIELDS = {RATE: "base_lr", MOMENTUM: "momentum", WEIGHT_DECAY: "weight_decay", CLIPS_LESS: "clip_gradients"}


def fault(found: Judgement, what: str, why: str, otherwise: CauseKind) -> Cause:
    """What is to blame: what the first of the cures changes. otherwise: where nothing is known that would help."""
    best = found.cures[0] if found.cures and is_usable(found.cures[0]) else None
    kind = _FAULTS[best.kind] if best else otherwise
    field = _FIELDS.get(best.kind) if best else None
    return Cause(kind, what, why, LIKELY, suggested=suggested(best) if best and field else None)


def suggested(cure: Cure) -> Suggested:
    """The value of a field of the solver that mends it, to one digit."""
    value = 0.9 if cure.kind == MOMENTUM else float(f"{cure.is_now:.1g}")
    return Suggested(_FIELDS[cure.kind], value)


def is_usable(cure: Cure) -> bool:
    """Is it a change that somebody would make? No training goes on at a rate next to 0."""
    return cure.kind != RATE or cure.is_now >= _LEAST_RATE


_LEAST_RATE = 1e-7


def remedy(cure: Cure) -> str:
    """The change as an advice."""
    if not is_usable(cure):
        return "no usual rate mends that; make the values of the data, of the targets or of the weights smaller"
    name = f'"{cure.layer.name}"' if cure.layer is not None else ""
    name += f" and {len(cure.others)} more" if cure.others else ""
    if cure.kind in (MOMENTUM, WEIGHT_DECAY):
        return f"set {suggested(cure).text}"
    if cure.kind == CLIP:
        cut = f"from {number(cure.is_now)} to {number(cure.was)}"
        return f"clip_gradients cuts the norm of the gradients {cut}; raise it"
    if cure.kind == CLIPS_LESS:
        return f"clip_gradients {number(cure.was)} leaves next to nothing of the gradients; set {suggested(cure).text}"
    if cure.kind == LOSS_WEIGHT:
        return f"its loss_weight is {number(cure.was)}; set loss_weight: 1 in {name}"
    if cure.kind == INPUT:
        to = f"a scale of {number(1 / cure.was)}"
        return f"the values of {name} are about {number(cure.was)}; bring them to about 1 with {to}"
    if cure.kind == FILLER:
        return (
            f"the weights of {name} begin at about {number(cure.was)}, {_times(cure.was, cure.is_now)} the"
            f' {number(cure.is_now)} that keeps the size of a signal; set weight_filler {{ type: "msra" }}'
        )
    return f"try {suggested(cure).text}"


def _times(was: float, usual: float) -> str:
    return f"{number(was / usual)} times" if was >= usual else f"1/{number(usual / was)} of"
