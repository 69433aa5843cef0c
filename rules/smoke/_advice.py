"""Why a layer type gives nan, zeros or no gradient, and what to do about it: advice by type, all of it here.

What a type is or does, its class answers. What one writes to a person whose layer goes wrong is advice: it stays with
the rules that give it.
"""

from __future__ import annotations

from caffelint.lint import CERTAIN, LIKELY, NamedTuple


class Advice(NamedTuple):
    """text: the reason and the remedy, "" for none. huge: also where the layer reads huge values?"""

    text: str = ""
    certainty: str = CERTAIN
    huge: bool = False


class OfType(NamedTuple):
    """forward: why it gives nan or inf. backward: why its gradient does. zero: why every output is 0. stops: why it
    passes no gradient on. negative: why a loss that cannot be below 0 is."""

    forward: Advice = Advice()
    backward: Advice = Advice()
    zero: Advice = Advice()
    stops: Advice = Advice()
    negative: Advice = Advice()


_PROBABILITIES = Advice("it takes the log of probabilities; put a Softmax before it, or use SoftmaxWithLoss")
_DROPS = "it drops everything; lower dropout_ratio, the share that is dropped"
_BY_TYPE = {
    "Log": OfType(
        forward=Advice(
            "the log of 0 is -inf and that of a negative value is nan; keep the input above 0 with log_param shift",
            huge=True,
        ),
        backward=Advice("its gradient is 1 / x; keep the input away from 0"),
    ),
    "Sqrt": OfType(backward=Advice("its gradient is 1 / (2 sqrt(x)); keep the input away from 0")),
    "Exp": OfType(
        forward=Advice(
            "e^x is infinite for x above 88.7; scale the input down, or normalise it before this layer", huge=True
        )
    ),
    "Power": OfType(
        backward=Advice(
            "its gradient is power * top / bottom, which is 0 / 0 for an input of 0, except for power 0, 1 and 2;"
            " set a small shift, such as shift: 1e-6"
        )
    ),
    "Eltwise": OfType(
        backward=Advice(
            "with stable_prod_grad: false the gradient of a product divides by the factor; set stable_prod_grad: true"
        )
    ),
    "LRN": OfType(
        forward=Advice("it raises k + alpha * sum to a power, which divides by 0 for k 0 and zeros; set k above 0")
    ),
    "BatchNorm": OfType(
        forward=Advice(
            "it divides by sqrt(variance + eps), and the variance is 0 or was never learned; raise eps, and use"
            " use_global_stats: true only with trained statistics",
            LIKELY,
        ),
        zero=Advice(
            "it normalises one value for each channel, whose mean is the value itself; use a larger batch_size, as"
            " iter_size does not help, or larger maps",
            LIKELY,
        ),
    ),
    "MVN": OfType(
        backward=Advice("it divides by a deviation of 0; raise eps"),
        zero=Advice(
            "it normalises each map alone, and a map of one value is its own mean; set across_channels: true", LIKELY
        ),
    ),
    "Pooling": OfType(
        forward=Advice(
            "a window that covers no pixel has no average and no largest value; change the kernel, stride or pad"
        ),
        zero=Advice("its windows cover only padding"),
    ),
    "ReLU": OfType(
        zero=Advice(
            "its whole input is at most 0, from a bias far below 0, weights of one sign, or an update that was too"
            " large",
            LIKELY,
        )
    ),
    "Dropout": OfType(zero=Advice(_DROPS, LIKELY), stops=Advice(_DROPS)),
    "Scale": OfType(
        zero=Advice("its scale is 0; give it a filler of 1, the default without a filler"),
        stops=Advice("its scale is 0"),
    ),
    "Sigmoid": OfType(stops=Advice("it is saturated at 0 and 1; scale its input down")),
    "TanH": OfType(stops=Advice("it is saturated at -1 and 1; scale its input down")),
    "Softmax": OfType(
        stops=Advice(
            "it is saturated: one probability is 1 and all others are 0, so scores are too far apart, or a loss with a"
            " softmax of its own follows",
            LIKELY,
        )
    ),
    "SoftmaxWithLoss": OfType(
        stops=Advice("every label may be ignored, or be right with a probability of exactly 1", LIKELY)
    ),
    "Threshold": OfType(stops=Advice("a step has no gradient")),
    "SigmoidCrossEntropyLoss": OfType(
        negative=Advice("it has no lower bound for targets outside [0, 1]; scale them to that range")
    ),
    "MultinomialLogisticLoss": OfType(forward=_PROBABILITIES, negative=_PROBABILITIES),
}
_NONE = OfType()


def advice(layer_type: str) -> OfType:
    return _BY_TYPE.get(layer_type, _NONE)


GROWS = (
    "values grow from layer to layer until they overflow; use fillers that keep their size (xavier, msra), or scale the"
    " input down"
)
"""Why values overflow before any update."""
