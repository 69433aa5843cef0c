"""Which of several changes that cured is the cause: the likeliest, unless another one takes the loss much further."""

from __future__ import annotations

from caffelint.caffe.place import Place
from caffelint.smoke.diagnosis.change import Change
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.diagnosis.tried import CURED, Tried, survivor


def _tried(kind: str, score: float, left: float) -> Tried:
    change = Change(kind, ())
    place = Place(None, None, kind)  # type: ignore[arg-type]
    return Tried(Hypothesis(kind, place, score, (change,)), change, CURED, "", -1, 2.0, 2.0 * left, 50, left)


def _named(*tried: Tried) -> str:
    best = survivor(tried)
    assert best is not None
    return best.hypothesis.kind


def test_the_likeliest_is_named() -> None:
    assert _named(_tried("fillers", 1.4, 0.4), _tried("input-scale", 1.3, 0.1)) == "fillers"
    assert _named(_tried("fillers", 1.4, 0.8), _tried("input-scale", 1.3, 0.7)) == "fillers"


def test_one_that_gets_much_further_is_named() -> None:
    assert _named(_tried("fillers", 1.4, 0.8), _tried("input-scale", 1.3, 0.1)) == "input-scale"


def test_a_rate_hides_much() -> None:
    assert _named(_tried("fillers", 1.4, 0.8), _tried("rate", -1.0, 0.0)) == "fillers"
