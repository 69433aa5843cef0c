"""The suspects that fit how a run went wrong, the likeliest first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from caffelint.evidence.log.beginning import Beginning
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.suspects.of_net import of_net
from caffelint.evidence.log.suspects.of_solver import of_solver
from caffelint.evidence.log.suspects.outside import outside
from caffelint.evidence.log.suspects.suspect import (
    BREAKS,
    CHECKED,
    FIRST,
    FLAT,
    LARGE,
    RATE,
    SUDDEN,
    TESTED,
    Suspect,
)
from caffelint.evidence.log.values import Line, Logged
from caffelint.lint.cause import Known
from caffelint.lint.finding import CERTAIN, ERROR, INFO
from caffelint.lint.report import ReportedFinding

TRAIN = "TRAIN"
EFFECTS = (FIRST, LARGE, BREAKS, SUDDEN, FLAT, TESTED)
RULES: dict[str, tuple[str, ...]] = {
    "poly-without-max-iter": (BREAKS, FIRST),
    "learning-rate-grows": (BREAKS,),
    "learning-rate-not-finite": (BREAKS, SUDDEN),
    "dense-loss-unnormalized": (BREAKS, LARGE),
    "infogain-unnormalized": (BREAKS, LARGE),
    "unscaled-input": (LARGE, BREAKS, FLAT),
    "mean-in-scaled-units": (LARGE, FLAT),
    "suspicious-loss-weight": (BREAKS, FLAT),
    "log-of-nonpositive": (FIRST, SUDDEN, BREAKS, TESTED),
    "power-out-of-domain": (FIRST, SUDDEN, BREAKS, TESTED),
    "division-by-zero": (FIRST, SUDDEN, BREAKS, TESTED),
    "power-gradient-at-zero": (SUDDEN, BREAKS),
    "empty-pooling-window": (FIRST, SUDDEN),
    "lrn-out-of-domain": (FIRST, SUDDEN, BREAKS, TESTED),
    "batchnorm-of-one-value": EFFECTS,
    "batchnorm-eps-too-small": (FIRST, SUDDEN, BREAKS),
    "global-stats-in-training": (FIRST, LARGE, BREAKS, FLAT),
    "gaussian-without-std": (LARGE, BREAKS, FLAT),
    "uniform-without-range": (LARGE, BREAKS, FLAT),
    "constant-weights": (FLAT, BREAKS),
    "missing-weight-filler": (FLAT,),
    "misread-filler": (FLAT, LARGE, BREAKS),
    "bilinear-misconfigured": (FLAT,),
    "deconvolution-without-filler": (FLAT,),
    "weight-decay-out-of-range": (BREAKS, FLAT),
    "adaptive-parameter-out-of-range": EFFECTS,
    "momentum-out-of-range": (BREAKS, FLAT, SUDDEN),
    "recurrent-without-clip-gradients": (SUDDEN, BREAKS),
    "no-gradient-path": (FLAT,),
    "nothing-learnable": (FLAT,),
    "backward-not-implemented": (FLAT,),
    "in-place-corrupts-gradient": (FLAT, BREAKS),
    "in-place-after-branch": (FLAT, BREAKS),
    "softmax-twice": (FLAT,),
    "sigmoid-twice": (FLAT,),
    "no-loss": (FLAT,),
    "clip-gradients-zero": (FLAT,),
    "data-not-shuffled": (FLAT,),
    "shuffled-apart": (FLAT,),
    "ignore-label-in-range": (FLAT,),
    "single-class-softmax": (FLAT,),
    "loss-needs-probabilities": EFFECTS,
    "integer-labels-for-regression": (FLAT, LARGE, BREAKS),
    "class-count-mismatch": (FLAT, LARGE),
    "negative-lr-mult": (BREAKS, FLAT),
    "iter-size-not-positive": (FIRST, BREAKS, SUDDEN),
    "dropout-ratio-out-of-range": EFFECTS,
    "gradient-to-labels": (BREAKS,),
    "no-base-lr": (FLAT,),
    "train-test-transform-mismatch": (TESTED,),
    "train-test-nets-differ": (TESTED,),
    "moving-average-fraction-out-of-range": (TESTED,),
    "frozen-layers-moving-statistics": (TESTED,),
}
_DOUBTFUL = (
    "recurrent-without-clip-gradients",
    "data-not-shuffled",
    "unscaled-input",
    "integer-labels-for-regression",
)
_TOLD_BETTER = (
    "frozen-without-weights",
    "high-base-lr",
    "first-updates-too-large",
    "first-loss-too-large",
    "samples-look-alike",
    "weights-barely-move",
)
"""What the figures of the run tell better."""
_LEAST = 0.9
_NEAR = 0.5
_CURES = 0.7
_MOST = 3


def is_of_training(rule: str) -> bool:
    """Does a rule of the text say how training will go?"""
    return rule in RULES or rule in _TOLD_BETTER


def suspects(
    run: Logged, recovered: Recovered, beginning: Beginning, static: Sequence[ReportedFinding], effects: Sequence[str]
) -> list[Suspect]:
    """Those that lead to one of the effects, the likeliest first: none that is much less likely than the first."""
    own = [*of_solver(run, recovered, beginning), *of_net(run, recovered, beginning)]
    own += outside(run, recovered, beginning)
    found = [*_checked(static), *(_with_cure(one, beginning) for one in own)]
    found = [one for one in found if set(one.effects) & set(effects) and not math.isnan(one.score)]
    fitting = sorted(found, key=lambda one: -one.score)
    best: list[Suspect] = []
    for one in fitting:
        if one.score >= _LEAST and (not best or one.score >= best[0].score - _NEAR) and not _is_same(one, best):
            best.append(one)
    return best[:_MOST]


def _with_cure(one: Suspect, beginning: Beginning) -> Suspect:
    """What mends all figures by itself, as numerics finds, is likelier than what does not."""
    cures = beginning.judgement.cures if beginning.judgement else ()
    layers = [cure.layer.name if cure.layer else "" for cure in cures if cure.kind == one.kind]
    return one._replace(score=one.score + _CURES) if one.kind != RATE and one.layer in layers else one


def _is_same(one: Suspect, others: Sequence[Suspect]) -> bool:
    """Is the place or the kind one of theirs?"""
    lines = [other.line.number for other in others if other.line]
    kinds = [other.kind for other in others if other.kind != CHECKED]
    told = [(other.known.name, other.known.message) for other in others if other.known]
    said = one.known is not None and (one.known.name, one.known.message) in told
    return said or (one.line is not None and one.line.number in lines) or one.kind in kinds


def _checked(static: Sequence[ReportedFinding]) -> Iterator[Suspect]:
    for one in sorted(static, key=lambda one: (TRAIN not in one.phases, one.line or 0)):
        if one.name not in RULES:
            continue
        score = 4.5 if one.severity == ERROR and one.certainty == CERTAIN else 3.0 if one.severity == ERROR else 2.0
        score = 2.5 if one.severity != ERROR and one.certainty == CERTAIN else score
        score = 0.8 if one.severity == INFO else score
        if one.name in _DOUBTFUL:
            score = 1.0
        known = Known(one.name, one.file, one.line, one.message)
        line = Line(one.line) if one.line else None
        yield Suspect(CHECKED, score, RULES[one.name], line, one.layer, known=known)
