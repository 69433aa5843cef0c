from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid, Net, NetRule, title

from ._far import BIAS, FEWEST, deviations, farthest, odd_bias, rate

_FAR_RATE, _FAR_STD, _LARGE = 50, 30, 0.5
"""How many times the largest of the others is odd; what weights are large by themselves."""


def _net(rate: float = 1, std: float = 0.01) -> str:
    """An example: four layers, of which the second one may differ."""
    return "".join(
        f' layer {{ name: "fc{i}" type: "InnerProduct" bottom: "b{i}" top: "b{i + 1}"'
        f" param {{ lr_mult: {rate if i == 1 else 1} }} inner_product_param {{ num_output: 8"
        f' weight_filler {{ type: "gaussian" std: {std if i == 1 else 0.01} }} }} }}'
        for i in range(4)
    )


class ParamFarAboveOthers(NetRule):
    """The rate or the initial weights of one layer are far larger than those of every other layer.

    ## Why is this bad?
    A zero or a decimal point is often lost in such a number. A rate that is 100 times that of the other layers makes
    the layer diverge, and weights that begin 100 times larger saturate all that comes after them.

    ## Example
    ```
    weight_filler { type: "gaussian" std: 1 }
    ```
    Use instead, as in the other layers of the net:
    ```
    weight_filler { type: "gaussian" std: 0.01 }
    ```

    ## Known problems
    A bias is compared only where the weights of all layers have one rate; that of the last one is an info. Layers that
    are new to weights that are loaded are to learn faster, and the others then mostly have a rate below 1: rates are
    reported only where another one is at least 1, and not of the last layer that learns.

    ## References
    - sgd_solver.cpp, ComputeUpdateValue; filler.hpp, GaussianFiller
    """

    code = "G039"
    name = "param-far-above-others"
    severity = WARNING
    certainty = LIKELY
    VALID = [_net(), _net(rate=20), _net(std=0.1), _net().replace("lr_mult: 1", "lr_mult: 100")]
    INVALID = [
        Invalid(
            _net(rate=100),
            span="lr_mult: 100",
            message='InnerProduct "fc1" has lr_mult 100, but no other layer has more than 1; check it',
        ),
        Invalid(
            _net(std=1),
            span="std: 1",
            message='InnerProduct "fc1" has weight_filler std 1, but no other layer has more than 0.01; check it',
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        layers = net.layers_that(lambda kind: kind.has_weights)
        if len(layers) < FEWEST or net.role == "deploy":
            return
        rates = [(layer, ("param", 0, "lr_mult"), rate(layer)) for layer in layers]
        last = next((layer for layer, _, value in reversed(rates) if value > 0), None)
        found = [(one, other) for one, other in farthest(rates, _FAR_RATE) if one[0] is not last and other[2] >= 1]
        found += [(one, other) for one, other in farthest(deviations(layers), _FAR_STD) if one[2] >= _LARGE]
        found += odd_bias(layers)
        for (layer, path, value), (_, _, most) in found[:1]:
            name = "weight_filler std" if path[-1] == "std" else "lr_mult"
            whose = " for its bias" if path[:2] == ("param", BIAS) else ""
            text = f"{title(layer)} has {name} {value:g}{whose}, but no other layer has more than {most:g}; check it"
            # The bias of the last one may have far to go to the mean of the targets.
            yield self.finding(layer.at(*path), text, severity=INFO if whose and layer is last else None)
