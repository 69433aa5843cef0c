"""Which of several trials that cured is told, and what counts as ruled out."""

from __future__ import annotations

from caffelint.caffe.place import Place
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.tried import CURED, SAME, Tried, refuted, survivor
from caffelint.text.parser import parse

DOCUMENT = parse(b"base_lr: 1 gamma: 1", "s.prototxt")
RATE, GAMMA = (Place(DOCUMENT, start, start + 1) for start in (0, 11))


def tried(kind: str, field: str, place: Place, score: float, outcome: str, last: float, left: float) -> Tried:
    change = Change(field, ())
    return Tried(Hypothesis(kind, place, score, (change,), field), change, outcome, "", -1, 9.0, last, 50, left)


def test_chance_comes_last_at_the_same_place() -> None:
    lucky = tried("start", "seed", RATE, -5.0, CURED, 5.0, 0.9)
    lower = tried("rate", "base_lr", RATE, 1.0, CURED, 3.0, 0.5)
    assert survivor([lucky, lower]) is lower
    assert survivor([lucky]) is lucky


def test_a_cause_is_not_also_ruled_out() -> None:
    held = tried("schedule", "held", GAMMA, 3.0, CURED, 1.0, 0.2)
    lower = tried("schedule", "lr_policy", RATE, 1.0, SAME, 9.0, 1.0)
    other = tried("rate", "base_lr", RATE, 1.0, SAME, 9.0, 1.0)
    assert refuted([held, lower, other]) == [other]
    assert refuted([lower, other]) == [lower, other]
