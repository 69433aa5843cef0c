"""Softmax of normal scores, by sums over a fixed sample of them."""

from __future__ import annotations

import math
import random
from functools import lru_cache

from caffelint.numerics.signal import BOTH, OTHER, PLACE, SAME, SAMPLE, Signal
from caffelint.text.records import NamedTuple

_CLASSES = 48
_DRAWS = 40
_LARGEST = 87.3365
"""-log(FLT_MIN), softmax_loss_layer.cpp."""


class Shares(NamedTuple):
    """square: mean square of a probability. loss: the mean of -log p of a class drawn at random. bounded_loss: what
    Caffe makes of that, which takes no p below the smallest float.
    """

    square: float
    loss: float
    bounded_loss: float


@lru_cache(maxsize=2048)
def shares(variance: float, classes: int) -> Shares:
    """Of probabilities of normal scores with this variance."""
    drawn = min(classes, _CLASSES)
    # Fewer classes are drawn than there are; their scores' sum stands for that of all.
    more = classes / drawn
    number = random.Random(12345)
    spread = math.sqrt(variance)
    square = loss = least = 0.0
    for _ in range(_DRAWS):
        scores = [spread * number.gauss(0, 1) for _ in range(drawn)]
        most = max(scores)
        powers = [math.exp(x - most) for x in scores]
        whole = sum(powers) * more
        square += sum(x * x for x in powers) / (drawn * whole * whole)
        losses = [most + math.log(whole) - x for x in scores]
        loss += sum(losses) / drawn
        least += sum(min(one, _LARGEST) for one in losses) / drawn
    return Shares(square / _DRAWS, loss / _DRAWS, least / _DRAWS)


def apart(scores: Signal, pair: int) -> float:
    """What a pair of scores of one class has in common beyond those of two classes."""
    return scores.kernels[pair] - scores.kernels[OTHER + pair]


def probabilities(scores: Signal, classes: int) -> tuple[list[float], Shares]:
    """Mean products of probabilities, by pair, and what they come to.

    For scores that correlate with rho, the product is a power series in rho: it begins at 1/C^2 with the slope that the
    mean derivative of a probability gives, and ends at the mean square.
    """
    variance = max(apart(scores, SAME), 0.0)
    own = shares(float(f"{min(variance, 1e12):.2g}"), classes)
    square = own.square
    chance = 1 / classes
    slope = variance * (chance - square) ** 2 * classes / max(classes - 1, 1)
    rest = max(square - chance * chance - slope, 0.0)
    slope = min(slope, square - chance * chance)
    found = [square]
    for pair in (PLACE, SAMPLE, BOTH):
        rho = min(max(apart(scores, pair) / variance, -1.0), 1.0) if variance else 1.0
        found.append(chance * chance + slope * rho + rest * rho * rho)
    return found, own


def softmax(scores: Signal, classes: int) -> Signal:
    """The probabilities as a blob."""
    found, _ = probabilities(scores, classes)
    mean = 1 / classes
    # They sum to 1: what one class has more, the others have less.
    other = [max(mean - found[pair], 0.0) / max(classes - 1, 1) for pair in range(OTHER)]
    return Signal(mean, (*[found[pair] for pair in range(OTHER)], *other), scores.assumed)
